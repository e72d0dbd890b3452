/*
 * ledger/timeline.c: points in bounded number over any length of time, the
 * moment of least free memory, and who held most in each.
 */
#include "../../applet/report/select.h"
#include "ledger_fixture.h"

#define MS UINT64_C(1000000)

/* The fixture's clock counts on from the event before. */
static void sample_at(struct fixture *f, uint64_t time_ns, uint64_t free_pages)
{
	struct event e = { .type = EVENT_MEMORY, .free_pages = free_pages };

	f->now_ns = time_ns - 1;
	apply(f, &e);
}

static int holds_most(const struct largest *k, const uint32_t pages[LARGEST])
{
	for (uint32_t i = 0; i < LARGEST; i++)
		if (k[i].pages != pages[i])
			return 0;
	return 1;
}

static void test_step(void)
{
	struct fixture *f = fixture_new();
	const struct timeline *t = &f->ledger.timeline;

	tap_ok(t->points == 0, "without a sample there is no point");
	sample_at(f, 5 * MS, 1000);
	tap_ok(t->points == 1 && t->point[0].time_ns == 5 * MS &&
	       t->point[0].free_pages == 1000, "the first is one");
	sample_at(f, 15 * MS - 1, 900);
	tap_ok(t->points == 1, "the next not before a step");
	sample_at(f, 15 * MS, 800);
	tap_ok(t->points == 2 && t->point[1].time_ns == 15 * MS, "then it is");
	sample_at(f, UINT64_C(1) << 60, 700);
	tap_ok(t->points == 3, "a long silence is one step");
	balance(f, "steps");
}

static void test_halving(void)
{
	struct fixture *f = fixture_new();
	const struct timeline *t = &f->ledger.timeline;
	uint32_t wrong = 0, most = 0;

	for (uint32_t i = 0; i < TIMELINE_POINTS; i++)
		sample_at(f, (1 + 10 * i) * MS, 1000 + i);
	tap_ok(t->points == TIMELINE_POINTS && t->step_ns == 10 * MS,
	       "all points are used");
	sample_at(f, (1 + 10 * TIMELINE_POINTS) * MS, 5);
	for (uint32_t i = 0; i < TIMELINE_POINTS / 2; i++)
		wrong += t->point[i].time_ns != (1 + 20 * i) * MS ||
			 t->point[i].free_pages != 1000 + 2 * i;
	tap_ok(!wrong && t->points == TIMELINE_POINTS / 2 + 1 &&
	       t->step_ns == 20 * MS && t->point[t->points - 1].free_pages == 5,
	       "one more: every second goes, the step doubles");
	sample_at(f, (11 + 10 * TIMELINE_POINTS) * MS, 4);
	tap_ok(t->points == TIMELINE_POINTS / 2 + 1, "and holds from then on");
	for (uint64_t at = 2000; at < 400000; at += 7) {
		sample_at(f, at * MS, at);
		most = t->points > most ? t->points : most;
	}
	for (uint32_t i = 1; i < t->points; i++)
		wrong += t->point[i].time_ns - t->point[i - 1].time_ns <
			 t->step_ns;
	tap_ok(!wrong && most == TIMELINE_POINTS &&
	       t->points > TIMELINE_POINTS / 2 - 1 &&
	       t->point[0].time_ns == MS && t->step_ns == 5120 * MS,
	       "over 400 s too: %u points, %u ms apart", t->points,
	       (unsigned int)(t->step_ns / MS));
	balance(f, "halving");
}

static void test_lowest(void)
{
	struct fixture *f = fixture_new();
	const struct moment *m = &f->ledger.timeline.lowest;

	sample_at(f, 1 * MS, 1000);
	take(f, 50, 0, 2);
	sample_at(f, 2 * MS, 900);
	take(f, 50, 16, 3);
	sample_at(f, 3 * MS, 900);
	tap_ok(m->time_ns == 2 * MS && m->free_pages == 900 &&
	       m->traced_pages == 4 && f->ledger.free_lowest_ns == 2 * MS,
	       "the first of equal moments, between points too");
	sample_at(f, 4 * MS, 1);
	sample_at(f, 5 * MS, 2000);
	tap_ok(m->free_pages == 1 && m->traced_pages == 12 &&
	       f->ledger.timeline.points == 1, "what was lowest stays");
	balance(f, "lowest");
}

static void test_largest(void)
{
	static const uint32_t tasks[] = { 16, 8, 4 }, modules[] = { 48, 40, 2 };
	struct fixture *f = fixture_new();
	struct moment m;

	for (uint32_t i = 0; i < 5; i++) {
		char name[8];

		snprintf(name, sizeof(name), "m%u", i);
		task_event(f, EVENT_LOAD_ENTER, 20 + i, 20 + i, "");
		if (i != 2)
			take(f, 20 + i, 64 * i, i);
		if (i == 1 || i == 3) {
			struct event e = { .type = EVENT_BULK, .tid = 20 + i,
				.tgid = 20 + i, .pages = i == 1 ? 38 : 40 };

			apply(f, &e);
			e.type = EVENT_AREA_ALLOC;
			e.base = 0x10000 * i;
			apply(f, &e);
		}
		if (i == 4)	/* the large one goes */
			give(f, 24, 64 * 4, 4);
		task_event(f, EVENT_MODULE_LOAD, 20 + i, 20 + i, name);
		load_exit(f, 20 + i, 20 + i, 0);
	}
	take(f, 30, 1024, 4);	/* of no module */
	take(f, 31, 2048, 2);
	page_event(f, EVENT_ALLOC, 0, 0, FIRST_PFN + 4096, 0);
	sample_at(f, 7 * MS, 77);
	m = f->ledger.timeline.lowest;
	tap_ok(holds_most(m.task, tasks), "the three largest tasks, in order");
	tap_ok(m.module[0].pages == modules[0] &&
	       m.module[1].pages == modules[1],
	       "modules with their image and areas, not (no module): %u %u",
	       m.module[0].pages, m.module[1].pages);
	tap_ok(!strcmp(moment_name(&f->ledger, TABLE_MODULES, &m, 0), "m3") &&
	       !strcmp(moment_name(&f->ledger, TABLE_MODULES, &m, 1), "m1"),
	       "and their names");
	tap_ok(m.vmalloc_pages == 78, "what areas held");
	f->ledger.tasks.row[m.task[0].row].start_ns = 7 * MS + 1;
	f->ledger.modules.row[m.module[0].row].load_ns = 7 * MS + 1;
	tap_ok(!strcmp(moment_name(&f->ledger, TABLE_TASKS, &m, 0), "(gone)") &&
	       !strcmp(moment_name(&f->ledger, TABLE_MODULES, &m, 0),
		       "(gone)"), "a row that began later is another's");
	balance(f, "largest");
}

int main(void)
{
	test_step();
	test_halving();
	test_lowest();
	test_largest();
	return tap_plan_done();
}
