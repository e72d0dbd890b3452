/* SPDX-License-Identifier: MIT */
/*
 * Everything the tracer needs, taken before the first event: engine (memory,
 * source, recorder), reporter, descriptors, priority. What is missing but not
 * needed becomes a note.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include "base/system.h"
#include "base/base.h"
#include "control/control.h"
#include "source/proc/proc.h"
#include "tracer/tracer.h"

/* --- the engine: memory, source, recorder */

/* A figure among those of memory used before tracing. */
#define EVENTS_FIGURE "events of memstrack"

static void on_event(struct event_out *o, const struct event *e)
{
	engine_take((struct engine *)o, e);
}

/* A picture shows the kernel's command line. */
static void read_cmdline(struct session *s)
{
	char *const text = s->cmdline;
	ssize_t len = readfile("/proc/cmdline", text, sizeof(s->cmdline));

	if (len == -EFBIG)
		len = sizeof(s->cmdline) - 1;
	while (len > 0 && text[len - 1] == '\n')
		len--;
	text[len > 0 ? len : 0] = '\0';
}

/* What is known of the machine, before anything is opened. */
static void engine_init(struct engine *g, const struct config *c,
			struct sink *sink, int boot,
			const struct trace_file *record)
{
	struct utsname name;

	*g = (struct engine){
		.events.event = on_event, .config = c, .sink = sink,
		.boot = boot, .mounts_most.rootfs = boot ? 0 : UINT64_MAX,
		.record_path = record->path,
		.writer.fd = record->fd, .zoneinfo_fd = -1, .meminfo_fd = -1,
		.began_ns = clock_ns(CLOCK_MONOTONIC),
		.cpus_most = source_cpus_most(),
		.offer.points.slab = has_feature(FEATURE_SLAB) &&
				     (c->slab_bytes || c->slab_chains),
		.offer.points.slab_chains = (int)c->slab_chains,
	};
	g->session.page_size = (uint32_t)getauxval(AT_PAGESZ);
	if (!uname(&name))
		memcpy(g->session.kernel, name.release, sizeof(name.release));
	g->session.mem_total_kib = system_ram_bytes() / 1024;
	read_cmdline(&g->session);
}

/* Takes memory and opens the source, but enables nothing. `extra_bytes` of the
 * arena are for the caller. */
static int engine_open(struct engine *g, uint64_t extra_bytes)
{
	if (g->writer.fd >= 0)
		extra_bytes += sizeof(*g->recording);
	extra_bytes += before_init_find(g);
	if (choose_source(g, extra_bytes))
		return 1;
	if (g->writer.fd >= 0)
		g->recording = arena_take(&g->arena, 1, sizeof(*g->recording));
	opening_note(g);
	before_init_open(g);
	g->zoneinfo_fd = system_open_path("/proc/zoneinfo", O_RDONLY);
	g->meminfo_fd = system_open_path("/proc/meminfo", O_RDONLY);
	g->session.own_bytes = memory_own_bytes(g);
	return 0;
}

/* Only an ordinary file can be emptied. */
static int begin_file(struct engine *g)
{
	struct stat st;
	int error = 0;

	if (system_stat(g->writer.fd, "", &st) ||
	    (S_ISREG(st.st_mode) &&
	     system_renew(AT_FDCWD, g->record_path, 0, &g->writer.fd)))
		error = -errno;
	return error;
}

static int start_recording(struct engine *g)
{
	struct trace_header h = {
		.page_size = g->session.page_size,
		.mem_total_kib = g->session.mem_total_kib,
		.start_ns = g->session.start_ns,
		.layout = g->session.layout, .ram = g->ledger.pages.ram,
	};
	int error;

	if (!has_feature(FEATURE_RECORD) || g->writer.fd < 0)
		return 0;
	memcpy(h.kernel, g->session.kernel, sizeof(h.kernel));
	error = begin_file(g);
	if (!error)
		error = trace_create(&g->writer, g->writer.fd,
				     g->recording, &h);
	trace_write_picture(&g->writer, &g->session);
	if (error)
		sink_say(g->sink, "%s: %s", g->record_path, error_text(error));
	return error;
}

/* A kernel that dumps another one shows the memory of that one. On x86 its place
 * is a parameter; others have it in the device tree or in memory. */
static uint32_t is_kdump(void)
{
	char text[CMDLINE_BYTES];
	ssize_t len = readfile("/proc/cmdline", text, sizeof(text));
	struct stat s;

	if (!system_stat_path("/proc/vmcore", &s))
		return EVENT_KDUMP;

	if (len == -EFBIG)
		len = sizeof(text) - 1;
	return len > 0 && find_text(text, (size_t)len, "elfcorehdr=") ?
	       EVENT_KDUMP : 0;
}

/* This memory was used before tracing, like the rest of our own. */
static void emit_events_memory(struct engine *g, uint64_t now_ns)
{
	if (g->events_pages)
		figure_emit(&g->events, now_ns, EVENTS_FIGURE,
			    g->events_pages * g->session.page_size);
}

static void emit_source(struct engine *g, uint64_t now_ns)
{
	struct event *e = engine_event(g, EVENT_SOURCE, now_ns);

	strcpy(e->name, g->source->kind->name);
	engine_take(g, e);
}

static int enable_source(struct engine *g)
{
	int error = g->source->kind->enable(g->source);

	g->enabled_ns = clock_ns(CLOCK_MONOTONIC);
	if (error)
		sink_say(g->sink, "%s events: %s", g->source->kind->name,
			 error_text(error));
	return error;
}

/* Free memory as it was when the source was enabled. */
static void emit_memory(struct engine *g, uint64_t now_ns, uint32_t flags,
			struct before_init_memory *m)
{
	struct event *e;

