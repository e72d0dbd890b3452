/* SPDX-License-Identifier: MIT */
/* Names for the addresses in a picture: see top.h, naming. */
#include "base/system.h"
#include "report/report.h"
#include "host/top/top.h"

/* The next address of the rows or frames, from *at on; 0: none. */
static uint64_t next_address(const struct top_picture *p, enum top_table t,
			     int stacks, uint32_t *at)
{
	const uint32_t used = stacks ? p->stacks.frames : p->table[t].used;
	uint64_t addr = 0;

	while (*at < used && !addr) {
		addr = stacks ? p->stacks.frame[*at].addr :
				p->table[t].row[*at].addr;
		(*at)++;
	}
	return addr;
}

static int all_known(const struct symbols *n, const struct top_picture *p,
		     enum top_table t, int stacks)
{
	uint32_t at = 0;
	uint64_t addr;

	while ((addr = next_address(p, t, stacks, &at)))
		if (!symbols_find(n, addr))
			return 0;
	return 1;
}

static void take_name(void *context, char *line, size_t len)
{
	struct symbols *s = context;

	symbols_line(s, line, len);
}

/* If there are too many, those without room stay addresses, and are looked for
 * each time. */
void naming_look(struct symbols *s, const struct top_picture *p,
		 enum top_table t, int stacks)
{
	uint32_t at = 0;
	uint64_t addr;

	if (all_known(s, p, t, stacks))
		return;
	symbols_clear(s);
	for (int frames = 0; frames < 2; frames++, at = 0)
		while ((addr = next_address(p, t, frames, &at)))
			symbols_add(s, addr);
	symbols_sort(s);
	symbols_begin(s);
	each_line("/proc/kallsyms", take_name, s);
	symbols_finish(s);
}

/* "0xffffffffc0123456 [xfs]" is of the module xfs. */
static void module_in(const char *shown, char *module, size_t size)
{
	const char *open = shown + length_to(shown, '[');
	struct word w = { *open ? open + 1 : "", 0 };

	w.len = length_to(w.at, ']');
	word_copy(&w, module, size);
}

void naming_write(const struct symbols *n, struct line *l, const char *shown,
		  uint64_t addr, int offset)
{
	const struct symbol *s = addr ? symbols_find(n, addr) : NULL;
	char module[MODULE_NAME_BYTES];

	module_in(shown, module, sizeof(module));
	if (!s || !symbol_is_of(s, addr, module)) {
		line_str(l, shown);
		return;
	}
	line_name_within(l, s->name, length_to(s->name, ' '), LINE_BYTES);
	if (offset)
		line_value(l, "+%x", addr - s->start);
	if (*module)
		line_str(l, shown + length_to(shown, ' '));
}

/* --- columns: the lines of a picture */

#define FIGURE_WIDTH 8u
#define CHANGE_WIDTH 9u
#define NOTE_WIDTH 16u
#define NAME_LEAST 4u
#define NAME_ENOUGH 24u		/* before notes take their room */

/* Sizes of a few KiB that are no whole KiB are of objects: as bytes. */
#define BYTES_BELOW 10240u

const char *sort_name(enum sort s)
{
	static const char *const names[SORTS] = {
		[SORT_NOW] = "now", [SORT_PEAK] = "peak",
		[SORT_CHANGE] = "change", [SORT_NAME] = "name",
	};

	return names[s];
}

static const struct { const char *title, *name, *note; } tables[TOP_TABLES] = {
	[TOP_TASKS] = { "tasks", " task", " state" },
	[TOP_MODULES] = { "modules", " module", " state" },
	[TOP_INITCALLS] = { "initcalls", " initcall", " module" },
	[TOP_SITES] = { "slab sites", " site", " cache" },
};

const char *table_title(enum top_table t)
{
	return tables[t].title;
}

/* sign: '+', '-' or 0. */
static void put_size(struct line *l, char sign, uint64_t bytes,
		     unsigned int width)
{
	const size_t from = l->len;

	if (sign)
		line_char(l, sign);
	if (bytes == UNKNOWN)
		line_char(l, '-');
	else
		line_fill(l, bytes % 1024 && bytes < BYTES_BELOW ?
				   "%uB" : "%b", &bytes);
	line_right(l, from, from + width);
}

