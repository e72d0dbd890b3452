/*
 * report/balance.c, by way of figures.c: when advice is given, and of how much
 * memory; what free memory was at the least.
 */
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

int main(void)
{
	test_advice();
	test_lowest();
	test_steps();
	return tap_plan_done();
}
