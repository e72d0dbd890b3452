/* SPDX-License-Identifier: MIT */
/*
 * Allocates and frees objects of slab, as many as it is told.
 *
 * Each way is a function of its own, never inlined, so that its name stands at
 * the site: objects_keep and so on, after the parameter. All parameters are
 * numbers, 0 if not given; kmalloc's objects have 100 bytes.
 *   keep       kept until exit
 *   temp       freed at once
 *   cross      allocated on CPU 0, freed on CPU 1
 *   rcu        freed by kfree_rcu(), whose batches are waited for
 *   bulk       of a cache, allocated and freed in bulk
 *   single     of that cache, allocated one by one and freed in bulk
 *   again      of that cache, allocated behind that, and kept
 *   realloc    of 100 bytes, grown to 1000, then freed
 *   family     of that cache, freed by kfree()
 *   leak       exit frees nothing
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/smp.h>

#define NUMBER(name) static int name; module_param(name, int, 0444)
NUMBER(keep);
NUMBER(temp);
NUMBER(cross);
NUMBER(rcu);
NUMBER(bulk);
NUMBER(single);
NUMBER(again);
NUMBER(realloc);
NUMBER(family);
NUMBER(leak);

#define BYTES 100
#define GROWN_BYTES 1000
#define BATCH 16

struct object {
	struct object *next;
	struct rcu_head head;
	char rest[BYTES - sizeof(void *) - sizeof(struct rcu_head)];
};

static struct object *kept, *passed;
static struct kmem_cache *objects;
static struct object *cached;

static void push(struct object **list, struct object *o)
{
	o->next = *list;
	*list = o;
}

static struct object *pop(struct object **list)
{
	struct object *o = *list;

	if (o)
		*list = o->next;
	return o;
}

static noinline void objects_keep(int n)
{
	while (n--)
		push(&kept, kmalloc(BYTES, GFP_KERNEL));
	barrier();
}

static noinline void objects_temp(int n)
{
	while (n--) {
		void *o = kmalloc(BYTES, GFP_KERNEL);

		OPTIMIZER_HIDE_VAR(o);
		kfree(o);
	}
	barrier();
}

static noinline int objects_cross(void *unused)
{
	for (int n = cross; n--;)
		push(&passed, kmalloc(BYTES, GFP_KERNEL));
	return 0;
}

static noinline int objects_drop(void *unused)
{
	while (passed)
		kfree(pop(&passed));
	return 0;
}

static noinline void objects_rcu(int n)
{
	while (n--) {
		struct object *o = kmalloc(BYTES, GFP_KERNEL);

		kfree_rcu(o, head);
	}
	barrier();
}

static noinline void objects_bulk(int n)
{
	void *batch[BATCH];

	for (; n >= BATCH; n -= BATCH)
		if (kmem_cache_alloc_bulk(objects, GFP_KERNEL, BATCH, batch))
			kmem_cache_free_bulk(objects, BATCH, batch);
	barrier();
}

/* All are there before the first batch is freed. */
static noinline void objects_single(int n)
{
	struct object *all = NULL;
	void *batch[BATCH];

	for (int i = 0; i < n; i++)
		push(&all, kmem_cache_alloc(objects, GFP_KERNEL));
	for (int i = 0; all;) {
		batch[i++] = pop(&all);
		if (i < BATCH && all)
			continue;
		kmem_cache_free_bulk(objects, i, batch);
		i = 0;
	}
}

static noinline void objects_again(int n)
{
	while (n--)
		push(&cached, kmem_cache_alloc(objects, GFP_KERNEL));
	barrier();
}

static noinline void objects_realloc(int n)
{
	while (n--) {
		void *o = kmalloc(BYTES, GFP_KERNEL);

		OPTIMIZER_HIDE_VAR(o);
		kfree(krealloc(o, GROWN_BYTES, GFP_KERNEL));
	}
	barrier();
}

static noinline void objects_family(int n)
{
	while (n--)
		kfree(kmem_cache_alloc(objects, GFP_KERNEL));
	barrier();
}

/* The same CPU gets back what it gave. */
static int reuse(void *unused)
{
	objects_single(single);
	objects_again(again);
	return 0;
}

/* A cache with a constructor is not merged with another one. */
static void construct(void *object)
{
}

static int __init begin(void)
{
	objects = kmem_cache_create("planted4", 2 * BYTES, 8, 0, construct);
	if (!objects)
		return -ENOMEM;
	objects_keep(keep);
	objects_temp(temp);
	smp_call_on_cpu(0, objects_cross, NULL, false);
	smp_call_on_cpu(1, objects_drop, NULL, false);
	objects_rcu(rcu);
	if (rcu)
		msleep(1000);
	objects_bulk(bulk);
	smp_call_on_cpu(0, reuse, NULL, false);
	objects_realloc(realloc);
	objects_family(family);
	return 0;
}

static void __exit finish(void)
{
	while (cached)
		kmem_cache_free(objects, pop(&cached));
	while (kept && !leak)
		kfree(pop(&kept));
	rcu_barrier();
	kmem_cache_destroy(objects);
}

module_init(begin);
module_exit(finish);
MODULE_LICENSE("Dual MIT/GPL");
MODULE_DESCRIPTION("objects of slab for the tests of memstrack");
