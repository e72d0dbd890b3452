/* The tracer's loop, and when it reports: see tracer.h. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "control.h"
#include "deadline.h"
#include "print.h"
#include "report/select.h"
#include "source/readfile.h"
#include "system.h"
#include "tracer.h"

/* A record may be stamped but not yet written when the rings' heads are read,
 * and another CPU's be merged before it: what is younger than this waits for
 * the next drain, which follows soon where a ring had asked for one. */
#define SETTLE_NS 200000u

/* Rings are looked at this often even if none asks for it: for the change of
 * root, and so that free memory is sampled. Ten wakeups a second. */
#define IDLE_NS 100000000u

/* Reports on memory running out: those between are a line, or nothing where
 * nobody was killed. */
#define OOM_EACH_NS 1000000000u
#define LOW_EACH_NS 10000000000u

/* Reclaim may fail because one zone is used up; where more than this part of
 * memory is free, that is no news. */
#define LOW_DIVISOR 16

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

/* Of what a ring tells, what a report has not counted already, when the ring
 * had not told of it. */
static uint64_t newly_lost(struct tracer *t, uint64_t told)
{
	const uint64_t counted = t->ledger.total.lost;

	t->told_lost += told;
	return t->told_lost > counted ? t->told_lost - counted : 0;
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

/* The session as it stands at this report. */
static void describe(struct tracer *t, const char *reason)
{
	struct session *s = &t->session;

	s->end_ns = clock_ns(CLOCK_MONOTONIC);
	s->cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
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

static void name_symbols(void *context)
{
	struct tracer *t = context;

	each_line_again(t->kallsyms_fd, take_symbol, &t->symbols);
	symbols_finish(&t->symbols);
}

/* From memory already held: no file is opened, and the real-time priority that
 * it keeps lets what the kernel takes for a line come from the reserves. A panic
 * may be a millisecond away, so nobody is waited for: to ask how many records
 * were lost interrupts each CPU, and the one that prints has interrupts off. */
static void report_at_end(struct tracer *t, const char *reason)
{
	const struct report r = {
		.ledger = &t->ledger, .session = &t->session,
		.symbols = &t->symbols, .level = 1, .top = 5,
		.throttle_percent = 100, .lines_max = OOM_LINES_MAX,
		.held_now = 1, .name = name_symbols, .context = t,
	};

	proc_pcp(&t->events, t->ledger.last_ns, t->zoneinfo_fd);
	describe(t, reason);
	symbols_clear(&t->symbols);
	if (!sink_begin(t->sink, t->config, SINK_LOG)) {
		report_oom(&r, &t->sink->out);
		sink_end(t->sink);
	}
}

/* The first to tell of it gets a report, those that follow soon a line.
 * victim_tid 0: nobody is killed yet. */
static void answer_oom(struct tracer *t, uint32_t victim_tid)
{
	const struct ledger *l = &t->ledger;
	const uint64_t kib = t->session.page_size / 1024;
	char reason[REASON_BYTES] = "memory is low";
	int again = l->last_ns < t->oom_ns;

	tracer_sample(t, l->last_ns, 0);
	if (victim_tid)
		print_to(reason, sizeof(reason), "OOM kill of %s[%d]",
			 row_name(l, TABLE_TASKS,
				  tasks_find(&l->tasks, victim_tid)),
			 (int)victim_tid);
	t->low_ns = l->last_ns + LOW_EACH_NS;
	t->oom_ns = l->last_ns + OOM_EACH_NS;
	if (t->config->oom == OOM_OFF)
		return;
	if (t->config->oom == OOM_REPORT && !again)
		report_at_end(t, reason);
	else
		tracer_say(t, "+%llu s: %s: free %llu KiB",
			   (unsigned long long)l->last_ns / 1000000000u,
			   reason,
			   (unsigned long long)(l->free_now_pages * kib));
}

/* Reclaim tells that it fails; what takes memory in interrupts, which cannot
 * reclaim, shows where less is free than the kernel wants to keep. */
static void watch_memory(struct tracer *t)
{
	const struct ledger *l = &t->ledger;
	const uint64_t kib = t->session.page_size / 1024;
	int low = l->free_now_pages < t->min_pages ||
		  (t->low && l->free_now_pages * kib <=
			     t->session.mem_total_kib / LOW_DIVISOR);

	t->low = 0;
	if (!low || l->last_ns < t->low_ns)
		return;
	if (l->last_ns >= t->oom_ns)
		answer_oom(t, 0);
}

/* The reboot waits for the loop, as it may come while stock is taken. */
static void take_urgent(struct tracer *t, const struct event *e)
{
	if (e->type == EVENT_VICTIM)
		answer_oom(t, (uint32_t)e->result);
	else if (e->type == EVENT_REBOOT)
		t->reboot_tid = e->tid;
	else
		t->low = 1;
}

static void drain(struct tracer *t, uint64_t horizon_ns)
{
	struct event e;
	int modules = 0, areas = 0;

	perf_begin(&t->perf, horizon_ns);
	while (perf_next(&t->perf, &e)) {
		if (e.type >= EVENT_VICTIM) {
			take_urgent(t, &e);
			continue;
		}
		if (e.type == EVENT_LOST)
			e.lost = newly_lost(t, e.lost);
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
	watch_memory(t);
	if (t->ledger.last_ns >= t->oom_ns)	/* it takes memory */
		sample_areas(t, modules, areas);
}

/* The account as it stands, and whatever else a report tells. */
static void take_stock(struct tracer *t, const char *reason)
{
	drain(t, clock_ns(CLOCK_MONOTONIC));
	proc_pcp(&t->events, t->ledger.last_ns, t->zoneinfo_fd);
	proc_vmallocinfo(&t->events, t->ledger.last_ns, t->sampled);
	count_losses(t, t->ledger.last_ns, 1);
	describe(t, reason);
	t->session.cpus_online = perf_cpus();	/* more may have come */
}

/* Addresses are root's, and so are the kernel log and nothing else. */
static int hides_addresses(const struct tracer *t)
{
	char text[8] = "";

	readfile("/proc/sys/kernel/kptr_restrict", text, sizeof(text));
	return !t->sink->to_kmsg && text[0] > '0';
}

static uint32_t lines_max(const struct tracer *t)
{
	if (!t->config->lines && !t->sink->to_file)
		return LOG_LINES_MAX;
	return t->config->lines;
}

static int write_stock(struct tracer *t, enum sink_target target)
{
	struct report r = {
		.ledger = &t->ledger, .session = &t->session,
		.symbols = &t->symbols, .level = t->config->level,
		.top = t->config->top,
		.throttle_percent = t->config->throttle_percent,
	};
	int error;

	if (!t->reboot_tid)
		tracer_hurry(0);
	symbols_clear(&t->symbols);
	report_collect(&r);
	symbols_sort(&t->symbols);
	if (t->symbols.used)
		name_symbols(t);
	error = sink_begin(t->sink, t->config, target);
	r.hide_addresses = hides_addresses(t);
	r.lines_max = lines_max(t);
	if (!error && t->config->format == FORMAT_JSON)
		report_json(&r, &t->sink->out);
	else if (!error)
		report_text(&r, &t->sink->out);
	if (!error)
		error = sink_end(t->sink);
	tracer_hurry(1);
	return error;
}

static int write_report(struct tracer *t, const char *reason,
			enum sink_target target)
{
	take_stock(t, reason);
	return write_stock(t, target);
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
		name_symbols(t);
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

/* 1: tracing ends. Who changes the root does not wait for the report: it is of
 * the moment of the request. */
static int answer_request(struct tracer *t)
{
	enum control_request request = CONTROL_REPORT;
	int client = control_accept(t->control_fd, &request);
	int switches = request == CONTROL_SWITCH_ROOT;
	int error;

	if (client < 0)
		return 0;
	take_stock(t, switches ? "switch-root" : "request");
	if (switches)
		control_answer(client, 0);
	error = write_stock(t, SINK_CONFIGURED);
	if (!switches)
		control_answer(client, -error);
	t->switched |= switches;
	return switches && !t->config->keep;
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

/* Whether the kernel will do it, is not known: it may not be root who asks.
 * Where there is one CPU, it waits until we have written. */
static void answer_reboot(struct tracer *t)
{
	char path[24];
	struct stat s;

	print_to(path, sizeof(path), "/proc/%d", (int)t->reboot_tid);
	if (!system_stat(AT_FDCWD, path, &s) && !s.st_uid)
		write_report(t, "reboot", SINK_CONFIGURED);
	t->reboot_tid = 0;
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
	long wait[2] = { 0, IDLE_NS };	/* the kernel's timespec */
	int status = 0;

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
		int asked = syscall(SYS_ppoll, t->poll, watched, wait,
				    NULL, 0) > 0;
		uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);

		drain(t, now_ns - settle_ns);
		wait[1] = asked && t->perf.pending ? SETTLE_NS : IDLE_NS;
		if (t->reboot_tid)
			answer_reboot(t);
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
