/* SPDX-License-Identifier: MIT */
/*
 * tracer/triggers.c: which kill is the machine's and which a cgroup's, when
 * memory is low, with the room and the kernel's log that both go by
 * (cases/triggers); how often each is told, and when names are got ready.
 *
 * tracer/tracer.c, where memory runs out: what --oom asks for is written, and
 * whatever it is, nothing that takes memory is done for a second.
 */
#include <sys/mman.h>
#include "source/proc/proc.h"
#include "tracer/tracer.h"
#include "cases.h"

#define MS UINT64_C(1000000)
#define SECOND 1000000000u

static struct fixture {
	struct triggers t;
	struct ledger l;
	struct session s;
} f = { .t = { .meminfo_fd = -1, .log.fd = -1, .room.fd = -1 } };

__attribute__((format(printf, 2, 3)))
static void give(int *fd, const char *text, ...)
{
	va_list more;

	close(*fd);
	*fd = memfd_create("text", 0);
	va_start(more, text);
	must(vdprintf(*fd, text, more) >= 0 && !lseek(*fd, 0, SEEK_SET));
	va_end(more);
}

/* The zones say so, of pages; the tracer looks at them when it thinks fit. */
static void zones(uint64_t own, uint64_t min, uint64_t movable)
{
	give(&f.t.room.fd,
	     "Node 0, zone   Normal\n  pages free     %lu\n"
	     "        min      %lu\n        managed  262144\n"
	     "        protection: (0, 0)\n      nr_free_pages %lu\n"
	     "Node 0, zone  Movable\n  pages free     %lu\n"
	     "        min      0\n        managed  262144\n"
	     "        protection: (0, 0)\n      nr_free_pages %lu\n",
	     own, min, own, movable, movable);
	f.l.free_now_pages = own + movable;
}

static void no_zones(void)
{
	close(f.t.room.fd);
	f.t.room.fd = -1;
}

/* A machine of 1 GiB with so much of it free, where the kernel keeps 1000
 * pages. */
static void machine(uint64_t free_kib)
{
	close(f.t.room.fd);
	close(f.t.meminfo_fd);
	close(f.t.log.fd);
	f = (struct fixture){
		.t = { .meminfo_fd = -1, .log.fd = -1, .room.fd = -1 },
		.l.last_ns = 100ull * SECOND,
		.s = { .page_size = 4096, .mem_total_kib = 1 << 20 },
	};
	zones(free_kib / 4, 1000, 0);
	room_look(&f.t.room, f.l.last_ns);
}

/* The machine, some time later. */
static void falls_to(uint64_t free_kib)
{
	f.l.last_ns += SECOND;
	zones(free_kib / 4, 1000, 0);
}

static int see(uint32_t type)
{
	return triggers_see(&f.t, &(struct event){ .type = type, .tid = 7 });
}

static void log_kill(const char *limit, uint64_t tid)
{
	give(&f.t.log.fd, "6,1,2,-;oom-kill:constraint=CONSTRAINT_%s,task=a,"
	     "pid=%lu,uid=0\n", limit, tid);
}

/* "LIMIT FIRST LAST": kills of these tasks, each in a read of its own, as
 * /dev/kmsg has it. */
static void kills(const char *rest)
{
	unsigned long tid, last;
	char limit[8];

	must(sscanf(rest, "%7s %lu %lu", limit, &tid, &last) == 3);
	for (; tid <= last; tid++) {
		log_kill(limit, tid);
		oom_log_read(&f.t.log);
	}
}

/* Whose limit the kills of all these tasks were for. */
static void limits(uint32_t tid, uint32_t last, char *out)
{
	static const char *const names[] = {
		[LIMIT_UNKNOWN] = "unknown", [LIMIT_MACHINE] = "the machine's",
		[LIMIT_GROUP] = "a cgroup's",
	};
	const enum oom_limit limit = oom_log_limit(&f.t.log, tid);

	while (tid++ < last)
		must(oom_log_limit(&f.t.log, tid) == limit);
	append(out, "%s", names[limit]);
}

