/* SPDX-License-Identifier: MIT */
/*
 * source/tracefs/format.c and tracepoints.c on any text as a `format` file of
 * each tracepoint, and on its last bytes as a raw record: nothing is read outside
 * of either, and what is taken is whole.
 */
#include "fuzz.h"
#include "limits.h"
#include "source/tracefs/tracefs.h"

#define RAW_BYTES 96

static void decode(const struct point *p, const uint8_t *bytes, size_t len)
{
	unsigned char *raw = exact(bytes, len);
	struct event e;

	memset(&e, 0x5a, sizeof(e));
	if (!point_decode(p, raw, len, &e)) {
		must(e.type == p->type);
		must((e.flags & ~(EVENT_IRQ | (p->ahead ? EVENT_AHEAD : 0))) ==
		     p->set_flags);
		must(!p->text.size || memchr(e.name, 0, sizeof(e.name)));
	}
	free(raw);
}

static void parse(const char *text, size_t len)
{
	for (enum tracepoint tp = 0; tp < TP_COUNT; tp++) {
		size_t tail = len < RAW_BYTES ? len : RAW_BYTES;
		struct point p;

		if (point_parse(&p, tp, text, len)) {
			must(p.id == 0);
			continue;
		}
		must(p.id != 0 && p.flags.size != 0);
		for (; tail; tail -= tail > 8 ? 7 : 1)
			decode(&p, (const uint8_t *)text + len - tail, tail);
		decode(&p, NULL, 0);
	}
}

static void flags(const char *text, size_t len)
{
	static const char *const names[] = {
		"__GFP_ZERO", "GFP_KERNEL", "F", "__GFP_DMA",
	};
	struct tracefs t = { .anon = { 1, 2, 3 } };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		uint64_t value = 0;

		if (!format_flag(text, len, names[i], &value))
			must(value != 0);
	}
	anon_parse(&t, text, len);
	must(!t.anon[0] == !t.anon[1] && !t.anon[1] == !t.anon[2]);
}

static void fields(const char *text, size_t len)
{
	static const char *const names[] = {
		"pfn", "name", "migratetype", "a", "common_type",
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct field f;

		if (!format_field(text, len, names[i], &f))
			must(f.size != 0 && f.is_signed <= 1);
	}
}

void fuzz_format(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;

	parse(text, size);
	flags(text, size);
	fields(text, size);
}
