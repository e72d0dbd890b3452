/* SPDX-License-Identifier: MIT */
/* Events, records and ends of processes: see run.h, watch and reap. */
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/base.h"
#include "base/system.h"
#include "report/report.h"
#include "host/run/run.h"

#define DATAGRAM_BYTES 8192u

/* The command, in whose row are the arguments that we were given. */
static int is_command(const struct run *r, const struct process *p)
{
	return p == &r->processes.row[1];
}

/* The arguments as they are now: the process has them until it exits. It may
 * have exited since the event. */
static void read_argv(const struct run *r, struct process *p)
{
	char path[32], argv[RUN_ARGV_BYTES];
	ssize_t len;

	print_to(path, sizeof(path), "/proc/%u/cmdline", p->pid);
	len = readfile(path, argv, sizeof(argv));
	if (len <= 0 && len != -EFBIG) {
		if (!is_command(r, p))
			p->argv[0] = '\0';
		return;
	}
	len = len < 0 ? (ssize_t)sizeof(argv) - 1 : len - 1;
	for (ssize_t i = 0; i < len; i++)
		p->argv[i] = argv[i] ? argv[i] : ' ';
	p->argv[len] = '\0';
}

/* The process of the tree that an event is about, or NULL. */
static struct process *process_of(struct run *r, uint32_t pid)
{
	const uint32_t row = processes_find(&r->processes, pid);

	return row ? &r->processes.row[row] : NULL;
}

static void begin(struct run *r, const struct event *e)
{
	const struct ledger *l = &r->tracer.engine.ledger;
	const uint32_t task = tasks_find(&l->tasks, e->tid);
	const struct task *k = &l->tasks.row[task];
	uint32_t row;

	if (!k->in_tree || k->process != task)
		return;
	row = processes_add(&r->processes, e->tid, k->parent_tgid,
			    e->time_ns);
	if (!row)
		return;
	r->processes.row[row].task_ns = k->start_ns;
	r->processes.row[row].known = IN_TREE | HAS_START;
	memcpy(r->processes.row[row].comm, k->comm, COMM_BYTES);
}

static void rename_process(struct run *r, const struct event *e)
{
	const struct tasks *t = &r->tracer.engine.ledger.tasks;
	struct process *p = process_of(r, e->tid);

	if (!p || (p->known & ENDED && !(e->flags & EVENT_EXEC)))
		return;
	memcpy(p->comm, e->name, COMM_BYTES - 1);
	if (!(e->flags & EVENT_EXEC))
		return;
	/* By a thread, which took the place of the first one. */
	if (p->known & ENDED) {
		p->known &= ~(uint32_t)(ENDED | LINE_DUE);
		p->task_ns = t->row[tasks_find(t, p->pid)].start_ns;
	}
	read_argv(r, p);
	live_exec(r, p, e->time_ns);
}

/* The highest number of pages is final: only pages are freed after the exit. */
static void take_peak(struct run *r, struct process *p)
{
	const struct tasks *t = &r->tracer.engine.ledger.tasks;
	const struct task *k = &t->row[tasks_find(t, p->pid)];

	if (k->tid == p->pid && k->start_ns == p->task_ns &&
	    k->pages.peak > p->peak_pages)
		p->peak_pages = k->pages.peak;
}

static void show_end(struct run *r, struct process *p)
{
	if (!(p->known & HAS_STATUS) && r->stats.fd >= 0) {
		p->known |= LINE_DUE;
		return;
	}
	p->known &= ~(uint32_t)LINE_DUE;
	live_exit(r, p);
}

static void apply_end(const struct task_end *end,
		      struct process *p)
{
	/* By wait4, it may be the peak of a child. */
	if (!(p->known & HAS_STATS))
		p->rss_kib = 0;
	p->rss_kib = end->rss_kib > p->rss_kib ? end->rss_kib : p->rss_kib;
	p->vm_kib = end->vm_kib > p->vm_kib ? end->vm_kib : p->vm_kib;
	p->rss_mib_us += end->rss_mib_us;
	p->vm_mib_us += end->vm_mib_us;
	p->known |= HAS_STATS;
	/* The first thread's status is the process's, if no other thread ends
	 * all of them. Before 5.19 only the first one has any. */
	if (end->pid == p->pid || end->status)
		p->status = end->status;
	if (end->pid == p->pid || end->status || end->last)
		p->known |= HAS_STATUS;
}

