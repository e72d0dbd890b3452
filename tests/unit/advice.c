/* SPDX-License-Identifier: MIT */
/*
 * report/advice.c and balance.c, by way of figures.c: the bounds at which
 * advice is given, and of how much memory; what free memory was at the least;
 * what is too little to be a saving; parts of a fall that add up, whatever they
 * are. Moments, savings and parts are compared with a model by
 * tests/replay/cases.t and random.t.
 */
#include "report/advice.h"
#include "report/figures.h"
#include "report/line.h"
#include "report/saves.h"
#include "ledger_fixture.h"
#include "random.h"

#define MIB_PAGES UINT64_C(256)

/* So much was free at the start, and is now; none of it explained. */
static struct fixture *fallen(uint64_t start, uint64_t now)
{
	struct fixture *f = fixture_new();

	f->ledger.memory_sampled = 1;
	f->ledger.free_start_pages = start;
	f->ledger.free_now_pages = f->ledger.free_lowest_pages = now;
	return f;
}

/* Of a machine with so much memory, by its own account. */
static struct report report_of(struct fixture *f)
{
	static const struct session session = {
		.page_size = 4096, .mem_total_kib = 50000,
	};

	return (struct report){ .ledger = &f->ledger, .session = &session };
}

/* Until the next call. */
static const uint64_t *figures(struct fixture *f)
{
	static uint64_t value[FIGURES];
	const struct report r = report_of(f);

	figures_get(&r, value);
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
	const uint64_t *v;
	uint32_t wrong = 0;

	f->ledger.pages.ram.range[0].count_pages = 64 * MIB_PAGES;
	/* 33536 KiB were used: 419 pages are a 20th. */
	for (uint32_t permille = 750; permille <= 1250; permille++)
		wrong += reliable(f, permille) !=
			 (permille >= 791 && permille <= 1209);
	tap_ok(!wrong, "the rest is a 20th of what was used, not more");
	v = explained(f, 1000);
	tap_ok(v[FIGURE_TOTAL_KIB] == 65536 && v[FIGURE_LOWEST_KIB] == 32000 &&
	       v[FIGURE_USED_KIB] == 33536 && v[FIGURE_ADVICE_KIB] == 36 << 10,
	       "what was used at most, a twentieth more, in steps of 4 MiB");
	f->ledger.total.lost = 1;
	tap_ok(!reliable(f, 1000) && v[FIGURE_LOWEST_KIB] == 32000 &&
	       v[FIGURE_USED_KIB] == 33536,
	       "not with a record lost, but what was used");
	f->ledger.total.lost = 0;
	f->ledger.free_now_pages = 10001;
	tap_ok(!reliable(f, 1000), "nor where nothing fell");
	free(f);
	f = fixture_new();
	tap_ok(!reliable(f, 1000), "nor without samples");
	free(f);
}

/* Of free memory: what was sampled, or what the account has. */
static void test_lowest(void)
{
	static const struct {
		uint64_t sampled, used_peak, pcp_start, pcp_now, lowest;
		const char *name;
	} t[] = {
		{ 8000, 0, 0, 0, 8000, "sampled, nothing was used" },
		{ 8000, 1999, 0, 0, 8000, "sampled, the peak was higher" },
		{ 8000, 2001, 0, 0, 7999, "the peak, that samples missed" },
		{ 8000, 10000, 0, 0, 0, "the peak, all that was free" },
		{ 8000, 10001, 0, 0, 8000,
		  "sampled: no more can have been used" },
		{ 0, 9999, 0, 0, 0, "sampled: none at all" },
		{ 1000, 0, 30, 20, 1020,
		  "at least so many were free on per-CPU lists" },
	};
	struct fixture *f = fallen(10000, 8000);

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		const uint64_t *v;

		f->ledger.free_lowest_pages = t[i].sampled;
		f->ledger.used_peak_pages = t[i].used_peak;
		f->ledger.pcp_start_pages = t[i].pcp_start;
		f->ledger.pcp_now_pages = t[i].pcp_now;
		v = figures(f);
		tap_ok(v[FIGURE_LOWEST_KIB] == t[i].lowest * 4 &&
		       v[FIGURE_FREE_LOWEST_KIB] == t[i].sampled * 4,
		       "lowest: %s", t[i].name);
	}
	free(f);
}

