/* SPDX-License-Identifier: MIT */
/*
 * report/advice.c, by way of figures.c: when advice is given, and of how much
 * memory; what free memory was at the least; which moment needs most, and what
 * of that less memory does not need.
 */
#include "report/advice.h"
#include "report/saves.h"
#include "report/unpack.h"
#include "balance_fixture.h"

#define MIB_PAGES UINT64_C(256)

/* `permille` of 2000 pages are explained. */
static void advise(struct fixture *f, uint64_t value[FIGURES],
		   uint32_t permille)
{
	f->ledger.traced.now = 2 * permille;
	get(f, value);
}

static int reliable(struct fixture *f, uint32_t permille)
{
	uint64_t value[FIGURES];

	advise(f, value, permille);
	return value[FIGURE_ADVICE_KIB] != UNKNOWN;
}

static void test_advice(void)
{
	struct fixture *f = fallen(10000, 8000);
	struct ram *ram = &f->ledger.pages.ram;
	uint64_t v[FIGURES];
	uint32_t wrong = 0;

	ram->range[0].count_pages = 64 * MIB_PAGES;
	for (uint32_t permille = 949; permille <= 1051; permille++)
		wrong += reliable(f, permille) !=
			 (permille >= 950 && permille <= 1050);
	tap_ok(!wrong, "given from 95.0 %% to 105.0 %%, not beyond");
	advise(f, v, 1000);
	tap_ok(v[FIGURE_TOTAL_KIB] == 65536 && v[FIGURE_LOWEST_KIB] == 32000 &&
	       v[FIGURE_USED_KIB] == 33536 && v[FIGURE_ADVICE_KIB] == 48 << 10,
	       "what was used at most, a tenth more, in steps of 16 MiB");
	f->ledger.total.lost = 1;
	advise(f, v, 1000);
	tap_ok(v[FIGURE_ADVICE_KIB] == UNKNOWN &&
	       v[FIGURE_LOWEST_KIB] == 32000 && v[FIGURE_USED_KIB] == 33536,
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
		uint64_t sampled, used_peak, lowest;
		const char *name;
	} t[] = {
		{ 8000, 0, 8000, "sampled, nothing was used" },
		{ 8000, 1999, 8000, "sampled, the peak was higher" },
		{ 8000, 2001, 7999, "the peak, that samples missed" },
		{ 8000, 10000, 0, "the peak, all that was free" },
		{ 8000, 10001, 8000, "sampled: no more can have been used" },
		{ 0, 9999, 0, "sampled: none at all" },
	};
	struct fixture *f = fallen(10000, 8000);

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		f->ledger.free_lowest_pages = t[i].sampled;
		f->ledger.used_peak_pages = t[i].used_peak;
		tap_ok(part(f, FIGURE_LOWEST_KIB) == (int64_t)t[i].lowest * 4 &&
		       part(f, FIGURE_FREE_LOWEST_KIB) ==
		       (int64_t)t[i].sampled * 4, "lowest: %s", t[i].name);
	}
	f->ledger.used_peak_pages = 0;
	f->ledger.pcp_start_pages = 30;
	f->ledger.pcp_now_pages = 20;
	f->ledger.free_lowest_pages = 1000;
	tap_ok(part(f, FIGURE_LOWEST_KIB) == 1020 * 4 &&
	       part(f, FIGURE_FREE_LOWEST_KIB) == 4000,
	       "lowest: at least so many were free on per-CPU lists");
	free(f);
}

static void test_steps(void)
{
	static const struct {
		uint64_t total_mib, free_mib, enough_mib;
	} t[] = {
		{ 64, 64, 0 }, { 64, 65, 0 }, { 1000, 840, 176 },
		{ 1000, 839, 192 }, { 64, 0, 80 }, { 1 << 20, 0, 1153440 },
	};
	struct fixture *f = fallen(1 << 20, (1 << 20) - 2000);
	struct ram *ram = &f->ledger.pages.ram;
	uint64_t v[FIGURES];

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		ram->range[0].count_pages = t[i].total_mib * MIB_PAGES;
		f->ledger.free_lowest_pages = t[i].free_mib * MIB_PAGES;
		advise(f, v, 1000);
		tap_ok(v[FIGURE_ADVICE_KIB] == t[i].enough_mib << 10,
		       "%u of %u MiB free: %u MiB", (unsigned)t[i].free_mib,
		       (unsigned)t[i].total_mib,
		       (unsigned)(v[FIGURE_ADVICE_KIB] >> 10));
	}
	ram->range[0].count_pages = UINT32_MAX;
	f->ledger.free_lowest_pages = 0;
	advise(f, v, 1000);
	tap_ok(v[FIGURE_TOTAL_KIB] == 50000,
	       "all of RAM not known: MemTotal");
	ram->range[0].count_pages = UINT64_MAX / 2;
	ram->range[1].count_pages = 5;
	ram->count = 2;
	advise(f, v, 1000);
	tap_ok(v[FIGURE_TOTAL_KIB] == UINT64_MAX &&
	       v[FIGURE_USED_KIB] == UINT64_MAX,
	       "absurd RAM is as much as there are numbers for");
	free(f);
}

