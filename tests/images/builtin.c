/* SPDX-License-Identifier: MIT */
// SPDX-License-Identifier: GPL-2.0
/*
 * Built-in drivers whose initcalls take known numbers of pages
 * (tests/boot/builtin.t). No frame between an initcall and the allocator is
 * left to the compiler's choice where a test counts on it.
 */
#include <linux/delay.h>
#include <linux/gfp.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mm.h>

static LIST_HEAD(kept);
static LIST_HEAD(passing);

static noinline __init void take(struct list_head *list, unsigned int order,
				 unsigned int count)
{
	while (count--) {
		struct page *page = alloc_pages(GFP_KERNEL, order);

		if (page)
			list_add(&page->lru, list);
	}
}

static noinline __init void give_back(struct list_head *list,
				      unsigned int order)
{
	struct page *page, *next;

	list_for_each_entry_safe(page, next, list, lru) {
		list_del(&page->lru);
		__free_pages(page, order);
	}
}

/* 300 pages stay; it takes 40 ms at least. */
static int __init planted_kept_init(void)
{
	take(&kept, 0, 300);
	mdelay(40);
	return 0;
}
device_initcall(planted_kept_init);

/* 700 pages, and none is left. */
static int __init planted_passing_init(void)
{
	take(&passing, 0, 700);
	give_back(&passing, 0);
	return 0;
}
device_initcall(planted_passing_init);

/* 2 * (1 + 2 + 4 + 8 + 16 + 32) = 126 pages. */
static int __init planted_orders_init(void)
{
	unsigned int order;

	for (order = 0; order < 6; order++)
		take(&kept, order, 2);
	return 0;
}
device_initcall(planted_orders_init);

/* From two places, one after the other: 60 and 90 stay, 210 at most. */
static int __init planted_places_init(void)
{
	take(&kept, 0, 60);
	take(&passing, 1, 75);
	give_back(&passing, 1);
	take(&kept, 0, 90);
	return 0;
}
late_initcall(planted_places_init);
