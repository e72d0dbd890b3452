/* SPDX-License-Identifier: MIT */
/*
 * The report of a run: what is in it, and its text for people.
 *
 * The sum of the tree is that of our page account, exact after each event: all
 * pages that its processes made the kernel hand out, and that were not freed:
 * their own memory, page tables, slab, and files that they were the first to
 * read. The peaks of single processes never stood at one instant, and are not
 * added up.
 */
#include <sys/wait.h>
#include "output/output.h"
#include "host/run/run.h"

/* Rows of a text; of level 3, all. */
#define TOP_1 20u
#define TOP_2 100u

/* The first number ends at this column, and each further one so much later. */
enum { COLUMN_PID = 24, COLUMN_WIDTH = 10 };

/* Processes that are named as those who held most. */
#define HOLDERS 5u

static void put_head(struct sheet *s)
{
	const struct run *r = run_of(s);
	const struct outline *o = &r->outline;
	const int status = (int)r->status;
	struct line *l = &s->line;

	line_str(l, "memstrack " MEMSTRACK_VERSION ": ");
	line_name_within(l, r->given, RUN_ARGV_BYTES, LINE_BYTES / 2);
	if (WIFSIGNALED(status))
		line_value(l, ": killed by signal %u",
			   (uint64_t)WTERMSIG(status));
	else
		line_value(l, ": exit status %u", (uint64_t)WEXITSTATUS(status));
	line_fill(l, o->seen == 1 ? " after %d, %u process" :
		  " after %d, %u processes",
		  (const uint64_t[]){ r->end_ns - r->start_ns, o->seen });
	if (!sees_all(r))
		line_str(l, " seen");
	if (o->running)
		line_value(l, ", %u of them still run", o->running);
	sheet_line(s, r->missing.notes ? "; see what is missing, below" : "",
		   NULL);
}

/* --- the tree as a whole, and its cgroup */

/* The processes that held most at the tree's peak. */
static void put_holders(struct sheet *s, uint64_t peak)
{
	struct run *r = run_of(s);
	const int by_size = r->outline.shown < r->outline.count ? BY_SIZE : 0;
	uint32_t item[HOLDERS];
	const uint32_t count = processes_sort(&r->processes,
					      BY_TREE_PEAK | by_size, item,
					      HOLDERS);
	uint64_t named = 0;

	line_str(&s->line, "then    ");
	for (uint32_t i = 0; i < count && named < peak; i++) {
		const struct process *p = &r->processes.row[item[i]];

		if (!p->at_peak_pages)
			break;
		named += p->at_peak_pages;
		line_str(&s->line, i ? ", " : "");
		line_name_within(&s->line, p->comm, COMM_BYTES, 96);
		line_fill(&s->line, "[%u] %p",
			  (const uint64_t[]){ p->pid, p->at_peak_pages });
	}
	if (named < peak)
		line_value(&s->line, ", others %p", peak - named);
	sheet_emit(s);
}

static void put_tree(struct sheet *s)
{
	const struct run *r = run_of(s);
	const struct ledger *l = &r->tracer.engine.ledger;
	const uint64_t ns = l->used_peak_ns > r->start_ns ?
			    l->used_peak_ns - r->start_ns : 0;

	sheet_line(s, "tree    %p at most, at %t; %p stay at the end",
		   (const uint64_t[]){ l->used_peak_pages, ns,
				       r->outline.left_pages });
	if (l->used_peak_pages)
		put_holders(s, l->used_peak_pages);
}

static void put_limit(struct sheet *s, const struct cgroup *c)
{
	line_str(&s->line, "limit   ");
	if (!c->limit_path[0]) {
		sheet_line(s, "none of a cgroup: the machine ran out of memory",
			   NULL);
		return;
	}
	line_str(&s->line, "memory.max ");
	if (c->limit_kib != UNKNOWN)
		line_fill(&s->line, "%k ", &c->limit_kib);
	line_str(&s->line, "of ");
	line_name_within(&s->line, c->limit_path, sizeof(c->limit_path),
			 LINE_BYTES / 2);
	sheet_line(s, " was reached, and memory ran out", NULL);
}

