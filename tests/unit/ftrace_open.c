/* SPDX-License-Identifier: MIT */
/*
 * source/ftrace/: the source opened in a tracefs of this test. Which instances
 * there are, what is set in them; and whatever call fails, at any time, all
 * that was made is removed, in an order that a kernel allows.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include "base/system.h"
#include "source/ftrace/ftrace.h"
#include "source/proc/proc.h"
#include "source/tracefs/tracefs.h"
#include "followed.h"
#include "formats.h"
#include "ring_fixture.h"

#define PAGE 4096u
#define CPUS 2u
#define ROOT "/sys/kernel/tracing/"
#define FILES_MOST 64u
#define STACK_ID 4u

/* The kernel, and what the source has done to it. */
struct kernel {
	const char *set_event;	/* in the top instance */
	uint32_t trigger_frames;/* of the stacks that a trigger adds; 0: it
				 * adds none */
	uint32_t option_frames;	/* of those that the option adds */
	uint32_t fails_at;	/* this call, counted from 1; 0: none */
	uint64_t events;	/* that it has */
	uint32_t online;	/* CPUs, when they are looked at again */

	int option;		/* it is set in the first instance */
	uint32_t calls;
	char made[INSTANCES + 1][32];
	uint32_t instances;
	struct {
		int fd;
		char path[PATH_BYTES];
	} file[FILES_MOST];
	uint32_t files;
	int in_use;		/* removed while a file of it was open */
	char log[8192];		/* what was written, a line each */
};

static struct kernel k;

/* Is it this call's turn to fail? */
static int fails(void)
{
	return ++k.calls == k.fails_at;
}

/* "memstrack/x" of a path below instances/. */
static const char *in_instances(const char *path)
{
	const char *at = strstr(path, "/instances/");

	return at ? at + strlen("/instances/") : "";
}

static int find_instance(const char *path)
{
	const char *name = in_instances(path);

	for (uint32_t i = 0; i < k.instances; i++) {
		const size_t len = strlen(k.made[i]);

		if (!strncmp(k.made[i], name, len) &&
		    (!name[len] || name[len] == '/'))
			return (int)i;
	}
	return -1;
}

static int faked_mkdir(const char *path, mode_t mode)
{
	(void)mode;
	if (fails() || find_instance(path) >= 0) {
		errno = EEXIST;
		return -1;
	}
	snprintf(k.made[k.instances++], sizeof(k.made[0]), "%s",
		 in_instances(path));
	return 0;
}

/* Files that were closed are no longer open. */
static void see_closed(void)
{
	for (uint32_t i = 0; i < k.files;)
		if (fcntl(k.file[i].fd, F_GETFD) < 0)
			k.file[i] = k.file[--k.files];
		else
			i++;
}

static int faked_unlinkat(int dir_fd, const char *path, int flags)
{
	const int i = find_instance(path);

	(void)dir_fd;
	(void)flags;
	if (i < 0)
		return -1;
	see_closed();
	for (uint32_t f = 0; f < k.files; f++)
		k.in_use |= find_instance(k.file[f].path) == i;
	memcpy(k.made[i], k.made[--k.instances], sizeof(k.made[0]));
	return 0;
}

/* The events that the kernel has. */
static int faked_each_line(const char *path, take_line *take, void *context)
{
	if (!strcmp(path, ROOT "available_events"))
		for (uint64_t i = 0; i < k.events; i++)
			take(context, NULL, 20);
	return 0;
}

static int faked_writefile(const char *path, const char *text)
{
	const size_t len = strlen(k.log);

	if (fails() || find_instance(path) < 0)
		return -ENOENT;
	if (!strcmp(in_instances(path), "memstrack/options/stacktrace"))
		k.option = *text == '1';
	snprintf(k.log + len, sizeof(k.log) - len, "%s=%s\n",
		 in_instances(path), text);
	return 0;
}

static ssize_t faked_readfile(const char *path, char *text, size_t size)
{
	const char *event, *const head = ring_headers(&event);
	const struct {
		const char *name, *text;
	} files[] = {
		{ "events/header_page", head },
		{ "events/header_event", event },
		{ "events/ftrace/kernel_stack/format",
		  format_text("kernel_stack-6.1") },
		{ "current_tracer", "nop\n" },
		{ "set_event", k.set_event },
	};

	if (fails())
		return -EIO;
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		if (!strcmp(path + strlen(ROOT), files[i].name))
			return snprintf(text, size, "%s", files[i].text);
	return -ENOENT;
}

