/* SPDX-License-Identifier: MIT */
/*
 * Part of planted.c: a thread on each CPU that takes and gives back pages as
 * fast as it can. What it takes it puts into a box that all share, and gives
 * back what lay there, so most pages are freed on another CPU than the one
 * that took them, and taken again at once. When all are through, each empties
 * boxes that its neighbour filled last, and takes the `hold` pages that stay.
 */
#define BOXES 256
#define ORDERS 3
#define BURST 256		/* rounds between two chances for others */

NUMBER(churn);
NUMBER(hold);
NUMBER(rest);

static struct page *box[BOXES];
static LIST_HEAD(churned);
static DEFINE_MUTEX(churned_lock);
static atomic_t churning;	/* threads that are not through yet */
static atomic_t unfinished;
static atomic_t churn_missing;
static DECLARE_COMPLETION(churn_through);
static DECLARE_COMPLETION(churn_done);

static void swap_box(unsigned int i, struct page *page)
{
	page = xchg(&box[i], page);
	if (page)
		__free_pages(page, (unsigned int)page_private(page));
}

static noinline void planted_churn(u32 seed)
{
	for (int i = 1; i <= churn; i++) {
		unsigned int block_order, slot;
		struct page *page;

		seed = seed * 1664525 + 1013904223;
		slot = seed >> 24;
		block_order = (seed >> 16) % ORDERS;
		page = alloc_pages(GFP_KERNEL, block_order);
		if (page)
			set_page_private(page, block_order);
		else
			atomic_inc(&churn_missing);
		swap_box(slot, page);
		if (i % BURST)
			continue;
		cond_resched();
		if (rest)
			usleep_range((unsigned long)rest,
				     (unsigned long)rest * 2);
	}
}

static noinline void planted_hold(void)
{
	int missing = 0;

	mutex_lock(&churned_lock);
	for (int i = 0; i < hold; i++)
		take(alloc_pages(GFP_KERNEL, 0), &churned, &missing);
	mutex_unlock(&churned_lock);
	atomic_add(missing, &churn_missing);
}

static int churn_thread(void *cpu)
{
	unsigned int own = (unsigned int)(unsigned long)cpu;
	unsigned int cpus = num_online_cpus();

	planted_churn(own * 7919 + 1);
	if (atomic_dec_and_test(&churning))
		complete_all(&churn_through);
	wait_for_completion(&churn_through);
	for (unsigned int i = (own + 1) % cpus; i < BOXES; i += cpus)
		swap_box(i, NULL);
	planted_hold();
	if (atomic_dec_and_test(&unfinished))
		complete(&churn_done);
	return 0;
}

/* No CPU comes or goes while a test runs. */
static int churn_on_all_cpus(void)
{
	unsigned int cpu;

	atomic_set(&churning, (int)num_online_cpus());
	atomic_set(&unfinished, (int)num_online_cpus());
	for_each_online_cpu(cpu) {
		struct task_struct *thread = kthread_create(churn_thread,
			(void *)(unsigned long)cpu, "churn/%u", cpu);

		if (IS_ERR(thread))
			panic("planted: no thread");
		kthread_bind(thread, cpu);
		wake_up_process(thread);
	}
	wait_for_completion(&churn_done);
	return short_of_memory("churn", atomic_read(&churn_missing));
}