static void put_cgroup(struct sheet *s)
{
	const struct run *r = run_of(s);
	const struct cgroup *c = &r->cgroup;

	line_str(&s->line, "cgroup  ");
	if (c->peak_kib != UNKNOWN)
		line_fill(&s->line, "%k at most (memory.peak); ",
			  &c->peak_kib);
	sheet_line(s, "memory.events: max %u, oom_kill %u",
		   (const uint64_t[]){ c->max_events, c->oom_kills });
	if (r->more[0]) {
		line_str(&s->line, "        ");
		line_str(&s->line, r->more);
		sheet_emit(s);
	}
	if (c->limit_path[0] || c->oom_kills)
		put_limit(s, c);
}

/* --- the table of processes */

static const struct { char title[9], mark[3]; uint8_t value; } columns[] = {
	{ "pid", "%u", PROCESS_PID }, { "parent", "%u", PROCESS_PARENT },
	{ "start", "%t", PROCESS_START_NS }, { "time", "%d", PROCESS_RUN_NS },
	{ "status", "%u", PROCESS_STATUS }, { "peak RSS", "%k", PROCESS_RSS_KIB },
	{ "peak VM", "%k", PROCESS_VM_KIB },
	{ "RSS x s", "%k", PROCESS_RSS_MIB_US },
	{ "VM x s", "%k", PROCESS_VM_MIB_US },
	{ "pages", "%p", PROCESS_PEAK_PAGES },
	{ "at peak", "%p", PROCESS_AT_PEAK_PAGES },
	{ "stay", "%p", PROCESS_LEFT_PAGES },
};

static int is_shown(const struct run *r, unsigned int value)
{
	return value >= PROCESS_PEAK_PAGES ? r->traces :
	       value < PROCESS_RSS_MIB_US || r->config.level > 1;
}

/* The titles, or the figures of a process. */
static void put_columns(struct sheet *s, const uint64_t *value)
{
	size_t end = COLUMN_PID;

	for (unsigned int i = 0; i < ARRAY_LEN(columns); i++) {
		const unsigned int v = columns[i].value;

		if (!is_shown(run_of(s), v))
			continue;
		line_figure(&s->line, end, !value ? columns[i].title :
			    value[v] == UNKNOWN ? "-" : columns[i].mark,
			    value ? value[v] : 0);
		end += COLUMN_WIDTH;
	}
	line_str(&s->line, "  ");
}

/* MiB times microseconds become KiB times seconds. */
static void to_kib_s(uint64_t *value)
{
	if (*value != UNKNOWN)
		*value = *value / 1000000 * 1024 +
			 *value % 1000000 * 1024 / 1000000;
}

static void put_process(struct sheet *s, const struct process *p)
{
	const struct run *r = run_of(s);
	uint64_t value[PROCESS_VALUES];

	process_values(r, p, value);
	if (p->known & HAS_START)
		value[PROCESS_START_NS] = since_start(r, p->start_ns);
	to_kib_s(&value[PROCESS_RSS_MIB_US]);
	to_kib_s(&value[PROCESS_VM_MIB_US]);
	line_name_within(&s->line, p->comm, COMM_BYTES, COMM_BYTES);
	put_columns(s, value);
	line_name_within(&s->line, p->argv, RUN_ARGV_BYTES,
			 RUN_ARGV_BYTES * 2);
	if (p->known & OOM_VICTIM)
		line_str(&s->line, "  killed: memory ran out");
	sheet_line(s, p->known & ENDED ? "" : "  still runs", NULL);
}

static void put_table(struct sheet *s)
{
	const struct run *r = run_of(s);
	const struct processes *p = &r->processes;
	const struct outline *o = &r->outline;

	line_str(&s->line, "process");
	put_columns(s, NULL);
	sheet_line(s, "command", NULL);
	for (uint32_t i = 0; i < o->shown; i++)
		put_process(s, &p->row[p->order[i]]);
	if (o->shown < o->count)
		sheet_line(s, "... and %u more processes",
			   (const uint64_t[]){ o->count - o->shown });
}

static void run_text(struct sheet *s)
{
	const struct run *r = run_of(s);
	const struct session *n = &r->missing;

	put_head(s);
	if (r->traces)
		put_tree(s);
	if (r->cgroup.made)
		put_cgroup(s);
	put_table(s);
	line_str(&s->line, "sources ");
	if (r->outline.source) {
		line_str(&s->line, "processes and pages by ");
		line_str(&s->line, r->outline.source);
		line_str(&s->line, ", ");
	}
	sheet_line(s, r->stats.fd >= 0 ? "sizes by taskstats" :
		   "sizes by wait4", NULL);
	for (uint32_t i = 0; i < n->notes && i < NOTES_MAX; i++) {
		line_str(&s->line, "missing ");
		line_name_within(&s->line, n->note[i], NOTE_BYTES, 700);
		sheet_emit(s);
	}
}

