/* RAM, CPUs and tasks from /proc: see proc.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>
#include "base/number.h"
#include "base/print.h"
#include "base/system.h"
#include "source/proc/proc.h"
#include "base/readfile.h"

/* A range that begins inside the last one or right behind it extends the last
 * one: RAM that was plugged in appears in the file as many small pieces. If
 * there are more ranges than we keep, the last one grows over the gap. */
static void add_range(struct ram *ram, uint64_t first, uint64_t end)
{
	struct ram_range *last = ram->range;

	if (ram->count) {
		last += ram->count - 1;
		if (ram->count == RAM_RANGES_MAX ||
		    first - last->first_pfn <= last->count_pages) {
			if (end > last->first_pfn + last->count_pages)
				last->count_pages = end - last->first_pfn;
			return;
		}
		last++;
	}
	*last = (struct ram_range){ first, end - first };
	ram->count++;
}

/* "System RAM", or what a driver adds: "System RAM (virtio_mem)", "System RAM
 * (kmem)". The kernel accepts no other form of name from a driver
 * (add_memory_driver_managed, since 5.8). */
static int is_ram(const struct word *name)
{
	static const char ram[] = "System RAM", by_driver[] = "System RAM (";
	const size_t len = sizeof(by_driver) - 1;

	return word_is(name, ram) ||
	       (name->len > len && !memcmp(name->at, by_driver, len) &&
		name->at[name->len - 1] == ')');
}

/* "00100000-0bfdffff : System RAM". A range inside another one is indented by
 * two blanks a level. */
int iomem_line(struct ram *ram, const char *line, size_t len,
	       uint32_t page_size)
{
	struct word rest = { line, len }, colon;
	uint64_t first, last;

	if (number_to(past_blanks(&rest), '-', 16, &first) ||
	    number_to(&rest, ' ', 16, &last) ||
	    !word_is(word_to(&rest, ' ', &colon), ":") || !is_ram(&rest) ||
	    first > last || last > UINT64_MAX - page_size)
		return 0;
	first = (first + page_size - 1) / page_size;
	last = (last + 1) / page_size;
	if (last > first)
		add_range(ram, first, last);
	return last > first;
}

struct ram_reader {
	struct ram *ram;
	uint32_t page_size;
};

static void take_iomem(void *context, char *line, size_t len)
{
	struct ram_reader *r = context;

	iomem_line(r->ram, line, len, r->page_size);
}

int proc_ram(struct ram *ram, uint32_t page_size)
{
	struct ram_reader r = { ram, page_size };
	int error;

	ram->count = 0;
	error = each_line("/proc/iomem", take_iomem, &r);
	return error || ram->count ? error : -ENODATA;
}

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

/* Without sysfs, the CPUs on which we may run: at boot these are all CPUs. */
int proc_cpus(void (*set)(void *ctx, uint32_t cpu), void *ctx)
{
	enum { WORD_BITS = 8 * sizeof(long) };
	unsigned long mask[CPUS_MAX / WORD_BITS] = { 1 };
	char online[4096];
	ssize_t len = readfile("/sys/devices/system/cpu/online", online,
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

static void take_task(void *context, const char *pid)
{
	const struct tasks_reader *r = context;
	struct event e;
	char path[64], text[1024];
	ssize_t len;

	event_begin(&e, EVENT_TASK, r->time_ns);
	print_to(path, sizeof(path), "/proc/%s/stat", pid);
	len = readfile(path, text, sizeof(text));
	if (len > 0 && !stat_line(text, (size_t)len, &e))
		r->out->event(r->out, &e);
}

/* getdents64 fills this; d_name ends within d_reclen. */
struct dirent_head {
	uint64_t ino, off;
	uint16_t reclen;
	uint8_t type;
	char name[];
};

/* Calls `take` for each entry that is a number. 0 or -errno. */
static int each_number(const char *dir,
		       void (*take)(void *context, const char *pid),
		       void *context)
{
	_Alignas(8) char buf[4096];
	int fd = system_open_path(dir, O_DIRECTORY), error;
	long n;

	if (fd < 0)
		return -errno;
	while ((n = syscall(SYS_getdents64, fd, buf, sizeof(buf))) > 0) {
		for (long at = 0; at < n;) {
			const char *name = buf + at +
				offsetof(struct dirent_head, name);
			uint16_t reclen;

			memcpy(&reclen, buf + at +
			       offsetof(struct dirent_head, reclen),
			       sizeof(reclen));
			if (*name >= '0' && *name <= '9')
				take(context, name);
			at += reclen;
		}
	}
	error = n < 0 ? -errno : 0;
	close(fd);
	return error;
}

int proc_tasks(struct event_out *out, uint64_t time_ns)
{
	struct tasks_reader r = { out, time_ns, NULL };

	return each_number("/proc", take_task, &r);
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

	r->pid = pid;
	print_to(path, sizeof(path), "/proc/%s/task", pid);
	each_number(path, take_thread, r);
}

int proc_threads(struct event_out *out, uint64_t time_ns)
{
	struct tasks_reader r = { out, time_ns, NULL };

	return each_number("/proc", take_process, &r);
}

static void count_process(void *context, const char *pid)
{
	(void)pid;
	++*(uint32_t *)context;
}

int proc_has_threads(void)
{
	uint32_t processes = 0;
	struct sysinfo s;

	return each_number("/proc", count_process, &processes) || sysinfo(&s) ||
	       s.procs != processes;
}
