/* SPDX-License-Identifier: MIT */
/* See live.h. */
#include "run/live.h"
#include "run/page.h"

static uint64_t since_start(const struct run *r, uint64_t ns)
{
	return ns > r->start_ns ? ns - r->start_ns : 0;
}

void live_exec(struct run *r, const struct process *p, uint64_t time_ns)
{
	const uint64_t value[] = { since_start(r, time_ns), p->pid, p->parent };
	const uint64_t json[] = { time_ns, p->pid, p->parent };
	struct page g;

	if (r->config.level < 3 || page_begin(&g, r))
		return;
	if (g.line.escape == ESCAPE_JSON) {
		line_fill(&g.line, "{\"type\":\"exec\",\"time_ns\":%u,"
			  "\"pid\":%u,\"ppid\":%u", json);
		page_name(&g, ",\"comm\":\"", p->comm, COMM_BYTES);
		page_name(&g, ",\"command\":\"", p->argv, RUN_ARGV_BYTES);
		page_line(&g, "}", NULL);
	} else {
		line_fill(&g.line, "%t exec %u of %u: ", value);
		page_name(&g, "", p->comm, COMM_BYTES);
		page_name(&g, p->argv[0] ? ": " : "", p->argv,
			  RUN_ARGV_BYTES);
		page_line(&g, "", NULL);
	}
	page_end(&g);
}

void live_exit(struct run *r, const struct process *p)
{
	const uint64_t more[] = {
		exit_status(p), p->run_ns, peak_rss_kib(p),
	};
	struct page g;

	if (r->config.level < 3 || page_begin(&g, r))
		return;
	if (g.line.escape == ESCAPE_JSON) {
		line_fill(&g.line, "{\"type\":\"exit\",\"time_ns\":%u,"
			  "\"pid\":%u",
			  (const uint64_t[]){ p->end_ns, p->pid });
		page_name(&g, ",\"comm\":\"", p->comm, COMM_BYTES);
		page_line(&g, ",\"exit_status\":%u,\"run_ns\":%u,"
			  "\"peak_rss_kib\":%u}", more);
	} else {
		line_fill(&g.line, "%t exit %u: ", (const uint64_t[]){
			  since_start(r, p->end_ns), p->pid });
		page_name(&g, "", p->comm, COMM_BYTES);
		page_line(&g, ": status %u, %d, peak RSS %k", more);
	}
	page_end(&g);
}
