/* SPDX-License-Identifier: MIT */
/*
 * report/advice.c, saves.c and the balance, by way of figures.c: what free memory
 * was at the least, how much is advised, what would save some (cases/advice);
 * the bounds at which advice is given; swap. Moments, needs, savings and parts are
 * compared with a model by tests/replay/cases.t and random.t.
 */
#include <inttypes.h>
#include "report/report.h"
#include "report/parts.h"
#include "cases.h"
#include "ledger_fixture.h"

#define MIB_PAGES UINT64_C(256)

static void fall(struct fixture *f)
{
	f->ledger.fall_most = (int64_t)(f->ledger.free_start_pages -
					f->ledger.free_lowest_pages);
}

/* So much was free at the start, and is now; none of it explained. The machine
 * has so much memory, by its own account. */
static struct fixture *fallen(uint64_t start, uint64_t now)
{
	struct fixture *f = fixture_new();

	f->session = (struct session){
		.page_size = 4096, .mem_total_kib = 50000,
	};
	f->report = (struct report){
		.ledger = &f->ledger, .session = &f->session,
	};
	f->ledger.memory_sampled = 1;
	f->ledger.free_start_pages = start;
	f->ledger.free_now_pages = f->ledger.free_lowest_pages = now;
	fall(f);
	return f;
}

/* Until the next call. */
static const uint64_t *figures(struct fixture *f)
{
	static uint64_t value[FIGURES];

	figures_get(&f->report, value);
	return value;
}

/* `permille` of 2000 pages are explained. */
static const uint64_t *explained(struct fixture *f, uint32_t permille)
{
	f->ledger.traced.now = 2 * permille;
	return figures(f);
}

static int reliable(struct fixture *f, uint32_t permille)
{
	return explained(f, permille)[FIGURE_ADVICE_KIB] != UNKNOWN;
}

static void test_advice(void)
{
	struct fixture *f = fallen(10000, 8000);
	uint32_t wrong = 0;

	f->ledger.growth.start_pages = 64 * MIB_PAGES;
	/* 33536 KiB were used: 419 pages are a 20th. */
	for (uint32_t permille = 750; permille <= 1250; permille++)
		wrong += reliable(f, permille) !=
			 (permille >= 791 && permille <= 1209);
	tap_ok(!wrong, "the rest is a 20th of what was used, not more");
	free(f);
	f = fallen(0, 0);
	f->ledger.memory_sampled = 0;
	tap_ok(!reliable(f, 1000), "nor without samples");
	free(f);
}

/* The kernel has given out so many pages; records of this many events were
 * lost. Returns what may be needed beyond the advice; UNKNOWN: no advice. */
static uint64_t more_kib(struct fixture *f, uint64_t handed, uint64_t lost)
{
	const uint64_t *v;

	if (lost)
		apply(f, &(struct event){ .type = EVENT_LOST, .lost = lost });
	if (handed)
		apply(f, &(struct event){ .type = EVENT_HANDED,
					  .pages = handed });
	v = figures(f);
	return v[FIGURE_ADVICE_KIB] == UNKNOWN ?
	       UNKNOWN : advice_more_kib(&f->report, v);
}

/* 1024 pages were seen, half of them in bulk, and 16 MiB are 17 MiB with a
 * twentieth more: 16 or 20 in steps of 4. What is not explained may be of lost
 * records. */
static void test_lost(void)
{
	struct fixture *f = fallen(10000, 8000);
	uint64_t most;

	f->ledger.growth.start_pages = 64 * MIB_PAGES;
	f->ledger.total.alloc_pages = f->ledger.areas.bulk_pages = 512;
	f->ledger.traced.now = 1488;
	tap_ok(more_kib(f, 0, 0) == 0 && more_kib(f, 0, 7) == UNKNOWN &&
	       !strcmp(no_advice(&f->ledger), "records were lost"),
	       "no advice if nobody knows how many pages were lost");
	tap_ok(more_kib(f, 1024, 0) == 0 && more_kib(f, 99, 0) == 0,
	       "lost records of no allocation: the advice as it is");
	most = more_kib(f, 1024 + 4096, 0);
	tap_ok(most == 16 << 10 || most == 20 << 10,
	       "at most 4096 pages more, and a twentieth of them: %" PRIu64
	       "K", most);
	tap_ok(more_kib(f, 0, 1) == UNKNOWN, "until more records are lost");
	f->ledger.traced.now = 0;
	tap_ok(more_kib(f, 1024, 0) == UNKNOWN &&
	       more_kib(f, 1024 + 2000, 0) != UNKNOWN,
	       "the rest is a 20th, or no more than that and what was lost");
	free(f);
}

