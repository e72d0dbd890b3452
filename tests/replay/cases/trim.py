# SPDX-License-Identifier: MIT
"""Call chains, innermost first, of which levels 1 and 2 leave out the ends that
say nothing, by the names that kernels have; never all of a chain."""
CHAINS = [
    b"__alloc_pages alloc_pages_mpol shmem_alloc_folio shmem_write_begin"
    b" __x64_sys_write x64_sys_call do_syscall_64"
    b" entry_SYSCALL_64_after_hwframe",
    b"__alloc_frozen_pages_noprof allocate_slab ___slab_alloc.constprop.0"
    b" __slab_alloc.isra.0 kmem_cache_alloc_noprof worker_thread kthread"
    b" ret_from_fork_asm",
    b"__alloc_pages_nodemask alloc_page_interleave __vmalloc_node"
    b" kthread_stop invoke_syscall el0_svc_common do_el0_svc el0t_64_sync",
    b"__alloc_pages asm_exc_page_fault",
    b"__alloc_pages folio_alloc_noprof",
    b"get_zeroed_page",
    b"ret_from_fork do_one_initcall kthread",
    b"trace_event_raw_event_mm_page_alloc __traceiter_mm_page_alloc"
    b" __alloc_pages pte_alloc_one",
    b"reallocate do_syscall_64",
]


def build(t):
    for i, names in enumerate(CHAINS):
        addrs = [0xc1010001 + 0x1000 * i + 0x100 * n
                 for n in range(len(names.split()))]
        t.comm(100 + i, b"chain %d" % i)
        t.alloc(100 + i, 0x1000 + i, 0, addrs)
        for addr, name in zip(addrs, names.split()):
            t.symbol(addr, addr - 1, name)