static void set(struct fixture *f, const char *name, uint64_t kib)
{
	struct event e = { .type = EVENT_FIGURE, .size = kib * 1024 };

	snprintf(e.name, sizeof(e.name), "%s", name);
	apply(f, &e);
}

static int is_for(struct fixture *f, enum advice_for wanted, uint64_t need_kib)
{
	uint64_t v[FIGURES];

	advise(f, v, 1000);
	return advice_for(v) == wanted && v[FIGURE_NEED_KIB] == need_kib;
}

/* 64 MiB, of which 25,536 KiB were used when tracing began, 33,536 KiB at the
 * peak. */
static struct fixture *machine(void)
{
	struct fixture *f = fallen(10000, 8000);

	f->ledger.pages.ram.range[0].count_pages = 64 * MIB_PAGES;
	return f;
}

static void test_moments(void)
{
	struct fixture *f = machine();
	uint64_t v[FIGURES];

	set(f, BASELINE_FREED, 100);
	set(f, BASELINE_INITRD, 20000);
	tap_ok(part(f, FIGURE_UNPACKING_KIB) == (int64_t)UNKNOWN &&
	       is_for(f, FOR_PEAK, 33536), "not traced from the boot on");
	set(f, BASELINE_INITRAMFS, 8001);
	tap_ok(part(f, FIGURE_UNPACKING_KIB) == 25536 + 20100 &&
	       is_for(f, FOR_UNPACKING, 45636),
	       "the initrd beside its content, and what was freed after");
	set(f, BASELINE_INITRD, 7900);
	tap_ok(is_for(f, FOR_PEAK, 33536), "no more than at the peak");
	set(f, BASELINE_INITRD, 7901);
	tap_ok(is_for(f, FOR_UNPACKING, 33537), "one KiB more");
	set(f, BASELINE_SHMEM, 4000);
	set(f, BASELINE_RESERVED, 30000);
	tap_ok(part(f, FIGURE_ROOTFS_KIB) == (int64_t)UNKNOWN,
	       "rootfs is a ramfs: other tmpfs do not matter");
	set(f, BASELINE_SHMEM, 8001);
	set(f, BASELINE_CMA, 11);
	tap_ok(is_for(f, FOR_ROOTFS, 46013), "a tmpfs: half of all but that");
	advise(f, v, 1000);
	tap_ok(v[FIGURE_ADVICE_KIB] == 64 << 10, "a tenth more than that");
	free(f);
	f = machine();
	set(f, BASELINE_INITRAMFS, 8000);
	set(f, BASELINE_INITRD, 20000);
	tap_ok(part(f, FIGURE_UNPACKING_KIB) == (int64_t)UNKNOWN,
	       "where the log ends before init it is not known");
	free(f);
}

/* Of `total_mib` so much was used in all. What would do goes by page structs and
 * hash tables, less than was used or not. */