/* A field of the ledger, in pages, by its name in cases/advice. */
static uint64_t *field(struct ledger *l, const char *name)
{
	const struct {
		const char *name;
		uint64_t *pages;
	} t[] = {
		{ "ram", &l->growth.start_pages },
		{ "now", &l->free_now_pages },
		{ "lowest", &l->free_lowest_pages },
		{ "peak", &l->used_peak_pages },
		{ "lists at first", &l->pcp_start_pages },
		{ "lists", &l->pcp_now_pages },
		{ "lost", &l->total.lost },
		{ "watermarks", &l->kept_pages[KEPT_MARKS] },
		{ "movable", &l->kept_pages[KEPT_APART] },
		{ "contiguous", &l->kept_pages[KEPT_CMA] },
		{ "contiguous at least", &l->cma_least_pages },
		{ "anonymous", &l->need.anon }, { "tmpfs", &l->need.shmem },
	};

	for (size_t i = 0; i < ARRAY_LEN(t); i++)
		if (!strcmp(name, t[i].name))
			return t[i].pages;
	return NULL;
}

/* A figure, or a row `ram` whose name has its group in front. */
static void add(struct fixture *f, const char *name, uint64_t kib)
{
	static const struct {
		const char *name;
		uint32_t group;
	} groups[] = {
		{ "sum: ", RAM_SUM }, { "reserved: ", RAM_RESERVED },
		{ "before: ", RAM_BEFORE },
	};
	struct event e = { .type = EVENT_FIGURE, .size = kib * 1024 };

	for (size_t i = 0; i < ARRAY_LEN(groups); i++)
		if (!strncmp(name, groups[i].name, strlen(groups[i].name))) {
			e.type = EVENT_RAM;
			e.flags = groups[i].group;
			name += strlen(groups[i].name);
		}
	snprintf(e.name, sizeof(e.name), "%s", name);
	apply(f, &e);
}

/* "NAME NUMBER, ...": of pages, K or M. */
static void tell(struct fixture *f, const char *text)
{
	char name[64], unit;
	uint64_t number, *pages;
	int len;

	for (; *text; text += strspn(text, ", ")) {
		must(sscanf(text, "%63[^0-9]%" SCNu64 "%n", name, &number,
			    &len) == 2);
		name[strlen(name) - 1] = '\0';
		text += len;
		unit = *text;
		text += unit == 'K' || unit == 'M';
		pages = field(&f->ledger, name);
		if (unit == 'M')
			number <<= 10;
		if (!strcmp(name, "ranges"))
			f->ledger.pages.ram.count = (uint32_t)number;
		else if (!pages)
			add(f, name, number);
		else
			*pages = unit == 'K' || unit == 'M' ? number / 4 :
							      number;
	}
	fall(f);
}

/* What is advised, and what would save some of it, the largest first. */
static void words_of(const struct report *r, const uint64_t *v, char *out)
{
	static const char *const names[] = {
		[SAVES_INITRAMFS] = "initramfs", [SAVES_CPUS] = "CPUs",
		[SAVES_CRASHKERNEL] = "crashkernel", [SAVES_HUGE] = "huge pages",
		[SAVES_NODES] = "nodes", [SAVES_KFENCE] = "kfence",
		[SAVES_CMA] = "contiguous", [SAVES_KMEM] = "nokmem",
		[SAVES_ROOTFS] = "rootfs",
	};
	struct saving best[SAVES_MAX];
	struct verdict verdict;
	unsigned int found;

	verdict_get(r, &verdict);
	found = saves_get(r, &verdict, v, best);

	if (v[FIGURE_ADVICE_KIB] == UNKNOWN)
		append(out, "nothing");
	else
		append(out, "%" PRIu64 "M", v[FIGURE_ADVICE_KIB] >> 10);
	for (unsigned int i = 0; i < found; i++)
		append(out, ", %s %" PRIu64 "K of %" PRIu64 "K",
		       names[best[i].what], best[i].kib, best[i].of_kib);
}

