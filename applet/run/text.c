/* SPDX-License-Identifier: MIT */
/* The report of a run as text. */
#include <sys/wait.h>
#include "run/run.h"

/* The first number ends at this column, and each further one so much later. */
enum { COLUMN_PID = 24, COLUMN_WIDTH = 10 };

static void put_end(struct page *g)
{
	const struct run *r = g->run;
	const int status = (int)r->status;

	if (WIFSIGNALED(status))
		line_value(&g->line, ": killed by signal %u",
			   (uint64_t)WTERMSIG(status));
	else
		line_value(&g->line, ": exit status %u",
			   (uint64_t)WEXITSTATUS(status));
}

static void head(struct page *g, const struct outline *o)
{
	const struct run *r = g->run;
	const uint64_t value[] = {
		r->end_ns - r->start_ns, o->seen,
	};

	line_str(&g->line, "memstrack " MEMSTRACK_VERSION ": ");
	line_name_within(&g->line, r->given, RUN_ARGV_BYTES, LINE_BYTES / 2);
	put_end(g);
	line_fill(&g->line, value[1] == 1 ? " after %d, %u process" :
		  " after %d, %u processes", value);
	if (!sees_all(r))
		line_str(&g->line, " seen");
	if (o->running)
		line_value(&g->line, ", %u of them still run", o->running);
	page_line(g, r->missing.notes ? "; see what is missing, below" : "",
		  NULL);
}

/* MiB times microseconds as KiB times seconds. */
static uint64_t kib_s(uint64_t mib_us)
{
	return mib_us / 1000000 * 1024 + mib_us % 1000000 * 1024 / 1000000;
}

static const char *const columns[] = {
	"pid", "parent", "start", "time", "status", "peak RSS", "peak VM",
	"RSS x s", "VM x s", "pages", "at peak", "stay",
};

/* Numbers of the first columns are narrow. */
static size_t end_of(const struct run *r, unsigned int column)
{
	size_t end = COLUMN_PID;

	for (unsigned int i = 1; i <= column; i++) {
		const int sums = i == 7 || i == 8, pages = i > 8;

		if (!(sums && r->config.level < 2) && !(pages && !r->traces))
			end += COLUMN_WIDTH;
	}
	return end;
}

static int is_shown(const struct run *r, unsigned int column)
{
	return !column || end_of(r, column) > end_of(r, column - 1);
}

static void titles(struct page *g)
{
	line_str(&g->line, "process");
	for (unsigned int i = 0; i < ARRAY_LEN(columns); i++)
		if (is_shown(g->run, i))
			line_figure(&g->line, end_of(g->run, i), columns[i], 0);
	page_line(g, "  command", NULL);
}

static void row(struct page *g, const struct process *p)
{
	const struct run *r = g->run;
	const uint64_t start_ns = p->start_ns > r->start_ns ?
				  p->start_ns - r->start_ns : 0;
	const uint64_t value[ARRAY_LEN(columns)] = {
		p->pid, p->parent, if_known(p, HAS_START, start_ns),
		if_known(p, ENDED, if_known(p, HAS_START, p->run_ns)),
		exit_status(p),
		peak_rss_kib(p), if_known(p, HAS_STATS, p->vm_kib),
		if_known(p, HAS_STATS, kib_s(p->rss_mib_us)),
		if_known(p, HAS_STATS, kib_s(p->vm_mib_us)),
		p->peak_pages, if_known(p, HAS_PAGES, p->at_peak_pages),
		p->left_pages,
	};
	static const char *const marks[ARRAY_LEN(columns)] = {
		"%u", "%u", "%t", "%d", "%u", "%k", "%k", "%k", "%k", "%p",
		"%p", "%p",
	};

	line_name_within(&g->line, p->comm, COMM_BYTES, COMM_BYTES);
	for (unsigned int i = 0; i < ARRAY_LEN(columns); i++)
		if (is_shown(r, i))
			line_figure(&g->line, end_of(r, i), value[i] == UNKNOWN ?
				    "-" : marks[i], value[i]);
	line_str(&g->line, "  ");
	line_name_within(&g->line, p->argv, RUN_ARGV_BYTES,
			 RUN_ARGV_BYTES * 2);
	if (p->known & OOM_VICTIM)
		line_str(&g->line, "  killed: memory ran out");
	page_line(g, p->known & ENDED ? "" : "  still runs", NULL);
}

void run_text(struct page *g, const struct outline *o)
{
	const struct session *n = &g->run->missing;
	const struct processes *p = &g->run->processes;

	head(g, o);
	text_tree(g, o);
	titles(g);
	for (uint32_t i = 0; i < o->shown; i++)
		row(g, &p->row[p->order[i]]);
	if (o->shown < o->count)
		page_line(g, "... and %u more processes",
			  (const uint64_t[]){ o->count - o->shown });
	line_str(&g->line, "sources ");
	if (o->source) {
		line_str(&g->line, "processes and pages by ");
		line_str(&g->line, o->source);
		line_str(&g->line, ", ");
	}
	page_line(g, g->run->stats.fd >= 0 ? "sizes by taskstats" :
		  "sizes by wait4", NULL);
	for (uint32_t i = 0; i < n->notes && i < NOTES_MAX; i++) {
		line_str(&g->line, "missing ");
		line_name_within(&g->line, n->note[i], NOTE_BYTES, 700);
		page_line(g, "", NULL);
	}
}
