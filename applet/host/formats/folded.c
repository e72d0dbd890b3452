/* SPDX-License-Identifier: MIT */
/*
 * All stacks for viewers of flame graphs (flamegraph.pl, speedscope): a line for
 * each, which has its frames from the outermost to the innermost, with ';'
 * between them, then a space and bytes. The first frame is the module or the
 * task that holds these bytes.
 *
 *	folded		by module, what is held now
 *	folded-peak	by module, what was held at the instant when the most was
 *			used
 *	folded-tasks	by task, what is held now
 *
 * The lines add up to all pages that were traced and all areas of vmalloc. First
 * touches of anonymous memory have no stack. An area is known by its caller, and at
 * the peak by its module. Whatever has no line (a log
 * takes only so many; rows were used again since the peak) is in the last one.
 *
 * Frames are functions, without offsets: two calls in one function give two
 * lines that look the same, and viewers add them up.
 */
#include <string.h>
#include "host/formats/formats.h"

/* The bytes behind the last frame: a number of 64 bits. */
#define NUMBER_ROOM 24u

struct folded {
	struct sheet *s;
	int at_peak;		/* else now */
	uint64_t pages;		/* written so far */
};

static int is_of_offset(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || c == 'x' ||
	       c == '/';
}

/* "do_one_initcall+0x59 [m]" becomes "do_one_initcall_[m]". Freed code has an
 * offset and no name: that stays. */
static void shorten(struct sheet *s, size_t start)
{
	char *const text = s->text;
	size_t to = start;

	for (size_t i = start; i < s->line.len; i++) {
		if (i > start && text[i - 1] != ')' && i + 2 < s->line.len &&
		    !memcmp(text + i, "+0x", 3)) {
			do
				i++;
			while (i < s->line.len && is_of_offset(text[i]));
			if (i == s->line.len)
				break;
		}
		text[to++] = text[i] == ' ' ? '_' : text[i];
	}
	s->line.len = to;
}

/* The line goes on in another part: half a line has room for one more frame. */
static void spill(struct sheet *s)
{
	if (!s->out->part || s->line.len < LINE_BYTES / 2)
		return;
	s->out->part(s->out, s->line.text, s->line.len);
	s->line.len = 0;
}

static void put_frame(struct sheet *s, uint32_t node)
{
	size_t start;

	spill(s);
	line_char(&s->line, ';');
	start = s->line.len;
	sheet_frame(s, s->ledger->stacks.node[node].addr);
	shorten(s, start);
}

/* So many of the innermost frames fit the line, if it may not be longer. */
static uint32_t frames_that_fit(struct sheet *s, const uint32_t *node,
				uint32_t frames)
{
	const size_t start = s->line.len;
	size_t used = start + NUMBER_ROOM + sizeof(";(...)");

	for (uint32_t i = 0; i < frames; i++) {
		frame_write(&s->line, s->r, s->ledger->stacks.node[node[i]].addr);
		used += s->line.len - start + 1;
		s->line.len = start;
		if (used >= LINE_BYTES)
			return i;
	}
	return frames;
}

static void put_frames(struct sheet *s, uint32_t leaf)
{
	const struct stacks *k = &s->ledger->stacks;
	uint32_t node[CHAIN_FRAMES_MAX], frames = 0, fit;

	trim_probe(s, &leaf);
	for (; leaf >= k->roots && frames < CHAIN_FRAMES_MAX;
	     leaf = stack_parent(&k->node[leaf]))
		node[frames++] = leaf;
	fit = s->out->part ? frames : frames_that_fit(s, node, frames);
	if (fit < frames)
		line_str(&s->line, ";(...)");
	while (fit)
		put_frame(s, node[--fit]);
}

/* What of a row is on no stack that was kept. */
static void put_stackless(struct sheet *s)
{
	line_str(&s->line, stackless_is_anonymous(s->ledger) ?
		 ";(anonymous)" : ";(no_stack)");
}

/* Whether a line of so many pages follows. */
static int begins(struct folded *f, uint64_t pages)
{
	if (pages && sheet_is_full(f->s))
		f->s->value[FIGURE_CUT]++;
	return pages && !sheet_is_full(f->s);
}

static void end(struct folded *f, uint64_t pages)
{
	const uint64_t bytes = pages * f->s->r->session->page_size;

	spill(f->s);
	sheet_line(f->s, " %u", &bytes);
	f->pages += pages;
}

static void put_row(struct sheet *s, enum table t, uint32_t row)
{
	if (row_is_fixed(t, row))
		line_name(&s->line, row_name(s->ledger, t, row));
	else
		row_write(&s->line, s->ledger, t, row);
}

/* A row's pages with a word of ours for a stack. */
static void put_part(struct folded *f, uint32_t row, const char *part,
		     uint64_t pages)
{
	if (!begins(f, pages))
		return;
	put_row(f->s, TABLE_MODULES, row);
	if (part)
		line_str(&f->s->line, part);
	else
		put_stackless(f->s);
	end(f, pages);
}

static void put_caller(struct folded *f, enum table t, uint32_t row,
		       uint32_t caller, uint64_t pages)
{
	struct sheet *const s = f->s;
	size_t start;

	if (!begins(f, pages))
		return;
	if (row != AREA_NO_TASK)
		put_row(s, t, row);
	line_str(&s->line, row == AREA_NO_TASK ? "(areas);" :
			  t == TABLE_TASKS ? ";(areas);" : ";(vmalloc);");
	start = s->line.len;
	sheet_caller(s, &s->ledger->areas.caller[caller]);
	shorten(s, start);
	end(f, pages);
}