static int happens(const char *word, const unsigned long *n, const char *rest)
{
	if (!strcmp(word, "free"))
		machine(n[0]);
	else if (!strcmp(word, "zones"))
		zones(n[0], n[1], n[2]);
	else if (!strcmp(word, "unknown"))
		no_zones();
	else if (!strcmp(word, "look"))
		room_look(&f.t.room, n[0] * MS);
	else if (!strcmp(word, "falls"))
		falls_to(n[0]);
	else if (!strcmp(word, "later"))
		f.l.last_ns += (uint64_t)n[0] * SECOND;
	else if (!strcmp(word, "reclaim"))
		see(EVENT_LOW);
	else if (!strcmp(word, "log"))
		log_kill(rest, 7);
	else if (!strcmp(word, "kills"))
		kills(rest);
	else if (!strcmp(word, "meminfo"))
		give(&f.t.meminfo_fd, "%s", rest);
	else
		return 0;
	return 1;
}

/* What happens, or what is asked: then the answer. */
static void step(const char *text, char *out)
{
	unsigned long n[3] = { 0 };
	char word[16], rest[128] = "";

	must(sscanf(text, " %15s %127[^;]", word, rest) >= 1);
	sscanf(rest, "%lu %lu %lu", n, n + 1, n + 2);
	if (happens(word, n, rest))
		return;
	append(out, "%s", *out ? ", " : "");
	if (!strcmp(word, "whose"))
		append(out, triggers_kill_in_group(&f.t, &f.l, &f.s, 7) ?
		       "a cgroup's" : "the machine's");
	else if (!strcmp(word, "low"))
		append(out, triggers_memory_low(&f.t, &f.l, &f.s) ?
		       "low" : "not low");
	else if (!strcmp(word, "limits"))
		limits((uint32_t)n[0], (uint32_t)n[1], out);
	else if (!strcmp(word, "room"))
		append(out, "%lu", (unsigned long)room_pages(
			&f.t.room, n[0], n[1], n[2] * MS));
	else
		must(0);
}

static void test_rate(void)
{
	uint32_t lines = 0, kills = 0, last = 0;

	machine(512 << 10);
	for (uint64_t ms = 0; ms < 60000; ms += 10) {
		uint32_t n = triggers_group_kills(&f.t, f.l.last_ns +
						  ms * 1000000);

		lines += n != 0;
		kills += n;
		last = n ? n : last;
	}
	tap_ok(lines == 6, "6,000 kills in a minute: 6 lines");
	tap_ok(last == 1000 && kills == 5001,
	       "each tells of all kills since the one before");
}

static void test_falling(void)
{
	uint32_t times = 0;

	machine(131072 + 4000);
	tap_ok(!triggers_memory_falls(&f.t, &f.l, &f.s), "an eighth is free");
	for (uint64_t kib = 131072; kib; kib -= 4) {
		falls_to(kib - 4 + 4000);
		times += (uint32_t)triggers_memory_falls(&f.t, &f.l, &f.s);
	}
	tap_ok(times == 16, "less: at each half of it, down to nothing");
	falls_to(1 << 20);
	triggers_memory_falls(&f.t, &f.l, &f.s);
	falls_to(4004);
	tap_ok(!triggers_memory_falls(&f.t, &f.l, &f.s), "once each");
}

/* How many of these kills cause a report. */
static unsigned int reports(unsigned int kills, uint64_t apart_ns)
{
	unsigned int n = 0;

	machine(40 << 10);
	for (unsigned int i = 0; i < kills; i++)
		n += (unsigned int)triggers_oom_is_due(
			&f.t, f.l.last_ns + i * apart_ns);
	return n;
}

static void test_kills(void)
{
	machine(512 << 10);
	tap_ok(see(EVENT_VICTIM) == 1, "a victim must be answered at once");
	tap_ok(reports(1, 0) == 1, "a kill: a report");
	tap_ok(triggers_oom_was_now(&f.t, f.l.last_ns + 2 * SECOND - 1) &&
	       !triggers_oom_was_now(&f.t, f.l.last_ns + 2 * SECOND),
	       "which is over after two seconds");
	tap_ok(reports(6, 2 * SECOND - 1) == 1, "a series: one report");
	tap_ok(reports(7, 2 * SECOND - 1) == 2, "another after ten seconds");
	tap_ok(reports(6, 2 * SECOND) == 6, "kills apart: one each");
}

