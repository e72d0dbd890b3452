/* SPDX-License-Identifier: MIT */
/* See report.h, symbols. */
#include <errno.h>
#include <string.h>
#include "base/base.h"
#include "limits.h"
#include "report/report.h"

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
	s->sorted = s->partial = 0;
}

/* The row of an address, made if needed; NULL: no room. Some rows always stay
 * empty, so that a search ends soon. */
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
	if (addr && !s->sorted)
		row_for(s, addr);
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

/* Puts the used rows of the hash in front. */
static void close_gaps(struct symbols *s)
{
	uint32_t used = 0;

	for (uint32_t i = 0; used < s->used; i++) {
		if (!s->row[i].addr)
			continue;
		if (used != i) {
			s->row[used] = s->row[i];
			s->row[i].addr = 0;
		}
		used++;
	}
}

/* Shell sort: the rows of a hash have no order. */
void symbols_sort(struct symbols *s)
{
	struct symbol *row = s->row;

	if (s->sorted)
		return;
	close_gaps(s);
	for (uint32_t gap = s->used / 2; gap; gap /= 2)
		for (uint32_t i = gap; i < s->used; i++) {
			struct symbol moved = row[i];
			uint32_t to = i;

			for (; to >= gap && row[to - gap].addr > moved.addr;
			     to -= gap)
				row[to] = row[to - gap];
			row[to] = moved;
		}
	s->sorted = 1;
}

/* The first row whose address is above `value`. */
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
	const int known = s->sorted && !s->partial;
	uint32_t above = known ? row_above(s, addr) : 0;

	if (!above || s->row[above - 1].addr != addr)
		return NULL;
	return &s->row[above - 1];
}

/* "name\t[module]" becomes "name [module]". A module's name that does not fit
 * is left out, because half of it would be another module's name. */
static void take_name(struct symbol *row, uint64_t start, const char *name,
		      size_t len)
{
	const char *tab = memchr(name, '\t', len);
	size_t name_len = tab ? (size_t)(tab - name) : len;

	set_name(row, start, name, len < SYMBOL_BYTES ? len : name_len);
	if (tab && len < SYMBOL_BYTES)
		row->name[name_len] = ' ';
}

void symbols_begin(struct symbols *s)
{
	s->partial = 1;
}

int symbol_parse(const char *line, size_t *len, uint64_t *start,
		 const char **name)
{
	const char *space = memchr(line, ' ', *len < 17 ? *len : 17);
	const char *at = space ? space + 3 : line + *len;

	if (at >= line + *len || space[2] != ' ' ||
	    !memchr("tTwW", space[1], 4) || (unsigned char)*at <= ' ' ||
	    parse_u64(line, (size_t)(space - line), 16, 1, UINT64_MAX, start))
		return -EINVAL;
	*len -= (size_t)(at - line);
	*name = at;
	/* Marks within functions: of ARM and RISC-V where data begin in the
	 * code ("$a", "$d"), and labels of the compiler's (".L12"). */
	if (*at == '$' || *at == '.')
		return -EINVAL;
	/* Padding before a function, which has a name since 6.2, or with
	 * control-flow integrity: no call returns there. */
	return *len > 6 && (!memcmp(at, "__pfx_", 6) ||
			    !memcmp(at, "__cfi_", 6)) ? -EINVAL : 0;
}

/* A kretprobe puts its trampoline in the place of a return address: so a call
 * returns to the first byte of this function, not behind one. */
static int is_returned_to(const char *name, size_t len)
{
	static const char *const names[] = {
		"__kretprobe_trampoline", "arch_rethook_trampoline",
	};

	for (uint32_t i = 0; i < ARRAY_LEN(names); i++)
		if (len == strlen(names[i]) && !memcmp(name, names[i], len))
			return 1;
	return 0;
}

/* Row i keeps the greatest symbol that is below its address and not below the
 * address of the row before. Of aliases it keeps the first. */
void symbols_line(struct symbols *s, const char *line, size_t len)
{
	const char *name;
	uint64_t start;
	uint32_t at;

	if (symbol_parse(line, &len, &start, &name))
		return;
	start -= (uint64_t)is_returned_to(name, len);
	at = row_above(s, start);
	if (at < s->used && start > s->row[at].start)
		take_name(&s->row[at], start, name, len);
}

void symbols_finish(struct symbols *s)
{
	s->partial = 0;
	for (uint32_t i = 1; i < s->used; i++) {
		struct symbol *row = &s->row[i];

		if (row->start)
			continue;
		row->start = row[-1].start;
		memcpy(row->name, row[-1].name, SYMBOL_BYTES);
	}
}
