/* SPDX-License-Identifier: MIT */
/*
 * report/symbols.c on any bytes as the lines of /proc/kallsyms: each address gets
 * the symbol that a plain search of them finds, and nothing is read or written out
 * of bounds.
 */
#include "fuzz.h"
#include "limits.h"
#include "report/report.h"

static const uint64_t addrs[] = {
	0xffffffffc0000020, 0x10, 0x1010, 0xffffffff81000110,
	0xffffffff81000250, 0xffffffff81000250, UINT64_MAX, 1, 0x2010, 0x3010,
	0xffffffff810000ff, 0xffffffff81000200, 0xffffffff81000201,
	0xffffffff810002f5, 0xffffffff81000310, 0xffffffff81000400,
};

static unsigned int is(const char *name, size_t len, const char *want)
{
	return len == strlen(want) && !memcmp(name, want, len);
}

/* The symbol's start, or 0 where it is none; *name is what stands behind. */
static uint64_t line_start(const char *line, size_t len, const char **name)
{
	char number[17] = "";
	size_t n = 0;

	while (n < len && n < 16 && strchr("0123456789abcdefABCDEF", line[n]) &&
	       line[n])
		n++;
	memcpy(number, line, n);
	if (len < n + 4 || line[n] != ' ' || line[n + 2] != ' ')
		return 0;
	if (!line[n + 1] || !strchr("tTwW", line[n + 1]) ||
	    (unsigned char)line[n + 3] <= ' ')
		return 0;
	*name = line + n + 3;
	if (len - n - 3 > 6 && (!strncmp(*name, "__pfx_", 6) ||
				!strncmp(*name, "__cfi_", 6)))
		return 0;
	if (**name == '$' || **name == '.')
		return 0;
	return strtoull(number, NULL, 16) -
	       is(*name, len - n - 3, "__kretprobe_trampoline") -
	       is(*name, len - n - 3, "arch_rethook_trampoline");
}

/* As a row has it: a module's that does not fit is left out, a long one is
 * cut. */
static void name_of(const char *at, size_t len, char name[SYMBOL_BYTES])
{
	const char *tab = memchr(at, '\t', len);

	if (tab && len >= SYMBOL_BYTES)
		len = (size_t)(tab - at);
	memset(name, 0, SYMBOL_BYTES);
	memcpy(name, at, len < SYMBOL_BYTES ? len : SYMBOL_BYTES - 1);
	if (tab && tab < at + len)
		name[tab - at] = ' ';
}

/* The start that `addr` must get, and the name. */
static uint64_t plain_search(struct input t, uint64_t addr, char *name)
{
	uint64_t best = 0;

	memset(name, 0, SYMBOL_BYTES);
	while (input_line(&t)) {
		const char *at;
		const uint64_t start = line_start(t.line, t.len, &at);

		if (start < addr && start > best) {
			best = start;
			name_of(at, (size_t)(t.line + t.len - at), name);
		}
	}
	return best;
}

static void check(const struct symbols *s, const struct input *text)
{
	must(s->used == ARRAY_LEN(addrs) - 1);	/* one comes twice */
	for (uint32_t i = 0; i < s->used; i++) {
		const struct symbol *row = &s->row[i];
		char name[SYMBOL_BYTES];
		const uint64_t start = plain_search(*text, row->addr, name);

		must(i == 0 || s->row[i - 1].addr < row->addr);
		must(symbols_find(s, row->addr) == row);
		must(row->start == start);
		must(!memcmp(row->name, name, SYMBOL_BYTES));
	}
}

void fuzz_kallsyms(const uint8_t *data, size_t size)
{
	unsigned char memory[32 * sizeof(struct symbol) + 64] = { 0 };
	const struct input whole = { .at = data, .left = size };
	struct input t = whole;
	struct arena arena;
	struct symbols s;

	arena_init(&arena, memory, sizeof(memory));
	must(symbols_init(&s, &arena, 32) == 0);
	for (size_t i = 0; i < ARRAY_LEN(addrs); i++)
		symbols_add(&s, addrs[i]);
	symbols_sort(&s);
	while (input_line(&t))
		symbols_line(&s, t.line, t.len);
	symbols_finish(&s);
	check(&s, &whole);
}
