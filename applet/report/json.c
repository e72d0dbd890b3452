/*
 * The report for programs: one JSON object a line, each whole and shorter than
 * LINE_BYTES. Names are bounded so that everything else always fits, even the
 * largest numbers. A call chain that does not fit continues in the next line.
 *
 * Names are bytes, not text: each byte outside of printable ASCII is \u00NN.
 */
#include "report/advice.h"
#include "report/kind_names.h"
#include "report/moment.h"
#include "report/names.h"
#include "report/select.h"
#include "report/verdict.h"

/* The bytes for names that the longest line of a kind leaves. */
#define KERNEL_ROOM 110u
#define REASON_ROOM 50u
#define STATE_ROOM 20u
#define NOTE_ROOM 800u
#define NAME_ROOM 340u		/* every byte of a module's name escaped */
#define KINDS_IN_VERDICT 3
#define FRAME_ROOM 14u		/* ,"" around a frame; ],"more":1} at the end */

static void begin(struct sheet *s, const char *type)
{
	line_str(&s->line, "{\"type\":\"");
	line_str(&s->line, type);
	line_char(&s->line, '"');
}

static void end(struct sheet *s)
{
	sheet_line(s, "}", NULL);
}

static void put_string(struct sheet *s, const char *before, const char *text,
		       size_t room)
{
	line_str(&s->line, before);
	line_name_within(&s->line, text, LINE_BYTES, room);
	line_char(&s->line, '"');
}

static void put_name(struct sheet *s, const char *before, const char *name)
{
	put_string(s, before, name, NAME_ROOM);
}

static void put_row_name(struct sheet *s, const char *before,
			 const struct shown *r)
{
	put_name(s, before, row_name(s->ledger, r->table, r->row));
}

static void put_number(struct sheet *s, const char *name, uint64_t value,
		       const char *mark)
{
	line_str(&s->line, ",\"");
	line_str(&s->line, name);
	line_str(&s->line, "\":");
	line_fill(&s->line, mark, &value);
}

static void put_figures(struct sheet *s, unsigned int first, unsigned int until)
{
	const char *mark = first == FIGURE_BALANCE ? "%i" : "%u";

	for (unsigned int i = first; i < until; i++)
		put_number(s, figure_name(i), s->value[i], mark);
}

/* A line that holds only figures. */
static void figures(struct sheet *s, const char *type, unsigned int first,
		    unsigned int until)
{
	begin(s, type);
	put_figures(s, first, until);
	end(s);
}

static void baseline(struct sheet *s)
{
	const struct ledger *l = s->ledger;

	for (uint32_t i = 0; i < l->figures; i++) {
		begin(s, "baseline");
		put_name(s, ",\"name\":\"", l->figure[i].name);
		sheet_line(s, ",\"kib\":%u}", &l->figure[i].kib);
	}
}

static void advice(struct sheet *s)
{
	static const char *const reasons[] = {
		[FOR_PEAK] = "peak",
		[FOR_UNPACKING] = "unpacking",
		[FOR_ROOTFS] = "rootfs",
	};
	const struct ledger *l = s->ledger;

	if (!l->memory_sampled)
		return;
	begin(s, "advice");
	line_str(&s->line, l->kdump ? ",\"of\":\"crashkernel\"" :
				      ",\"of\":\"memory\"");
	put_figures(s, FIGURE_ADVICE, FIGURE_HEAD);
	put_name(s, ",\"for\":\"", reasons[advice_for(s->value)]);
	if (s->value[FIGURE_ADVICE_KIB] == UNKNOWN)
		put_name(s, ",\"reason\":\"", no_advice(l));
	end(s);
}

static void put_largest(struct sheet *s, enum table t, const struct largest *k,
			int stands_out)
{
	const char *type = table_name(t);

	line_str(&s->line, ",\"");
	line_str(&s->line, type);
	if (!stands_out) {
		line_str(&s->line, "\":null");
		return;
	}
	put_name(s, "\":\"", row_name(s->ledger, t, k->row));
	line_str(&s->line, ",\"");
	line_str(&s->line, type);
	line_fill(&s->line, "_pages\":%u", &(uint64_t){ k->pages });
}

