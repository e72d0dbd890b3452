/* SPDX-License-Identifier: MIT */
/*
 * tracer/heal.c: after a loss, pages that the kernel has free and the ledger
 * holds are given back, and no others: not one that was given out after its
 * flag was read.
 */
#include <linux/kernel-page-flags.h>
#include "exact.h"
#include "ledger/events.h"
#include "tap.h"
#include "tracer/tracer.h"

#define PAGES 3000u
#define HELD 800u		/* of them, from each range's beginning on */
#define FIRST 0x100u		/* of two ranges */
#define SECOND 0x10000u
#define FREED 267u		/* every third of one range's */
#define FREE (UINT64_C(1) << KPF_BUDDY)

static struct {
	struct engine g;
	struct heal h;
	FILE *flags;
	uint32_t found, others;	/* events: pages found free; what is wrong */
} f;

static void take(struct engine *g, const struct event *e)
{
	const uint32_t is_found = e->type == EVENT_FREE &&
				  e->flags == EVENT_FOUND;

	must(g == &f.g);
	ledger_apply(&f.g.ledger, e);
	f.found += is_found;
	f.others += !is_found;
}

#define engine_take take
#include "tracer/heal.c"

static void happens(struct event e)
{
	e.time_ns = ++f.g.ledger.last_ns;
	e.tid = e.tgid = 7;
	ledger_apply(&f.g.ledger, &e);
	heal_see(&f.h, &e);
}

static void give_out(uint64_t pfn, uint32_t order)
{
	happens((struct event){ .type = EVENT_ALLOC, .pfn = pfn,
				.order = order });
}

static void lose(uint64_t records)
{
	happens((struct event){ .type = EVENT_LOST, .lost = records });
}

static void set_flags(uint64_t pfn, uint64_t flags)
{
	if (pwrite(fileno(f.flags), &flags, sizeof(flags),
		   (off_t)(pfn * sizeof(flags))) != sizeof(flags))
		abort();
}

/* `pages_bytes`: with too few, pages are kept in a hash. */
static void machine(uint32_t pages_bytes)
{
	const struct layout want = {
		.pages_bytes = pages_bytes, .nodes = 512, .owners = 256,
		.tasks = 64, .modules = 16,
	};
	const struct ram ram = { { { FIRST, PAGES }, { SECOND, PAGES } }, 2 };

	if (f.flags)
		fclose(f.flags);
	memset(&f, 0, sizeof(f));
	f.flags = tmpfile();
	if (!f.flags || ledger_init(&f.g.ledger, arena_fresh(ARENA_BYTES),
				    &want, &ram))
		abort();
	f.h.flags_fd = fileno(f.flags);
	for (uint32_t i = 0; i < HELD; i++) {
		give_out(FIRST + i, 0);
		give_out(SECOND + i, 0);
	}
	set_flags(SECOND + PAGES, 0);
}

/* One pass: pages that were read. */
static uint32_t pass(void)
{
	uint32_t pages = 0;

	while (heal_look(&f.h, &f.g)) {
		pages += f.h.count;
		heal_settle(&f.h, &f.g);
	}
	return pages;
}

static void test_pass(const char *how, uint32_t pages_bytes)
{
	const struct ledger *l = &f.g.ledger;
	uint32_t pages;

	machine(pages_bytes);
	for (uint32_t i = 0; i < PAGES; i += 3)
		set_flags(SECOND + i, FREE);
	set_flags(FIRST + 5, ~FREE);
	tap_ok(pass() == 0 && !f.found, "%s: nothing lost, nothing read", how);
	lose(10);
	pages = pass();
	tap_ok(pages >= 2 * HELD && pages < 2 * HELD + 2 * HEAL_PAGES,
	       "%s: all that may be held is looked at: %u pages", how, pages);
	tap_ok(f.found == FREED && !f.others && !ledger_check(l) &&
	       l->traced.now == 2 * HELD - FREED,
	       "%s: what is free and held is given back, no other", how);
	tap_ok(l->total.missed_frees == FREED && !l->total.frees &&
	       !l->total.before_frees, "%s: as frees that were missed", how);
	tap_ok(pass() == 0, "%s: once for a loss", how);
	set_flags(FIRST, FREE);
	lose(1);
	pass();
	tap_ok(f.found == FREED + 1, "%s: and again for the next", how);
}

static void test_given_out_meanwhile(void)
{
	struct pages *p = &f.g.ledger.pages;

	machine(PAGES * 8);
	for (uint32_t i = 0; i < HELD; i++)
		set_flags(FIRST + i, FREE);
	lose(1);
	tap_ok(heal_look(&f.h, &f.g) && f.h.count == HEAL_PAGES,
	       "so many at once");
	give_out(FIRST - 2, 2);			/* its first two pages */
	give_out(FIRST + 100, 3);
	give_out(FIRST + HEAL_PAGES - 4, 3);	/* the last four */
	give_out(SECOND, 0);
	give_out(UINT64_MAX, 0);
	heal_settle(&f.h, &f.g);
	tap_ok(f.found == HEAL_PAGES - 14 && !f.others &&
	       pages_owner(p, FIRST + 1) &&
	       !pages_owner(p, FIRST + 2) && pages_owner(p, FIRST + 107) &&
	       !pages_owner(p, FIRST + 108),
	       "what was given out meanwhile is not given back");
}

static void test_cannot(void)
{
	machine(PAGES * 8);
	f.h.flags_fd = -1;
	lose(1);
	tap_ok(!heal_look(&f.h, &f.g), "a kernel that does not tell");
	f.h.flags_fd = fileno(f.flags);
	must(!ftruncate(fileno(f.flags), 0));
	tap_ok(pass() == 0 && !f.found, "or tells of no page");
	f.g.ledger.pages.ram.range[0].count_pages = UINT32_MAX;
	lose(1);
	tap_ok(!heal_look(&f.h, &f.g), "RAM that is not known");
}

int main(void)
{
	test_pass("flat", PAGES * 8);
	test_pass("hash", PAGES * 8 - 4);
	test_given_out_meanwhile();
	test_cannot();
	return tap_plan_done();
}