static void test_scaled(void)
{
	static const struct {
		uint64_t total_mib, used_kib, page_structs_kib, hashes_kib;
		uint64_t need_kib, enough_mib;
		const char *name;
	} t[] = {
		/* 300 MiB, and a 64th of memory: 300 * 1.1 / (1 - 1.1 / 64) */
		{ 256 << 10, (300 << 10) + (4 << 20), 4 << 20, 0, 312572, 336,
		  "256 GiB, but not their page structs" },
		{ 256 << 10, (300 << 10) + (5 << 20), 4 << 20, 1 << 20, 313944,
		  352, "nor their hash tables" },
		{ 256, 100 << 10, 4 << 10, 0, 100023, 112,
		  "256 MiB: hardly less than what was used" },
		{ 256, 100 << 10, 0, 0, 102400, 112, "nothing grows" },
		{ 256, 4 << 10, 8 << 10, 0, 0, 0,
		  "more than all that was used: nothing is left" },
		{ 256, 100 << 10, (64 << 10) + 1, 0, 102400, 112,
		  "more than a quarter is not believed" },
		{ 256, 100 << 10, 64 << 10, 0, 50846, 64, "a quarter is" },
	};

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		const uint64_t pages = t[i].total_mib * MIB_PAGES;
		struct fixture *f = fallen(pages, pages - 2000);
		uint64_t v[FIGURES];

		f->ledger.pages.ram.range[0].count_pages = pages;
		f->ledger.free_lowest_pages = pages - t[i].used_kib / 4;
		set(f, BASELINE_PAGE_STRUCTS, t[i].page_structs_kib);
		set(f, BASELINE_HASH_TABLES, t[i].hashes_kib);
		advise(f, v, 1000);
		tap_ok(v[FIGURE_NEED_KIB] == t[i].need_kib &&
		       v[FIGURE_ADVICE_KIB] == t[i].enough_mib << 10,
		       "%s: %u KiB are needed, %u MiB advised", t[i].name,
		       (unsigned)v[FIGURE_NEED_KIB],
		       (unsigned)(v[FIGURE_ADVICE_KIB] >> 10));
		free(f);
	}
}

/* A row `ram` becomes this. */
static void row(struct fixture *f, enum ram_group group, const char *name,
		uint64_t kib)
{
	struct ram_rows *r = &f->ledger.ram;
	struct event e = { .type = EVENT_RAM, .flags = group };
	uint32_t i = 0;

	snprintf(e.name, sizeof(e.name), "%s", name);
	ram_rows_add(r, &e);
	while (r->row[i].group != group || strcmp(r->row[i].name, name))
		i++;
	r->row[i].kib = kib;
}

/* So many CPUs with 100 KiB each, and what was allocated for all of them. */
static void percpu(struct fixture *f, uint64_t cpus, uint64_t later_kib)
{
	row(f, RAM_SUM, RAM_PERCPU_EACH, 100);
	row(f, RAM_RESERVED, RAM_PERCPU, cpus * 100);
	row(f, RAM_BEFORE, RAM_PERCPU, later_kib);
}

/* "swiotlb 64512, initramfs 8000" */
static const char *saved(struct fixture *f, char text[128])
{
	static const char *const names[] = {
		[SAVES_MODULE] = "module", [SAVES_INITRAMFS] = "initramfs",
		[SAVES_CPUS] = "nr_cpus", [SAVES_SWIOTLB] = "swiotlb",
		[SAVES_CRASHKERNEL] = "crashkernel",
	};
	const struct session session = { .page_size = 4096 };
	const struct report r = { .ledger = &f->ledger, .session = &session };
	struct saving best[SAVES_MAX];
	uint64_t v[FIGURES];
	size_t used = 0;
	unsigned int n;

	text[0] = '\0';
	advise(f, v, 1000);
	n = saves_get(&r, v, best);
	for (unsigned int i = 0; i < n; i++)
		used += (size_t)snprintf(text + used, 128 - used, "%s%s %u",
					 i ? ", " : "", names[best[i].what],
					 (unsigned int)best[i].kib);
	return text;
}

static void saves(struct fixture *f, const char *want, const char *name)
{
	char text[128];

	tap_ok(!strcmp(saved(f, text), want), "saves: %s: %s", name, text);
}

