/* The tracer's loop, and when it reports: see tracer.h. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include "control.h"
#include "deadline.h"
#include "print.h"
#include "source/readfile.h"
#include "system.h"
#include "tracer.h"

/* A record may be stamped but not yet written when the rings' heads are read,
 * and another CPU's be merged before it: what is younger than this waits for
 * the next drain, which follows soon where a ring had asked for one. */
#define SETTLE_NS 200000u
#define FOLLOW_MS 1

/* Rings are looked at this often even if none asks for it: for the change of
 * root, and so that free memory is sampled. Ten wakeups a second. */
#define IDLE_MS 100

/* Samples of vmalloc while areas come or free memory falls, of 1 ms or so. */
#define AREAS_EACH_NS 20000000u

/* Reports to go on with before those that end: each gets what it asked for. */
static const struct {
	int number;
	const char *reason;
	int ends;
	enum sink_target target;
} signals[] = {
	{ SIGUSR1, "SIGUSR1", 0, SINK_CONSOLE },
	{ SIGUSR2, "SIGUSR2", 0, SINK_FILE },
	{ SIGINT, "SIGINT", 1, SINK_CONFIGURED },
	{ SIGTERM, "SIGTERM", 1, SINK_CONFIGURED },
};

/* A descriptor of them. A hangup is nothing to us. */
static int watch_signals(void)
{
	unsigned long set = 0;

	for (unsigned int i = 0; i < ARRAY_LEN(signals); i++)
		set |= signal_bit(signals[i].number);
	signals_block(set | signal_bit(SIGHUP) | signal_bit(SIGPIPE));
	return signals_open(set);
}

/* What the rings lost and threw away. `final`: they may not have told of all. */
static void count_losses(struct tracer *t, uint64_t time_ns, int final)
{
	struct event e = { .type = EVENT_LOST, .time_ns = time_ns };
	uint64_t told = t->ledger.total.lost;

	e.lost = final ? perf_lost(&t->perf) : 0;
	if (e.lost > told) {
		e.lost -= told;
		t->events.event(&t->events, &e);
	}
	e.type = EVENT_REJECTED;
	for (; t->stalls < t->perf.stalls; t->stalls++)
		t->events.event(&t->events, &e);
}

/* Areas of vmalloc are looked at when a module came or went: for their names;
 * without probes for all of it, and also when one came, as far as the kernel
 * tells, or less memory is free than ever. */
static void sample_areas(struct tracer *t, int modules, int areas)
{
	const struct ledger *l = &t->ledger;

	areas |= l->free_lowest_ns == l->last_ns;
	if (!modules &&
	    (!t->sampled || !areas || l->last_ns < t->areas_ns))
		return;
	t->areas_ns = l->last_ns + AREAS_EACH_NS;
	proc_vmallocinfo(&t->events, l->last_ns, t->sampled);
}

static void drain(struct tracer *t, uint64_t horizon_ns)
{
	struct event e;
	int modules = 0, areas = 0;

	perf_begin(&t->perf, horizon_ns);
	while (perf_next(&t->perf, &e)) {
		t->events.event(&t->events, &e);
		modules |= e.type == EVENT_MODULE_LOAD ||
			   e.type == EVENT_MODULE_FREE;
		areas |= e.type == EVENT_AREA_ENTER;
		if (e.type == EVENT_ALLOC) {
			t->chains += e.chain_len != 0;
			t->bare += e.chain_len == 0;
		} else if (e.type == EVENT_MODULE_LOAD) {
			module_ranges(&t->events, e.name, e.time_ns);
		} else if (e.type == EVENT_COMM && e.tid == 1) {
			t->exec_by_init |= (e.flags & EVENT_EXEC) != 0;
		} else if (e.type == EVENT_LOST) {
			t->exec_by_init = 1;	/* it may be what was lost */
		}
	}
	count_losses(t, horizon_ns, 0);
	tracer_sample(t, horizon_ns, 0);
	sample_areas(t, modules, areas);
}

/* The session as it stands at this report. */
static void describe(struct tracer *t, const char *reason)
{
	struct session *s = &t->session;

	s->end_ns = clock_ns(CLOCK_MONOTONIC);
	s->cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	s->cpus_online = perf_cpus();	/* more may have come */
	print_to(s->reason, sizeof(s->reason), "%s", reason);
	if (!t->chains && t->bare && s->notes < NOTES_MAX) {
		print_to(s->note[s->notes++], NOTE_BYTES, "call chains are "
			 "empty: no unwinder for tracepoints (before 5.2 with "
			 "ORC)");
		t->chains = 1;
	}
}

static void take_symbol(void *context, char *line, size_t len)
{
	symbols_line(context, line, len);
}

static void kallsyms(struct symbols *s)
{
	if (!each_line("/proc/kallsyms", take_symbol, s))
		symbols_finish(s);
}

static int write_report(struct tracer *t, const char *reason,
			enum sink_target target)
{
	const struct report r = {
		.ledger = &t->ledger, .session = &t->session,
		.symbols = &t->symbols, .level = t->config->level,
		.top = t->config->top,
		.throttle_percent = t->config->throttle_percent,
	};
	int error;

