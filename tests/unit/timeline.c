/* SPDX-License-Identifier: MIT */
/*
 * ledger/timeline.c and report/moment.c: points in bounded number over any
 * length of time, and who held most in each, and at the peak.
 */
#include "ledger/snapshot.h"
#include "report/moment.h"
#include "report/names.h"
#include "ledger_fixture.h"

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

static void test_sampled(void)
{
	struct fixture *f = fixture_new();
	const struct ledger *l = &f->ledger;

	sample_at(f, 1 * MS, 1000);
	sample_at(f, 2 * MS, 900);
	sample_at(f, 3 * MS, 900);
	tap_ok(l->free_lowest_pages == 900 && l->free_lowest_ns == 2 * MS &&
	       l->timeline.points == 1, "the first of equal samples");
	balance(f, "samples");
}

/* A report's lines of moments, each ended by a newline; all fit. */
struct text {
	struct out out;		/* first: it takes lines */
	size_t len;
	char text[4096];
};

static void add_line(struct out *o, const char *line, size_t len)
{
	struct text *t = (struct text *)o;

	if (len + 2 > sizeof(t->text) - t->len)
		abort();
	memcpy(t->text + t->len, line, len);
	t->len += len;
	t->text[t->len++] = '\n';
}

static void print(struct fixture *f, struct text *t,
		  void (*write)(struct sheet *s))
{
	const struct session session = { .page_size = 4096 };
	const struct report r = {
		.ledger = &f->ledger, .session = &session, .level = 3,
	};

	*t = (struct text){ .out.line = add_line };
	sheet_report(&r, &t->out, ESCAPE_TEXT, write);
}

/* Five that load a module each, with areas of two; and who loads none. */
static void load_five(struct fixture *f)
{
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
}

static void check_largest(const struct ledger *l, const struct moment *m,
			  const char *what)
{
	static const uint32_t tasks[] = { 16, 8, 4 }, modules[] = { 48, 40, 1 };

	tap_ok(holds_most(m->task, tasks),
	       "%s: the three largest tasks, in order", what);
	tap_ok(holds_most(m->module, modules),
	       "%s: modules with their image and areas, not (no module): "
	       "%u %u %u", what, m->module[0].pages, m->module[1].pages,
	       m->module[2].pages);
	tap_ok(!strcmp(row_name(l, TABLE_MODULES, m->module[0].row), "m3") &&
	       !strcmp(row_name(l, TABLE_MODULES, m->module[1].row), "m1"),
	       "%s: and their names", what);
	tap_ok(m->vmalloc_pages == 78, "%s: what areas held", what);
}

static void test_largest(void)
{
	struct fixture *f = fixture_new();
	struct ledger *l = &f->ledger;
	struct moment m, peak;
	struct text t;

	load_five(f);
	sample_at(f, 7 * MS, 77);
	m = l->timeline.point[0];
	snapshot_peak(l, &peak);
	check_largest(l, &m, "at a sample");
	check_largest(l, &peak, "at the peak");
	print(f, &t, moment_timeline);
	tap_ok(strstr(t.text, "; m3 192K, m1 160K, m0 4K; ") != NULL,
	       "names stand with what they held");
	l->tasks.row[m.task[0].row].start_ns = m.time_ns;
	l->modules.row[m.module[0].row].load_ns = m.time_ns;
	print(f, &t, moment_timeline);
	tap_ok(!strstr(t.text, "(gone)"),
	       "a row that began with the point is its own");
	print(f, &t, moment_peak);
	tap_ok(strstr(t.text, "; (gone) 192K, m1 160K, ") &&
	       strstr(t.text, "; (gone) 64K, "),
	       "a row that began after the peak is another's");
	l->tasks.row[m.task[0].row].start_ns++;
	l->modules.row[m.module[0].row].load_ns++;
	print(f, &t, moment_timeline);
	tap_ok(strstr(t.text, "; (gone) 192K, m1 160K, ") &&
	       strstr(t.text, "; (gone) 64K, "), "or after a point");
	balance(f, "largest");
}

int main(void)
{
	test_step();
	test_halving();
	test_sampled();
	test_largest();
	return tap_plan_done();
}