/* --- tracer.c --- */

static struct machine {
	struct tracer t;
	struct config c;
	uint32_t victims, reports, lines, areas;
	char done[OUTCOME_BYTES];	/* for a kill, in this order */
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
	append(fake.done, " report,");
}

static void faked_engine_describe(struct engine *g, const char *reason)
{
	(void)g;
	append(fake.done, " %s,", reason);
}

static void faked_room_look()
{
	append(fake.done, " look,");
}

static void faked_room_emit()
{
	append(fake.done, " emit,");
}

static void faked_status_say()
{
	fake.lines++;
}

static void faked_engine_take(struct engine *g, const struct event *e)
{
	(void)g;
	append(fake.done, e->type != EVENT_LOW_REPORTED ? " event %u," :
	       e->flags & EVENT_NO_GROUP ? " a kill," : " low,", e->type);
}

/* tracer.c once more, on these, since no machine shall
 * run out of memory for a test. */
#define engine_take faked_engine_take
#define engine_begin faked_engine_begin
#define engine_next faked_engine_next
#define engine_settle nothing
#define engine_follow_ram nothing
#define engine_describe faked_engine_describe
#define engine_sample_areas faked_engine_sample_areas
#define engine_sample_lists nothing
#define engine_sample_memory nothing
#define reporter_prepare_oom nothing
#define status_say faked_status_say
#define reporter_write_oom faked_reporter_write_oom
#define room_look faked_room_look
#define room_emit faked_room_emit
#include "tracer/tracer.c"

/* Of 1 GiB, 1 MiB is free, and the watermarks are below that. */
static void machine_with(enum oom oom)
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
	triggers_init(&fake.t.triggers, 0);
}

static void drain_at(uint64_t now_ns, uint32_t victims)
{
	fake.victims = victims;
	drain(&fake.t, now_ns);
}

static void test_mode(enum oom oom, const char *name, uint32_t reports,
		      uint32_t lines, const char *done)
{
	machine_with(oom);
	drain_at(100 * (uint64_t)SECOND, 0);
	tap_ok(fake.areas == 1 && !fake.reports && !fake.lines,
	       "oom=%s: areas are looked at as long as nobody is killed", name);
	fake.done[0] = '\0';
	drain_at(101 * (uint64_t)SECOND, 1);
	tap_ok(fake.reports == reports && fake.lines == lines &&
	       !strcmp(fake.done, done),
	       "oom=%s: a kill: %u reports, %u lines:%s", name, fake.reports,
	       fake.lines, fake.done);
	drain_at(101 * (uint64_t)SECOND + (uint64_t)SECOND / 2, 0);
	tap_ok(fake.areas == 1, "oom=%s: no file is opened right after it",
	       name);
	drain_at(101 * (uint64_t)SECOND + (uint64_t)SECOND / 2, 1);
	tap_ok(fake.reports == reports &&
	       fake.lines == (oom == OOM_OFF ? 0 : lines + 1),
	       "oom=%s: another kill soon is %s", name,
	       oom == OOM_OFF ? "nothing" : "a line");
	drain_at(104 * (uint64_t)SECOND, 0);
	tap_ok(fake.areas == 2, "oom=%s: later it is", name);
}

static void test_low(void)
{
	machine_with(OOM_REPORT);
	oom_answer_low(&fake.t);
	tap_ok(fake.reports == 1 && !fake.t.engine.session.low &&
	       !strcmp(fake.done, " look, emit, memory is low, report, low,"),
	       "little memory is left:%s", fake.done);
}

int main(void)
{
	each_step("triggers", NULL, step);
	test_rate();
	test_falling();
	test_kills();
	test_mode(OOM_REPORT, "report", 1, 0, " a kill, look, emit, OOM kill "
		  "of (other)[77], report,");
	test_mode(OOM_LINE, "line", 0, 1, " a kill,");
	test_mode(OOM_OFF, "off", 0, 0, " a kill,");
	test_low();
	return tap_plan_done();
}
