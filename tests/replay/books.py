# SPDX-License-Identifier: MIT
"""The kernel's own books of a few pages, in the form of each kernel, made by
its format strings (mm/page_owner.c, lib/alloc_tag.c).
"""
FAULT = """__alloc_pages+0x1e1/0x330
vma_alloc_folio+0xa3/0x3a0
do_anonymous_page+0x6a/0x4d0
__handle_mm_fault+0x6c0/0x9d0
handle_mm_fault+0xdb/0x2d0
do_user_addr_fault+0x1b9/0x660
exc_page_fault+0x70/0x170
asm_exc_page_fault+0x22/0x30
"""
LOAD = """__alloc_pages+0x1e1/0x330
planted_keep+0x38/0x90 [planted0]
init_module+0x42/0xfe0 [planted0]
do_one_initcall+0x56/0x230
do_init_module+0x4a/0x220
__do_sys_finit_module+0xac/0x120
do_syscall_64+0x58/0xc0
entry_SYSCALL_64_after_hwframe+0x64/0xce
"""
SOCKET = """__alloc_pages+0x1e1/0x330
allocate_slab+0x24e/0x4a0
___slab_alloc+0x4a0/0x870
kmem_cache_alloc_node+0x16e/0x2c0
__alloc_skb+0x8b/0x170
alloc_skb_with_frags+0x57/0x1e0
nf_send_reset+0x12/0x80 [nf_reject_ipv4]
do_syscall_64+0x58/0xc0
"""
NAMELESS = """__alloc_pages+0x1e1/0x330
0xffffffffc0203010
do_one_initcall+0x56/0x230
do_init_module+0x4a/0x220
"""
EARLY = """register_early_stack+0x2b/0x58
init_page_owner+0x2d/0x52
"""
ZEROED = "0x140dca(GFP_HIGHUSER_MOVABLE|__GFP_COMP|__GFP_ZERO)"
RETRIED = "0x52cc0(GFP_KERNEL|__GFP_NOWARN|__GFP_NORETRY|__GFP_COMP)"
KERNEL = "0xcc0(GFP_KERNEL)"
MIGRATED = "Page has been migrated, last migrate reason: compaction\n"
# order, mask, pid, tgid, name, PFN, type, frames, and what stands behind them
PAGES = [
    (0, ZEROED, 812, 812, "sh", 0x1a00, "Movable", FAULT, ""),
    (0, ZEROED, 812, 812, "sh", 0x1a01, "Movable", FAULT, MIGRATED),
    (9, KERNEL, 90, 88, "load", 0x2000, "Unmovable", LOAD, ""),
    (1, RETRIED, 4242, 4242, "(weird), ts 1 ns", 0x1a02, "Unmovable", SOCKET,
     ""),
    (0, KERNEL, 88, 88, "insmod", 0x1a08, "Unmovable", NAMELESS, ""),
    (3, "0x0()", 1, 1, "swapper/0", 0x3000, "Unmovable", EARLY, ""),
]
STACKS = [(FAULT, 41), (LOAD, 512), (SOCKET, 2), (NAMELESS, 1)]
# By the first kernel that has it so: what stands behind the mask, and the PFN.
OWNER = {
    "5.10": ("", "{pfn}"),
    "5.11": (", pid {pid}, ts {pid}000 ns", "{pfn}"),
    "5.15": (", pid {pid}, ts {pid}000 ns, free_ts 17 ns", "{pfn}"),
    "5.18": (", pid {pid}, tgid {tgid} ({name}), ts {pid}000 ns, free_ts 17 ns",
             "{pfn}"),
    "6.6": (", pid {pid}, tgid {tgid} ({name}), ts {pid}000 ns, free_ts 17 ns",
            "{pfn:#x}"),
    "6.12": (", pid {pid}, tgid {tgid} ({name}), ts {pid}000 ns", "{pfn:#x}"),
    "handle": (", pid {pid}, tgid {tgid} ({name}), ts {pid}000 ns",
               "{pfn:#x}"),
}
BEHIND_HANDLE = "Slab cache page\nCharged (via objcg) to offline memcg " \
    "init.scope\n"
SITES = [
    (4096, 1, "arch/x86/kernel/kdebugfs.c:105", "create_setup_data_nodes", ""),
    (0, 0, "arch/x86/kernel/alternative.c:2090",
     "alternatives_smp_module_add", ""),
    (7340032, 1792, "mm/slub.c:2429", "alloc_slab_page", ""),
    (-4096, 0, "mm/filemap.c:1950", "__filemap_get_folio", ""),
    (1048576, 16, "drivers/net/planted.c:77 [planted0]", "planted_keep",
     " accurate:no"),
    (524288, 8, "drivers/net/planted.c:77 [planted0]", "planted_keep", ""),
    (9000, 3, "drivers/net/planted.c:90 [planted0]", "planted_temp",
     " accurate:no colour:blue since:7"),
    (65536, 2, "net/core/skbuff.c:660 [nf_reject_ipv4]", "__alloc_skb", ""),
]


def indented(frames):
    return "".join(f" {frame}\n" for frame in frames.splitlines())


def page_owner(form):
    task, pfn_form = OWNER[form]
    for i, (order, mask, pid, tgid, name, pfn, kind, frames, behind) in \
            enumerate(PAGES):
        known = dict(pid=pid, tgid=tgid, name=name, pfn=pfn)
        yield f"Page allocated via order {order}, mask {mask}" + \
            task.format(**known) + "\n"
        yield f"PFN {pfn_form.format(**known)} type {kind} Block {pfn >> 9} " \
            f"type {kind} Flags 0xfffffc0010200(slab|head|node=0|zone=1|" \
            "lastcpupid=0x1fffff)\n"
        if form == "handle":
            yield f"handle: {1000 + i}\n{behind}{BEHIND_HANDLE}\n"
        else:
            yield indented(frames) + behind + "\n"


def stacks(form):
    """Of frames with a number of pages; or with a handle, which stands for the
    frames where the number is asked for."""
    count = "stack_count" if form == "6.9" else "nr_base_pages"
    for i, (frames, pages) in enumerate(STACKS):
        if form != "handles":
            yield indented(frames)
        if form in ("handles", "legend"):
            yield f"handle: {7000 + i}\n"
        if form != "legend":
            yield f"{count}: {pages}\n"
        yield "\n"


def allocinfo(version):
    yield f"allocinfo - version: {version}\n#     <size>  <calls> <tag info>\n"
    for size, calls, place, function, more in SITES:
        yield f"{size:12} {calls:8} {place} func:{function}" + \
            (" \n" if version == "1.0" else more + "\n")


BOOKS = {f"{make.__name__}-{form}": "".join(make(form))
         for make, forms in ((page_owner, OWNER),
                             (stacks, ("6.9", "6.12", "handles", "legend")),
                             (allocinfo, ("1.0", "2.0"))) for form in forms}
