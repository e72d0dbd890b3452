/* SPDX-License-Identifier: MIT */
/*
 * Any text. Readers of the kernel's texts (tests/unit/readers.h), each of its lines,
 * and all of it as one record of the kernel's log: what becomes of one does not
 * depend on what stands behind it. base/files.c, in a file: its lines are those
 * that a plain search for newlines finds, each cut at the buffer's size, none
 * missing, none twice; and what fits a buffer is read whole or refused.
 * source/proc/tables.c, /proc/zoneinfo: the pages on per-CPU lists are those that a
 * plain reading of it finds; zones.c: what is free belongs to one of the parts that
 * it is divided into. report/symbols.c, /proc/kallsyms: each address gets the
 * symbol that a plain search of the lines finds.
 */
#include <sys/mman.h>
#include "fuzz.h"
#include "base/system.h"
#include "report/report.h"
#include "../unit/readers.h"

static void each_reader(const char *alone, size_t len)
{
	char *copy = ended(alone, len);

	for (size_t i = 0; i < ARRAY_LEN(readers); i++) {
		char a[OUTCOME_BYTES] = "", b[OUTCOME_BYTES] = "";

		reader_read(&readers[i], alone, len, a);
		reader_read(&readers[i], copy, len, b);
		must(!strcmp(a, b));
	}
	free(copy);
}

void fuzz_texts(const uint8_t *data, size_t size)
{
	char figures[OUTCOME_BYTES] = "";
	struct listener l = { .out.event = hear_figure, .text = figures };
	struct ram_reader b = {
		.out = &l.out, .event.time_ns = NS, .page_size = PAGE,
	};
	struct input t = { .at = data, .left = size };

	boot_log_record(&b, (const char *)data, size);
	must(b.figures == l.events);
	each_reader((const char *)data, size);
	while (input_line(&t))
		each_reader(t.line, t.len);
}

/* --- files.c --- */

#define LINE_MOST (sizeof(((struct lines *)0)->buf) - 1)

struct expected {
	const uint8_t *at;
	size_t left;
};

static void take(void *context, char *line, size_t len)
{
	struct expected *x = context;
	const uint8_t *end = memchr(x->at, '\n', x->left);
	size_t whole = end ? (size_t)(end - x->at) : x->left;

	must(x->left != 0);
	must(len == (whole < LINE_MOST ? whole : LINE_MOST));
	must(line[len] == '\0' && !memcmp(line, x->at, len));
	x->at += whole + (end != NULL);
	x->left -= whole + (end != NULL);
}

static void whole_file(const char *path, const uint8_t *data, size_t size,
		       size_t room)
{
	char *buf = malloc(room);
	ssize_t got;

	must(buf != NULL);
	got = readfile(path, buf, room);
	must(got == (size < room ? (ssize_t)size : -EFBIG));
	must(got < 0 || (!memcmp(buf, data, size) && buf[size] == '\0'));
	free(buf);
}

/* A file in memory, opened by its path as any other is. */
void fuzz_lines(const uint8_t *data, size_t size)
{
	struct expected x = { data, size };
	int fd = memfd_create("lines", MFD_CLOEXEC);
	char path[32];

	must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	must(each_line(path, take, &x) == 0);
	must(x.left == 0);
	whole_file(path, data, size, size + 1);
	if (size)
		whole_file(path, data, size, size);
	close(fd);
}

/* --- zoneinfo --- */

/* "count:" is the first word, and behind it are only spaces and a number that 32
 * bits can hold; else nothing. */
static uint64_t plain(const char *line)
{
	static const char name[] = "count: ";
	const char *at = line + strspn(line, " ");
	uint64_t value = 0;

	if (strncmp(at, name, strlen(name)))
		return 0;
	at += strlen(name);
	at += strspn(at, " ");
	if (!*at || at[strspn(at, "0123456789")])
		return 0;
	for (; *at; at++) {
		value = value * 10 + (uint64_t)(*at - '0');
		if (value > UINT32_MAX)
			return 0;
	}
	return value;
}

static void zones(const uint8_t *data, size_t size)
{
	const int fd = memfd_create("zoneinfo", MFD_CLOEXEC);
	struct zones z;

	must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	proc_zones(fd, &z);
	must(z.free_pages == z.own_pages + z.kept_pages + z.reserve_pages +
			     z.apart_pages + z.high_pages + z.cma_pages);
	must(z.known || !z.free_pages);
	close(fd);
}

void fuzz_zoneinfo(const uint8_t *data, size_t size)
{
	struct input t = { .at = data, .left = size };

	zones(data, size);
	while (input_line(&t)) {
		char *copy = ended(t.line, t.len);
		const uint64_t got = zoneinfo_line(t.line, t.len);

		must(got <= UINT32_MAX);
		if (!memchr(copy, '\0', t.len))
			must(got == plain(copy));
		free(copy);
	}
}

/* --- symbols.c --- */

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
