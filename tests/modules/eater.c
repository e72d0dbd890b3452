/* SPDX-License-Identifier: MIT */
/*
 * Eats all memory. Its function eater_eat() stands on every stack.
 *
 *   eat=1     until the OOM killer chooses the loader itself, or the kernel
 *             panics; what was eaten is then given back and loading fails
 *   rest=MS   once less than 8 MiB are free outside of the movable zone, it
 *             rests after each 32 pages: an emulator with one thread for all
 *             CPUs gives each a tenth of a second, in which no other one could
 *             do anything
 *   zero=MS   down to the last page, reserves and all, kept so for that long;
 *             the log says when that begins and ends, and what was free then.
 *             In the middle it asks for one in the ordinary way, which makes
 *             the OOM killer choose
 */
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/vmstat.h>

#define NUMBER(name) static int name; module_param(name, int, 0444)
NUMBER(eat);
NUMBER(rest);
NUMBER(zero);

#define LITTLE_PAGES (8ul << (20 - PAGE_SHIFT))

#define TO_THE_LAST (GFP_ATOMIC | __GFP_MEMALLOC | __GFP_NOWARN)

static LIST_HEAD(eaten);

static unsigned long free_pages_of_kernel(void)
{
	unsigned long count = 0;

	for (int i = 0; i < ZONE_MOVABLE; i++)
		count += zone_page_state(NODE_DATA(0)->node_zones + i,
					 NR_FREE_PAGES);
	return count;
}

static noinline long eater_eat(gfp_t gfp)
{
	struct page *page;
	long count = 0;

	while (!fatal_signal_pending(current) && (page = alloc_page(gfp))) {
		list_add(&page->lru, &eaten);
		count++;
		if (rest && count % 32 == 0 &&
		    free_pages_of_kernel() < LITTLE_PAGES)
			msleep(rest);
		cond_resched();
	}
	return count;
}

static void ask(void)
{
	struct page *page = alloc_page(GFP_KERNEL);

	if (page)
		list_add(&page->lru, &eaten);
}

static void give_back(void)
{
	struct page *page, *next;

	list_for_each_entry_safe(page, next, &eaten, lru) {
		list_del(&page->lru);
		__free_page(page);
	}
}

static void tell(const char *when)
{
	pr_notice("eater: %s: %lu pages free\n", when,
		  global_zone_page_state(NR_FREE_PAGES));
}

/* What others free meanwhile is eaten too. */
static void starve(void)
{
	msleep(500);	/* who looks at the new module has done so */
	eater_eat(TO_THE_LAST);
	tell("starves");
	for (int i = 0; i < zero; i++) {
		eater_eat(TO_THE_LAST);
		if (i == zero / 2) {
			tell("asks");
			ask();
			eater_eat(TO_THE_LAST);
		}
		usleep_range(1000, 1100);
	}
	eater_eat(TO_THE_LAST);
	tell("has starved");
}

static int __init eater_init(void)
{
	if (zero)
		starve();
	if (eat)
		pr_notice("eater: killed after %ld pages\n",
			  eater_eat(GFP_KERNEL));
	give_back();
	return -ENOMEM;
}

module_init(eater_init);
MODULE_LICENSE("Dual MIT/GPL");