static void test_case(struct cases *c)
{
	struct fixture *f = fallen(10000, 8000);
	char out[OUTCOME_BYTES] = "";
	const uint64_t *v;

	f->ledger.growth.start_pages = 64 * MIB_PAGES;
	tell(f, c->text);
	if (!strcmp(c->reader, "need")) {	/* all was free at first */
		f->ledger.free_start_pages =
			f->ledger.growth.start_pages;
		f->ledger.free_now_pages = f->ledger.free_start_pages - 2000;
		fall(f);
	}
	v = explained(f, 1000);
	if (!strcmp(c->reader, "lowest"))
		append(out, "%" PRIu64 "K, sampled %" PRIu64 "K",
		       v[FIGURE_LOWEST_KIB], v[FIGURE_FREE_LOWEST_KIB]);
	else if (!strcmp(c->reader, "total"))
		append(out, "%" PRIu64 "K, used %" PRIu64 "K",
		       v[FIGURE_RAM_PEAK_KIB], v[FIGURE_USED_KIB]);
	else if (!strcmp(c->reader, "idle"))
		append(out, "%" PRIu64 "M", v[FIGURE_KEPT_KIB] >> 10);
	else if (!strcmp(c->reader, "need"))
		append(out, "%" PRIu64 "K, ", v[FIGURE_NEED_KIB]);
	if (!strcmp(c->reader, "need") || !strcmp(c->reader, "advice"))
		words_of(&f->report, v, out);
	case_is(c, out);
	free(f);
}

/* Pages that task 1 takes, without a chain or with one. */
static void takes(struct fixture *f, uint32_t pages, uint32_t frames)
{
	for (; pages; pages--)
		apply(f, &(struct event){
			.type = EVENT_ALLOC, .pfn = f->next_pfn++, .tid = 1,
			.chain_len = frames, .chain = { 0xffffffff81000100 } });
}

static void test_sample(void)
{
	struct fixture *f = fallen(30000, 30000);
	struct ledger *l = &f->ledger;

	apply(f, &(struct event){ .type = EVENT_AVAILABLE });
	tap_ok(need_sample_due(&l->need, 0) == 0, "no sample is due");
	takes(f, 9, 0);
	tap_ok(need_sample_due(&l->need, 8) && !need_sample_due(&l->need, 9),
	       "it is due after so many pages more");
	free(f);
}

/* Of anonymous memory for which swap has room a part is needed, at earlier
 * moments too; what swap has taken meanwhile is in use or gone. */
static void test_swap(void)
{
	static const struct {
		uint32_t anon, alloc;		/* pages */
		uint64_t swap, frees;
		int64_t worst;
	} t[] = {
		{ 1000, 0, 4000, 0, 1000 },	/* nobody knows yet */
		{ 500, 100, 4000, 0, 1600 },
		{ 0, 0, 4000, 512, 850 },	/* half of 1500 */
		{ 0, 0, 4000, 256, 1225 },
		{ 0, 50, 300, 256, 1575 },	/* there is room for 300 */
	};
	struct fixture *f = fallen(30000, 30000);
	struct ledger *l = &f->ledger;

	for (uint32_t i = 0; i < ARRAY_LEN(t); i++) {
		kept(f, KEPT_SWAP, t[i].swap);
		if (t[i].frees)
			kept(f, KEPT_SWAP_FREES, t[i].frees);
		takes(f, t[i].anon, 0);
		takes(f, t[i].alloc, 1);
		apply(f, &(struct event){ .type = EVENT_AVAILABLE });
		tap_ok(l->need.worst == t[i].worst, "swap: %d pages are needed",
		       (int)l->need.worst);
	}
	apply(f, &(struct event){ .type = EVENT_MEMORY, .free_pages = 28000 });
	tap_ok(l->timeline.points == 1 &&
	       need_at(&l->need, l->timeline.point->hard_pages,
		       l->timeline.point->swappable_pages) == 1575,
	       "swap: so many at a point of the timeline too");
	free(f);
}

/* The savings that are advised. */
static unsigned int saved(struct fixture *f, struct saving best[SAVES_MAX])
{
	struct verdict v;

	f->ledger.growth.start_pages = 64 * MIB_PAGES;
	verdict_get(&f->report, &v);
	return saves_get(&f->report, &v, explained(f, 1000), best);
}

/* Of contiguous memory what was free at each look. */
static void test_saves_of_looks(void)
{
	static const uint64_t free_pages[] = { 2000, 1500, 2100 };
	struct saving best[SAVES_MAX];
	struct fixture *f = fallen(10000, 8000);

	add(f, BASELINE_CMA, 9000);
	for (size_t i = 0; i < ARRAY_LEN(free_pages); i++)
		kept(f, KEPT_CMA, free_pages[i]);
	tap_ok(saved(f, best) == 1 && best->what == SAVES_CMA &&
	       best->kib == 6000, "the least free contiguous memory");
	free(f);
}

int main(void)
{
	each_case("advice", NULL, test_case);
	test_advice();
	test_lost();
	test_sample();
	test_swap();
	test_saves_of_looks();
	return tap_plan_done();
}
