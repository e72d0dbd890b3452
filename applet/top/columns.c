/* SPDX-License-Identifier: MIT */
/* The lines of a picture: see top.h, columns. */
#include "top/top.h"

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

const char *table_title(enum top_table t)
{
	static const char *const titles[TOP_TABLES] = {
		[TOP_TASKS] = "tasks", [TOP_MODULES] = "modules",
		[TOP_INITCALLS] = "initcalls", [TOP_SITES] = "slab sites",
	};

	return titles[t];
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
	line_fill(l, "memstrack top %t, free %k of %k, lowest %k",
		  (const uint64_t[]){ p->end_ns, p->free_kib, p->total_kib,
				      p->lowest_kib });
}

void columns_traced(struct line *l, const struct top_picture *p)
{
	if (p->sampled)
		line_str(l, "sampled: pages are not traced");
	else
		line_fill(l, "traced %b now, %b peak, %u lost",
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
	static const char *const names[TOP_TABLES] = {
		[TOP_TASKS] = " task", [TOP_MODULES] = " module",
		[TOP_INITCALLS] = " initcall", [TOP_SITES] = " site",
	};
	static const char *const notes[TOP_TABLES] = {
		[TOP_TASKS] = " state", [TOP_MODULES] = " state",
		[TOP_INITCALLS] = " module", [TOP_SITES] = " cache",
	};
	const struct widths w = widths_of(t, width);

	line_str(l, names[t]);
	fit(l, 0, w.name + 1);
	put_word(l, "now", FIGURE_WIDTH);
	put_word(l, "peak", FIGURE_WIDTH);
	put_word(l, "change", CHANGE_WIDTH);
	if (w.areas) {
		put_word(l, "image", w.areas);
		put_word(l, "vmalloc", w.areas);
	}
	if (w.note)
		line_str(l, notes[t]);
	fit(l, 0, width);
}

void columns_name(struct line *l, const struct naming *n, enum top_table t,
		  const struct top_row *r)
{
	naming_write(n, l, r->name, r->addr, t != TOP_INITCALLS);
}

void columns_row(struct line *l, const struct naming *n, enum top_table t,
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
