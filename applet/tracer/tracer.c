/* SPDX-License-Identifier: MIT */
/* The tracer's loop: see tracer.h. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/system.h"
#include "base/base.h"
#include "control/control.h"
#include "report/report.h"
#include "tracer/tracer.h"

/* A record may be stamped but not yet written when the rings' heads are read,
 * and another CPU's later record would be merged before it. So records younger
 * than this wait for the next drain, which follows soon if a ring had asked for
 * one. */
#define SETTLE_NS 200000

/* Rings are drained at least this often, to see a change of the root and to
 * sample free memory. Ten wakeups a second. */
#define IDLE_NS 100000000

/* What may wait is done when no ring has filled up for this long: a burst then
 * finds the tracer asleep, and wakes it in time. */
#define QUIET_NS 2000000

/* The time between two slices of names for a report when memory runs out. In it
 * the rings are drained, and other tasks get the CPU. */
#define NAMES_NS 1000000

/* How long the tracer looks for free pages (tracer.h, heal): while nothing
 * happens, ten times a second; and before a report. */
#define HEAL_IDLE_NS 2000000u
#define HEAL_REPORT_NS 50000000u

/* --- when memory runs out: a report, or one line if a report came just before
 * or only a cgroup met its limit; nothing here takes memory */

/* "OOM kill of eater[88]". */
static void name_kill(const struct tracer *t, uint32_t victim_tid,
		      char text[REASON_BYTES])
{
	const struct ledger *l = &t->engine.ledger;

	if (!victim_tid) {
		print_to(text, REASON_BYTES, "OOM kill, victim not in the log");
		return;
	}
	print_to(text, REASON_BYTES, "OOM kill of %s[%d]",
		 row_name(l, TABLE_TASKS, tasks_find(&l->tasks, victim_tid)),
		 (int)victim_tid);
}

/* Reports, now and then, a kill although the machine has free memory. If only
 * the count of kills is known, the limit that was hit is not. */
static void warn_kill_in_group(struct tracer *t, uint32_t victim_tid,
			       const char *kill)
{
	const uint32_t kills = triggers_group_kills(&t->triggers,
						    t->engine.ledger.last_ns);

	if (!kills)
		return;
	sink_say(t->sink, "%s%s, of the machine's memory %llu KiB are free (%u "
		 "kills since the last such line)", kill,
		 victim_tid ? " at the limit of its cgroup" : "",
		 (unsigned long long)t->engine.ledger.free_now_pages *
		 (t->engine.session.page_size / 1024), kills);
}

/* For later reports. */
static void emit_answer(struct engine *g)
{
	struct event *e = engine_event(g, EVENT_LOW_REPORTED,
				       g->ledger.last_ns);

	e->flags = g->session.low ? 0 : EVENT_NO_GROUP;
	engine_take(g, e);
}

static void oom_answer(struct tracer *t, const char *reason)
{
	struct engine *g = &t->engine;
	const struct ledger *l = &g->ledger;
	const int due = triggers_oom_is_due(&t->triggers, l->last_ns);

	if (!g->session.low)
		emit_answer(g);
	if (t->config->oom == OOM_OFF)
		return;
	if (t->config->oom == OOM_REPORT && due) {
		engine_sample_lists(g);
		engine_sample_available(g, 1);
		room_look(&t->triggers.room, l->last_ns);
		room_emit(&t->triggers.room, &g->events, l->last_ns);
		engine_describe(g, reason);
		reporter_write_oom(&t->reporter);
		if (g->session.low)
			emit_answer(g);
	} else {
		status_say(g, l->last_ns, reason);
	}
}

static void oom_answer_low(struct tracer *t)
{
	struct session *s = &t->engine.session;

	/* The last sample may be too high, by all that was allocated since. */
	engine_sample_memory(&t->engine, t->engine.ledger.last_ns, 0);
	s->low = 1;
	oom_answer(t, "memory is low");
	s->low = 0;
}

/* 1: the machine's memory ran out; 0: only that of a cgroup. */
static int begin_kill(struct tracer *t, uint32_t victim_tid,
		      char kill[REASON_BYTES])
{
	struct engine *g = &t->engine;

	engine_sample_memory(g, g->ledger.last_ns, 0);
	name_kill(t, victim_tid, kill);
	if (!triggers_kill_in_group(&t->triggers, &g->ledger, &g->session,
				    victim_tid))
		return 1;
	warn_kill_in_group(t, victim_tid, kill);
	return 0;
}

