/* SPDX-License-Identifier: MIT */
/*
 * Holds as many pages as it is told, taken in every way the tests count.
 *
 * Who takes pages is a function of its own, never inlined and never a tail
 * call, so that its name stands on the stack: planted_keep, planted_temp,
 * planted_vm, planted_vm_temp, planted_work, planted_timer, planted_init_text,
 * planted_kmalloc, planted_churn, planted_hold, planted_split. Pages are strung
 * together through themselves: holding them takes no memory.
 *
 * All parameters are numbers, 0 if not given. Blocks of pages have `order`.
 *   keep, temp        blocks held; freed before init ends
 *   again             temp is done that many times more, one after the other
 *   inittext          blocks held, taken in init text
 *   work, timer       pages held, taken by a work item, by a timer (softirq)
 *   vm, vmtemp        pages of one vmalloc area held; freed before init ends
 *   vms               that many areas of `vm` pages instead of one
 *   k64 k512 k2048 k4096   objects of these sizes held
 *   churn, hold       rounds on each CPU; pages each CPU then holds (churn.h)
 *   rest              microseconds of sleep between bursts of rounds
 *   split             pages taken one by one, of which every second is freed
 *   ask               order of blocks that are then asked for without a warning
 *                     until there is none, and once more with one
 *   wait              milliseconds that init sleeps before it ends
 *   leak              exit frees nothing
 *   fail              init frees nothing and fails with ENOMEM
 */
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/timer.h>
#include <linux/version.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#define NUMBER(name) static int name; module_param(name, int, 0444)
NUMBER(order);
NUMBER(keep);
NUMBER(temp);
NUMBER(again);
NUMBER(inittext);
NUMBER(work);
NUMBER(timer);
NUMBER(vm);
NUMBER(vms);
NUMBER(vmtemp);
NUMBER(k64);
NUMBER(k512);
NUMBER(k2048);
NUMBER(k4096);
NUMBER(split);
NUMBER(ask);
NUMBER(wait);
NUMBER(leak);
NUMBER(fail);

static LIST_HEAD(kept);
static LIST_HEAD(timed);
static LIST_HEAD(asked);
static void *areas;		/* the first word of each: the next */
static void *objects;		/* likewise */

static void take(struct page *page, struct list_head *list, int *missing)
{
	if (page)
		list_add(&page->lru, list);
	else
		++*missing;
}

static void drop(struct list_head *list, int block_order)
{
	struct page *page, *next;

	list_for_each_entry_safe(page, next, list, lru) {
		list_del(&page->lru);
		__free_pages(page, block_order);
	}
}

static int short_of_memory(const char *what, int missing)
{
	if (missing)
		pr_err("%s: %d allocations failed\n", what, missing);
	return missing ? -ENOMEM : 0;
}

static noinline int planted_keep(void)
{
	int missing = 0;

	for (int i = 0; i < keep; i++)
		take(alloc_pages(GFP_KERNEL, order), &kept, &missing);
	return short_of_memory("keep", missing);
}

static noinline int planted_temp(void)
{
	LIST_HEAD(list);
	int missing = 0;

	for (int i = 0; i < temp; i++)
		take(alloc_pages(GFP_KERNEL, order), &list, &missing);
	drop(&list, order);
	return short_of_memory("temp", missing);
}

/* Single pages stand between all that is free. The kernel takes neighbours one
 * after the other, so every second one is freed. */
static noinline int planted_split(void)
{
	struct page *page, *next;
	LIST_HEAD(list);
	int missing = 0, n = 0;

	for (int i = 0; i < split; i++)
		take(alloc_page(GFP_KERNEL), &list, &missing);
	list_for_each_entry_safe(page, next, &list, lru) {
		list_del(&page->lru);
		if (n++ & 1)
			__free_page(page);
		else
			list_add(&page->lru, &kept);
	}
	return short_of_memory("split", missing);
}