static void test_total(void)
{
	struct fixture *f = fallen(1 << 20, (1 << 20) - 2000);
	struct ram *ram = &f->ledger.pages.ram;
	const uint64_t *v;

	ram->range[0].count_pages = UINT32_MAX;
	f->ledger.free_lowest_pages = 0;
	tap_ok(figures(f)[FIGURE_TOTAL_KIB] == 50000,
	       "all of RAM not known: MemTotal");
	ram->range[0].count_pages = UINT64_MAX / 2;
	ram->range[1].count_pages = 5;
	ram->count = 2;
	v = figures(f);
	tap_ok(v[FIGURE_TOTAL_KIB] == UINT64_MAX &&
	       v[FIGURE_USED_KIB] == UINT64_MAX,
	       "absurd RAM is as much as there are numbers for");
	free(f);
}

/* So many KiB of a figure, or of a row `ram`. */
static void add(struct fixture *f, uint32_t type, uint32_t group,
		const char *name, uint64_t kib)
{
	struct event e = { .type = type, .flags = group, .size = kib * 1024 };

	snprintf(e.name, sizeof(e.name), "%s", name);
	apply(f, &e);
}

/* Of `total_mib` so much was used in all. What would do goes by page structs,
 * less than was used or not, and by what the kernel keeps free. */
static void test_need_and_advice(void)
{
	static const struct {
		uint64_t total_mib;
		int64_t used_kib;
		struct { uint32_t structs, marks, movable, cma; } kib;
		uint64_t need_kib, enough_mib;
		const char *name;
	} t[] = {
		{ 64, 0, { 0 }, 0, 0, "nothing was used" },
		{ 64, -1024, { 0 }, 0, 0, "more is free than there is" },
		{ 1000, 160 << 10, { 0 }, 163840, 168, "160 MiB" },
		{ 1000, 161 << 10, { 0 }, 164864, 172, "161 MiB" },
		{ 64, 64 << 10, { 0 }, 65536, 68, "all" },
		{ 1 << 20, 1 << 30, { 0 }, 1 << 30, 1101008, "all of 1 TiB" },
		/* 300 MiB, a 64th of memory: 300 * 1.05 / (1 - 1.05 / 64) */
		{ 256 << 10, (300 << 10) + (4 << 20), { .structs = 4 << 20 },
		  312324, 324, "256 GiB, but not their page structs" },
		{ 256, 4 << 10, { .structs = 8 << 10 }, 0, 0,
		  "more than all that was used: nothing is left" },
		{ 256, 100 << 10, { .structs = (64 << 10) + 1 }, 102400,
		  108, "more than a quarter is not believed" },
		{ 256, 100 << 10, { .structs = 64 << 10 }, 49984, 52,
		  "a quarter is" },
		/* 1 MiB of 256 is 421 KiB of 105: */
		{ 256, 100 << 10, { .marks = 1024 }, 102821, 108,
		  "the watermarks grow with memory" },
		{ 256, 100 << 10, { .marks = 65536 }, 167936, 176,
		  "more than a 20th of MemTotal was set by hand" },
		{ 256, 100 << 10, { .movable = 65536, .cma = 4096 }, 172032,
		  180, "what is kept free for others" },
	};

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		const uint64_t pages = t[i].total_mib * MIB_PAGES;
		struct fixture *f = fallen(pages, pages - 2000);
		struct ledger *l = &f->ledger;
		const uint64_t *v;

		l->pages.ram.range[0].count_pages = pages;
		l->free_lowest_pages = pages - (uint64_t)(t[i].used_kib / 4);
		add(f, EVENT_FIGURE, 0, BASELINE_PAGE_STRUCTS,
		    t[i].kib.structs);
		l->kept_pages[KEPT_MARKS] = t[i].kib.marks / 4;
		l->kept_pages[KEPT_APART] = t[i].kib.movable / 4;
		l->kept_pages[KEPT_CMA] = t[i].kib.cma / 4;
		v = explained(f, 1000);
		tap_ok(v[FIGURE_NEED_KIB] == t[i].need_kib &&
		       v[FIGURE_ADVICE_KIB] == t[i].enough_mib << 10,
		       "%s: %u KiB are needed, %u MiB advised", t[i].name,
		       (unsigned)v[FIGURE_NEED_KIB],
		       (unsigned)(v[FIGURE_ADVICE_KIB] >> 10));
		free(f);
	}
}