static void oom_answer_kill(struct tracer *t, uint32_t victim_tid)
{
	char kill[REASON_BYTES];

	if (begin_kill(t, victim_tid, kill))
		oom_answer(t, kill);
}

/* While a report is written: one line. */
static void oom_answer_next_kill(struct tracer *t, uint32_t victim_tid)
{
	struct engine *g = &t->engine;
	char kill[REASON_BYTES];

	if (!begin_kill(t, victim_tid, kill))
		return;
	triggers_oom_is_due(&t->triggers, g->ledger.last_ns);
	emit_answer(g);
	if (t->config->oom != OOM_OFF)
		status_say(g, g->ledger.last_ns, kill);
}

/* --- drain */

/* Applies all events before the horizon. A victim of the OOM killer is answered
 * at once, because a panic may follow. */
static void drain(struct tracer *t, uint64_t horizon_ns)
{
	struct engine *g = &t->engine;
	struct event e;

	engine_follow_ram(g, 0);
	engine_begin(g, horizon_ns);
	while (engine_next(g, &e)) {
		heal_see(&t->heal, &e);
		if (triggers_see(&t->triggers, &e))
			oom_answer_kill(t, (uint32_t)e.result);
	}
	engine_settle(g, horizon_ns);
	if (is_sampled(&g->ledger))	/* an exec by init has no event */
		t->triggers.exec_by_init = 1;
	if (triggers_memory_low(&t->triggers, &g->ledger, &g->session))
		oom_answer_low(t);
	if (t->config->oom == OOM_REPORT &&
	    triggers_memory_falls(&t->triggers, &g->ledger, &g->session)) {
		/* Later the file may be on a disk. */
		if (t->triggers.boot && !t->triggers.switched)
			reporter_find_dirs(&t->reporter, BY_HELD);
		reporter_prepare_oom(&t->reporter);
	}
	if (!triggers_oom_was_now(&t->triggers, g->ledger.last_ns)) {
		engine_sample_areas(g);
		engine_sample_uses(g);
		engine_sample_mounts(g);
	}
}

static uint64_t horizon_of(const struct tracer *t, uint64_t now_ns)
{
	return now_ns - (t->engine.source->rings > 1 ? SETTLE_NS : 0);
}

/* All names take a tenth of a second, or seconds on an emulated CPU. If no ring
 * fills up meanwhile, the figures stay as they are. */
void tracer_meanwhile(void *context)
{
	struct tracer *t = context;
	struct engine *g = &t->engine;
	const uint32_t watched = g->source->kind->poll_set(g->source, t->poll);
	const uint64_t horizon_ns = horizon_of(t, clock_ns(CLOCK_MONOTONIC));
	struct event e;

	if (wait_ready(t->poll, watched, 0) <= 0)
		return;
	engine_begin(g, horizon_ns);
	while (engine_next(g, &e)) {
		heal_see(&t->heal, &e);
		if (triggers_see(&t->triggers, &e))
			oom_answer_next_kill(t, (uint32_t)e.result);
	}
	engine_settle(g, horizon_ns);
	g->session.end_ns = horizon_ns;
}

/* After a loss: stops charging pages that are free, for limit_ns at most. */
static void heal(struct tracer *t, uint64_t limit_ns)
{
	const uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + limit_ns;
	uint64_t now_ns = 0;

	while (now_ns < end_ns && heal_look(&t->heal, &t->engine)) {
		now_ns = clock_ns(CLOCK_MONOTONIC);
		if (!t->heal.count)
			continue;
		drain(t, now_ns);
		heal_settle(&t->heal, &t->engine);
	}
}

/* Brings the account and all other data of a report up to date. */
static void take_stock(struct tracer *t, const char *reason)
{
	t->engine.source->look_at_all = 1;
	drain(t, clock_ns(CLOCK_MONOTONIC));
	room_look(&t->triggers.room, t->engine.ledger.last_ns);
	engine_follow_ram(&t->engine, 1);
	room_emit(&t->triggers.room, &t->engine.events,
		  t->engine.ledger.last_ns);
	engine_take_stock(&t->engine);
	heal(t, HEAL_REPORT_NS);
	reporter_find_dirs(&t->reporter, BY_AT_PEAK);
	engine_describe(&t->engine, reason);
	reporter_read_settings(&t->reporter);
}