/* A thread that exits ends its process if no other one is left: the last one
 * that exits gives the time. */
static void end_process(struct run *r, const struct event *e)
{
	struct process *p = process_of(r, e->tgid ? e->tgid : e->tid);
	int was_ended;

	if (!p || p->start_ns > e->time_ns)
		return;
	was_ended = p->known & ENDED;
	p->end_ns = e->time_ns;
	p->run_ns = e->time_ns - p->start_ns;
	take_peak(r, p);
	if (e->tid != p->pid)
		return;
	p->known |= ENDED;
	if (r->config.level == 3 && !was_ended) {
		watch_apply_ends(r, 0);
		show_end(r, p);
	}
}

void watch_event(struct run *r, const struct event *e)
{
	struct process *p;

	switch (e->type) {
	case EVENT_FORK:
		begin(r, e);
		break;
	case EVENT_COMM:
		rename_process(r, e);
		break;
	case EVENT_EXIT:
		end_process(r, e);
		break;
	case EVENT_VICTIM:
		p = process_of(r, (uint32_t)e->result);
		if (p)
			p->known |= OOM_VICTIM;
		break;
	default:
		break;
	}
}

int watch_read_ends(struct run *r)
{
	unsigned char datagram[DATAGRAM_BYTES];
	struct taskstats_reader reader = { .family = r->stats.family };

	/* A datagram has one record, as far as is known; two find room. */
	while (r->stats.fd >= 0 && r->ends + 2 <= RUN_ENDS) {
		reader.at = datagram;
		reader.len = taskstats_read(&r->stats, datagram,
					    sizeof(datagram));
		if (!reader.len)
			return 0;
		while (r->ends < RUN_ENDS &&
		       taskstats_next(&reader, &r->end[r->ends]))
			r->end[r->ends++].read_ns = clock_ns(CLOCK_MONOTONIC);
	}
	return r->stats.fd >= 0;
}

/* Without events every process of the machine gets a row; the tree is found at
 * the end. A thread that is not the last one of its process has no row. */
static struct process *add_unseen(struct run *r, const struct task_end *end)
{
	const uint32_t pid = end->tgid ? end->tgid : end->pid;
	struct process *p = process_of(r, pid);
	uint32_t row;

	if (p && !(p->known & ENDED))
		return p;
	row = processes_add(&r->processes, pid, end->parent,
			    end->read_ns - end->run_ns);
	return row ? &r->processes.row[row] : NULL;
}

/* The command was forked long before it began, so its start is ours. */
static void end_unseen(const struct run *r, struct process *p,
		       const struct task_end *end)
{
	if (end->pid == p->pid || !p->comm[0])
		memcpy(p->comm, end->comm, COMM_BYTES);
	p->parent = end->parent;
	p->end_ns = end->read_ns;
	if (is_command(r, p))
		p->run_ns = p->end_ns - p->start_ns;
	else if (end->run_ns > p->run_ns)
		p->run_ns = end->run_ns;
	p->start_ns = p->end_ns - p->run_ns;
	p->known |= end->last ? HAS_START | ENDED : HAS_START;
}

/* 1: the record is done with. */
static int apply_record(struct run *r, const struct task_end *end,
			uint64_t horizon_ns)
{
	struct process *p = r->traces ?
			    process_of(r, end->tgid ? end->tgid : end->pid) :
			    add_unseen(r, end);

	if (!p || p->start_ns > end->read_ns)
		return !r->traces || end->read_ns < horizon_ns;
	apply_end(end, p);
	if (!r->traces)
		end_unseen(r, p, end);
	if (p->known & LINE_DUE)
		show_end(r, p);
	return 1;
}

void watch_apply_ends(struct run *r, uint64_t horizon_ns)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < r->ends; i++)
		if (!apply_record(r, &r->end[i], horizon_ns))
			r->end[kept++] = r->end[i];
	r->ends = kept;
}

void watch_take_pages(struct run *r)
{
	const struct ledger *l = &r->tracer.engine.ledger;

	for (uint32_t i = TASKS_FIXED; i < l->tasks.used; i++) {
		const struct task *k = &l->tasks.row[i];
		uint32_t row;
		struct process *p;

		if (!k->in_tree || k->process != i || k->state == TASK_UNUSED)
			continue;
		row = processes_find(&r->processes, k->tid);
		while (row && (r->processes.row[row].pid != k->tid ||
			       r->processes.row[row].task_ns != k->start_ns))
			row = r->processes.row[row].next;
		p = &r->processes.row[row];
		if (!row)
			continue;
		if (k->pages.peak > p->peak_pages)
			p->peak_pages = k->pages.peak;
		p->at_peak_pages = count_at_peak(&k->pages, l->epoch);
		p->left_pages = k->pages.now;
		p->known |= HAS_PAGES;
	}
}

