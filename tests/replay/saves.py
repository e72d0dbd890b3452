# SPDX-License-Identifier: MIT
"""What would save most, and an unpacking that failed, from the model's books
(applet/report/saves.h, applet/report/unpack.h)."""
import areas
import gen
import groups
from gen import text

OWN = ("driver", "slab", "network", "vmalloc", "module images", "per-CPU")


def of_module(m, module):
    """Pages that it held for itself when the most was used."""
    own = sum(c.at_peak for (k, chain), c in m.module_stacks.items()
              if k is module and m.kinds.stack_kind(c, chain) in OWN)
    return own + module.image.at_peak + module.vmalloc.at_peak


def of_tasks(m, name):
    """Pages of each task of this name, of kinds that end with it."""
    for task in m.tasks:
        if text(task.comm) == name:
            stays = sum(
                c.now for (k, module, chain, _), c in m.task_stacks.items()
                if k is task and m.kinds.stack_kind(
                    m.module_stacks[module, chain], chain)
                not in ("anonymous", "page tables"))
            yield max(task.count.at_peak - stays, 0)


def changes(m, need, rootfs, total):
    """(what, of KiB, less at the peak, while unpacking, for rootfs)"""
    f, page = m.figures, m.t.page_size // 1024
    files = f.get(b"Cached (initramfs)", 0)
    held = files + f.get(b"inodes (initramfs)", 0)
    yield ("initramfs", files, max(held - m.before() * page, 0),
           held + f.get(b"initrd (freed)", 0),
           (areas.for_rootfs(m, total, max(files, f.get(b"rootfs inodes", 0)))
            or 0) - (areas.for_rootfs(m, total, 0) or 0))

    def part(group, name):
        return m.parts.get((gen.GROUPS.index(group), False, name), 0)
    each, first = part("all", b"per-CPU area"), part("reserved",
                                                     b"per-CPU areas")
    cpus = first // each if each else 0
    if cpus > 4:
        both = first + part("before", b"per-CPU areas")
        yield ("nr_cpus", both, both - both // cpus, both - both // cpus,
               first - first // cpus)
    slots = 512
    while slots < min(cpus, 1024) * 128:
        slots *= 2
    swiotlb = part("reserved", b"swiotlb")
    yield ("swiotlb", swiotlb, *[max(swiotlb - 2 * slots, 0)] * 3)
    for name in (b"crashkernel", b"kfence"):
        kib = part("reserved", name)
        yield (text(name), kib, *[kib] * 3)
    huge = f.get(b"unused huge pages", 0)
    yield ("hugepages", huge, huge, huge, 0)
    table = part("all", b"per-CPU cgroup table")
    yield ("nokmem", table, table, table, 0)
    cma = f.get(b"cma-reserved", 0)
    fixed = f.get(b"reserved", 0) + cma
    content = max((rootfs or 0) - fixed, 0)
    if b"rootfs limit" not in f:
        yield ("initramfs_options", rootfs or 0, 0, 0, min(
            content // 9 * 4,
            max(content - 2 * f.get(b"rootfs inodes", 0), 0)))
    nodes = part("reserved", b"node data")
    yield ("numa", nodes, *[max(nodes - part("all", b"a node's data"), 0)] * 3)
    yield ("cma", cma, *[min((m.cma_least or 0) * page, areas.idle(m))] * 2,
           cma)
    if not m.kinds.known:
        return
    tasks = groups.standing_out(m, "task") or ("(udev-worker)", [])
    for name in {"(udev-worker)", tasks[0]}:
        held = [*of_tasks(m, name)]
        yield ("udev" if name == "(udev-worker)" else name, sum(held) * page,
               (sum(held) - max(held, default=0)) * page, 0, 0)
    name, rows = groups.standing_out(m, "module") or ("", [])
    group = [module for module, _ in rows]
    kib = sum(of_module(m, module) * page for module in group
              if not module.in_use)
    if group:
        yield name, kib, kib, 0, 0
    for module in m.modules:
        kib = of_module(m, module) * page
        if module.name and not module.in_use and kib >= need // 20 and \
                module not in group:
            yield (text(module.name), kib, kib, 0, 0)


def saves(m, advice):
    """(KiB, of KiB, what or module), the largest three."""
    if not advice or advice["advice_kib"] is None or m.head["lost"]:
        return []
    kept = advice["kept_kib"]
    used = [None if advice[k] is None else advice[k] + more for k, more in (
        ("unreclaimable_kib", kept), ("unpacking_kib", kept),
        ("rootfs_kib", 0), ("tmpfs_kib", 0))]
    rows = []
    for what, of, *less in changes(
            m, advice["need_kib"], advice["rootfs_kib"],
            areas.start_kib(m) - m.growth.offline_kib()):
        # For another tmpfs only what is reserved.
        less.append(0 if what in ("initramfs", "initramfs_options", "cma")
                    else less[2])
        then = [max(u - n, 0) for u, n in zip(used, less) if u is not None]
        kib = max(u for u in used if u is not None) - max(then)
        if kib and (kib >= 1024 or kib >= advice["advice_kib"] // 50):
            rows.append((kib, of, what))
    return sorted(rows, key=lambda row: -row[0])[:3]


def unpack(m):
    """The record, or none."""
    if not m.unpack or not m.unpack["name"]:
        return None
    f, page = m.figures, m.t.page_size // 1024
    unknown = 2**64 - 1
    held, limit = m.unpack["size"], m.unpack["pages"]
    lacks = m.cut["size"] if m.cut else 0
    kib = None if held == unknown else held // 1024
    if kib is None and not limit:
        kib = f.get(b"Cached (initramfs)") or None
    most = None if limit == unknown else limit * page
    full = bool(kib is not None and most and
                m.unpack["name"] == b"write error" and
                kib >= most - most // 100)
    reserved = f.get(b"reserved", 0)
    return dict(
        error=text(m.unpack["name"]), rootfs_full=int(full), unpacked_kib=kib,
        limit_kib=most,
        initrd_kib=f.get(b"initrd (freed)", 0) or None,
        file=text(m.cut["name"]) or None if m.cut else None,
        file_lacks_kib=lacks // 1024,
        inodes=m.cut["pages"] or None if m.cut else None,
        more_than_kib=2 * (kib + lacks // 1024) + reserved +
        f.get(b"cma-reserved", 0) if full and reserved else None)
