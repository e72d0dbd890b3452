/* SPDX-License-Identifier: MIT */
/* The sources of a run, and the lines as they happen: see run.h, open and live. */
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
#include "host/run/run.h"
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

/* Writes what is left of the last line, as far as the reader takes it now. */
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
	return r->to == &r->errors ? STDERR_FILENO : STDOUT_FILENO;
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
	    (r->to != &r->errors && strcmp(r->config.out_path, "-")))
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

static int begin(struct sheet *s, struct run *r)
{
	const int apart = r->live.fd >= 0;

	if (r->config.level < 3 || (!apart && run_begin_output(r)))
		return -1;
	run_sheet(s, r, r->config.format, apart ? &r->live.out : r->to);
	return 0;
}

/* Sends the line. */
static void end(struct sheet *s)
{
	struct run *r = run_of(s);

	sheet_emit(s);
	if (r->live.fd < 0)
		run_end_output(r);
}

static void put_name(struct sheet *s, const char *before, const char *name,
		     size_t size)
{
	line_str(&s->line, before);
	line_name_within(&s->line, name, size, size * 6);
}

void live_exec(struct run *r, const struct process *p, uint64_t time_ns)
{
	uint64_t value[] = { time_ns, p->pid, p->parent };
	struct sheet s;

	if (begin(&s, r))
		return;
	if (s.line.escape == ESCAPE_JSON) {
		json_begin(&s, "exec");
		json_numbers(&s, "time_ns pid ppid", value);
		run_json_name(&s, "comm", p->comm, COMM_BYTES);
		run_json_name(&s, "command", p->argv, RUN_ARGV_BYTES);
		line_char(&s.line, '}');
	} else {
		value[0] = since_start(r, time_ns);
		line_fill(&s.line, "%t exec %u of %u: ", value);
		put_name(&s, "", p->comm, COMM_BYTES);
		put_name(&s, p->argv[0] ? ": " : "", p->argv, RUN_ARGV_BYTES);
	}
	end(&s);
}

void live_exit(struct run *r, const struct process *p)
{
	uint64_t value[PROCESS_VALUES], at[] = { p->end_ns, p->pid };
	struct sheet s;

	if (begin(&s, r))
		return;
	process_values(r, p, value);
	if (s.line.escape == ESCAPE_JSON) {
		json_begin(&s, "exit");
		json_numbers(&s, "time_ns pid", at);
		run_json_name(&s, "comm", p->comm, COMM_BYTES);
		json_numbers(&s, "exit_status run_ns peak_rss_kib",
			     (const uint64_t[]){ value[PROCESS_STATUS],
			     p->run_ns, value[PROCESS_RSS_KIB] });
		line_char(&s.line, '}');
	} else {
		at[0] = since_start(r, p->end_ns);
		line_fill(&s.line, "%t exit %u: ", at);
		put_name(&s, "", p->comm, COMM_BYTES);
		line_fill(&s.line, ": status %u, %d, peak RSS %k",
			  (const uint64_t[]){ value[PROCESS_STATUS],
			  p->run_ns, value[PROCESS_RSS_KIB] });
	}
	end(&s);
}
