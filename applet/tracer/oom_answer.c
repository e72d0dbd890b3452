/* SPDX-License-Identifier: MIT */
/* What the tracer does when memory runs out: see tracer.h, oom answer. */
#include "base/base.h"
#include "report/report.h"
#include "tracer/tracer.h"

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
	say(t->sink, "%s%s, of the machine's memory %llu KiB are free (%u kills "
	    "since the last such line)", kill,
	    victim_tid ? " at the limit of its cgroup" : "",
	    (unsigned long long)t->engine.ledger.free_now_pages *
	    (t->engine.session.page_size / 1024), kills);
}

/* For later reports. */
static void emit_answer(struct engine *g)
{
	struct event e;

	event_begin(&e, EVENT_LOW_REPORTED, g->ledger.last_ns);
	e.flags = g->session.low ? 0 : EVENT_NO_GROUP;
	g->events.event(&g->events, &e);
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

void oom_answer_low(struct tracer *t)
{
	struct session *s = &t->engine.session;

	/* The last sample may be too high, by all that was allocated since. */
	engine_sample_memory(&t->engine, t->engine.ledger.last_ns, 0);
	s->low = 1;
	oom_answer(t, "memory is low");
	s->low = 0;
}

void oom_answer_kill(struct tracer *t, uint32_t victim_tid)
{
	struct engine *g = &t->engine;
	char kill[REASON_BYTES];

	engine_sample_memory(g, g->ledger.last_ns, 0);
	name_kill(t, victim_tid, kill);
	if (triggers_kill_in_group(&t->triggers, &g->ledger, &g->session,
				   victim_tid))
		warn_kill_in_group(t, victim_tid, kill);
	else
		oom_answer(t, kill);
}
