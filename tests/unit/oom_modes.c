/* SPDX-License-Identifier: MIT */
/*
 * tracer/tracer.c, where memory runs out: what --oom asks for is written, and
 * whatever it is, nothing that takes memory is done for a second.
 */
#include <string.h>
#include "tracer/tracer.h"
#include "tap.h"

#define SECOND UINT64_C(1000000000)

static struct machine {
	struct tracer t;
	struct config c;
	struct event event[1];
	uint32_t events, given;
	uint32_t reports, lines, areas;
} m;

static void faked_engine_begin(struct engine *g, uint64_t horizon_ns)
{
	g->ledger.last_ns = horizon_ns;
	m.given = 0;
}

static int faked_engine_next(struct engine *g, struct event *e)
{
	(void)g;
	if (m.given == m.events)
		return 0;
	*e = m.event[m.given++];
	return 1;
}

static void faked_engine_settle(struct engine *g, uint64_t horizon_ns)
{
	(void)g;
	(void)horizon_ns;
}

static void faked_engine_describe(struct engine *g, const char *reason)
{
	(void)g;
	(void)reason;
}

static void faked_engine_sample_areas(struct engine *g)
{
	(void)g;
	m.areas++;
}

static void faked_engine_sample_lists(struct engine *g)
{
	(void)g;
}

static void faked_engine_sample_memory(struct engine *g, uint64_t time_ns,
				       uint32_t flags)
{
	(void)g;
	(void)time_ns;
	(void)flags;
}

static void faked_reporter_prepare_oom(struct reporter *r)
{
	(void)r;
}

static void faked_reporter_write_oom(struct reporter *r)
{
	(void)r;
	m.reports++;
}

static void faked_status_say(const struct engine *g, uint64_t now_ns,
			     const char *reason)
{
	(void)g;
	(void)now_ns;
	(void)reason;
	m.lines++;
}

#include "tracer_faked.h"

/* Of 1 GiB, 1 MiB is free, and the watermarks are below that. */
static void machine(enum oom oom)
{
	static unsigned char memory[1 << 20];
	struct arena a;

	memset(&m, 0, sizeof(m));
	memset(memory, 0, sizeof(memory));
	arena_init(&a, memory, sizeof(memory));
	if (tasks_init(&m.t.engine.ledger.tasks, &a, 16))
		abort();
	m.c.oom = oom;
	m.t.config = &m.c;
	m.t.engine.session.page_size = 4096;
	m.t.engine.session.mem_total_kib = 1 << 20;
	m.t.engine.ledger.free_now_pages = 256;
	m.t.triggers.meminfo_fd = -1;
}

static void drain_at(uint64_t now_ns, uint32_t events)
{
	m.event[0] = (struct event){ .type = EVENT_VICTIM, .result = 77 };
	m.events = events;
	drain(&m.t, now_ns);
}

static void test_mode(enum oom oom, const char *name, uint32_t reports,
		      uint32_t lines)
{
	machine(oom);
	drain_at(100 * SECOND, 0);
	tap_ok(m.areas == 1 && !m.reports && !m.lines,
	       "oom=%s: areas are looked at as long as nobody is killed", name);
	drain_at(101 * SECOND, 1);
	tap_ok(m.reports == reports && m.lines == lines,
	       "oom=%s: a kill: %u reports, %u lines", name, m.reports,
	       m.lines);
	drain_at(101 * SECOND + SECOND / 2, 0);
	tap_ok(m.areas == 1, "oom=%s: no file is opened right after it", name);
	drain_at(101 * SECOND + SECOND / 2, 1);
	tap_ok(m.reports == reports && m.lines == (oom == OOM_OFF ? 0 :
						   lines + 1),
	       "oom=%s: another kill soon is %s", name,
	       oom == OOM_OFF ? "nothing" : "a line");
	drain_at(104 * SECOND, 0);
	tap_ok(m.areas == 2, "oom=%s: later it is", name);
}

int main(void)
{
	test_mode(OOM_REPORT, "report", 1, 0);
	test_mode(OOM_LINE, "line", 0, 1);
	test_mode(OOM_OFF, "off", 0, 0);
	return tap_plan_done();
}