static int report(struct tracer *t, const char *reason,
		  enum sink_target target, enum what_follows follows)
{
	take_stock(t, reason);
	return reporter_write(&t->reporter, target, follows);
}

/* Rows as the last drain left them; pages as they are now. */
static void answer_in_file(struct tracer *t, int client,
			   const struct control_message *m)
{
	const uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);

	if (m->request == CONTROL_PAGES && m->part == PAGES_HEAD) {
		take_stock(t, "check");
	} else if (m->request == CONTROL_PAGES) {
		t->engine.source->look_at_all = 1;
		drain(t, now_ns);
	}
	file_answer(t, client, m, now_ns);
}

static void begin_phase(struct tracer *t, const char *name)
{
	const uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	const uint64_t *last_ns = &t->engine.ledger.last_ns;
	struct event *e;

	t->engine.source->look_at_all = 1;
	drain(t, now_ns);
	e = engine_event(&t->engine, EVENT_PHASE,
			 now_ns < *last_ns ? *last_ns : now_ns);
	print_to(e->name, PHASE_NAME_BYTES, "%s", name);
	engine_take(&t->engine, e);
}

/* Answers a request; 1: tracing ends. The report is about the moment of the
 * request. A caller that changes the root waits for the report only for a
 * limited time. If it does not wait at all, a report to a file is still written
 * before the answer, because the file belongs to the old root. */
static int answer_request(struct tracer *t)
{
	struct control_message m;
	int client = control_accept(&t->door, &m);
	int switches, in_parts, error;

	if (client < 0)
		return 0;
	if (has_feature(FEATURE_LIVE) && m.file >= 0) {
		answer_in_file(t, client, &m);
		return 0;
	}
	if (m.request == CONTROL_PHASE) {
		begin_phase(t, m.sections);
		control_answer(client, 0);
		return 0;
	}
	switches = m.request == CONTROL_SWITCH_ROOT;
	take_stock(t, switches ? "switch-root" : "request");
	if (has_feature(FEATURE_SECTIONS) && m.request <= CONTROL_SECTIONS) {
		control_grant(client);
		reporter_write_sections(&t->reporter, m.sections, m.request,
					client);
		return 0;
	}
	in_parts = switches && (t->config->wait_s ||
				(t->config->out != OUT_FILE &&
				 !t->config->beside[0][0]));
	if (in_parts)
		control_promise(client, t->config->wait_s);
	error = reporter_write(&t->reporter, SINK_CONFIGURED, WORK_FOLLOWS);
	control_answer(client, error);
	t->triggers.switched |= switches;
	return switches && !t->config->keep;
}

/* The reboot waits until the report is written: for the guard, or for us. */
static void answer_reboot(struct tracer *t)
{
	const int alone = t->engine.boot && !t->engine.guard &&
			  t->triggers.reboot_tid;
	char share[SHARE_BYTES];

	if (alone)
		priority_take_all(share);
	if (t->triggers.reboot_tid)
		take_stock(t, "reboot");
	if (t->triggers.reboot_tid)
		reporter_write(&t->reporter, SINK_CONFIGURED,
			       REBOOT_FOLLOWS);
	if (alone)
		priority_give_back(share);
	priority_wait(&t->priority);
	t->triggers.asked = 0;
	t->triggers.reboot_tid = 0;
	guard_let_go(t->engine.guard);
}

/* A signal to all processes may make one ask for our report. */
static void answer_last_request(struct tracer *t)
{
	const int64_t deadline = deadline_after(ASKER_MS);
	struct pollfd clients[CONTROL_WATCHED];

	do {
		answer_request(t);
		control_watch(&t->door, clients);
	} while (deadline_left_ms(deadline) &&
		 poll(clients, CONTROL_WATCHED,
		      deadline_left_ms(deadline)) > 0);
}

/* Writes the reports that signals asked for. 1: tracing ends with *status. When
 * a system ends, all processes get SIGTERM, and a reboot may follow at once. */