static void verdict(struct sheet *s)
{
	struct verdict v;
	const char *comma = "";

	verdict_get(s->r, &v);
	begin(s, "verdict");
	put_string(s, ",\"state\":\"", s->r->session->reason, STATE_ROOM);
	put_number(s, "complete", (uint64_t)v.complete, "%u");
	put_number(s, "taken_pages", v.taken_pages, "%u");
	put_largest(s, TABLE_MODULES, v.at.module, v.module_stands_out);
	put_largest(s, TABLE_TASKS, v.at.task, v.task_stands_out);
	put_name(s, ",\"kinds_of\":\"", v.module_stands_out ?
		 table_name(TABLE_MODULES) : "all");
	line_str(&s->line, ",\"kinds\":[");
	for (int i = 0; s->ledger->kinds.known && i < KINDS_IN_VERDICT &&
	     v.kind[v.order[i]]; i++) {
		line_str(&s->line, comma);
		line_str(&s->line, "{\"name\":\"");
		line_str(&s->line, kind_name(s->ledger, v.order[i]));
		line_fill(&s->line, "\",\"pages\":%u}", &v.kind[v.order[i]]);
		comma = ",";
	}
	line_char(&s->line, ']');
	put_number(s, figure_name(FIGURE_ADVICE_KIB), s->ledger->memory_sampled ?
		   s->value[FIGURE_ADVICE_KIB] : UNKNOWN, "%u");
	end(s);
}

static void head(struct sheet *s)
{
	const struct session *n = s->r->session;

	begin(s, "head\",\"version\":\"" MEMSTRACK_VERSION);
	put_figures(s, FIGURE_LEVEL, FIGURE_START_NS);
	put_string(s, ",\"reason\":\"", n->reason, REASON_ROOM);
	put_figures(s, FIGURE_START_NS, FIGURE_PAGE_SIZE);
	put_string(s, ",\"kernel\":\"", n->kernel, KERNEL_ROOM);
	put_figures(s, FIGURE_PAGE_SIZE, FIGURE_OWN);
	end(s);
	verdict(s);
	figures(s, "own", FIGURE_OWN, FIGURE_COUNTERS);
	figures(s, "counters", FIGURE_COUNTERS, FIGURE_WRITTEN);
	figures(s, "reconcile", FIGURE_BALANCE, FIGURE_ADVICE);
	baseline(s);
	moment_peak(s);
	for (uint32_t i = 0; i < n->notes && i < NOTES_MAX; i++) {
		begin(s, "note");
		put_string(s, ",\"text\":\"", n->note[i], NOTE_ROOM);
		end(s);
	}
}

static const char *const page_names[PAGE_COUNTS] = {
	[PAGES_NOW] = "now_pages",
	[PAGES_PEAK] = "peak_pages",
	[PAGES_AT_PEAK] = "at_peak_pages",
	[PAGES_IMAGE] = "image_pages",
	[PAGES_VMALLOC] = "vmalloc_pages",
	[PAGES_IMAGE_PEAK] = "image_peak_pages",
	[PAGES_VMALLOC_PEAK] = "vmalloc_peak_pages",
};

/* The number of page counts in a row. */
static const unsigned char page_counts[TABLES] = {
	[TABLE_MODULES] = PAGE_COUNTS,
	[TABLE_TASKS] = PAGES_IN_TASKS,
	[TABLE_KINDS] = PAGES_IN_TASKS,
	[TABLE_CALLERS] = PAGES_AT_PEAK,
};

/* Writes those that this kind of line has. */
static void put_pages(struct sheet *s, const struct shown *shown,
		      unsigned int counts)
{
	for (unsigned int i = 0; i < counts; i++)
		put_number(s, page_names[i], shown->pages[i], "%u");
}

/* Ends the line after the row's caller. */
static void put_caller(struct sheet *s, const struct shown *r)
{
	const struct caller *c = &s->ledger->areas.caller[r->row];

	line_str(&s->line, ",\"caller\":\"");
	sheet_caller(s, c);
	put_name(s, "\",\"module\":\"", !c->module ? "" :
		 row_name(s->ledger, TABLE_MODULES, c->module));
	sheet_line(s, ",\"pages\":%u,\"peak_pages\":%u}", r->pages);
}

