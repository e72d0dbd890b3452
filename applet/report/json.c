/*
 * The report for programs: one JSON object a line, each shorter than
 * LINE_BYTES and whole. Names are bounded so that all else always fits, even
 * the largest of numbers; a call chain that does not is cut at its outer end
 * and says by how many frames.
 *
 * Names are bytes, not text: each outside of printable ASCII is \u00NN.
 */
#include "sheet.h"

/* What the longest line of a kind leaves for names. */
#define KERNEL_ROOM 110u
#define REASON_ROOM 50u
#define NOTE_ROOM 800u
#define NAME_ROOM 340u		/* every byte of a module's name escaped */
#define FRAME_ROOM 23u		/* ,"" around one, ],"cut_frames":127} behind */

/* The rest of the type's name, with its quote, and what comes behind. */
static void begin(struct sheet *s, const char *type)
{
	line_str(&s->line, "{\"type\":\"");
	line_str(&s->line, type);
}

static void end(struct sheet *s, const char *template, const uint64_t *value)
{
	line_fill(&s->line, template, value);
	sheet_emit(s);
}

static void put_string(struct sheet *s, const char *before, const char *text,
		       size_t size, size_t room)
{
	line_str(&s->line, before);
	line_name(&s->line, text, size, room, ESCAPE_JSON);
	line_char(&s->line, '"');
}

static void put_row_name(struct sheet *s, const char *before,
			 const struct shown *r)
{
	put_string(s, before, row_name(s->r->ledger, r->table, r->row),
		   LINE_BYTES, NAME_ROOM);
}

/* Those of a run, by name; null where free memory was not sampled. */
static void put_figures(struct sheet *s, unsigned int first, unsigned int until)
{
	const char *name = figure_names;

	for (unsigned int i = 0; i < until; name = text_after(name), i++) {
		int sampled = i < FIGURE_FREE_START_KIB ||
			      i >= FIGURE_NOW_PAGES ||
			      s->r->ledger->memory_sampled;

		if (i < first)
			continue;
		line_str(&s->line, ",\"");
		line_str(&s->line, name);
		sheet_figures(s, sampled ? "\":%u" : "\":null", i);
	}
}

static void head(struct sheet *s)
{
	const struct session *n = s->r->session;

	begin(s, "head\",\"version\":\"" MEMSTRACK_VERSION "\"");
	put_figures(s, FIGURE_LEVEL, FIGURE_START_NS);
	put_string(s, ",\"reason\":\"", n->reason, sizeof(n->reason),
		   REASON_ROOM);
	put_figures(s, FIGURE_START_NS, FIGURE_PAGE_SIZE);
	put_string(s, ",\"kernel\":\"", n->kernel, sizeof(n->kernel),
		   KERNEL_ROOM);
	put_figures(s, FIGURE_PAGE_SIZE, FIGURE_OWN);
	end(s, "}", NULL);
	begin(s, "own\"");
	put_figures(s, FIGURE_OWN, FIGURE_COUNTERS);
	end(s, "}", NULL);
	begin(s, "counters\"");
	put_figures(s, FIGURE_COUNTERS, FIGURES);
	end(s, "}", NULL);
	for (uint32_t i = 0; i < n->notes && i < NOTES_MAX; i++) {
		begin(s, "note\"");
		put_string(s, ",\"text\":\"", n->note[i], NOTE_BYTES,
			   NOTE_ROOM);
		end(s, "}", NULL);
	}
}

/* As many of the counts as the kind of line has. */
static void put_pages(struct sheet *s, const struct shown *shown,
		      unsigned int counts)
{
	static const char names[][8] = { "now", "peak", "at_peak" };

	for (unsigned int i = 0; i < counts; i++) {
		line_str(&s->line, ",\"");
		line_str(&s->line, names[i]);
		line_fill(&s->line, shown->pages[i] == PAGES_UNKNOWN ?
			  "_pages\":null" : "_pages\":%u", &shown->pages[i]);
	}
}

