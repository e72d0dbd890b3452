/* SPDX-License-Identifier: MIT */
/* The report of a run for programs: one JSON object a line (memstrack(8)). */
#include <sys/wait.h>
#include "run/run.h"

/* The bytes for names that the longest line of a kind leaves. */
#define LIMIT_ROOM 400u
#define NOTE_ROOM 700u

static uint64_t signal_of(uint32_t status)
{
	return WIFSIGNALED((int)status) ? (uint64_t)WTERMSIG((int)status) :
					  UNKNOWN;
}

static void head(struct page *g, const struct outline *o)
{
	const struct run *r = g->run;
	const struct process *p = &r->processes.row[1];
	const uint64_t value[] = {
		p->pid, (uint64_t)child_status(r->status),
		signal_of(r->status), r->start_ns, r->end_ns - r->start_ns,
		r->traces ? r->lost : UNKNOWN, g->line.page_kib << 10,
	};

	page_name(g, "{\"type\":\"run\",\"command\":\"", r->given,
		  sizeof(r->given));
	line_str(&g->line, ",\"pages_by\":");
	if (o->source)
		page_name(g, "\"", o->source, SOURCE_NAME_BYTES);
	else
		line_str(&g->line, "null");
	line_str(&g->line, r->stats.fd >= 0 ? ",\"sizes_by\":\"taskstats\"" :
					      ",\"sizes_by\":\"wait4\"");
	page_line(g, ",\"pid\":%u,\"exit_status\":%u,\"signal\":%u,"
		  "\"start_ns\":%u,\"run_ns\":%u,\"lost\":%u,"
		  "\"page_bytes\":%u}", value);
}

static void row(struct page *g, const struct process *p)
{
	const int by_pages = g->run->traces;
	const uint64_t value[] = {
		if_known(p, HAS_START, p->start_ns),
		if_known(p, HAS_START,
			 p->known & ENDED ? p->run_ns : UNKNOWN),
		exit_status(p),
		if_known(p, HAS_STATUS, signal_of(p->status)),
		peak_rss_kib(p), if_known(p, HAS_STATS, p->vm_kib),
	};
	const uint64_t more[] = {
		if_known(p, HAS_STATS, p->rss_mib_us),
		if_known(p, HAS_STATS, p->vm_mib_us),
		by_pages ? p->peak_pages : UNKNOWN,
		if_known(p, HAS_PAGES, p->at_peak_pages),
		by_pages ? p->left_pages : UNKNOWN,
	};

	line_fill(&g->line, "{\"type\":\"process\",\"pid\":%u,\"ppid\":%u",
		  (const uint64_t[]){ p->pid, p->parent });
	page_name(g, ",\"comm\":\"", p->comm, sizeof(p->comm));
	page_name(g, ",\"command\":\"", p->argv, sizeof(p->argv));
	line_fill(&g->line, ",\"start_ns\":%u,\"run_ns\":%u,\"exit_status\":%u"
		  ",\"signal\":%u,\"peak_rss_kib\":%u,\"peak_vm_kib\":%u",
		  value);
	line_fill(&g->line, ",\"rss_mib_us\":%u,\"vm_mib_us\":%u,"
		  "\"peak_pages\":%u,\"at_peak_pages\":%u,\"left_pages\":%u",
		  more);
	page_line(g, p->known & OOM_VICTIM ? ",\"oom_victim\":1}" : "}", NULL);
}

static void tree(struct page *g, const struct outline *o)
{
	const struct run *r = g->run;
	const struct ledger *l = &r->tracer.engine.ledger;
	const struct cgroup *c = &r->cgroup;
	const uint64_t value[] = {
		sees_all(r) ? o->seen : UNKNOWN,
		r->traces ? l->used_peak_pages : UNKNOWN,
		r->traces ? l->used_peak_ns : UNKNOWN,
		c->made ? c->peak_kib : UNKNOWN,
	};
	const uint64_t more[] = {
		r->traces ? o->left_pages : UNKNOWN,
		o->running,
		c->made ? c->max_events : UNKNOWN,
		c->made ? c->oom_kills : UNKNOWN, c->limit_kib,
	};

	line_fill(&g->line, "{\"type\":\"tree\",\"processes\":%u,"
		  "\"peak_pages\":%u,\"peak_ns\":%u,\"cgroup_peak_kib\":%u",
		  value);
	line_fill(&g->line, ",\"left_pages\":%u,\"running\":%u,"
		  "\"cgroup_max_events\":%u,\"cgroup_oom_kills\":%u,"
		  "\"limit_kib\":%u", more);
	line_str(&g->line, ",\"limit_of\":");
	if (c->limit_path[0]) {
		line_char(&g->line, '"');
		line_name_within(&g->line, c->limit_path,
				 sizeof(c->limit_path), LIMIT_ROOM);
		page_line(g, "\"}", NULL);
	} else {
		page_line(g, "null}", NULL);
	}
}

static void note(struct page *g, const char *text)
{
	line_str(&g->line, "{\"type\":\"note\",\"text\":\"");
	line_name_within(&g->line, text, NOTE_BYTES, NOTE_ROOM);
	page_line(g, "\"}", NULL);
}

void run_json(struct page *g, const struct outline *o)
{
	const struct session *n = &g->run->missing;
	const struct processes *p = &g->run->processes;

	head(g, o);
	for (uint32_t i = 0; i < o->shown; i++)
		row(g, &p->row[p->order[i]]);
	tree(g, o);
	for (uint32_t i = 0; i < n->notes && i < NOTES_MAX; i++)
		note(g, n->note[i]);
	if (g->run->more[0])
		note(g, g->run->more);
	page_line(g, "{\"type\":\"end\",\"records\":%u,\"records_cut\":%u}",
		  (const uint64_t[]){ g->lines, o->count - o->shown });
}
