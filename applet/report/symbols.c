/* See symbols.h. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "heap.h"
#include "symbols.h"

/* seq_file hands out a page at a time whatever the buffer. */
#define READ_BYTES 4096

int symbols_init(struct symbols *s, struct arena *a, uint32_t rows)
{
	memset(s, 0, sizeof(*s));
	s->row = arena_take(a, rows, sizeof(*s->row));
	if (!s->row)
		return -ENOMEM;
	s->slots = rows;
	s->capacity = rows - rows / 8;
	return 0;
}

void symbols_clear(struct symbols *s)
{
	if (s->slots)
		memset(s->row, 0, s->slots * sizeof(*s->row));
	s->used = 0;
	s->sorted = 0;
	s->full = 0;
}

/* The row of an address, new if need be; NULL: no room. Some stay empty, so
 * that a search ends soon. */
static struct symbol *row_for(struct symbols *s, uint64_t addr)
{
	uint64_t at = addr * 0x9e3779b97f4a7c15u >> 32;

	for (uint32_t i = 0; i < s->slots; i++) {
		struct symbol *row = &s->row[(at + i) % s->slots];

		if (row->addr == addr)
			return row;
		if (row->addr)
			continue;
		if (s->used == s->capacity)
			return NULL;
		s->used++;
		row->addr = addr;
		return row;
	}
	return NULL;
}

void symbols_add(struct symbols *s, uint64_t addr)
{
	if (addr && !s->sorted && !row_for(s, addr))
		s->full++;
}

static void set_name(struct symbol *row, uint64_t start, const char *name,
		     size_t len)
{
	if (len > SYMBOL_BYTES - 1)
		len = SYMBOL_BYTES - 1;
	row->start = start;
	memset(row->name, 0, SYMBOL_BYTES);
	memcpy(row->name, name, len);
}

void symbols_set(struct symbols *s, uint64_t addr, uint64_t start,
		 const char *name, size_t len)
{
	struct symbol *row = addr && !s->sorted ? row_for(s, addr) : NULL;

	if (row && start && start < addr)
		set_name(row, start, name, len);
}

static int addr_before(const struct heap *h, uint32_t i, uint32_t j)
{
	const struct symbol *row = h->items;

	return row[i].addr < row[j].addr;
}

static void addr_swap(const struct heap *h, uint32_t i, uint32_t j)
{
	struct symbol *row = h->items, kept = row[i];

	row[i] = row[j];
	row[j] = kept;
}

void symbols_sort(struct symbols *s)
{
	uint32_t to = 0;

	if (s->sorted)
		return;
	for (uint32_t i = 0; i < s->slots; i++)
		if (s->row[i].addr)
			s->row[to++] = s->row[i];

	struct heap h = { addr_before, addr_swap, s->row, NULL, to };

	heap_make(&h);
	heap_sort(&h);
	s->sorted = 1;
}

/* First row whose address is above `value`. */
static uint32_t row_above(const struct symbols *s, uint64_t value)
{
	uint32_t low = 0, high = s->used;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (s->row[mid].addr > value)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

const struct symbol *symbols_find(const struct symbols *s, uint64_t addr)
{
	uint32_t above = s->sorted && addr ? row_above(s, addr) : 0;

	if (!above || s->row[above - 1].addr != addr)
		return NULL;
	return &s->row[above - 1];
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/* "name\t[module]" becomes "name [module]"; a module that does not fit goes,
 * for half a one would be another's name. */
static void take_name(struct symbol *row, uint64_t start, const char *name,
		      size_t len)
{
	const char *tab = memchr(name, '\t', len);
	size_t name_len = tab ? (size_t)(tab - name) : len;

	set_name(row, start, name, name_len);
	if (!tab || len >= SYMBOL_BYTES)
		return;
	memcpy(row->name + name_len, tab, len - name_len);
	row->name[name_len] = ' ';
}

/* Row i keeps the greatest symbol from the address before its own up to below
 * its own; of aliases, the first. */
static void feed_line(struct symbols *s, const char *line, size_t len)
{
	uint64_t start = 0;
	size_t i = 0;

	for (; i < len && i < 16 && hex_value(line[i]) >= 0; i++)
		start = start << 4 | (uint64_t)hex_value(line[i]);
	if (!start || i + 4 > len || line[i] != ' ' || line[i + 2] != ' ')
		return;
	if (!memchr("tTwW", line[i + 1], 4) ||
	    (unsigned char)line[i + 3] <= ' ')
		return;
	const char *name = line + i + 3;

	len -= i + 3;
	/* Padding in front of a function, named since 6.2: no code of ours
	 * returns there. */
	if (len > 6 && !memcmp(name, "__pfx_", 6))
		return;
	uint32_t at = row_above(s, start);

	if (at < s->used && start > s->row[at].start)
		take_name(&s->row[at], start, name, len);
}

static void carry_add(struct kallsyms_carry *c, const char *text, size_t len)
{
	size_t room = sizeof(c->line) - c->len;

	memcpy(c->line + c->len, text, len < room ? len : room);
	c->len += len < room ? len : room;
}

void symbols_feed(struct symbols *s, struct kallsyms_carry *c,
		  const char *text, size_t len)
{
	while (len) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) : len;

		if (!end || c->len)
			carry_add(c, text, n);
		if (!end)
			return;
		if (c->len)
			feed_line(s, c->line, c->len);
		else
			feed_line(s, text, n);
		c->len = 0;
		text += n + 1;
		len -= n + 1;
	}
}

void symbols_finish(struct symbols *s)
{
	for (uint32_t i = 1; i < s->used; i++)
		if (!s->row[i].start && s->row[i - 1].start)
			set_name(&s->row[i], s->row[i - 1].start,
				 s->row[i - 1].name,
				 strnlen(s->row[i - 1].name, SYMBOL_BYTES));
}

int symbols_stream(struct symbols *s, int fd)
{
	struct kallsyms_carry carry = { .len = 0 };
	char text[READ_BYTES];
	int error = lseek(fd, 0, SEEK_SET) < 0 ? -errno : 0;

	while (!error) {
		ssize_t n = read(fd, text, sizeof(text));

		if (n > 0)
			symbols_feed(s, &carry, text, (size_t)n);
		else if (n == 0)
			break;
		else if (errno != EINTR)
			error = -errno;
	}
	symbols_finish(s);
	return error;
}