/* --- report */

static uint32_t rows_shown(const struct run *r, enum format f, uint32_t count)
{
	static const uint32_t top[] = { 0, TOP_1, TOP_2 };
	uint32_t shown = r->config.top;

	if (!shown && f == FORMAT_TEXT && r->config.level < 3)
		shown = top[r->config.level];
	if (r->config.lines && (!shown || shown > r->config.lines))
		shown = r->config.lines;
	return shown && shown < count ? shown : count;
}

/* The first rows are the largest ones; all of them are in order of time. */
static void make_outline(struct run *r, enum format f)
{
	struct processes *p = &r->processes;
	struct outline *o = &r->outline;

	*o = (struct outline){
		.count = processes_sort(p, BY_START, p->order, p->capacity),
	};
	/* Without events those without a row may be anybody's. */
	o->seen = o->count + (r->traces ? p->full : 0);
	o->shown = rows_shown(r, f, o->count);
	if (o->shown < o->count)
		processes_sort(p, BY_SIZE, p->order, p->capacity);
	o->source = r->traces ? r->tracer.engine.source->kind->name : NULL;
	for (uint32_t i = 0; i < o->count; i++) {
		o->running += !(p->row[p->order[i]].known & ENDED);
		o->left_pages += p->row[p->order[i]].left_pages;
	}
}

/* What the figures lack. */
static void note_losses(struct run *r)
{
	const struct tasks *t = &r->tracer.engine.ledger.tasks;
	const struct totals *l = &r->tracer.engine.ledger.total;

	if (r->lost)
		session_note(&r->missing, "%llu events were lost: raise --ring",
			     (unsigned long long)r->lost);
	if (l->untracked_pages)
		session_note(&r->missing, "%llu pages found no room: raise "
			     "--pages", (unsigned long long)l->untracked_pages);
	if (r->traces && (r->processes.full || t->full))
		session_note(&r->missing, "%llu processes found no room: raise "
			     "--tasks", (unsigned long long)
			     (r->processes.full ? r->processes.full : t->full));
	if (t->idle.recycled)
		session_note(&r->missing, "%llu rows of tasks that held nothing "
			     "were used again: their pages at the peak are not "
			     "known: raise --tasks",
			     (unsigned long long)t->idle.recycled);
	if (r->stats.losses)
		session_note(&r->missing, "records of taskstats were lost, %llu "
			     "times one or more",
			     (unsigned long long)r->stats.losses);
	if (r->cgroup.why[0])
		session_note(&r->missing, "cgroup: %s", r->cgroup.why);
}

/* What the kernel charges to a cgroup and no event of a page shows. Most of it,
 * by far, can be objects of slab: they fill pages that were there before. */
static void note_more(struct run *r)
{
	const struct cgroup *c = &r->cgroup;
	const uint64_t ours_kib = r->tracer.engine.ledger.used_peak_pages *
				  r->page_kib;

	if (r->traces && c->made && c->peak_kib != UNKNOWN &&
	    c->peak_kib > ours_kib)
		print_to(r->more, sizeof(r->more), "%llu KiB more in "
			 "memory.peak: slab objects in pages of others, kernel "
			 "stacks, vmalloc, per-CPU memory, up to 64 pages a CPU "
			 "ahead", (unsigned long long)(c->peak_kib - ours_kib));
}

static void write_as(void *account, enum format f, struct out *out)
{
	struct sheet s;

	make_outline(account, f);
	run_sheet(&s, account, f, out);
	(f == FORMAT_JSON ? run_json : run_text)(&s);
}

void run_report(struct run *r)
{
	int error;

	note_losses(r);
	note_more(r);
	error = run_begin_output(r);
	if (!error) {
		write_as(r, r->config.format, r->to);
		error = run_end_output(r);
	}
	if (error)
		complain_error("the report", error);
	beside_write_as(&r->config, write_as, r, &r->sink);
}
