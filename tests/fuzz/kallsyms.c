/*
 * report/symbols.c on any bytes as /proc/kallsyms, in pieces whose size the
 * first byte tells: each address gets the symbol that a plain search of whole
 * lines finds, and nothing is read or written out of bounds.
 */
#include <stdlib.h>
#include <string.h>
#include "../../applet/limits.h"
#include "../../applet/report/symbols.h"

static const uint64_t addrs[] = {
	0xffffffffc0000020, 0x10, 0x1010, 0xffffffff81000110,
	0xffffffff81000250, 0xffffffff81000250, UINT64_MAX, 1,
};

static void must(int holds)
{
	if (!holds)
		abort();
}

/* A line as the tracer keeps it: its first 256 bytes. The symbol's start, or
 * 0 where it is none; *name is what stands behind. */
static uint64_t line_start(const char *line, size_t len, const char **name)
{
	char number[17] = "";
	size_t n = 0;

	while (n < len && n < 16 && strchr("0123456789abcdef", line[n]) &&
	       line[n])
		n++;
	memcpy(number, line, n);
	if (len < n + 4 || line[n] != ' ' || line[n + 2] != ' ')
		return 0;
	if (!line[n + 1] || !strchr("tTwW", line[n + 1]) ||
	    (unsigned char)line[n + 3] <= ' ')
		return 0;
	*name = line + n + 3;
	if (len - n - 3 > 6 && !strncmp(*name, "__pfx_", 6))
		return 0;
	return strtoull(number, NULL, 16);
}

/* The start that `addr` must get; *first is the first byte of its name. */
static uint64_t plain_search(const char *text, size_t len, uint64_t addr,
			     char *first)
{
	uint64_t best = 0;
	const char *end;

	*first = '\0';
	for (; (end = memchr(text, '\n', len)) != NULL;) {
		size_t n = (size_t)(end - text);
		const char *name;
		uint64_t start = line_start(text, n < 256 ? n : 256, &name);

		if (start < addr && start > best) {
			best = start;
			*first = *name;
		}
		len -= n + 1;
		text = end + 1;
	}
	return best;
}

static void check(const struct symbols *s, const char *text, size_t len)
{
	must(s->used == 7);
	for (uint32_t i = 0; i < s->used; i++) {
		const struct symbol *row = &s->row[i];
		char first;
		uint64_t start = plain_search(text, len, row->addr, &first);

		must(i == 0 || s->row[i - 1].addr < row->addr);
		must(symbols_find(s, row->addr) == row);
		must(row->start == start);
		must(memchr(row->name, '\0', SYMBOL_BYTES) != NULL);
		must(!start || row->name[0] == first);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char memory[16 * sizeof(struct symbol) + 64];
	struct kallsyms_carry carry = { .len = 0 };
	struct arena arena;
	struct symbols s;
	size_t step;

	if (size < 1)
		return 0;
	arena_init(&arena, memory, sizeof(memory));
	must(symbols_init(&s, &arena, 16) == 0);
	for (size_t i = 0; i < ARRAY_LEN(addrs); i++)
		symbols_add(&s, addrs[i]);
	symbols_sort(&s);
	step = *data++ + 1u;
	size--;
	for (size_t at = 0; at < size; at += step) {
		size_t n = size - at < step ? size - at : step;
		/* No byte behind it: AddressSanitizer sees one too many. */
		char *piece = malloc(n);

		must(piece != NULL);
		memcpy(piece, data + at, n);
		symbols_feed(&s, &carry, piece, n);
		free(piece);
	}
	symbols_finish(&s);
	check(&s, (const char *)data, size);
	return 0;
}
