/*
 * Everything the tracer needs, taken before the first event: memory, rings,
 * descriptors, priority. What is missing but not needed becomes a note.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include "control/control.h"
#include "base/clock.h"
#include "base/print.h"
#include "base/readfile.h"
#include "base/system.h"
#include "ledger/apply.h"
#include "tracer/tracer.h"

static void on_event(struct event_out *o, const struct event *e)
{
	struct tracer *t = (struct tracer *)o;

	trace_write(&t->writer, e);
	ledger_apply(&t->ledger, e);
}

static void describe_machine(struct tracer *t)
{
	struct utsname name;
	struct sysinfo s;

	t->session.page_size = (uint32_t)getauxval(AT_PAGESZ);
	if (!uname(&name))
		memcpy(t->session.kernel, name.release, sizeof(name.release));
	if (!sysinfo(&s))
		t->session.mem_total_kib =
			(uint64_t)s.totalram * s.mem_unit / 1024;
}

/* Where the first cannot be read, addresses are hidden; the second is what the
 * zones' watermarks "min" add up to. */
void tracer_read_settings(struct tracer *t)
{
	uint64_t value = 1;

	read_number("/proc/sys/kernel/kptr_restrict", 10, &value);
	t->restricted = value != 0;
	if (!read_number("/proc/sys/vm/min_free_kbytes", 10, &value))
		t->min_pages = value / (t->session.page_size / 1024);
	t->session.cpus_online = perf_cpus();
}

static int open_source(struct tracer *t, uint32_t cpus)
{
	int error = perf_open(&t->perf, &t->arena, &t->points, cpus,
			      t->session.layout.ring_bytes,
			      t->session.page_size);

	if (error == -ENOSPC)
		tracer_say(t, "no room for rings of %u CPUs: raise "
			   "rd.memstrack.ring or mem", cpus);
	else if (error)
		tracer_say(t, "perf events: %s", error_text(error));
	if (error)
		return error;
	t->session.layout.ring_bytes = t->perf.ring_bytes * t->perf.rings;
	t->session.cpus_traced = t->perf.rings;
	return 0;
}

static int listen_for_requests(struct tracer *t)
{
	pid_t other = 0;
	int fd = control_listen(&other);

	t->control_fd = fd;
	if (fd == -EEXIST) {
		tracer_say(t, "pid %d traces already", (int)other);
		return fd;
	}
	if (fd == -EADDRINUSE && other)
		tracer_note(t, "no `memstrack report`: pid %d, not root's, has "
			    "taken its name", (int)other);
	else if (fd < 0)
		tracer_note(t, "no `memstrack report`: socket: %s",
			    error_text(fd));
	return 0;
}

/* musl has no sched_setscheduler. */
void tracer_hurry(int hurry)
{
	const struct { int priority; } param = { hurry };
	const long policy = hurry;	/* SCHED_FIFO, or SCHED_OTHER */

	if (syscall(SYS_sched_setscheduler, 0, policy, &param))
		setpriority(PRIO_PROCESS, 0, hurry ? -20 : 0);
}

static void settle_in(struct tracer *t)
{
	if (mlockall(MCL_CURRENT))
		tracer_note(t, "memory could not be locked: %s",
			    error_text(errno));
	tracer_hurry(1);
	if (writefile("/proc/self/oom_score_adj", "-1000"))
		tracer_note(t, "the OOM killer may choose the tracer: "
			    "oom_score_adj not set");
}

static int start_recording(struct tracer *t)
{
	struct trace_header h = {
		.page_size = t->session.page_size,
		.mem_total_kib = t->session.mem_total_kib,
		.start_ns = t->session.start_ns,
		.layout = t->session.layout, .ram = t->ledger.pages.ram,
	};
	int error;

	if (t->writer.fd < 0)
		return 0;
	memcpy(h.kernel, t->session.kernel, sizeof(h.kernel));
	/* Not before: another tracer may be recording into this very file. What
	 * is no regular file has no length to set. */
	if (ftruncate(t->writer.fd, 0) && errno != EINVAL)
		return -errno;
	error = trace_create(&t->writer, t->writer.fd, t->writer.buffer, &h);
	if (error)
		tracer_say(t, "recording: %s", error_text(error));
	return error;
}

/* A kernel that dumps another one is told where that one's memory is. */
static uint32_t is_kdump(void)
{
	char text[CMDLINE_BYTES];
	ssize_t len = readfile("/proc/cmdline", text, sizeof(text));

	if (len == -EFBIG)
		len = sizeof(text) - 1;
	return len > 0 && find_text(text, (size_t)len, "elfcorehdr=") ?
	       EVENT_KDUMP : 0;
}

/* The sample of memory right before the first event, so that all that is traced
 * lies after it; tasks and modules last, so that none of them starts unseen in
 * between. */
static int start(struct tracer *t)
{
	const uint32_t flags = is_kdump();
	const uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	int error;

	t->session.start_ns = now_ns;
	error = start_recording(t);
	if (error)
		return error;
	proc_baseline(&t->events, now_ns, t->boot);
	if (t->sampled)
		proc_vmallocinfo(&t->events, now_ns, 1);
	proc_pcp(&t->events, now_ns, t->zoneinfo_fd);
	tracer_sample(t, now_ns, flags);
	error = perf_enable(&t->perf);
	if (error) {
		tracer_say(t, "perf events: %s", error_text(error));
		return error;
	}
	if (proc_tasks(&t->events, now_ns))
		tracer_note(t, "tasks from before are not known: no /proc");
	proc_modules(&t->events, now_ns);
	return 0;
}

/* What is read when memory runs out; the first byte of names now, for which the
 * kernel takes a page that it keeps. */
static void open_files(struct tracer *t)
{
	char first;

	t->zoneinfo_fd = system_open_path("/proc/zoneinfo", O_RDONLY);
	t->kallsyms_fd = system_open_path("/proc/kallsyms", O_RDONLY);
	if (read(t->kallsyms_fd, &first, 1) < 0)
		return;		/* no names then */
}

static void remember_root(struct tracer *t)
{
	struct stat s;

	if (system_stat_path("/proc/1/root", &s))
		return;
	t->root_dev = s.st_dev;
	t->root_ino = s.st_ino;
}

void tracer_close(struct tracer *t)
{
	perf_close(&t->perf);
	tracefs_unprobe();
}

static int open_all(struct tracer *t, uint32_t cpus)
{
	int error;

	describe_machine(t);
	if (listen_for_requests(t))
		return 1;
	error = tracefs_probe();
	if (tracefs_read(&t->points)) {
		tracer_say(t, "%s", t->points.problem);
		return 1;
	}
	if (tracer_take_memory(t, cpus) || open_source(t, cpus))
		return 1;
	arena_seal(&t->arena);
	tracer_note_missing(t);
	t->sampled = tracer_note_areas(t, error);
	settle_in(t);
	remember_root(t);
	open_files(t);
	tracer_read_settings(t);
	t->session.own_bytes = tracer_own_bytes(t);
	return start(t) != 0;
}

int tracer_open(struct tracer *t, const struct config *c, struct sink *sink,
		int boot, int record_fd)
{
	int failed;

	*t = (struct tracer){
		.events.event = on_event, .config = c, .sink = sink,
		.boot = boot, .writer.fd = record_fd, .control_fd = -1,
	};
	failed = open_all(t, perf_cpus());
	if (failed && t->control_fd != -EEXIST)
		tracer_close(t);
	return failed;
}
