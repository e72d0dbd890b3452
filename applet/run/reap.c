/* SPDX-License-Identifier: MIT */
/*
 * The ends of our children: the command, and its orphans, which come to us.
 *
 * For an ordinary user there is no other source. A child that has ended is still
 * in /proc until it is taken: there are its name and its start.
 */
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/system.h"
#include "base/base.h"
#include "run/run.h"

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
