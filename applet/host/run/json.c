/* SPDX-License-Identifier: MIT */
/* Where the lines of a run go, the figures of a process, and the report for
 * programs: see run.h, report. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "output/output.h"
#include "host/run/run.h"

/* --- sheet: where lines go */

static void put_stderr(struct out *o, const char *text, size_t len)
{
	(void)o;
	put_line(STDERR_FILENO, "%.*s\n", text, len, 0);
}

void run_open_output(struct run *r)
{
	struct config *c = &r->config;

	r->errors.line = put_stderr;
	r->to = c->out == OUT_AUTO ? &r->errors : &r->sink.out;
	if (c->out == OUT_AUTO) {
		c->out = OUT_FILE;
		memcpy(c->out_path, "-", 2);
	}
	sink_open(&r->sink, c, "");
}

/* Rows are bounded, lines are not. */
void run_sheet(struct sheet *s, struct run *r, enum format f, struct out *o)
{
	r->report.context = r;
	sheet_begin(s, &r->report, o, f == FORMAT_JSON ? ESCAPE_JSON :
							  ESCAPE_TEXT);
	s->line.page_kib = r->page_kib;
	s->last = 1;
}

int run_begin_output(struct run *r)
{
	return r->to == &r->errors ? 0 : sink_begin(&r->sink, &r->config,
						    SINK_CONFIGURED);
}

int run_end_output(struct run *r)
{
	return r->to == &r->errors ? 0 : sink_end(&r->sink);
}

/* --- figures of a process */

static uint64_t if_known(const struct process *p, uint32_t what, uint64_t value)
{
	return p->known & what ? value : UNKNOWN;
}

static uint64_t signal_of(uint32_t status)
{
	return WIFSIGNALED((int)status) ? (uint64_t)WTERMSIG((int)status) :
					  UNKNOWN;
}

void process_values(const struct run *r, const struct process *p,
		    uint64_t value[PROCESS_VALUES])
{
	value[PROCESS_PID] = p->pid;
	value[PROCESS_PARENT] = p->parent;
	value[PROCESS_START_NS] = if_known(p, HAS_START, p->start_ns);
	value[PROCESS_RUN_NS] = if_known(p, ENDED, if_known(p, HAS_START,
							    p->run_ns));
	value[PROCESS_STATUS] = if_known(p, HAS_STATUS,
					 (uint64_t)child_status(p->status));
	value[PROCESS_SIGNAL] = if_known(p, HAS_STATUS, signal_of(p->status));
	value[PROCESS_RSS_KIB] = if_known(p, HAS_STATS | HAS_USAGE, p->rss_kib);
	value[PROCESS_VM_KIB] = if_known(p, HAS_STATS, p->vm_kib);
	value[PROCESS_RSS_MIB_US] = if_known(p, HAS_STATS, p->rss_mib_us);
	value[PROCESS_VM_MIB_US] = if_known(p, HAS_STATS, p->vm_mib_us);
	value[PROCESS_PEAK_PAGES] = r->traces ? p->peak_pages : UNKNOWN;
	value[PROCESS_AT_PEAK_PAGES] = if_known(p, HAS_PAGES,
						p->at_peak_pages);
	value[PROCESS_LEFT_PAGES] = r->traces ? p->left_pages : UNKNOWN;
}

int sees_all(const struct run *r)
{
	return r->traces || r->stats.fd >= 0;
}

/* --- JSON: one object a line (memstrack(8)) */

/* The bytes for names that the longest line of a kind leaves. */
#define LIMIT_ROOM 400u
#define NOTE_ROOM 700u

/* Every byte of a name or a command may need an escape. */
void run_json_name(struct sheet *s, const char *key, const char *text,
		   size_t size)
{
	line_text(&s->line, key, text, size, size * 6);
}

static void json_head(struct sheet *s)
{
	const struct run *r = run_of(s);

	json_begin(s, "run");
	run_json_name(s, "command", r->given, sizeof(r->given));
	if (r->outline.source)
		json_name(s, "pages_by", r->outline.source);
	else
		line_str(&s->line, ",\"pages_by\":null");
	json_name(s, "sizes_by", r->stats.fd >= 0 ? "taskstats" : "wait4");
	json_numbers(s, "pid exit_status signal start_ns run_ns lost "
			"page_bytes", (const uint64_t[]){
			r->processes.row[1].pid,
			(uint64_t)child_status(r->status),
			signal_of(r->status), r->start_ns,
			r->end_ns - r->start_ns, r->traces ? r->lost : UNKNOWN,
			r->page_kib << 10 });
	json_end(s);
}

static void json_process(struct sheet *s, const struct process *p)
{
	uint64_t value[PROCESS_VALUES];

	process_values(run_of(s), p, value);
	json_begin(s, "process");
	json_numbers(s, "pid ppid", value);
	run_json_name(s, "comm", p->comm, sizeof(p->comm));
	run_json_name(s, "command", p->argv, sizeof(p->argv));
	json_numbers(s, "start_ns run_ns exit_status signal peak_rss_kib "
			"peak_vm_kib rss_mib_us vm_mib_us peak_pages "
			"at_peak_pages left_pages", value + PROCESS_START_NS);
	if (p->known & OOM_VICTIM)
		json_number(s, "oom_victim", 1);
	json_end(s);
}

static void json_tree(struct sheet *s)
{
	const struct run *r = run_of(s);
	const struct ledger *l = &r->tracer.engine.ledger;
	const struct cgroup *c = &r->cgroup;

	json_begin(s, "tree");
	json_numbers(s, "processes peak_pages peak_ns cgroup_peak_kib "
			"left_pages running cgroup_max_events "
			"cgroup_oom_kills limit_kib", (const uint64_t[]){
			sees_all(r) ? r->outline.seen : UNKNOWN,
			r->traces ? l->used_peak_pages : UNKNOWN,
			r->traces ? l->used_peak_ns : UNKNOWN,
			c->made ? c->peak_kib : UNKNOWN,
			r->traces ? r->outline.left_pages : UNKNOWN,
			r->outline.running,
			c->made ? c->max_events : UNKNOWN,
			c->made ? c->oom_kills : UNKNOWN, c->limit_kib });
	if (c->limit_path[0])
		json_string(s, "limit_of", c->limit_path, LIMIT_ROOM);
	else
		line_str(&s->line, ",\"limit_of\":null");
	json_end(s);
}

static void json_note(struct sheet *s, const char *text)
{
	json_begin(s, "note");
	json_string(s, "text", text, NOTE_ROOM);
	json_end(s);
}

void run_json(struct sheet *s)
{
	const struct run *r = run_of(s);
	const struct session *n = &r->missing;
	const struct processes *p = &r->processes;

	json_head(s);
	for (uint32_t i = 0; i < r->outline.shown; i++)
		json_process(s, &p->row[p->order[i]]);
	json_tree(s);
	for (uint32_t i = 0; i < n->notes && i < NOTES_MAX; i++)
		json_note(s, n->note[i]);
	if (r->more[0])
		json_note(s, r->more);
	json_begin(s, "end");
	json_numbers(s, "records records_cut", (const uint64_t[]){
			s->value[FIGURE_LINES],
			r->outline.count - r->outline.shown });
	json_end(s);
}