/* MiB of contiguous memory in all and free now, anonymous memory and tmpfs, idle. */
static void test_idle_cma(void)
{
	static const struct {
		uint32_t all, now, anon, shmem, idle;
	} t[] = {
		{ 64, 64, 0, 0, 64 }, { 64, 64, 30, 10, 24 },
		{ 64, 10, 50, 4, 10 }, { 64, 10, 30, 30, 4 },
		{ 64, 64, 70, 0, 0 }, { 0, 64, 30, 10, 64 },
	};

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct fixture *f = fallen(MIB_PAGES * 256, MIB_PAGES * 100);
		const uint64_t *v;

		if (t[i].all)
			add(f, EVENT_FIGURE, 0, BASELINE_CMA, t[i].all << 10);
		f->ledger.kept_pages[KEPT_CMA] = t[i].now * MIB_PAGES;
		f->ledger.need.anon = t[i].anon * MIB_PAGES;
		f->ledger.need.shmem = t[i].shmem * MIB_PAGES;
		v = explained(f, 1000);
		tap_ok(v[FIGURE_KEPT_KIB] == t[i].idle << 10,
		       "contiguous memory: %u MiB of %u idle", t[i].idle,
		       t[i].now);
		free(f);
	}
}

/* What is read from files can be given back, at any instant as much as was read
 * until then; what else is in use cannot. */
static void test_need(void)
{
	static const struct {
		uint32_t alloc, read, file, shmem;	/* pages */
	} t[] = {
		{ .file = 500 },		/* at the start */
		{ .read = 2000 },		/* flagged as read ahead */
		{ .alloc = 1000 },
		{ .file = 2500, .shmem = 77 },	/* the worst was 1000 - 500 */
		{ .alloc = 100, .file = 700 },	/* of the files 1800 are gone */
	};
	static const int64_t worst[] = { -500, -500, -500, 500, 2400 };
	struct fixture *f = fallen(30000, 30000);
	struct ledger *l = &f->ledger;
	uint64_t pfn = 5000;
	uint32_t wrong = 0;

	for (uint32_t i = 0; i < ARRAY_LEN(t); i++) {
		for (uint32_t n = 0; n < t[i].alloc + t[i].read; n++)
			apply(f, &(struct event){
				.type = EVENT_ALLOC, .pfn = pfn++, .tid = 1,
				.flags = n < t[i].read ? EVENT_AHEAD : 0,
				.chain_len = n < t[i].read,
				.chain = { 0xffffffff81000100 } });
		if (t[i].file)
			apply(f, &(struct event){
				.type = EVENT_AVAILABLE,
				.free_pages = t[i].file, .pages = t[i].shmem });
		wrong += l->need.worst != worst[i];
	}
	tap_ok(!wrong && l->kinds.row[KIND_CACHE].now == 2000,
	       "need: after each sample the worst is %d", (int)l->need.worst);
	tap_ok(need_sample_due(&l->need, 0) == 0, "no sample is due");
	for (uint32_t n = 0; n < 9; n++)
		apply(f, &(struct event){ .type = EVENT_ALLOC, .pfn = pfn++,
					  .tid = 1 });
	tap_ok(need_sample_due(&l->need, 8) && !need_sample_due(&l->need, 9),
	       "it is due after so many pages more");
	free(f);
}

static void tell(struct fixture *f, const char *name, uint64_t pages)
{
	struct event e = { .type = EVENT_KEPT, .pages = pages };

	strcpy(e.name, name);
	apply(f, &e);
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
	uint64_t pfn = 5000;

	for (uint32_t i = 0; i < ARRAY_LEN(t); i++) {
		tell(f, "swap", t[i].swap);
		if (t[i].frees)
			tell(f, "swap-frees", t[i].frees);
		for (uint32_t n = 0; n < t[i].anon + t[i].alloc; n++)
			apply(f, &(struct event){
				.type = EVENT_ALLOC, .pfn = pfn++, .tid = 1,
				.chain_len = n >= t[i].anon,
				.chain = { 0xffffffff81000100 } });
		apply(f, &(struct event){ .type = EVENT_AVAILABLE });
		tap_ok(l->need.worst == t[i].worst, "swap: %d pages are needed",
		       (int)l->need.worst);
	}
	free(f);
}

