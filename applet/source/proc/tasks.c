/* SPDX-License-Identifier: MIT */
/* CPUs, processes and threads: see proc.h, proc. */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>
#include "base/base.h"
#include "base/system.h"
#include "source/proc/proc.h"

int proc_each_entry(const char *path,
		    void (*take)(void *context, const char *name),
		    void *context)
{
	const int fd = system_open_path(path, O_DIRECTORY);
	struct entries e;
	const char *name;

	if (fd < 0)
		return -errno;
	entries_begin(&e, fd);
	while ((name = entries_next(&e)))
		take(context, name);
	close(fd);
	return e.error;
}

/* --- cpus: CPUs that are online, or possible */

static int cpu_range(struct word *range, uint64_t *first, uint64_t *last)
{
	int error = number_to(range, '-', 10, first);

	*last = *first;
	if (!error && range->at)
		error = word_number(range, 10, last);
	return error || *first > *last || *last >= CPUS_MAX;
}

int cpu_list(const char *text, size_t len, void (*set)(void *ctx, uint32_t cpu),
	     void *ctx)
{
	struct word rest = { text, len }, range;
	int count = 0;

	while (rest.len && text[rest.len - 1] == '\n')
		rest.len--;
	while (rest.len) {
		uint64_t first, last;

		if (cpu_range(word_to(&rest, ',', &range), &first, &last))
			return -EINVAL;
		for (; first <= last; first++, count++)
			set(ctx, (uint32_t)first);
	}
	return count;
}

/* The CPUs on which we may run are all CPUs at boot. */
int proc_cpus(void (*set)(void *ctx, uint32_t cpu), void *ctx)
{
	enum { WORD_BITS = 8 * sizeof(long) };
	unsigned long mask[CPUS_MAX / WORD_BITS] = { 1 };
	char online[4096];
	ssize_t len = readfile(CPUS_ONLINE, online,
			       sizeof(online));
	int count = 0;

	if (len >= 0)
		return cpu_list(online, (size_t)len, set, ctx);
	syscall(SYS_sched_getaffinity, 0, sizeof(mask), mask);
	for (uint32_t cpu = 0; cpu < CPUS_MAX; cpu++)
		if (mask[cpu / WORD_BITS] >> cpu % WORD_BITS & 1) {
			set(ctx, cpu);
			count++;
		}
	return count;
}

struct list {
	void (*set)(void *ctx, uint32_t cpu);
	void *ctx;
};

static void take_list(void *context, char *line, size_t len)
{
	const struct list *l = context;

	cpu_list(line, len, l->set, l->ctx);
}

void proc_cpus_again(int fd, void (*set)(void *ctx, uint32_t cpu), void *ctx)
{
	struct list l = { set, ctx };

	each_line_again(fd, take_list, &l);
}

static void no_cpu(void *context, uint32_t cpu)
{
	(void)context;
	(void)cpu;
}

uint32_t proc_possible_cpus(void)
{
	char text[256];
	ssize_t len = readfile("/sys/devices/system/cpu/possible", text,
			       sizeof(text));
	int count = len < 0 ? 0 : cpu_list(text, (size_t)len, no_cpu, NULL);

	return count > 0 ? (uint32_t)count : 0;
}

/* --- tasks: processes and threads that run */

/* "1 (init) S 0 …": a name may contain brackets and blanks, so it ends at the
 * last bracket. Counted from the state, field 1 is the parent, and field 21 the
 * resident set in pages. */
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
