/* SPDX-License-Identifier: MIT */
/*
 * source/proc/baseline.c and boot_log.c on any text: each line as one of
 * /proc/meminfo, of /proc/zoneinfo and as a record of the kernel's log, and all
 * of it as one. A figure does not overflow in bytes, its name is ended.
 */
#include <errno.h>
#include "fuzz.h"
#include "limits.h"
#include "source/proc/boot_log.h"

struct listener {
	struct event_out out;	/* first: it takes events */
	int heard;
};

static void check(const struct event *e)
{
	must(e->type == EVENT_FIGURE && e->size % 1024 == 0);
	must(memchr(e->name, 0, FIGURE_NAME_BYTES) != NULL);
}

static void hear(struct event_out *o, const struct event *e)
{
	struct listener *l = (struct listener *)o;

	check(e);
	l->heard++;
}

static void line(struct boot_log *b, const char *text, size_t len)
{
	struct event e = { .time_ns = 1 };
	int error = meminfo_line(text, len, &e);

	must(error == 0 || error == -EINVAL);
	if (!error)
		check(&e);
	must(zoneinfo_line(text, len) <= UINT32_MAX);
	boot_log_record(b, text, len);
}

void fuzz_meminfo(const uint8_t *data, size_t size)
{
	struct listener l = { .out.event = hear };
	struct boot_log b = { .out = &l.out, .event.time_ns = 1 };
	struct text t = { .at = data, .left = size };

	boot_log_record(&b, (const char *)data, size);
	must(b.figures == l.heard);
	while (next_line(&t))
		line(&b, t.line, t.len);
	boot_log_end(&b);
	must(memchr(b.unpack_error, 0, sizeof(b.unpack_error)) != NULL);
}