/* The stack of one event, as the trial finds it. */
static void fill_ring(int fd, uint32_t frames)
{
	uint64_t rest[9] = { frames };

	memset(rest + 1, 0x81, frames * 8);
	begin_page();
	put_event(0, STACK_ID, 0, 0, rest, 8 + frames * 8);
	commit_page(0, 0);
	must(pwrite(fd, page, RING_HEAD + filled, 0) >= 0);
}

static int faked_open(const char *path, int flags)
{
	int fd;

	(void)flags;
	if (!strcmp(path, CPUS_ONLINE))
		return memfd_create("online", 0);
	if (fails() || find_instance(path) < 0) {
		errno = EMFILE;
		return -1;
	}
	fd = memfd_create("file", 0);
	see_closed();
	if (fd < 0 || k.files == FILES_MOST)
		abort();
	k.file[k.files].fd = fd;
	snprintf(k.file[k.files++].path, sizeof(k.file[0].path), "%s", path);
	if (k.trigger_frames && strstr(path, "trace_pipe_raw"))
		fill_ring(fd, k.option ? k.option_frames : k.trigger_frames);
	return fd;
}

static int faked_stat(const char *path, struct stat *st)
{
	(void)st;
	return strncmp(path, ROOT, strlen(ROOT)) ? -1 : 0;
}

static int faked_cpus(void (*take)(void *context, uint32_t cpu),
		      void *context)
{
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		take(context, cpu);
	return 0;
}

static void faked_cpus_again(int fd, void (*take)(void *context, uint32_t cpu),
			     void *context)
{
	(void)fd;
	for (uint32_t cpu = 0; cpu < k.online; cpu++)
		take(context, cpu);
}

/* On these system calls, since the tracefs of the machine is not for tests. */
#pragma GCC diagnostic ignored "-Wshadow"
#define mkdir faked_mkdir
#define unlinkat faked_unlinkat
#define writefile faked_writefile
#define readfile faked_readfile
#define each_line faked_each_line
#define system_open_path faked_open
#define system_stat_path faked_stat
#define proc_cpus faked_cpus
#define proc_cpus_again faked_cpus_again
#include "source/tracefs/format.c"
#include "source/ftrace/instances.c"
#include "source/ftrace/ftrace.c"

static struct source *s;

static struct kernel kernel(int triggers)
{
	return (struct kernel){
		.trigger_frames = triggers ? 4 : 0, .option_frames = 4,
		.set_event = "",
	};
}

/* In such a kernel, with the events that every kernel has, and one that wakes
 * at once; with room for some more CPUs. */
static int opened(struct kernel in, uint32_t more)
{
	static unsigned char memory[CPUS * 8 * PAGE];
	static const struct source_offer offer = {
		.points = {
			.point = {
				[TP_FREE].id = 500, [TP_ALLOC].id = 501,
				[TP_VICTIM].id = 502, [TP_AREA_ALLOC].id = 503,
			},
			.anon = { 1, 2, 4 },
		},
	};
	struct arena arena;
	const struct source_wish wish = {
		.arena = &arena, .offer = &offer, .cpus = CPUS,
		.cpus_most = CPUS + more, .page_bytes = PAGE,
		.total_bytes = 200 * PAGE, .frames = 64,
	};
	int error;

	k = in;
	s = NULL;
	memset(memory, 0, sizeof(memory));
	arena_init(&arena, memory, sizeof(memory));
	error = ftrace_source.open(&s, &wish);
	while (!error && s->opening)
		error = s->kind->open_more(s);
	return error;
}

/* Is all removed that was made? */
static int nothing_left(void)
{
	see_closed();
	return !k.instances && !k.files && !k.in_use;
}

static int leaves_nothing(void)
{
	s->kind->close(s);
	return nothing_left();
}

static int wrote(const char *line)
{
	const char *at = strstr(k.log, line);

	return at && (at == k.log || at[-1] == '\n') &&
	       at[strlen(line)] == '\n';
}

#define TOUCH "((gfp_flags & 0x1) && (gfp_flags & 0x2) && (gfp_flags & 0x4))"