static void put_change(struct line *l, int64_t change)
{
	if (change == NO_CHANGE)
		put_size(l, 0, UNKNOWN, CHANGE_WIDTH);
	else
		put_size(l, change > 0 ? '+' : change < 0 ? '-' : 0,
			 (uint64_t)(change < 0 ? -change : change),
			 CHANGE_WIDTH);
}

struct widths {
	unsigned int name, areas, note;
};

static struct widths widths_of(enum top_table t, unsigned int width)
{
	struct widths w = { 0 };
	unsigned int used = 1 + 2 * FIGURE_WIDTH + CHANGE_WIDTH;

	if (t == TOP_MODULES && width >= used + 2 * FIGURE_WIDTH + NAME_ENOUGH)
		w.areas = FIGURE_WIDTH;
	used += 2 * w.areas;
	if (width >= used + NAME_ENOUGH + NOTE_WIDTH)
		w.note = NOTE_WIDTH;
	used += w.note;
	w.name = width > used + NAME_LEAST ? width - used : NAME_LEAST;
	if (w.note && w.name > 2 * NAME_ENOUGH) {
		w.note += w.name - 2 * NAME_ENOUGH;
		w.name = 2 * NAME_ENOUGH;
	}
	return w;
}

/* Cuts or fills what was added since `from` to `width`. */
static void fit(struct line *l, size_t from, unsigned int width)
{
	if (l->len > from + width)
		l->len = from + width;
	while (l->len < from + width)
		line_char(l, ' ');
}

void columns_title(struct line *l, const struct top_picture *p)
{
	line_fill(l, "memstrack top %t, free %k of %k RAM, lowest %k",
		  (const uint64_t[]){ p->end_ns, p->free_kib, p->ram_kib,
				      p->lowest_kib });
}

void columns_traced(struct line *l, const struct top_picture *p)
{
	if (p->sampled)
		line_str(l, "sampled: pages are not traced");
	else
		line_fill(l, "traced %b now, most %b, %u lost",
			  (const uint64_t[]){ p->now, p->peak, p->lost });
	if (!p->whole)
		line_str(l, "; cut: the answer had no room for all rows");
}

static void put_word(struct line *l, const char *word, unsigned int width)
{
	line_figure(l, l->len + width, word, 0);
}

void columns_heading(struct line *l, enum top_table t, unsigned int width)
{
	const struct widths w = widths_of(t, width);

	line_str(l, tables[t].name);
	fit(l, 0, w.name + 1);
	put_word(l, "now", FIGURE_WIDTH);
	put_word(l, "peak", FIGURE_WIDTH);
	put_word(l, "change", CHANGE_WIDTH);
	if (w.areas) {
		put_word(l, "image", w.areas);
		put_word(l, "vmalloc", w.areas);
	}
	if (w.note)
		line_str(l, tables[t].note);
	fit(l, 0, width);
}

void columns_name(struct line *l, const struct symbols *n, enum top_table t,
		  const struct top_row *r)
{
	naming_write(n, l, r->name, r->addr, t != TOP_INITCALLS);
}

void columns_row(struct line *l, const struct symbols *n, enum top_table t,
		 const struct top_row *r, unsigned int width)
{
	const struct widths w = widths_of(t, width);
	const size_t from = l->len;

	columns_name(l, n, t, r);
	fit(l, from, w.name);
	put_size(l, 0, r->now, FIGURE_WIDTH);
	put_size(l, 0, r->peak, FIGURE_WIDTH);
	put_change(l, r->change);
	if (w.areas) {
		put_size(l, 0, r->image, w.areas);
		put_size(l, 0, r->vmalloc, w.areas);
	}
	if (w.note && r->note[0]) {
		const size_t note = l->len;

		line_char(l, ' ');
		line_str(l, r->note);
		fit(l, note, w.note);
	}
}

void columns_stack(struct line *l, const struct top_stacks *k, uint32_t stack)
{
	const struct top_stack *s = &k->stack[stack];

	line_fill(l, "stack %u of %u",
		  (const uint64_t[]){ stack + 1, k->used + k->others });
	line_pad(l, 16);
	put_size(l, 0, s->now, FIGURE_WIDTH);
	put_size(l, 0, s->peak, FIGURE_WIDTH);
	if (!s->frames)
		line_str(l, " none");
}
