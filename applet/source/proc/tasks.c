/* SPDX-License-Identifier: MIT */
/* Processes and threads that run: see proc.h. */
#include <errno.h>
#include <string.h>
#include <sys/sysinfo.h>
#include "base/base.h"
#include "source/proc/proc.h"

/* "1 (init) S 0 …": a name may hold brackets and blanks, so it ends at the last
 * bracket. The fields after it are counted from the state: 1 is the parent, 21
 * the resident set in pages. */
int stat_line(const char *text, size_t len, struct event *e)
{
	const char *const end = text + len, *close = end;
	struct word rest = { text, len }, w;
	uint64_t tid, parent;

	if (number_to(&rest, ' ', 10, &tid) || tid > UINT32_MAX ||
	    !rest.len || *rest.at != '(')
		return -EINVAL;
	while (*--close != ')')
		if (close == rest.at)
			return -EINVAL;
	w = (struct word){ rest.at + 1, (size_t)(close - rest.at - 1) };
	word_copy(&w, e->name, COMM_BYTES);
	close += 2;
	if (close > end)
		return -EINVAL;
	rest = (struct word){ close, (size_t)(end - close) };
	word_to(&rest, ' ', &w);
	if (number_to(&rest, ' ', 10, &parent))
		return -EINVAL;
	for (unsigned int i = 2; i <= 21; i++)
		word_to(&rest, ' ', &w);
	e->type = EVENT_TASK;
	e->tid = e->tgid = (uint32_t)tid;
	e->parent_tid = e->parent_tgid = (uint32_t)parent;
	return number_to(&w, '\n', 10, &e->rss_pages);
}

struct tasks_reader {
	struct event_out *out;
	uint64_t time_ns;
	const char *pid;	/* whose threads these are */
};

static int is_process(const char *name)
{
	return *name >= '0' && *name <= '9';
}

static void take_task(void *context, const char *pid)
{
	const struct tasks_reader *r = context;
	struct event e;
	char path[64], text[1024];
	ssize_t len;

	if (!is_process(pid))
		return;
	event_begin(&e, EVENT_TASK, r->time_ns);
	print_to(path, sizeof(path), "/proc/%s/stat", pid);
	len = readfile(path, text, sizeof(text));
	if (len > 0 && !stat_line(text, (size_t)len, &e))
		r->out->event(r->out, &e);
}

int proc_tasks(struct event_out *out, uint64_t time_ns)
{
	struct tasks_reader r = { out, time_ns, NULL };

	return proc_each_entry("/proc", take_task, &r);
}

static void take_thread(void *context, const char *tid)
{
	const struct tasks_reader *r = context;
	uint64_t number = 0, process = 0;
	struct event e;

	event_begin(&e, EVENT_FORK, r->time_ns);
	if (!strcmp(tid, r->pid) ||
	    parse_u64(tid, strlen(tid), 10, 1, UINT32_MAX, &number) ||
	    parse_u64(r->pid, strlen(r->pid), 10, 1, UINT32_MAX, &process))
		return;
	e.tid = (uint32_t)number;
	e.tgid = e.parent_tid = e.parent_tgid = (uint32_t)process;
	r->out->event(r->out, &e);
}

static void take_process(void *context, const char *pid)
{
	struct tasks_reader *r = context;
	char path[64];

	if (!is_process(pid))
		return;
	r->pid = pid;
	print_to(path, sizeof(path), "/proc/%s/task", pid);
	proc_each_entry(path, take_thread, r);
}

int proc_threads(struct event_out *out, uint64_t time_ns)
{
	struct tasks_reader r = { out, time_ns, NULL };

	return proc_each_entry("/proc", take_process, &r);
}

static void count_process(void *context, const char *pid)
{
	*(uint32_t *)context += (uint32_t)is_process(pid);
}

int proc_has_threads(void)
{
	uint32_t processes = 0;
	struct sysinfo s;

	return proc_each_entry("/proc", count_process, &processes) || sysinfo(&s) ||
	       s.procs != processes;
}