static void show_row(struct sheet *s, const struct shown *r)
{
	const struct ledger *g = s->r->ledger;
	const char *name = ",\"name\":\"";

	if (r->table == TABLE_MODULES) {
		begin(s, "module\"");
	} else {
		const struct task *k = &g->tasks.row[r->row];

		begin(s, "task\"");
		line_fill(&s->line, ",\"pid\":%u,\"tgid\":%u,\"start_ns\":%u,"
			  "\"rss_start_pages\":%u", (const uint64_t[]){
			  k->tid, k->tgid, k->start_ns, k->rss_start_pages });
		name = ",\"comm\":\"";
	}
	put_row_name(s, name, r);
	put_string(s, ",\"state\":\"", row_state(g, r->table, r->row),
		   LINE_BYTES, LINE_BYTES);
	put_pages(s, r, PAGE_COUNTS);
	end(s, "}", NULL);
}

static void put_owner(struct sheet *s, const struct shown *r)
{
	if (r->table == TABLE_MODULES)
		put_row_name(s, ",\"owner\":\"module:", r);
	else if (row_is_fixed(r->table, r->row))
		put_row_name(s, ",\"owner\":\"task:", r);
	else
		line_fill(&s->line, ",\"owner\":\"task:%u\"", (const uint64_t[])
			  { s->r->ledger->tasks.row[r->row].tid });
}

/* Ends the line. */
static void put_frames(struct sheet *s, uint32_t leaf)
{
	const struct stacks *k = &s->r->ledger->stacks;
	uint64_t cut = 0;

	line_str(&s->line, ",\"frames\":[");
	for (uint32_t i = leaf; leaf != NO_LEAF && i >= k->roots;
	     i = stack_parent(&k->node[i])) {
		struct line frame = { 0 };

		sheet_frame(s, &frame, k->node[i].addr, ESCAPE_JSON);
		if (cut || s->line.len + frame.len + FRAME_ROOM >= LINE_BYTES) {
			cut++;
			continue;
		}
		line_str(&s->line, i == leaf ? "\"" : ",\"");
		line_append(&s->line, &frame);
		line_char(&s->line, '"');
	}
	end(s, cut ? "],\"cut_frames\":%u}" : "]}", &cut);
}

static void show_stack(struct sheet *s, const struct shown *k)
{
	begin(s, "stack\"");
	put_owner(s, k);
	put_pages(s, k, PAGES_AT_PEAK);
	put_frames(s, k->leaf);
}

static void show_others(struct sheet *s, const struct shown *other)
{
	int stacks = other->kind == SHOWN_OTHER_STACKS;

	begin(s, stacks ? "rest\",\"of\":\"stack\"" :
	      other->table == TABLE_MODULES ? "rest\",\"of\":\"module\"" :
	      "rest\",\"of\":\"task\"");
	if (stacks)
		put_owner(s, other);
	line_fill(&s->line, ",\"rows\":%u",
		  (const uint64_t[]){ other->count });
	put_pages(s, other, stacks ? PAGES_AT_PEAK : PAGE_COUNTS);
	end(s, "}", NULL);
}

static void show(void *context, const struct shown *shown)
{
	struct sheet *s = context;

	switch (shown->kind) {
	case SHOWN_TABLE:
		break;
	case SHOWN_ROW:
		show_row(s, shown);
		break;
	case SHOWN_STACK:
		show_stack(s, shown);
		break;
	default:
		show_others(s, shown);
	}
}

void report_json(const struct report *r, struct out *o)
{
	struct sheet s = { 0 };

	sheet_start(&s, r, o);
	head(&s);
	select_walk(r, show, &s);
	begin(&s, "end\"");
	end(&s, ",\"records\":%u,\"frames\":%u,\"unnamed_frames\":%u}",
	    s.count);
}