static int answer_signals(struct tracer *t, int *status)
{
	const struct signal_wish *w;
	unsigned long arrived = 0;

	while ((w = triggers_signal(&t->triggers, &arrived))) {
		const int ends = w->target == SINK_CONFIGURED;

		*status = report(t, w->reason, w->target,
				 t->triggers.boot && ends ? REBOOT_MAY_FOLLOW :
				 WORK_FOLLOWS) != 0;
		if (!ends)
			continue;
		answer_last_request(t);
		return 1;
	}
	return 0;
}

static int answer_root_change(struct tracer *t, int *status)
{
	t->triggers.switched = 1;
	*status = report(t, "switch-root", SINK_CONFIGURED,
			 WORK_FOLLOWS) != 0;
	return !t->config->keep;
}

static int finish(struct tracer *t, int status)
{
	struct engine *g = &t->engine;
	int error;

	guard_end(g->guard);
	engine_close(g);
	if (!has_feature(FEATURE_RECORD) || g->writer.fd < 0)
		return status;
	record_names(&t->reporter.kallsyms, g);
	error = trace_finish(&g->writer, &g->session);
	if (error)
		sink_say(t->sink, "%s: %s", g->record_path, error_text(error));
	return error ? 1 : status;
}

/* poll() ignores a descriptor that is -1. */
static uint32_t watch(struct tracer *t)
{
	const struct source *s = t->engine.source;
	uint32_t watched = s->kind->poll_set(s, t->poll);

	t->poll[watched++] = (struct pollfd){
		.fd = t->triggers.signal_fd, .events = POLLIN,
	};
	control_watch(&t->door, t->poll + watched);
	return watched + CONTROL_WATCHED;
}

/* 1: tracing ends. */
static int answer_all(struct tracer *t, uint64_t now_ns, int *status)
{
	if (t->triggers.asked)
		answer_reboot(t);
	if (triggers_heartbeat(&t->triggers, now_ns, t->config->heartbeat_s))
		status_say(&t->engine, now_ns, "");
	if (t->door.listener >= 0 && answer_request(t))
		return 1;
	if (answer_signals(t, status))
		return 1;
	return triggers_root_changed(&t->triggers) &&
	       answer_root_change(t, status);
}

/* What did not have to be done while PID 1 waited, a part at a time. 1: call it
 * again, behind a drain. Only the first cannot wait for quiet. */
static int (*const later[])(struct engine *g) = {
	opening_go_on, engine_sum_files, engine_give_back,
};

/* How long to wait for events. With one CPU, the milliseconds for the names
 * would be taken from the boot. */
static long next_wait_ns(struct tracer *t, int asked)
{
	struct engine *g = &t->engine;
	struct kallsyms *names = &t->reporter.kallsyms;

	if (t->done_later < ARRAY_LEN(later)) {
		if (t->done_later && asked)
			return QUIET_NS;
		t->done_later += !later[t->done_later](g);
		if (t->done_later == ARRAY_LEN(later) &&
		    g->session.cpus_online > 1)
			kallsyms_prepare_kinds(names);
		return t->done_later ? QUIET_NS : 0;
	}
	return kallsyms_read_slice(names) ? NAMES_NS :
	       asked && g->source->pending ? SETTLE_NS :
	       g->source->wait_ns ? (long)g->source->wait_ns : IDLE_NS;
}

int tracer_run(struct tracer *t)
{
	struct engine *g = &t->engine;
	long wait_ns = 0;
	int status = 0, error;

	error = triggers_hear(&t->triggers);
	if (error)
		sink_say(t->sink, "signals are not heard: %s",
			 error_text(error));
	if (engine_read_log(g))
		status_say_unpacking(g);
	for (;;) {
		const int asked = wait_ready(t->poll, watch(t), wait_ns) > 0;
		const uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);

		drain(t, horizon_of(t, now_ns));
		if (!triggers_oom_was_now(&t->triggers, now_ns))
			engine_follow_cpus(g, now_ns);
		if (!asked && wait_ns == IDLE_NS)
			heal(t, HEAL_IDLE_NS);
		priority_judge(&t->priority, g->source->used_bytes,
			       g->source->ring_bytes);
		wait_ns = next_wait_ns(t, asked);
		if (answer_all(t, now_ns, &status))
			return finish(t, status);
	}
}
