/* SPDX-License-Identifier: MIT */
/*
 * report/trim.c: what levels 1 and 2 leave out of a call chain, by the names
 * that kernels have; never all of it.
 */
#include "report_fixture.h"

#define FRAMES 8

/* A chain of these names, innermost first, and what level 2 shows of it. */
static const struct {
	const char *name[FRAMES], *shown;
} chains[] = {
	{ { "__alloc_pages", "alloc_pages_mpol", "shmem_alloc_folio",
	    "shmem_write_begin", "__x64_sys_write", "x64_sys_call",
	    "do_syscall_64", "entry_SYSCALL_64_after_hwframe" },
	  "shmem_alloc_folio+0x1 < shmem_write_begin+0x1 < "
	  "__x64_sys_write+0x1\n" },
	{ { "__alloc_frozen_pages_noprof", "allocate_slab",
	    "___slab_alloc.constprop.0", "__slab_alloc.isra.0",
	    "kmem_cache_alloc_noprof", "worker_thread", "kthread",
	    "ret_from_fork_asm" },
	  "kmem_cache_alloc_noprof+0x1\n" },
	{ { "__alloc_pages_nodemask", "alloc_page_interleave", "__vmalloc_node",
	    "kthread_stop", "invoke_syscall", "el0_svc_common",
	    "do_el0_svc", "el0t_64_sync" },
	  "__vmalloc_node+0x1 < kthread_stop+0x1\n" },
	{ { "__alloc_pages", "asm_exc_page_fault" }, "asm_exc_page_fault+0x1\n" },
	{ { "__alloc_pages", "folio_alloc_noprof" }, "folio_alloc_noprof+0x1\n" },
	{ { "get_zeroed_page" }, "get_zeroed_page+0x1\n" },
	{ { "ret_from_fork", "do_one_initcall", "kthread" },
	  "ret_from_fork+0x1 < do_one_initcall+0x1\n" },
	{ { "trace_event_raw_event_mm_page_alloc", "__traceiter_mm_page_alloc",
	    "__alloc_pages", "pte_alloc_one" }, "pte_alloc_one+0x1\n" },
	{ { "reallocate", "do_syscall_64" }, "reallocate+0x1\n" },
};

static uint64_t addr_of(size_t chain, size_t frame)
{
	return KERNEL_TEXT + 0x10000 + chain * 0x1000 + frame * 0x100;
}

int main(void)
{
	struct fixture *f = fixture_new();
	char wanted[256];

	for (size_t i = 0; i < ARRAY_LEN(chains); i++) {
		uint64_t chain[FRAMES + 1] = { 0 };

		for (size_t n = 0; n < FRAMES && chains[i].name[n]; n++)
			chain[n] = addr_of(i, n) + 1;
		hold(f, 100 + (uint32_t)i, 1, chain);
	}
	f->report.level = 2;
	f->report.top = 20;
	symbols_clear(&f->symbols);
	report_collect(&f->report);
	for (size_t i = 0; i < ARRAY_LEN(chains); i++)
		for (size_t n = 0; n < FRAMES && chains[i].name[n]; n++)
			symbols_set(&f->symbols, addr_of(i, n) + 1,
				    addr_of(i, n), chains[i].name[n],
				    strlen(chains[i].name[n]));
	symbols_sort(&f->symbols);
	f->got.used = f->got.lines = 0;
	report_text(&f->report, &f->got.out);
	for (size_t i = 0; i < ARRAY_LEN(chains); i++) {
		snprintf(wanted, sizeof(wanted), "\n      %s",
			 chains[i].shown);
		tap_ok(has(f->got.text, wanted), "%s ...",
		       chains[i].name[0]);
	}
	free(f);
	return tap_plan_done();
}