/* The savings of 48 MiB that are advised, when this much is told. */
static unsigned int saved(struct fixture *f, struct saving best[SAVES_MAX])
{
	const struct report r = report_of(f);

	f->ledger.pages.ram.range[0].count_pages = 64 * MIB_PAGES;
	return saves_get(&r, explained(f, 1000), best);
}

/* Of what is told again and again the least counts: huge pages that were unused at
 * every look, from the first on, and contiguous memory that was free at each. */
static void test_saves_of_looks(void)
{
	static const uint64_t free_pages[] = { 2000, 1500, 2100 };
	struct saving best[SAVES_MAX];
	struct event e = { .type = EVENT_KEPT };
	struct fixture *f = fallen(10000, 8000);

	add(f, EVENT_FIGURE, 0, BASELINE_HUGE, 8192);
	add(f, EVENT_FIGURE, 0, BASELINE_HUGE, 4096);
	add(f, EVENT_FIGURE, 0, BASELINE_HUGE, 8192);
	tap_ok(saved(f, best) == 1 && best->kib == 4096,
	       "huge pages that nobody ever used");
	add(f, EVENT_FIGURE, 0, BASELINE_HUGE, 0);
	tap_ok(!saved(f, best), "they are gone: no saving");
	free(f);

	f = fallen(10000, 8000);
	f->ledger.need.known = 1;
	add(f, EVENT_FIGURE, 0, BASELINE_HUGE, 8192);
	tap_ok(!saved(f, best), "of later than the start: no saving");
	free(f);

	f = fallen(10000, 8000);
	add(f, EVENT_FIGURE, 0, BASELINE_CMA, 9000);
	strcpy(e.name, kept_names[KEPT_CMA]);
	for (size_t i = 0; i < ARRAY_LEN(free_pages); i++) {
		e.pages = free_pages[i];
		apply(f, &e);
	}
	tap_ok(saved(f, best) == 1 && best->what == SAVES_CMA &&
	       best->kib == 6000, "the least free contiguous memory");
	free(f);
}

/* Free memory of CMA is a saving, and so is a part of RAM or a figure; all but
 * one node. */
static void test_saves_of_kernel(void)
{
	static const struct {
		uint32_t type, group;
		const char *name;
		uint64_t kib;
		enum saves_what what;
		uint64_t saved_kib;
	} t[] = {
		{ EVENT_RAM, RAM_RESERVED, RAM_KFENCE, 2048, SAVES_KFENCE,
		  2048 },
		{ EVENT_RAM, RAM_SUM, RAM_KMEM, 4096, SAVES_KMEM, 4096 },
		{ EVENT_RAM, RAM_RESERVED, RAM_NODES, 1600, SAVES_NODES, 1400 },
		{ EVENT_FIGURE, 0, BASELINE_HUGE, 8192, SAVES_HUGE, 8192 },
		{ EVENT_FIGURE, 0, BASELINE_INODES, 3000, SAVES_INITRAMFS,
		  3000 },
		{ EVENT_FIGURE, 0, BASELINE_CMA, 9000, SAVES_CMA, 6000 },
	};

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct fixture *f = fallen(10000, 8000);
		struct saving best[SAVES_MAX];
		unsigned int found;

		add(f, EVENT_RAM, RAM_SUM, RAM_NODES_EACH, 200);
		add(f, t[i].type, t[i].group, t[i].name, t[i].kib);
		f->ledger.kept_pages[KEPT_CMA] = f->ledger.cma_least_pages =
			t[i].what == SAVES_CMA ? 1500 : 0;
		found = saved(f, best);
		tap_ok(found == 1 && best->what == t[i].what &&
		       best->kib == t[i].saved_kib, "saves: %s", t[i].name);
		free(f);
	}
}

/* Of rootfs what it needs more for half of memory than for nine tenths: of 200 MiB
 * for files of 90, 80; only if its limit is the half. */