static void show_row(struct sheet *s, const struct shown *r)
{
	const struct ledger *g = s->ledger;
	const char *name = ",\"name\":\"";

	begin(s, table_name(r->table));
	if (r->table == TABLE_CALLERS) {
		put_caller(s, r);
		return;
	}
	if (r->table == TABLE_TASKS) {
		const struct task *k = &g->tasks.row[r->row];

		put_number(s, "pid", k->tid, "%u");
		put_number(s, "tgid", k->tgid, "%u");
		put_number(s, "start_ns", k->start_ns, "%u");
		put_number(s, "rss_start_pages", k->rss_start_pages, "%u");
		name = ",\"comm\":\"";
	}
	put_row_name(s, name, r);
	if (r->table == TABLE_KINDS)
		put_number(s, "peak_at_most_pages",
			   kinds_exact(&g->kinds, r->row) ?
			   r->pages[PAGES_PEAK] : g->kinds.limit[r->row], "%u");
	else
		put_name(s, ",\"state\":\"",
			 row_state(g, r->table, r->row));
	put_pages(s, r, page_counts[r->table]);
	end(s);
}

static void show_failed_loads(struct sheet *s, const struct shown *loads)
{
	begin(s, table_name(loads->table));
	put_name(s, ",\"name\":\"", "(failed loads)");
	put_number(s, "rows", loads->count, "%u");
	put_name(s, ",\"state\":\"", "failed");
	put_pages(s, loads, page_counts[loads->table]);
	end(s);
}

static void put_owner(struct sheet *s, const struct shown *r)
{
	if (r->table == TABLE_MODULES)
		put_row_name(s, ",\"owner\":\"module:", r);
	else if (row_is_fixed(r->table, r->row))
		put_row_name(s, ",\"owner\":\"task:", r);
	else
		line_fill(&s->line, ",\"owner\":\"task:%u\"", (const uint64_t[])
			  { s->ledger->tasks.row[r->row].tid });
}

/* Writes the frames and ends the line. Frames that do not fit follow in lines
 * of their own, so each frame is written twice: the first time to see if it
 * fits. */
static void put_frames(struct sheet *s, uint32_t leaf)
{
	const struct stacks *k = &s->ledger->stacks;
	const char *frames = ",\"frames\":[", *quote = "\"";

	line_str(&s->line, frames);
	for (uint32_t i = leaf; leaf != NO_LEAF && i >= k->roots;
	     i = stack_parent(&k->node[i])) {
		const size_t start = s->line.len;
		size_t end;

		frame_write(&s->line, s->r, k->node[i].addr);
		end = s->line.len + FRAME_ROOM;
		s->line.len = start;
		if (end >= LINE_BYTES) {
			sheet_line(s, "],\"more\":1}", NULL);
			begin(s, "frames");
			line_str(&s->line, frames);
			quote = "\"";
		}
		line_str(&s->line, quote);
		sheet_frame(s, k->node[i].addr);
		line_char(&s->line, '"');
		quote = ",\"";
	}
	sheet_line(s, "]}", NULL);
}

static void show_stack(struct sheet *s, const struct shown *k)
{
	begin(s, table_name(TABLES));
	put_owner(s, k);
	put_pages(s, k, PAGES_AT_PEAK);
	put_frames(s, k->leaf);
}

static void show_others(struct sheet *s, const struct shown *other)
{
	int stacks = other->kind == SHOWN_OTHER_STACKS;

	begin(s, "rest");
	put_name(s, ",\"of\":\"", table_name(stacks ? TABLES : other->table));
	if (stacks)
		put_owner(s, other);
	put_number(s, "rows", other->count, "%u");
	put_pages(s, other, stacks ? PAGES_AT_PEAK : page_counts[other->table]);
	end(s);
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
	case SHOWN_FAILED_LOADS:
		show_failed_loads(s, shown);
		break;
	default:
		show_others(s, shown);
	}
}

static void json(struct sheet *s)
{
	head(s);
	select_walk(s->r, show, s);
	moment_timeline(s);
	advice(s);
	s->last = 1;
	figures(s, "end", FIGURE_WRITTEN, FIGURES);
}

void report_json(const struct report *r, struct out *o)
{
	sheet_report(r, o, ESCAPE_JSON, json);
}