static void test_triggers(void)
{
	tap_ok(!opened(kernel(1), 0) && k.instances == 2 &&
	       !strcmp(k.made[0], "memstrack") &&
	       !strcmp(k.made[1], "memstrack-now"),
	       "one instance for all but what cannot wait");
	tap_ok(wrote("memstrack/events/kmem/mm_page_alloc/trigger="
		     "stacktrace if !" TOUCH) &&
	       wrote("memstrack/events/kmem/mm_page_alloc/enable=1") &&
	       wrote("memstrack/events/memstrack/leave/trigger=stacktrace") &&
	       !strstr(k.log, "/filter="), "its triggers");
	tap_ok(wrote("memstrack/events/task/task_rename/trigger="
		     "stacktrace:1") &&
	       strstr(k.log, "tracing_on=1\nmemstrack/tracing_on=0\n") &&
	       !strstr(strstr(k.log, "mm_page_free"), "tracing_on"),
	       "one was tried before, and nothing is recorded yet");
	tap_ok(wrote("memstrack-now/buffer_percent=0") &&
	       wrote("memstrack-now/events/oom/mark_victim/enable=1"),
	       "what cannot wait wakes at once");
	tap_ok(s->rings == CPUS && s->kind->poll_set(s, (struct pollfd[6]){
	       { 0 } }) == 2 * CPUS && wrote("memstrack/buffer_size_kb=362") &&
	       wrote("memstrack-now/buffer_size_kb=27"),
	       "rings for each CPU, of all pages");
	k.log[0] = '\0';
	tap_ok(!s->kind->enable(s) && wrote("memstrack/tracing_on=1") &&
	       wrote("memstrack-now/tracing_on=1"), "which then record");
	tap_ok(leaves_nothing(), "and are removed");
}

static void test_no_triggers(void)
{
	struct kernel busy = kernel(1), lacking = kernel(1);

	busy.set_event = "sched:sched_switch\n";
	lacking.option_frames = 5;
	tap_ok(!opened(kernel(0), 0) && k.instances == 3 &&
	       !strcmp(k.made[1], "memstrack-stacks") &&
	       wrote("memstrack-stacks/options/stacktrace=1") &&
	       wrote("memstrack-stacks/events/kmem/mm_page_alloc/filter=!"
		     TOUCH) &&
	       wrote("memstrack/events/kmem/mm_page_alloc/filter=" TOUCH) &&
	       leaves_nothing(), "triggers do not work: one for stacks");
	tap_ok(!opened(busy, 0) && k.instances == 3 &&
	       !strstr(k.log, "trigger") && leaves_nothing(),
	       "nor is one tried while somebody traces in the top instance");
	tap_ok(!opened(lacking, 0) && k.instances == 3 && !k.option &&
	       !strstr(k.log, "mm_page_alloc/trigger") && leaves_nothing(),
	       "nor used where its stacks lack a function");
}

/* Each call fails once: the source opens without what it does not need, or says
 * why not. */
static void test_failures(int triggers)
{
	uint32_t failed = 0, late = 0, good = 0, left = 0;
	struct kernel in = kernel(triggers);

	do {
		in.fails_at++;
		if (opened(in, 0)) {
			failed++;
			late += k.log[0] != '\0';
			left += !nothing_left();
		} else {
			good++;
			left += !leaves_nothing();
		}
	} while (k.calls >= in.fails_at);
	tap_ok(late > 10 && late < failed && good > 5 && !left,
	       "%u calls fail one by one: %u times it did not open, %u of them "
	       "when instances were there, %u left something behind",
	       failed + good - 1, failed, late, left);
}

/* As many events as would take all memory that is free, and with two instances
 * twice as much. */
static void test_no_room(void)
{
	struct kernel large = kernel(1);
	struct sysinfo i;

	sysinfo(&i);
	large.events = (uint64_t)i.freeram * i.mem_unit / 8192;
	tap_ok(opened(large, 0) == -ENOMEM && !k.log[0] && !k.instances,
	       "none is made where all its files would not fit");
}

static int told_is(uint32_t online, const char *want)
{
	k.online = online;
	return !strcmp(follow(s), want);
}

static void test_follow(void)
{
	char failed[16];
	uint32_t files;

	tap_ok(!opened(kernel(1), 1) && told_is(CPUS, "") &&
	       told_is(CPUS + 1, "2:0 ") && s->rings == CPUS + 1 &&
	       s->open_rings == CPUS + 1 && told_is(CPUS + 1, ""),
	       "a CPU that comes gets its rings");
	tap_ok(told_is(CPUS + 2, "3:-28 ") && told_is(CPUS + 2, "") &&
	       s->rings == CPUS + 1, "for the next one there is no room");
	tap_ok(leaves_nothing() && !opened(kernel(1), 1),
	       "all are removed; once more");
	see_closed();
	files = k.files;
	k.fails_at = k.calls + 3;	/* in the second instance */
	snprintf(failed, sizeof(failed), "2:%d ", -EMFILE);
	tap_ok(told_is(CPUS + 1, failed) && told_is(CPUS + 1, ""),
	       "rings that do not open are told once");
	see_closed();
	tap_ok(s->rings == CPUS && k.files == files,
	       "and nothing of them stays");
	s->kind->close(s);
}

int main(void)
{
	test_follow();
	test_triggers();
	test_no_triggers();
	test_failures(1);
	test_failures(0);
	test_no_room();
	return tap_plan_done();
}
