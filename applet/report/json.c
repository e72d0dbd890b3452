/*
 * The report for programs: one JSON object a line, each shorter than
 * LINE_BYTES and whole. Names are bounded so that all else always fits, even
 * the largest of numbers; a call chain that does not is cut at its outer end
 * and says by how many frames.
 *
 * Names are bytes, not text: each outside of printable ASCII is \u00NN.
 */
#include "balance.h"
#include "sheet.h"

/* What the longest line of a kind leaves for names. */
#define KERNEL_ROOM 110u
#define REASON_ROOM 50u
#define NOTE_ROOM 800u
#define NAME_ROOM 340u		/* every byte of a module's name escaped */
#define SHORT_ROOM 60u		/* of six to ten on a line */
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

static void balance(struct sheet *s)
{
	const char *name = "fall_pages\0traced_pages\0vmalloc_pages\0"
			   "bulk_pages\0cma_pages\0before_pages\0pcp_pages\0"
			   "rest_pages\0explained_permille";
	struct balance b;

	balance_of(s->r->ledger, &b);
	begin(s, "reconcile\"");
	for (unsigned int i = 0; i < BALANCES; name = text_after(name), i++) {
		line_str(&s->line, ",\"");
		line_str(&s->line, name);
		line_fill(&s->line, !s->r->ledger->memory_sampled ||
			  (i == BALANCE_PERMILLE && !b.fell) ? "\":null" :
			  "\":%i", &b.value[i]);
	}
	end(s, "}", NULL);
}

static void baseline(struct sheet *s)
{
	const struct ledger *l = s->r->ledger;

	for (uint32_t i = 0; i < l->figures; i++) {
		begin(s, "baseline\"");
		put_string(s, ",\"name\":\"", l->figure[i].name,
			   FIGURE_NAME_BYTES, LINE_BYTES);
		end(s, ",\"kib\":%u}", &l->figure[i].kib);
	}
}

static void put_largest(struct sheet *s, const struct moment *m, enum table t)
{
	const struct largest *k = t == TABLE_MODULES ? m->module : m->task;

	for (unsigned int i = 0; i < LARGEST && k[i].pages; i++) {
		const uint64_t pages = k[i].pages;

		put_string(s, i ? ",{\"name\":\"" : "{\"name\":\"",
			   moment_name(s->r->ledger, t, m, i), LINE_BYTES,
			   SHORT_ROOM);
		line_fill(&s->line, ",\"pages\":%u}", &pages);
	}
}

static void put_moment(struct sheet *s, const char *type,
		       const struct moment *m)
{
	begin(s, type);
	line_fill(&s->line, "\"time_ns\":%u,\"free_pages\":%u,"
		  "\"traced_pages\":%u,\"vmalloc_pages\":%u,\"modules\":[",
		  (const uint64_t[]){ m->time_ns, m->free_pages,
				      m->traced_pages, m->vmalloc_pages });
	put_largest(s, m, TABLE_MODULES);
	line_str(&s->line, "],\"tasks\":[");
	put_largest(s, m, TABLE_TASKS);
	line_char(&s->line, ']');
}

/* What was loaded, as far as there is room on the line. */
static void timeline(struct sheet *s)
{
	const struct ledger *l = s->r->ledger;
	uint64_t since = 0;

	for (uint32_t p = 0; p < l->timeline.points; p++) {
		const struct moment *m = &l->timeline.point[p];
		const char *before = "\"";

		put_moment(s, "timeline\",", m);
		line_str(&s->line, ",\"loaded\":[");
		for (uint32_t i = 0; i < l->modules.used; i++) {
			if (!module_loaded(l, i, since, m->time_ns) ||
			    s->line.len + SHORT_ROOM + 8 > LINE_BYTES)
				continue;
			put_string(s, before, row_name(l, TABLE_MODULES, i),
				   LINE_BYTES, SHORT_ROOM);
			before = ",\"";
		}
		end(s, "]}", NULL);
		since = m->time_ns;
	}
}

static void advice(struct sheet *s)
{
	struct advice a;

	advice_of(s->r, &a);
	if (!s->r->ledger->memory_sampled)
		return;
	begin(s, s->r->ledger->kdump ? "advice\",\"of\":\"crashkernel\"" :
				       "advice\",\"of\":\"memory\"");
	end(s, a.reliable ? ",\"total_kib\":%u,\"lowest_free_kib\":%u,"
	    "\"used_kib\":%u,\"advice_kib\":%u}" :
	    ",\"total_kib\":%u,\"lowest_free_kib\":%u,\"used_kib\":%u,"
	    "\"advice_kib\":null,\"reason\":\"records were lost or less than "
	    "95% is explained\"}", &a.total_kib);
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
	balance(s);
	baseline(s);
	if (s->r->ledger->memory_sampled) {
		put_moment(s, "lowest\",", &s->r->ledger->timeline.lowest);
		end(s, "}", NULL);
	}
	for (uint32_t i = 0; i < n->notes && i < NOTES_MAX; i++) {
		begin(s, "note\"");
		put_string(s, ",\"text\":\"", n->note[i], NOTE_BYTES,
			   NOTE_ROOM);
		end(s, "}", NULL);
	}
}

/* Those that the kind of line has. */
static void put_pages(struct sheet *s, const struct shown *shown,
		      unsigned int counts)
{
	const char *name = "now\0peak\0at_peak\0image\0vmalloc\0"
			   "image_peak\0vmalloc_peak";

	for (unsigned int i = 0; i < counts; name = text_after(name), i++) {
		line_str(&s->line, ",\"");
		line_str(&s->line, name);
		line_fill(&s->line, shown->pages[i] == PAGES_UNKNOWN ?
			  "_pages\":null" : "_pages\":%u", &shown->pages[i]);
	}
}

static const unsigned int counts_of[TABLES] = {
	PAGE_COUNTS, PAGES_IN_CALLERS, PAGES_IN_TASKS,
};

static void show_caller(struct sheet *s, const struct shown *r)
{
	const uint32_t module = s->r->ledger->areas.caller[r->row].module;

	begin(s, "vmalloc\"");
	put_row_name(s, ",\"caller\":\"", r);
	put_string(s, ",\"module\":\"", module ? row_name(s->r->ledger,
		   TABLE_MODULES, module) : "", LINE_BYTES, NAME_ROOM);
	end(s, ",\"pages\":%u,\"peak_pages\":%u}", r->pages);
}

static void show_row(struct sheet *s, const struct shown *r)
{
	const struct ledger *g = s->r->ledger;
	const char *name = ",\"name\":\"";

	if (r->table == TABLE_CALLERS) {
		show_caller(s, r);
		return;
	}
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
	put_pages(s, r, counts_of[r->table]);
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
	static const char rests[TABLES][24] = {
		"rest\",\"of\":\"module\"", "rest\",\"of\":\"vmalloc\"",
		"rest\",\"of\":\"task\"",
	};
	int stacks = other->kind == SHOWN_OTHER_STACKS;

	begin(s, stacks ? "rest\",\"of\":\"stack\"" : rests[other->table]);
	if (stacks)
		put_owner(s, other);
	line_fill(&s->line, ",\"rows\":%u",
		  (const uint64_t[]){ other->count });
	put_pages(s, other, stacks ? PAGES_AT_PEAK : counts_of[other->table]);
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
	timeline(&s);
	advice(&s);
	begin(&s, "end\"");
	end(&s, ",\"records\":%u,\"frames\":%u,\"unnamed_frames\":%u}",
	    s.count);
}