	drain(t, clock_ns(CLOCK_MONOTONIC));
	proc_pcp(&t->events, t->ledger.last_ns);
	proc_vmallocinfo(&t->events, t->ledger.last_ns, t->sampled);
	count_losses(t, t->ledger.last_ns, 1);
	describe(t, reason);
	symbols_clear(&t->symbols);
	report_collect(&r);
	symbols_sort(&t->symbols);
	if (t->symbols.used)
		kallsyms(&t->symbols);
	tracer_hurry(0);
	error = sink_begin(t->sink, t->config, target);
	if (!error && t->config->format == FORMAT_JSON)
		report_json(&r, &t->sink->out);
	else if (!error)
		report_text(&r, &t->sink->out);
	if (!error)
		error = sink_end(t->sink);
	tracer_hurry(1);
	return error;
}

/* The names of all addresses that any report of this trace may print, as many
 * at a time as the table has room for. */
static void record_symbols(struct tracer *t)
{
	const struct stacks *s = &t->ledger.stacks;
	uint32_t node = s->roots;

	while (node < s->used) {
		symbols_clear(&t->symbols);
		for (; node < s->used &&
		     t->symbols.used < t->symbols.capacity; node++)
			symbols_add(&t->symbols, s->node[node].addr);
		symbols_sort(&t->symbols);
		kallsyms(&t->symbols);
		for (uint32_t i = 0; i < t->symbols.used; i++) {
			const struct symbol *y = &t->symbols.row[i];
			const struct trace_symbol named = {
				y->addr, y->start, y->name, strlen(y->name),
			};

			if (y->start)
				trace_write_symbol(&t->writer, &named);
		}
	}
}

static int finish(struct tracer *t, int status)
{
	int error;

	tracer_close(t);
	if (t->writer.fd < 0)
		return status;
	record_symbols(t);
	error = trace_finish(&t->writer, &t->session);
	if (error)
		tracer_say(t, "recording: %s", error_text(-error));
	return error ? 1 : status;
}

/* The exec that follows a change of root comes from PID 1, whoever changed
 * it. */
static int root_changed(struct tracer *t)
{
	struct stat s;

	if (!t->boot || t->switched || !t->exec_by_init)
		return 0;
	t->exec_by_init = 0;
	if (!t->root_ino || system_stat(AT_FDCWD, "/proc/1/root", &s))
		return 0;
	return s.st_dev != t->root_dev || s.st_ino != t->root_ino;
}

/* 1: tracing ends. */
static int answer_request(struct tracer *t)
{
	enum control_request request = CONTROL_REPORT;
	int client = control_accept(t->control_fd, &request);
	int leave = request == CONTROL_SWITCH_ROOT && !t->config->keep;

	if (client < 0)
		return 0;
	t->switched |= request == CONTROL_SWITCH_ROOT;
	control_answer(client, -write_report(t, request == CONTROL_SWITCH_ROOT ?
					     "switch-root" : "request",
					     SINK_CONFIGURED));
	return leave;
}

static void heartbeat(struct tracer *t, uint64_t now_ns)
{
	const uint64_t kib = t->session.page_size / 1024;
	const struct ledger *l = &t->ledger;

	if (!t->config->heartbeat_s || now_ns < t->heartbeat_ns)
		return;
	if (t->heartbeat_ns)
		tracer_say(t, "+%llu s: free %llu KiB, traced %llu KiB, peak "
			   "%llu KiB, lost %llu",
			   (unsigned long long)now_ns / 1000000000u,
			   (unsigned long long)(l->free_now_pages * kib),
			   (unsigned long long)(l->traced.now * kib),
			   (unsigned long long)(l->traced.peak * kib),
			   (unsigned long long)l->total.lost);
	t->heartbeat_ns = now_ns + t->config->heartbeat_s * 1000000000ull;
}

/* Reports that signals asked for. 1: tracing ends, *status says how. */
static int answer_signals(struct tracer *t, int fd, int *status)
{
	unsigned long arrived = signals_arrived(fd);

	for (unsigned int i = 0; i < ARRAY_LEN(signals); i++) {
		if (!(arrived & signal_bit(signals[i].number)))
			continue;
		*status = write_report(t, signals[i].reason,
				       signals[i].target) != 0;
		if (signals[i].ends)
			return 1;
	}
	return 0;
}

int tracer_run(struct tracer *t)
{
	const uint64_t settle_ns = t->perf.rings > 1 ? SETTLE_NS : 0;
	uint32_t watched = t->perf.rings;
	int signal_fd = watch_signals();
	int status = 0, wait_ms = IDLE_MS;

	kmsg_baseline(&t->events, t->ledger.last_ns);
	if (signal_fd < 0)
		tracer_say(t, "signals are not heard: %s", error_text(errno));
	perf_poll_set(&t->perf, t->poll);
	t->poll[watched++] = (struct pollfd){ .fd = signal_fd,
					      .events = POLLIN };
	/* One that is -1 is passed over. */
	t->poll[watched++] = (struct pollfd){ .fd = t->control_fd,
					      .events = POLLIN };
	for (;;) {
		int asked = poll(t->poll, watched, wait_ms) > 0;
		uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);

		drain(t, now_ns - settle_ns);
		wait_ms = asked && t->perf.pending ? FOLLOW_MS : IDLE_MS;
		heartbeat(t, now_ns);
		if (answer_signals(t, signal_fd, &status))
			return finish(t, status);
		if (t->control_fd >= 0 && answer_request(t))
			return finish(t, 0);
		if (root_changed(t)) {
			t->switched = 1;
			status = write_report(t, "switch-root",
					      SINK_CONFIGURED) != 0;
			if (!t->config->keep)
				return finish(t, status);
		}
	}
}
