/* SPDX-License-Identifier: MIT */
/* What there is to see a run by: see run.h, open. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/base.h"
#include "base/system.h"
#include "output/output.h"
#include "run/run.h"
#include "tracer/tracer.h"

int run_take_memory(struct run *r)
{
	uint32_t rows = r->config.tasks;
	const uint64_t kib = system_ram_bytes() / 1024;
	uint64_t bytes;
	void *block;

	if (!rows)
		rows = kib / RUN_PROCESS_KIB < RUN_PROCESSES ?
		       (uint32_t)(kib / RUN_PROCESS_KIB) : RUN_PROCESSES;
	r->config.tasks = rows;
	if (!r->config.frames)
		r->config.frames = 1;	/* no stack is shown */
	bytes = processes_bytes(rows) + RUN_ENDS * sizeof(*r->end) + 256;
	r->page_kib = getauxval(AT_PAGESZ) / 1024;
	r->stats.fd = -1;
	block = system_memory(bytes);
	if (!block)
		return -ENOMEM;
	arena_init(&r->arena, block, (size_t)bytes);
	r->end = arena_take(&r->arena, RUN_ENDS, sizeof(*r->end));
	return processes_init(&r->processes, &r->arena, rows);
}

/* Samples of /proc would be guesses. */
static void open_tracer(struct run *r)
{
	const struct trace_file none = { NULL, -1 };
	struct tracer *t = &r->tracer;

	if (geteuid()) {
		session_note(&r->missing, "pages of the kernel, and most "
			     "processes: only root can trace");
		return;
	}
	if (tracer_open(t, &r->config, &r->sink, 0, &none)) {
		session_note(&r->missing, "pages of the kernel: %s",
			     t->door.listener == -EEXIST ?
			     "another tracer runs" : "no tracer");
		return;
	}
	r->traces = !t->engine.source->kind->samples;
	if (r->traces && !ledger_follow(&t->engine.ledger,
					(uint32_t)r->child.pid))
		return;
	session_note(&r->missing, "pages of the kernel: %s", r->traces ?
		     "the command found no room: raise --tasks" :
		     "nothing can be traced here");
	r->traces = 0;
	engine_close(&t->engine);
}

static void open_stats(struct run *r)
{
	const int error = taskstats_open(&r->stats);

	if (!error)
		return;
	session_note(&r->missing, "peaks of each process: taskstats: %s",
		     error_text(error));
	if (!r->traces)
		session_note(&r->missing, "by wait4 only the command and its "
			     "orphans are seen; their peak RSS is the largest "
			     "of each and of the children that it waited for");
}

/* The command itself, with all arguments that we were given. */
static void add_command(struct run *r)
{
	const struct tasks *t = &r->tracer.engine.ledger.tasks;
	const uint32_t pid = (uint32_t)r->child.pid;
	const uint32_t row = processes_add(&r->processes, pid,
					   (uint32_t)getpid(),
					   clock_ns(CLOCK_MONOTONIC));
	struct process *p = &r->processes.row[row];
	size_t len = 0;

	p->known = IN_TREE | HAS_START;
	/* Ours, if it never becomes another program. */
	syscall(SYS_prctl, PR_GET_NAME, p->comm, 0, 0, 0);
	if (r->traces)
		p->task_ns = t->row[tasks_find(t, pid)].start_ns;
	for (char *const *word = r->command; *word; word++)
		len += print_to(r->given + len, sizeof(r->given) - len, "%s%s",
				len ? " " : "", *word);
	memcpy(p->argv, r->given, sizeof(p->argv));
	r->start_ns = p->start_ns;
}

void run_open(struct run *r)
{
	cgroup_begin(&r->cgroup, r->child.pid);
	open_tracer(r);
	open_stats(r);
	add_command(r);
}

/* --- live */

/* What is left of the last line, as far as it is taken now. */
static void send_left(struct live *v)
{
	struct pollfd p = { .fd = v->fd, .events = POLLOUT };
	ssize_t n = 0;

	if (v->left && (!v->blocks || poll(&p, 1, 0) > 0))
		n = write(v->fd, v->text + v->len - v->left, v->left);
	if (n > 0)
		v->left -= (size_t)n;
	else if (n < 0 && errno != EAGAIN && errno != EINTR)
		v->left = 0;
}

static void put_live(struct out *o, const char *text, size_t len)
{
	struct live *v = (struct live *)o;

	send_left(v);
	if (v->left) {
		v->dropped++;
		return;
	}
	v->len = print_to(v->text, sizeof(v->text), "%.*s\n", (int)len, text);
	v->left = v->len;
	send_left(v);
}

static int descriptor(const struct run *r)
{
	return r->to.sink ? STDOUT_FILENO : STDERR_FILENO;
}

/* The flags of a descriptor belong to all who share it, so it is opened a
 * second time. Of an ordinary file the position is shared too, but it never
 * waits; a socket cannot be opened. */
void live_open(struct run *r)
{
	struct live *v = &r->live;
	struct stat st;
	char path[24];

	v->out.line = put_live;
	v->fd = -1;
	if (r->config.level < 3 ||
	    (r->to.sink && strcmp(r->config.out_path, "-")))
		return;
	v->fd = descriptor(r);
	if (!system_stat(v->fd, "", &st) && S_ISREG(st.st_mode))
		return;
	print_to(path, sizeof(path), "/proc/self/fd/%d", v->fd);
	v->fd = system_open_path(path, O_WRONLY | O_NONBLOCK | O_NOCTTY);
	v->blocks = v->fd < 0;
	if (v->blocks)
		v->fd = descriptor(r);
}

void live_finish(struct run *r)
{
	const struct live *v = &r->live;

	if (v->left)
		put_line(descriptor(r), "%.*s", v->text + v->len - v->left,
			 v->left, 0);
	if (v->dropped)
		session_note(&r->missing, "%llu lines of execs and exits: who "
			     "reads them was too slow",
			     (unsigned long long)v->dropped);
}

static int begin(struct page *g, struct run *r)
{
	if (r->live.fd < 0)
		return page_begin(g, r);
	page_for(g, r, r->config.format, &r->live.out);
	return 0;
}

static void end(struct page *g)
{
	if (g->run->live.fd < 0)
		page_end(g);
}

static uint64_t since_start(const struct run *r, uint64_t ns)
{
	return ns > r->start_ns ? ns - r->start_ns : 0;
}

void live_exec(struct run *r, const struct process *p, uint64_t time_ns)
{
	const uint64_t value[] = { since_start(r, time_ns), p->pid, p->parent };
	const uint64_t json[] = { time_ns, p->pid, p->parent };
	struct page g;

	if (r->config.level < 3 || begin(&g, r))
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
	end(&g);
}

void live_exit(struct run *r, const struct process *p)
{
	const uint64_t more[] = {
		exit_status(p), p->run_ns, peak_rss_kib(p),
	};
	struct page g;

	if (r->config.level < 3 || begin(&g, r))
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
	end(&g);
}