/* 33,536 KiB at the peak; 48 MiB are advised, of which a 50th is 983 KiB. */
static void test_saves(void)
{
	struct fixture *f = machine();

	saves(f, "", "nothing is known");
	row(f, RAM_RESERVED, RAM_CRASHKERNEL, 982);
	saves(f, "", "less than 1 MiB, and than a 50th");
	row(f, RAM_RESERVED, RAM_CRASHKERNEL, 983);
	saves(f, "crashkernel 983", "a 50th");
	row(f, RAM_RESERVED, RAM_SWIOTLB, 4096);
	saves(f, "swiotlb 3072, crashkernel 983", "all but 512 slots");
	percpu(f, 16, 0);
	saves(f, "nr_cpus 1500, crashkernel 983", "128 slots each");
	percpu(f, 9, 900);
	saves(f, "nr_cpus 1600, crashkernel 983", "rounded up to 16 CPUs");
	percpu(f, 4, 9000);
	saves(f, "swiotlb 3072, crashkernel 983", "four CPUs: not sure");
	percpu(f, 5, 9000);
	saves(f, "nr_cpus 7600, swiotlb 2048, crashkernel 983", "five");
	percpu(f, 1, 900);
	saves(f, "swiotlb 3072, crashkernel 983", "one CPU");
	percpu(f, 16, 900);
	row(f, RAM_RESERVED, RAM_SWIOTLB, 4096 + 1200);
	set(f, BASELINE_INITRAMFS, 2000);
	saves(f, "nr_cpus 2344, initramfs 2000, swiotlb 1200",
	      "three at most, the largest first");
	f->ledger.total.before_frees = 100;
	percpu(f, 16, 0);
	saves(f, "initramfs 1600, nr_cpus 1500, swiotlb 1200",
	      "no files that may have been freed");
	f->ledger.total.lost = 1;
	saves(f, "", "no advice, no savings");
	free(f);
}

/* A saving ends where another moment needs more. */
static void test_capped(void)
{
	struct fixture *f = machine();

	set(f, BASELINE_INITRAMFS, 9000);
	set(f, BASELINE_FREED, 100);
	set(f, BASELINE_INITRD, 9000);
	saves(f, "initramfs 10100",
	      "unpacking needs 34,636: then the peak less 9,000 does");
	set(f, BASELINE_INITRD, 40000);
	saves(f, "initramfs 41100", "the image too");
	set(f, BASELINE_SHMEM, 9000);
	set(f, BASELINE_RESERVED, 60000);
	saves(f, "initramfs 18000", "rootfs: twice the files");
	free(f);
}

static void unpacked(const char *name, const struct unpack *u,
		     const char *want)
{
	struct fixture *f = fixture_new();
	char text[LINE_BYTES];
	struct line l = { .text = text };

	set(f, BASELINE_RESERVED, 1000);
	set(f, BASELINE_INITRAMFS, 512);
	f->ledger.unpack = *u;
	unpack_write(&l, &f->ledger, 4096);
	text[l.len] = '\0';
	tap_ok(!strcmp(text, want), "unpacking, %s: %s", name, text);
	free(f);
}

#define UNPACKING_FAILED "initramfs unpacking failed: "

static void test_unpacking(void)
{
	unpacked("full", &(struct unpack){
		.error = "write error", .bytes = 4095 << 10,
		.limit_pages = 1024 }, UNPACKING_FAILED "write error; "
		"rootfs is full: 4.0M of 4.0M, half of what was free; needs "
		"memory of more than 9.0M");
	unpacked("with the file", &(struct unpack){
		.error = "write error", .bytes = 4096 << 10, .file = "/a\"b",
		.cut_bytes = 1 << 20,
		.limit_pages = 1024 }, UNPACKING_FAILED "write error; "
		"rootfs is full: 4.0M of 4.0M, half of what was free; 1.0M "
		"are missing of /a\"b; needs memory of more than 11.0M");
	unpacked("room is left", &(struct unpack){
		.error = "write error", .bytes = 4055 << 10,
		.limit_pages = 1024 }, UNPACKING_FAILED "write error; "
		"rootfs holds 4.0M of 4.0M, half of what was free");
	unpacked("for another reason", &(struct unpack){
		.error = "no cpio magic", .bytes = 4096 << 10,
		.limit_pages = 1024 }, UNPACKING_FAILED "no cpio magic; "
		"rootfs holds 4.0M of 4.0M, half of what was free");
	unpacked("a ramfs", &(struct unpack){
		.error = "read error", .bytes = UINT64_MAX },
		UNPACKING_FAILED "read error; rootfs holds 512K and has no "
		"limit");
	unpacked("not known", &(struct unpack){
		.error = "read error", .bytes = UINT64_MAX,
		.limit_pages = UINT64_MAX }, UNPACKING_FAILED "read error");
}

int main(void)
{
	test_saves();
	test_capped();
	test_unpacking();
	test_moments();
	test_scaled();
	test_advice();
	test_lowest();
	test_steps();
	return tap_plan_done();
}
