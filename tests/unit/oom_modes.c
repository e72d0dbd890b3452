/* SPDX-License-Identifier: MIT */
/*
 * tracer/tracer.c, where memory runs out: what --oom asks for is written, and
 * whatever it is, nothing that takes memory is done for a second.
 */
#include "arena_fixture.h"
#include "tracer/status.h"
#include "tracer/tracer.h"
#include "tap.h"

#define SECOND UINT64_C(1000000000)

static struct machine {
	struct tracer t;
	struct config c;
	uint32_t victims, reports, lines, areas;
} fake;

static void faked_engine_begin(struct engine *g, uint64_t horizon_ns)
{
	g->ledger.last_ns = horizon_ns;
}

/* The OOM killer's victims. */
static int faked_engine_next(struct engine *g, struct event *e)
{
	(void)g;
	*e = (struct event){ .type = EVENT_VICTIM, .result = 77 };
	return fake.victims && fake.victims--;
}

/* Without prototypes: these take what the real functions take. */
static void nothing()
{
}

static void faked_engine_sample_areas()
{
	fake.areas++;
}

static void faked_reporter_write_oom()
{
	fake.reports++;
}

static void faked_status_say()
{
	fake.lines++;
}

/* tracer.c and oom_answer.c once more, on these, since no machine shall run out
 * of memory for a test. */
#define tracer_run faked_tracer_run
#define oom_answer faked_oom_answer
#define oom_answer_kill faked_oom_answer_kill
#define engine_begin faked_engine_begin
#define engine_next faked_engine_next
#define engine_settle nothing
#define engine_describe nothing
#define engine_sample_areas faked_engine_sample_areas
#define engine_sample_lists nothing
#define engine_sample_memory nothing
#define reporter_prepare_oom nothing
#define status_say faked_status_say
#define reporter_write_oom faked_reporter_write_oom
#include "tracer/oom_answer.c"
#include "tracer/tracer.c"

static void nobody_hears(struct event_out *o, const struct event *e)
{
	(void)o;
	(void)e;
}

/* Of 1 GiB, 1 MiB is free, and the watermarks are below that. */
static void machine(enum oom oom)
{
	fake = (struct machine){ .c.oom = oom, .t = {
		.config = &fake.c, .engine = {
			.session = { .page_size = 4096,
				     .mem_total_kib = 1 << 20 },
			.ledger.free_now_pages = 256, .meminfo_fd = -1,
		},
	} };
	if (tasks_init(&fake.t.engine.ledger.tasks, arena_fresh(ARENA_BYTES),
		       16))
		abort();
	fake.t.engine.events.event = nobody_hears;
	triggers_init(&fake.t.triggers, 0);
}

static void drain_at(uint64_t now_ns, uint32_t victims)
{
	fake.victims = victims;
	drain(&fake.t, now_ns);
}

static void test_mode(enum oom oom, const char *name, uint32_t reports,
		      uint32_t lines)
{
	machine(oom);
	drain_at(100 * SECOND, 0);
	tap_ok(fake.areas == 1 && !fake.reports && !fake.lines,
	       "oom=%s: areas are looked at as long as nobody is killed", name);
	drain_at(101 * SECOND, 1);
	tap_ok(fake.reports == reports && fake.lines == lines,
	       "oom=%s: a kill: %u reports, %u lines", name, fake.reports,
	       fake.lines);
	drain_at(101 * SECOND + SECOND / 2, 0);
	tap_ok(fake.areas == 1, "oom=%s: no file is opened right after it",
	       name);
	drain_at(101 * SECOND + SECOND / 2, 1);
	tap_ok(fake.reports == reports &&
	       fake.lines == (oom == OOM_OFF ? 0 : lines + 1),
	       "oom=%s: another kill soon is %s", name,
	       oom == OOM_OFF ? "nothing" : "a line");
	drain_at(104 * SECOND, 0);
	tap_ok(fake.areas == 2, "oom=%s: later it is", name);
}

int main(void)
{
	test_mode(OOM_REPORT, "report", 1, 0);
	test_mode(OOM_LINE, "line", 0, 1);
	test_mode(OOM_OFF, "off", 0, 0);
	return tap_plan_done();
}