/* A row's areas that stand now, by their callers. There are no more callers than
 * rows of the scratch. */
static void put_areas(struct folded *f, enum table t, uint32_t row)
{
	const struct ledger *l = f->s->ledger;
	const struct areas *a = &l->areas;
	uint32_t *const pages = l->scratch;

	memset(pages, 0, a->callers * sizeof(*pages));
	for (uint32_t i = 1; i < a->used; i++)
		if (a->row[i].base &&
		    (t == TABLE_TASKS ? area_task(&a->row[i], &l->tasks) == row :
		     a->row[i].module == row && !a->row[i].image))
			pages[a->row[i].caller] += area_pages(&a->row[i]);
	for (uint32_t i = 0; i < a->callers; i++)
		put_caller(f, t, row, i, pages[i]);
}

/* The scratch counts what the leaves of each module hold; the rest of a module
 * is on no stack. */
static void folded_modules(struct folded *f)
{
	const struct ledger *l = f->s->ledger;
	const struct stacks *k = &l->stacks;
	const struct module *m = l->modules.row;
	uint32_t *const stacked = l->scratch;

	memset(stacked, 0, k->roots * sizeof(*stacked));
	for (uint32_t i = k->roots; i < k->used; i++) {
		const uint32_t pages = !stack_is_leaf(&k->node[i]) ? 0 :
			count_when(&k->node[i].pages, l->epoch, f->at_peak);

		stacked[stacks_root(k, i)] += pages;
		if (!begins(f, pages))
			continue;
		put_row(f->s, TABLE_MODULES, stacks_root(k, i));
		put_frames(f->s, i);
		end(f, pages);
	}
	for (uint32_t i = 0; i < l->modules.used; i++)
		put_part(f, i, NULL, count_when(&m[i].pages, l->epoch,
						f->at_peak) - stacked[i]);
	for (uint32_t i = 0; i < l->modules.used; i++) {
		put_part(f, i, ";(image)",
			 count_when(&m[i].image, l->epoch, f->at_peak));
		if (f->at_peak)
			put_part(f, i, ";(vmalloc)",
				 count_at_peak(&m[i].vmalloc, l->epoch));
		else if (m[i].vmalloc.now)
			put_areas(f, TABLE_MODULES, i);
	}
}

static void put_owner(struct folded *f, uint32_t task, const struct owner *o)
{
	struct sheet *const s = f->s;

	if (!begins(f, o->now))
		return;
	put_row(s, TABLE_TASKS, task);
	if (o->leaf >= s->ledger->stacks.roots) {
		put_frames(s, o->leaf);
	} else {
		if (o->leaf) {
			line_str(&s->line, ";[");
			put_row(s, TABLE_MODULES, o->leaf);
			line_char(&s->line, ']');
		}
		put_stackless(s);
	}
	end(f, o->now);
}

static void folded_tasks(struct folded *f)
{
	const struct ledger *l = f->s->ledger;
	const struct owner *row = l->owners.row;

	for (uint32_t i = 0; i < l->tasks.used; i++) {
		put_owner(f, i, &row[i]);
		for (uint32_t at = l->tasks.row[i].owners; at;
		     at = row[at].task_next)
			put_owner(f, i, &row[at]);
	}
	for (uint32_t i = 0; i < l->tasks.used; i++)
		if (l->tasks.row[i].vmalloc.now)
			put_areas(f, TABLE_TASKS, i);
	put_areas(f, TABLE_TASKS, AREA_NO_TASK);
}

/* Samples know kinds of memory and no stacks. */
static void put_sampled(struct sheet *s, uint32_t kind, int at_peak)
{
	const uint64_t bytes = (uint64_t)count_when(kind_count(s->ledger, kind),
						    s->ledger->epoch, at_peak) *
			       s->r->session->page_size;

	if (!bytes)
		return;
	line_str(&s->line, "(sampled);");
	line_name(&s->line, kind_name(kind));
	sheet_line(s, " %u", &bytes);
}

/* The line that keeps the sum, and a line of no bytes that counts the frames
 * without a name. */
static void finish(struct folded *f, uint64_t pages)
{
	struct sheet *const s = f->s;
	const uint64_t bytes = (pages - f->pages) * s->r->session->page_size;

	s->last = 1;
	if (pages > f->pages)
		sheet_line(s, "(not_listed) %u", &bytes);
	if (!s->value[FIGURE_UNNAMED])
		return;
	sheet_figures(s, "(note);%u_of_%u_frames_have_no_name 0",
		      FIGURE_UNNAMED, FIGURE_FRAMES);
	sheet_emit(s);
}

static void folded(struct sheet *s, void (*write)(struct folded *f),
		   int at_peak)
{
	const struct ledger *l = s->ledger;
	struct folded f = { .s = s, .at_peak = at_peak };

	if (is_sampled(l)) {
		for (uint32_t i = 0; i < KINDS; i++)
			put_sampled(s, i, at_peak);
		return;
	}
	write(&f);
	finish(&f, (uint64_t)count_when(&l->traced, l->epoch, at_peak) +
		   count_when(&l->areas.held, l->epoch, at_peak));
}

static void modules(struct sheet *s)
{
	folded(s, folded_modules, 0);
}

static void modules_at_peak(struct sheet *s)
{
	folded(s, folded_modules, 1);
}

static void tasks(struct sheet *s)
{
	folded(s, folded_tasks, 0);
}

void report_folded(const struct report *r, enum format format, struct out *o)
{
	sheet_report(r, o, ESCAPE_FOLDED, format == FORMAT_FOLDED ? modules :
		     format == FORMAT_FOLDED_TASKS ? tasks : modules_at_peak);
}