	m->lists.time_ns = now_ns;
	if (m->lists.type)
		engine_take(g, &m->lists);
	e = engine_event(g, EVENT_MEMORY, now_ns);
	e->flags = flags;
	e->free_pages = m->free_pages;
	engine_take(g, e);
	before_init_emit(g, now_ns);
}

/* A source that samples: what is there before anything else runs. */
static void look_first(struct engine *g, uint64_t now_ns)
{
	struct event e;

	engine_begin(g, now_ns);
	while (engine_next(g, &e))
		;
}

/* Without a record from before init, memory is sampled right before the first
 * event, so that all traced pages come after the sample. Tasks and modules are
 * read last, so that none of them can start unseen in between. */
static int engine_start(struct engine *g)
{
	const int record = before_init_found(g);
	const uint32_t flags = is_kdump();
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	struct before_init_memory memory;
	int error;

	g->session.start_ns = now_ns;
	g->mem_total_bytes = system_ram_bytes();
	g->session.mem_total_kib = g->mem_total_bytes / 1024;
	error = start_recording(g);
	if (error)
		return 1;
	if (record && enable_source(g))
		return 1;
	if (record)
		now_ns = before_init_read(g, &memory);
	emit_source(g, now_ns);
	proc_baseline(&g->events, now_ns, g->boot);
	if (has_feature(FEATURE_RAM))
		proc_tags(&g->events, now_ns);
	engine_find_files(g);
	rootfs_inodes(&g->events, now_ns, g->boot ? "/proc/1/root" : NULL);
	rootfs_limit(&g->events, now_ns, g->boot ? "/proc/1/root" : NULL,
		     g->session.cmdline);
	ram_begin(&g->ram, &g->events, now_ns, g->session.page_size);
	emit_events_memory(g, now_ns);
	engine_look_at_areas(g, now_ns);
	engine_look_at_caches(g, now_ns);
	if (record) {
		emit_memory(g, now_ns, flags, &memory);
	} else {
		proc_pcp(&g->events, now_ns, g->zoneinfo_fd);
		engine_sample_memory(g, now_ns, flags);
		g->handed_pages = proc_handed_pages();
		if (enable_source(g))
			return 1;
	}
	engine_sample_available(g, 1);
	engine_emit_whole(g);
	if (proc_tasks(&g->events, now_ns))
		session_note(&g->session,
			     "tasks from before are not known: no /proc");
	if (g->source->by_tid && (!g->boot || proc_has_threads()))
		proc_threads(&g->events, now_ns);
	proc_modules(&g->events, now_ns);
	if (!g->source->rings)
		look_first(g, now_ns);
	return 0;
}

/* --- the tracer */

static int listen_for_requests(struct tracer *t)
{
	struct session *s = &t->engine.session;
	pid_t other = 0;
	int fd = control_listen(&other);

	t->door = (struct control_door){ .listener = fd, .silent = -1 };
	if (fd == -EEXIST) {
		if (other)
			sink_say(t->sink, "pid %d traces already", (int)other);
		else
			sink_say(t->sink, "a tracer in a pid namespace that "
				 "cannot be seen from here traces already");
		return fd;
	}
	if (fd == -EADDRINUSE && other)
		session_note(s, "no `memstrack report`: pid %d, no tracer, "
			     "has a lock on tracefs' " CONTROL_LOCK,
			     (int)other);
	else if (fd < 0)
		session_note(s, "no `memstrack report`: socket: %s",
			     error_text(fd));
	return 0;
}

static void settle_in(struct tracer *t)
{
	struct session *s = &t->engine.session;

	if (mlockall(MCL_CURRENT))
		session_note(s, "memory could not be locked: %s",
			     error_text(errno));
	priority_begin(&t->priority, s->cmdline);
	if (writefile("/proc/self/oom_score_adj", "-1000"))
		session_note(s, "the OOM killer may choose the tracer: "
			     "oom_score_adj not set");
}

/* The rings, or what a source without rings waits for; signals, clients. */
static uint32_t descriptors(const struct tracer *t)
{
	return t->engine.cpus_most * WATCHED_MAX + 1 + CONTROL_WATCHED;
}

static int open_all(struct tracer *t)
{
	struct engine *g = &t->engine;

	if (listen_for_requests(t) ||
	    engine_open(g, descriptors(t) * sizeof(*t->poll)))
		return 1;
	if (!g->source->opening && !g->source->guarded) {
		guard_end(g->guard);
		g->guard = 0;
	}
	t->poll = arena_take(&g->arena, descriptors(t), sizeof(*t->poll));
	if (reporter_init(&t->reporter, g, &t->priority,
			  tracer_meanwhile, t))
		return 1;
	arena_seal(&g->arena);
	settle_in(t);
	triggers_init(&t->triggers, g->boot);
	triggers_open(&t->triggers, g->meminfo_fd, g->zoneinfo_fd);
	kallsyms_open(&t->reporter.kallsyms);
	heal_open(&t->heal);
	reporter_read_settings(&t->reporter);
	if (engine_start(g))
		return 1;
	if (engine_lacks_files(g) && engine_read_log(g))
		status_say_unpacking(g);
	return 0;
}

int tracer_open(struct tracer *t, const struct config *c, struct sink *sink,
		int boot, const struct trace_file *record)
{
	int failed;

	*t = (struct tracer){
		.config = c, .sink = sink,
		.door = { .listener = -1, .silent = -1 },
	};
	engine_init(&t->engine, c, sink, boot, record);
	if (boot)
		t->engine.guard = guard_begin(source_cpus(), c->wait_s);
	failed = open_all(t);
	if (failed && t->door.listener != -EEXIST)
		engine_close(&t->engine);
	if (failed)
		guard_end(t->engine.guard);
	return failed;
}