static noinline void planted_ask(void)
{
	const gfp_t gfp = GFP_KERNEL | __GFP_NORETRY;
	int missing = 0, asks = 1;

	for (; !missing; asks++)
		take(alloc_pages(gfp | __GFP_NOWARN, ask), &asked, &missing);
	take(alloc_pages(gfp, ask), &asked, &missing);
	pr_notice("asked %d times, %d failed\n", asks, missing);
}

static noinline __init int planted_init_text(void)
{
	int missing = 0;

	for (int i = 0; i < inittext; i++)
		take(alloc_pages(GFP_KERNEL, order), &kept, &missing);
	return short_of_memory("inittext", missing);
}

static noinline void planted_work(struct work_struct *item)
{
	int missing = 0;

	for (int i = 0; i < work; i++)
		take(alloc_pages(GFP_KERNEL, 0), &timed, &missing);
	short_of_memory("work", missing);
}

static DECLARE_WORK(work_item, planted_work);
static DECLARE_COMPLETION(timer_done);

static noinline void planted_timer(struct timer_list *unused)
{
	int missing = 0;

	for (int i = 0; i < timer; i++)
		take(alloc_pages(GFP_ATOMIC, 0), &timed, &missing);
	short_of_memory("timer", missing);
	complete(&timer_done);
}

static DEFINE_TIMER(timer_item, planted_timer);

static void wait_for_timer(void)
{
	mod_timer(&timer_item, jiffies + 1);
	wait_for_completion(&timer_done);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
	timer_shutdown_sync(&timer_item);
#else
	del_timer_sync(&timer_item);
#endif
}

static noinline int planted_vm(void)
{
	for (int i = 0; i < (vms ? vms : 1); i++) {
		void **area = vmalloc((unsigned long)vm << PAGE_SHIFT);

		if (!area)
			return short_of_memory("vm", 1);
		*area = areas;
		areas = area;
	}
	return 0;
}

static noinline int planted_vm_temp(void)
{
	void *area = vmalloc((unsigned long)vmtemp << PAGE_SHIFT);

	vfree(area);
	return short_of_memory("vmtemp", !area);
}

static noinline int planted_kmalloc(int count, size_t bytes)
{
	int missing = 0;

	for (int i = 0; i < count; i++) {
		void **object = kmalloc(bytes, GFP_KERNEL);

		if (!object) {
			missing++;
			continue;
		}
		*object = objects;
		objects = object;
	}
	return short_of_memory("kmalloc", missing);
}

#include "churn.h"

static int take_all(void)
{
	int error = planted_keep();

	for (int i = 0; i <= again && !error; i++)
		error = planted_temp();
	if (!error)
		error = planted_split();
	if (ask)
		planted_ask();
	if (work) {
		schedule_work(&work_item);
		flush_work(&work_item);
	}
	if (timer)
		wait_for_timer();
	if (vm && !error)
		error = planted_vm();
	if (vmtemp && !error)
		error = planted_vm_temp();
	error = error ?: planted_kmalloc(k64, 64) ?:
		planted_kmalloc(k512, 512) ?: planted_kmalloc(k2048, 2048) ?:
		planted_kmalloc(k4096, 4096);
	return error || !churn ? error : churn_on_all_cpus();
}

static int __init planted_start(void)
{
	int error = planted_init_text();

	if (!error)
		error = take_all();
	if (wait)
		msleep(wait);
	return error ? error : fail ? -ENOMEM : 0;
}

static void *pop(void **list)
{
	void **first = *list;

	*list = *first;
	return first;
}

static void __exit planted_stop(void)
{
	if (leak)
		return;
	drop(&kept, order);
	drop(&asked, ask);
	drop(&timed, 0);
	drop(&churned, 0);
	while (areas)
		vfree(pop(&areas));
	while (objects)
		kfree(pop(&objects));
}

module_init(planted_start);
module_exit(planted_stop);
MODULE_LICENSE("Dual MIT/GPL");
MODULE_DESCRIPTION("pages held on purpose");