/*
 * --- reap
 *
 * The ends of our children: the command, and its orphans, which come to us.
 *
 * An ordinary user has no other source. A child that has ended is still in /proc
 * until it is reaped: there are its name and its start.
 */

/* USER_HZ, which /proc/PID/stat counts in, on every machine but alpha. */
#define TICK_NS 10000000u

/* The time since boot goes on while the machine sleeps, unlike that of other
 * figures. */
static uint64_t monotonic(uint64_t boot_ns)
{
	const uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	const uint64_t slept_ns = clock_ns(CLOCK_BOOTTIME) - now_ns;

	return boot_ns > slept_ns ? boot_ns - slept_ns : 0;
}

/* Name and start, from "1 (init) Z 0 …": the start is the twentieth word behind
 * the name, which ends at the last bracket. */
static void take_stat(struct process *p, const char *text)
{
	const char *name = text + length_to(text, '(');
	const char *end = past_last(text, ')');
	struct word rest, w;
	uint64_t ticks;

	if (end <= name)
		return;
	print_to(p->comm, sizeof(p->comm), "%.*s", (int)(end - name) - 2,
		 name + 1);
	rest = (struct word){ end, strlen(end) };
	for (unsigned int i = 0; i < 20; i++)
		next_word(&rest, &w);
	if (word_number(&w, 10, &ticks) || ticks > UINT64_MAX / TICK_NS)
		return;
	p->start_ns = monotonic(ticks * TICK_NS);
	p->known |= HAS_START;
}

/* Only without other sources: a process that no event or record named. */
static struct process *add_child(struct run *r, pid_t pid)
{
	const uint32_t row = processes_add(&r->processes, (uint32_t)pid,
					   (uint32_t)getpid(), 0);

	if (!row)
		return NULL;
	r->processes.row[row].known = IN_TREE;
	return &r->processes.row[row];
}

static void describe(struct process *p)
{
	char path[32], text[512];

	print_to(path, sizeof(path), "/proc/%u/stat", p->pid);
	if (readfile(path, text, sizeof(text)) <= 0)
		return;
	if (p->known & HAS_START) {	/* the command: we started it */
		const uint64_t start_ns = p->start_ns;

		take_stat(p, text);
		p->start_ns = start_ns;
	} else {
		take_stat(p, text);
	}
}

static void take_usage(struct process *p, int status, uint64_t peak_kib)
{
	p->status = (uint32_t)status;
	if (!(p->known & HAS_STATS))
		p->rss_kib = peak_kib;
	p->known |= HAS_STATUS | HAS_USAGE;
}

static void take_child(struct run *r, pid_t pid)
{
	const int alone = !r->traces && r->stats.fd < 0;
	uint32_t row = processes_find(&r->processes, (uint32_t)pid);
	struct process *p = row ? &r->processes.row[row] : NULL;
	struct rusage usage = { 0 };
	int status = 0;

	if (alone && (!p || p->known & ENDED))
		p = add_child(r, pid);
	if (alone && p)
		describe(p);
	if (wait4(pid, &status, 0, &usage) != pid)
		return;
	if (pid == r->child.pid) {
		r->ended = r->child.is_gone = 1;
		r->status = (uint32_t)status;
		r->end_ns = clock_ns(CLOCK_MONOTONIC);
	}
	if (!p)
		return;
	take_usage(p, status, (uint64_t)usage.ru_maxrss);
	if (alone) {
		p->known |= ENDED;
		p->end_ns = clock_ns(CLOCK_MONOTONIC);
		p->run_ns = p->known & HAS_START ? p->end_ns - p->start_ns : 0;
		live_exit(r, p);
	}
}

void reap_children(struct run *r)
{
	siginfo_t info;

	for (;;) {
		info.si_pid = 0;
		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT)) {
			r->alone |= errno == ECHILD;
			return;
		}
		if (!info.si_pid)
			return;
		take_child(r, info.si_pid);
	}
}