static void test_saves_of_rootfs(void)
{
	for (int half = 0; half < 2; half++) {
		struct fixture *f = fallen(10000, 8000);
		struct saving best[SAVES_MAX];
		unsigned int found;

		add(f, EVENT_FIGURE, 0, BASELINE_INITRAMFS, 90 << 10);
		add(f, EVENT_FIGURE, 0, BASELINE_SHMEM, 90 << 10);
		add(f, EVENT_FIGURE, 0, BASELINE_FREED, 0);
		add(f, EVENT_FIGURE, 0, BASELINE_RESERVED, 20 << 10);
		if (!half)
			add(f, EVENT_FIGURE, 0, BASELINE_ROOTFS, 60 << 10);
		found = saved(f, best);
		tap_ok(half ? found == 2 && best[0].what == SAVES_INITRAMFS &&
			      best[1].what == SAVES_ROOTFS &&
			      best[1].of_kib == 200 << 10 &&
			      best[1].kib == 80 << 10 :
			      found == 1, "saves: rootfs, half %d", half);
		free(f);
	}
}

/* What would save most: 48 MiB are advised, of which a 50th is 983 KiB. */
static void test_saves(void)
{
	static const struct {
		uint64_t crashkernel_kib, cpus;
		unsigned int found;
		const char *name;
	} t[] = {
		{ 736, 0, 0, "less than 1 MiB, and than a 50th" },
		{ 737, 0, 1, "a 50th" },
		{ 737, 4, 1, "four CPUs: not sure" },
		{ 737, 5, 2, "five" },
	};

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct fixture *f = fallen(10000, 8000);
		struct saving best[SAVES_MAX];

		add(f, EVENT_RAM, RAM_RESERVED, RAM_CRASHKERNEL,
		    t[i].crashkernel_kib);
		add(f, EVENT_RAM, RAM_SUM, RAM_PERCPU_EACH, 100);
		add(f, EVENT_RAM, RAM_RESERVED, RAM_PERCPU, t[i].cpus * 100);
		add(f, EVENT_RAM, RAM_BEFORE, RAM_PERCPU, 9000);
		tap_ok(saved(f, best) == t[i].found,
		       "saves: %s", t[i].name);
		free(f);
	}
}

/* Numbers that no machine has divide as well. */
static void test_balance(void)
{
	struct random r = { 77 };
	struct fixture *f = fallen(1, 0);
	struct ledger *l = &f->ledger;
	const uint64_t *v;
	uint32_t wrong = 0;

	for (uint32_t i = 0; i < 100000; i++) {
		uint64_t sum = 0;

		l->free_start_pages = random_u64(&r) >> random_below(&r, 64);
		l->free_now_pages = random_u64(&r) >> random_below(&r, 64);
		l->traced.now = (uint32_t)random_u64(&r);
		l->areas.held.now = (uint32_t)random_u64(&r);
		l->areas.bulk_pages = random_u64(&r) >> random_below(&r, 64);
		l->areas.other_bulk_pages = random_u64(&r);
		l->areas.cma_pages = random_u64(&r) >> random_below(&r, 64);
		l->total.before_frees = random_u64(&r) >> random_below(&r, 64);
		l->pcp_start_pages = random_u64(&r);
		l->pcp_now_pages = random_u64(&r);
		v = figures(f);
		for (int part = FIGURE_TRACED; part <= FIGURE_REST; part++)
			sum += v[part];
		wrong += sum != v[FIGURE_FALL];
	}
	tap_ok(!wrong, "any parts add up");
	free(f);
	f = fallen(1000, 999);
	f->ledger.areas.other_bulk_pages = 1;
	v = figures(f);
	tap_ok(v[FIGURE_BULK] == 1 && v[FIGURE_REST] == 0,
	       "a page that is missing may be of another bulk allocation");
	free(f);
}

int main(void)
{
	test_idle_cma();
	test_need();
	test_swap();
	test_need_and_advice();
	test_balance();
	test_saves();
	test_saves_of_kernel();
	test_saves_of_looks();
	test_saves_of_rootfs();
	test_advice();
	test_lowest();
	test_total();
	return tap_plan_done();
}
