# SPDX-License-Identifier: MIT
"""Pages of two programs go to zram: kswapd takes pages for what it compresses,
before the functions are known and after, and frees what it has compressed. Each
page of zsmalloc goes to the owner of a page that was freed behind it; those for
which nothing was freed stay with kswapd. Neither is the culprit. A GPU's buffer
is its driver's, and no tmpfs."""
import kinds_case as k

ZS, GPU, DRM, OTHER = 0xd0a00010, 0xd0b00010, 0xd0c00010, 0xd0d00010
KSWAPD, HOG, FEW = 36, 80, 81
READ = 0xc100b010		# shmem_read_mapping_page_gfp()


def reclaim(t, first, freed, takes, gives):
    """Pages of zsmalloc, then the pages that they hold."""
    for i in range(takes):
        t.alloc(KSWAPD, first + i, 0, [k.ALLOC, ZS, k.SYSCALL])
    for pfn in freed[:gives]:
        t.free(KSWAPD, pfn)


def build(t):
    t.ram = [(0x100, 65408)]
    t.memory(60000)
    t.task(2, b"kthreadd")
    t.task(KSWAPD, b"kswapd0", parent=2)
    for name, base in {b"zsmalloc": ZS, b"virtio_gpu": GPU, b"drm": DRM,
                       b"other": OTHER}.items():
        t.module_range(name, base - 0x10, 0x1000)
    t.comm(HOG, b"hog")
    t.comm(FEW, b"few")
    pages = {tid: range(0x2000 + 0x1000 * i, 0x2000 + 0x1000 * i + 900)
             for i, tid in enumerate((HOG, FEW))}
    for tid, pfns in pages.items():
        for pfn in pfns:
            t.alloc(tid, pfn)
    for i in range(20):
        reclaim(t, 0x5000 + 32 * i, pages[HOG][32 * i:], 16 + i % 8, 32)
    t.alloc(FEW, 0x6000, 8, [k.ALLOC, k.TMPFS, READ, DRM, GPU, DRM])
    t.alloc(FEW, 0x6200, 7, [k.ALLOC, k.TMPFS, k.WRITE, OTHER])
    t.functions(k.FUNCTIONS + [(READ - 0x10, 0x100,
                                b"shmem_read_mapping_page_gfp")])
    for i in range(8):
        reclaim(t, 0x5400 + 64 * i, pages[FEW][32 * i:], 34, 32 - 31 * (i == 7))
    t.alloc(KSWAPD, 0x5800, 2, [k.ALLOC, ZS, k.SYSCALL])	# no single page
    for i in range(900):		# more than are kept
        t.alloc(KSWAPD, 0x5900 + i, 0, [k.ALLOC, ZS, k.SYSCALL])
    for pfn in pages[FEW][400:440]:
        t.free(KSWAPD, pfn)
    for tid in range(300, 305):		# more tasks than are kept
        t.alloc(tid, 0x6300 + tid, 0, [k.ALLOC, ZS, k.SYSCALL])
    for tid in range(300, 305):
        t.free(tid, pages[HOG][880 + tid - 300])
    t.exit(FEW)
    t.free(KSWAPD, 0x5400)
    t.memory(60000 - 2836)
    t.reason = b"request"
