/* SPDX-License-Identifier: MIT */
/* What we read from /proc, /sys and the kernel's log. */
#ifndef MEMSTRACK_SOURCE_PROC_PROC_H
#define MEMSTRACK_SOURCE_PROC_PROC_H

#include <stddef.h>
#include <stdint.h>
#include "base/system.h"
#include "source/event.h"

/*
 * --- proc
 *
 * /proc and /sys at the start and later: RAM, CPUs, the tasks that run already,
 * modules and where their text is.
 *
 * Sources: Documentation/filesystems/proc.rst, Documentation/ABI/testing/
 * sysfs-module; /sys/module/NAME/sections since 2.6.
 */

/* "System RAM" of /proc/iomem, in pages. 0; -ENODATA: no such range, or only
 * zeroes, which the kernel shows to users other than root; or -errno. */
int proc_ram(struct ram *ram, uint32_t page_size);
int iomem_line(struct ram *ram, const char *line, size_t len,
	       uint32_t page_size);

/* What takes lines and emits events: an event with its time, and its receiver. */
struct emitter {
	struct event_out *out;
	struct event event;
};

/* Gives each line of a file to `take`, with a struct emitter. 0 or -errno. */
int proc_emit_lines(const char *path, take_line *take, struct event_out *out,
		    enum event_type type, uint64_t time_ns);

#define CPUS_ONLINE "/sys/devices/system/cpu/online"
/* Parses a list like "0-3,8,10-11". Calls set() for each CPU; a CPU of CPUS_MAX
 * or above is an error. Returns the number of CPUs, or -EINVAL. */
int cpu_list(const char *text, size_t len, void (*set)(void *ctx, uint32_t cpu),
	     void *ctx);

/* The same for the CPUs that are online; without sysfs, for the CPUs on which
 * we may run. */
int proc_cpus(void (*set)(void *ctx, uint32_t cpu), void *ctx);
/* The same from the open file CPUS_ONLINE. */
void proc_cpus_again(int fd, void (*set)(void *ctx, uint32_t cpu), void *ctx);

/* The number of possible CPUs; 0: not known. */
uint32_t proc_possible_cpus(void);

/* Calls take() for each name in a directory. 0 or -errno. */
int proc_each_entry(const char *path,
		    void (*take)(void *context, const char *name),
		    void *context);

/* One EVENT_TASK for each process that runs. 0 or -errno. */
int proc_tasks(struct event_out *out, uint64_t time_ns);
/* EVENT_FORK for each thread except the first one of a process. 0 or -errno. */
int proc_threads(struct event_out *out, uint64_t time_ns);
/* Has some process several threads, or can we not see all processes? */
int proc_has_threads(void);
/* Parses the text of /proc/PID/stat. 0 or -EINVAL. */
int stat_line(const char *text, size_t len, struct event *e);

/* EVENT_MODULE_SAMPLE of a line of /proc/modules, with the pages of its image. 0,
 * or -EINVAL. */
int module_line(const char *line, size_t len, uint32_t page_bytes,
		struct event *e);

/* EVENT_MODULE_RANGE for every loaded module. -ENOENT: the kernel has no
 * modules. */
int proc_modules(struct event_out *out, uint64_t time_ns);

/* EVENT_MODULE_DIR for every module of a modules.dep file (modules.dep(5)) that
 * is in a directory. */
void proc_module_dirs(struct event_out *out, uint64_t time_ns,
		      const char *path);

/* EVENT_MODULE_RANGE for the core and init text of the module that `e` names; e
 * is overwritten. -ENOENT: the module is gone already, or there is no sysfs. */
int module_ranges(struct event_out *out, struct event *e);

/* How the kernel shows addresses to us. */
enum addresses {
	ADDRESSES_UNKNOWN, ADDRESSES_HIDDEN, ADDRESSES_HASHED, ADDRESSES_PLAIN,
};

/* EVENT_AREA_SEEN for every area of vmalloc, then EVENT_AREAS_SEEN. The first
 * call sets *shown to how addresses are shown. 0; -EPERM: addresses are hidden;
 * -ESTALE: they are shown in another way than before, so known areas cannot be
 * found again; or -errno. */
int proc_vmallocinfo(struct event_out *out, uint64_t time_ns,
		     enum addresses *shown);
/* Parses one line. -EINVAL: not a line with pages; -EPERM: no address. */
int vmallocinfo_line(const char *line, size_t len, struct event *e);

/* EVENT_FIGURE for memory in use, from /proc/meminfo. `boot`: nothing has run
 * yet. */
void proc_baseline(struct event_out *out, uint64_t time_ns, int boot);
/* Parses "Slab:   15560 kB": a name and a number of KiB. 0 or -EINVAL. */
int meminfo_kib(const char *line, size_t len, struct word *name,
		uint64_t *kib);
/* The same as an EVENT_FIGURE. 0, or -EINVAL: not a figure that we use. */
int meminfo_line(const char *line, size_t len, struct event *e);
/* 0, or -EINVAL for an impossibly large value. */
int baseline_figure(struct event *e, const struct word *name, uint64_t kib);

/* From the open /proc/meminfo, in KiB. */
struct available {
	int known;		/* MemAvailable is there (since 3.14) */
	uint64_t kib;		/* MemAvailable + SwapFree: can be allocated
				 * without a kill */
	uint64_t slab_kib;	/* SReclaimable */
	uint64_t file_kib;	/* pages of files, without tmpfs; */
	uint64_t busy_kib;	/* of these: mapped, or to be written */
	uint64_t anon_kib, shmem_kib, all_slab_kib;
	uint64_t swap_kib, all_swap_kib;	/* free swap, and all swap */
	uint64_t huge, huge_free;	/* huge pages of the default size */
	uint64_t huge_owed;		/* free, but reserved for a mapping */
	uint64_t huge_kib;		/* of one huge page */
	uint64_t all_huge_kib;		/* of all sizes (since 4.15) */
};

void proc_available(int meminfo_fd, struct available *a);
/* EVENT_AVAILABLE, from the same file; EVENT_FIGURE of BASELINE_HUGE;
 * EVENT_KEPT of huge pages and of swap, whose compressed pages in memory are
 * counted in /proc/zoneinfo. A page of a file can be given back if it is clean
 * and not mapped: without their mapped pages, running programs would read their
 * code again and again. Reclaimable slab is not counted: it is freed late, or
 * not at all. */
void proc_emit_available(int meminfo_fd, int zoneinfo_fd,
			 struct event_out *out, uint64_t time_ns,
			 uint32_t page_size);
/* EVENT_MEMORY with EVENT_PCP, from /proc/zoneinfo; nothing if the descriptor
 * is -1. */
void proc_pcp(struct event_out *out, uint64_t time_ns, int zoneinfo_fd);
/* Parses "  present  32768": a name and a number of pages. 0 or -EINVAL. */
int counter_line(const char *line, size_t len, struct word *name,
		 uint64_t *pages);
/* The free pages of a per-CPU list, in a line of /proc/zoneinfo; else 0. */
uint64_t zoneinfo_line(const char *line, size_t len);

/* All free pages, those on per-CPU lists included; 0: not known. */
uint64_t proc_free_pages(void);
/* The pages that the page allocator has ever given out; 0: not known. */
uint64_t proc_handed_pages(void);
/* EVENT_BLOCKS, after an allocation of this many pages failed. */
void proc_blocks(struct event_out *out, uint64_t time_ns, uint64_t pages);
/* The free pages in a line of /proc/buddyinfo, and those of its largest
 * block. */
uint64_t buddyinfo_line(const char *line, size_t len, uint64_t *largest);

/*
 * --- ram
 *
 * The parts of RAM: what the firmware kept, what the kernel's image takes, what
 * was reserved at boot, what was used before tracing. One EVENT_RAM for each
 * part.
 *
 *	/proc/meminfo	at the start of tracing: memory in use, by kind
 *	the kernel's log	hash tables, per-CPU areas, bounce buffers, what was
 *			freed again (section boot log)
 *	/proc/iomem	the map of the firmware, and the kernel's image in it
 *			(ram_map.c)
 *	/proc/zoneinfo	the pages that were present at boot
 *	/proc/vmstat	page structs, since 6.10
 *	/proc/vmallocinfo	tables of per-CPU objects of memory cgroups
 *	/proc/device-tree/reserved-memory	regions by name
 *	debugfs		slots of swiotlb: since 6.0 the log has them only with
 *			RAM above 4 GiB
 *
 * All figures are the kernel's own. Only page structs before 6.10 are computed
 * from the number of pages, if the log does not have their size.
 */

/* The usual size of struct page, if the kernel does not report it. It is 56 on
 * a 64-bit kernel without memory cgroups, if the machine does not align it:
 * then this is an upper bound. For the figure in a report, reserved memory is
 * another one. */
#define PAGE_STRUCT_BYTES (sizeof(long) == 8 ? 64u : 32u)

/* Below this address a PC has holes in its RAM. */
#define RAM_LOW_BYTES (UINT64_C(1) << 20)

/* A region of reserved-memory. */
struct tree_region {
	uint64_t base, bytes;
	uint8_t no_map, reusable;
	uint8_t in_map;		/* iomem has it, or its address is not known */
	char name[RAM_NAME_BYTES];
};

/* In bytes, if the name does not say otherwise. */
struct ram_reader {
	struct event_out *out;
	uint32_t page_size;

	/* From meminfo, at the start. */
	uint64_t percpu;

	/* From the log. */
	int figures;			/* of the line "Memory:" */
	uint64_t hash_bytes;
	uint64_t ramdisk, swiotlb, node_data;
	uint64_t log_buffer, log_all;	/* text; text and descriptors */
	int log_made;			/* allocated from memblock */
	uint64_t percpu_pages, percpu_unit, percpu_alloc;
	uint64_t memmap_pages;
	uint64_t freed_image, freed_bss, freed_initrd;
	int image_freed;
	uint32_t log_images;
	int late;		/* the page allocator is ready */

	/* From iomem; an end is the first byte behind. */
	uint64_t ram, ram_end, firmware, low_ram_pages;
	uint64_t run_end, run_hole, run_reserved, run_acpi;
	int run_has_ram;
	uint64_t image_start, image_end, image_named, bss;

	/* From zoneinfo and vmstat, in pages. */
	uint64_t present, zone_present, zone_managed, low_reserved;
	uint64_t memmap_boot, balloon;

	/* The unit in which memory goes online or offline; 0: not known. */
	uint64_t block;

	uint32_t regions;
	struct event event;	/* with its time */
	char unpack_error[MODULE_NAME_BYTES];	/* "": no error in the log */
	struct {
		const char *name;
		uint64_t bytes;
	} log_image[4];		/* of the log, if iomem has no image */
	struct tree_region region[TREE_REGIONS_MAX];
};

/* Emits EVENT_RAM for one part, unless it has no bytes. */
void ram_emit(struct ram_reader *r, uint32_t flags, const struct word *name,
	      uint64_t bytes);
void ram_emit_named(struct ram_reader *r, uint32_t flags, const char *name,
		    uint64_t bytes);

/* Takes a line of iomem, for a struct ram_reader. */
take_line ram_map_line;
/* Call this after all lines of iomem: emits what needs their sums. */
void ram_map_end(struct ram_reader *r);

/*
 * --- boot log
 *
 * What the kernel logged at boot about memory that it took and gave back.
 *
 *	Memory: …	the parts of the image, and reserved memory; this
 *			includes the page structs, whose size follows from RAM
 *	… hash table entries: …	of dentries, inodes, connections: their size
 *			depends on the size of memory, like that of page structs
 *	Freeing … memory: …	the initrd after it was unpacked; memory that
 *			only the start of the kernel needed
 *	Initramfs unpacking failed: …	the rest of the image is missing; with
 *			CONFIG_BLK_DEV_RAM "rootfs image is not initramfs (…);
 *			looks like an initrd"
 *	Run … as init process	since 4.20 the last line before init
 */

/* Takes a record of /dev/kmsg, for a struct ram_reader. 0: later records are not
 * from before init. */
int boot_log_record(void *reader, const char *record, size_t len);
/* Emits the figures that are sums, unless the line "Memory:" was missing. */
void boot_log_end(struct ram_reader *r);
/* Reads the log up to init: EVENT_FIGURE and EVENT_RAM, and EVENT_UNPACK if the
 * initramfs was not unpacked completely. `rootfs`: where it is mounted. */
void boot_log_read(struct ram_reader *r, uint64_t time_ns, const char *rootfs);

/*
 * --- dt cells
 *
 * Numbers in a flattened device tree: big-endian cells of 4 bytes, of which an
 * address or a size has as many as its parent says (Devicetree Specification
 * 0.4, 2.3.5 and 2.3.6).
 */

/* Reads a number of 1 to 4 cells. 0; -EINVAL: another number of cells, or too
 * few bytes; -ERANGE: more than 64 bits. */
int dt_number(const unsigned char *at, size_t len, uint32_t cells,
	      uint64_t *value);

/* Pair number `pair`, counted from 0, of a property "reg". -ENOENT: there is no
 * such pair; or an error as above. */
int dt_pair(const unsigned char *reg, size_t len, uint32_t address_cells,
	    uint32_t size_cells, uint32_t pair, uint64_t *base,
	    uint64_t *bytes);

/*
 * --- full
 *
 * Of all tmpfs mounts that a process sees, those that have no room or no inode
 * left; and how much memory a machine needs for a tmpfs whose limit is a part
 * of memory. The mount does not show this: we take a limit for a part of memory
 * if it is a whole number of per cent (mm/shmem.c, shmem_parse_one()); the
 * default is 50.
 *
 * No part of a path may make the tracer wait for a server, a program or a
 * device: openat2() with RESOLVE_CACHED (since Linux 5.12) opens only what the
 * kernel finds without waiting. An older kernel refuses this flag: there we
 * only look at the root itself. A look reads mountinfo once, makes four system
 * calls for each tmpfs, and reads vmstat if a tmpfs is full. It takes 9 KiB of
 * the stack.
 *
 * Sources: fs/namei.c (LOOKUP_CACHED), fs/proc_namespace.c (show_mountinfo:
 * bytes of a path that are blanks or a backslash are octal), mm/shmem.c
 * (shmem_statfs sums what each CPU has counted: the figures are exact) of 5.10
 * to 6.12; proc_pid_mountinfo(5).
 */

/* Mounts with longer paths are skipped. */
#define MOUNT_PATH_BYTES 256

struct mount_line {
	uint32_t device;	/* the minor number */
	int is_rootfs;
	char path[MOUNT_PATH_BYTES];
};

/* Parses a line of mountinfo, without its newline. 0, or -EINVAL: not a
 * tmpfs. */
int mountinfo_line(const char *line, size_t len, struct mount_line *m);

/* The largest figure of all looks so far, in KiB. */
struct tmpfs_most {
	uint64_t rootfs, others;
};

/* EVENT_FULL for each full mount. `process`: its directory in /proc. Returns
 * the number of full mounts. EVENT_FIGURE of BASELINE_ROOTFS_FILES and
 * BASELINE_TMPFS if the figure is larger than in *most. */
uint32_t full_emit(struct event_out *out, uint64_t time_ns,
		   const char *process, struct tmpfs_most *most);

/*
 * --- in use
 *
 * Modules that are in use: without them the boot may have no root or no
 * console.
 *
 * A module is open or mounted if /proc/modules counts more uses than modules
 * that use it. This covers file systems, disks and what disks are made of.
 * Nothing counts the drivers on the way to a disk, to a terminal of the console
 * or to its screen (virtio_pci, xhci_pci, bochs). So the drivers of all
 * directories above these devices in sysfs are in use too, for all disks: the
 * root's disk must be found before the root is mounted. Everything that a
 * module in use depends on is in use as well.
 *
 * The drivers of a network root are not found. We read a few links of sysfs for
 * each disk, when a module came or went and for a report.
 *
 * Sources: Documentation/filesystems/proc.rst (1.2), Documentation/ABI/testing/
 * sysfs-tty; /sys/class/block and driver/module since 2.6.27. /proc/modules has
 * the newest module first: after its users.
 */

/* With this many names, or more disks (partitions included), all modules count
 * as in use. */
#define IN_USE_MAX 64u
#define IN_USE_DISKS 256u

struct in_use {
	struct event_out *out;
	struct event event;	/* with its time */
	uint32_t names, disks;
	char name[IN_USE_MAX][MODULE_NAME_BYTES];
};

/* One EVENT_IN_USE for each module in use. */
void proc_in_use(struct event_out *out, uint64_t time_ns);

/* For tests: takes a line of /proc/modules, for a struct in_use. */
take_line in_use_line;

/*
 * --- initramfs
 *
 * The directories of the initramfs that hold most, each with all below it.
 *
 * A part is a file or directory in one of the directories that every system has
 * (/usr, /usr/lib), such as /usr/lib/modules. The name /usr would mean nothing,
 * and the name of a directory deep within a part is long and its content small.
 *
 * The walk visits all files, a few at a time, while the real init runs already.
 * So we emit nothing if the files are gone: if the root was switched, or if the
 * files found have less than 90 % of the bytes that the kernel had in memory at
 * the start.
 */

struct initramfs_part {
	uint64_t bytes;
	char name[MODULE_NAME_BYTES];	/* "": it would be too long */
};

struct initramfs {
	struct walk walk;
	uint64_t least_bytes, bytes;	/* required; found so far */
	struct initramfs_part now;	/* that the walk is in */
	struct initramfs_part largest[INITRAMFS_PARTS];
};

/* `path`: where rootfs is mounted; `kib`: the size of its files. Nothing is
 * walked if this is less than 1 MiB, or if the path is not of a file system in
 * memory. */
void initramfs_begin(struct initramfs *i, const char *path, uint64_t kib);

/* Visits the next files. 0: these were the last. */
int initramfs_on(struct initramfs *i);

/* EVENT_INITRAMFS for the largest parts, the largest first, that have a tenth
 * of the bytes or more. `path`: as for initramfs_begin(). */
void initramfs_emit(struct initramfs *i, struct event_out *out,
		    uint64_t time_ns, const char *path);

/*
 * --- kernel log
 *
 * The kernel's log, read record by record: "6,80,0,-;Memory: 211188K/…", a
 * priority and three words, then the text.
 */

#define LOG_RECORD_BYTES 1024u

/* Opens /dev/kmsg behind its last record. -1: it cannot be read, or is another
 * file, as in a container. */
int log_open(void);

/* Reads the next record, and counts *most down. Skips (and counts) records that
 * were overwritten before they were read, or that are too long. Returns the
 * length; 0: there is no record now, or *most is 0. In a container the file may
 * never end. */
size_t log_next(int fd, char record[LOG_RECORD_BYTES], uint32_t *most);

/* Gives all records that are there now, at most `most`, to take(), until take()
 * returns 0. */
void log_each(int fd, uint32_t most,
	      int (*take)(void *context, const char *record, size_t len),
	      void *context);

/* Finds the text of a record. 0, or -EINVAL: not a record of the kernel. */
int log_text(const char *record, size_t len, struct word *text);

/*
 * --- oom log
 *
 * Which limit made the OOM killer kill, from the kernel's log: no event has
 * this information.
 *
 * Before it marks its victim the kernel writes (since 5.0; ten such reports in
 * five seconds at most)
 * "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,
 * oom_memcg=/box,task_memcg=/box,task=eater,pid=88,uid=0".
 */

enum oom_limit {
	LIMIT_UNKNOWN,
	LIMIT_MACHINE,	/* all memory, or some of its nodes */
	LIMIT_GROUP,	/* a memory cgroup's */
};

/* The last kills in the log are kept. */
#define OOM_KILLS_MAX 16u
struct oom_log {
	int fd;			/* log_open() of section kernel log */
	uint32_t kills;		/* in the log so far */
	struct { uint32_t tid; enum oom_limit limit; } kill[OOM_KILLS_MAX];
};

/* Reads the log to its end. Call this now and then, so that there is little to
 * read at a kill. */
void oom_log_read(struct oom_log *o);
/* The same; then returns the limit for which this task was killed, once. */
enum oom_limit oom_log_limit(struct oom_log *o, uint32_t tid);

/* Parses a record. Returns the killed task and sets *limit, or returns 0. */
uint32_t oom_record(const char *record, size_t len, enum oom_limit *limit);

/*
 * --- ram read
 *
 * Reads the parts of RAM, before and after tracing starts: see section ram.
 */

/* Emits the memory in use now, from meminfo. */
void ram_begin(struct ram_reader *r, struct event_out *out, uint64_t time_ns,
	       uint32_t page_size);
/* Emits all other parts. The log must have been read in between. */
void ram_finish(struct ram_reader *r);
/* The pages that balloons hold now; 0: none, or not known. */
uint64_t ram_balloon(struct ram_reader *r);

/* For tests: take a line of each of these files, for a struct ram_reader. */
take_line ram_vmalloc_line, ram_meminfo_line, ram_zoneinfo_line,
	  ram_vmstat_line;
/* Emits what needs all files. `cpus`: the number of possible CPUs; 0: not
 * known. */
void ram_emit_rest(struct ram_reader *r, uint64_t cpus);

/*
 * --- rootfs
 *
 * rootfs, into which the kernel unpacks the initramfs: how much it holds, and
 * its limit.
 *
 * rootfs is a tmpfs, whose limit is half of the memory that was not reserved
 * when the kernel mounted it; or, if the command line has root= or the kernel
 * has no tmpfs, a ramfs, which has no limit and does not report its size.
 *
 * Sources: init/do_mounts.c (init_rootfs), mm/shmem.c
 * (shmem_default_max_blocks, shmem_statfs) of 5.10 to 6.12; init/initramfs.c
 * (do_name).
 */

/* EVENT_FIGURE of BASELINE_ROOTFS if the kernel's command line has another
 * limit than the default (initramfs_options=size=, since 6.18 and in stable
 * kernels); and of BASELINE_FILES if the limit of inodes is the default. */
void rootfs_limit(struct event_out *out, uint64_t time_ns, const char *path,
		  const char *cmdline);

/* EVENT_FIGURE of BASELINE_INODES: the memory of the inodes of rootfs, with one
 * dentry each, by /proc/slabinfo. Nothing for a ramfs, which does not count its
 * inodes. */
void rootfs_inodes(struct event_out *out, uint64_t time_ns, const char *path);

/* Has rootfs no inode left? The kernel then skips files without a message. */
int rootfs_lacks_inodes(const char *path);

/* Sets the sizes of an EVENT_UNPACK. `path`: where rootfs is mounted; NULL: not
 * known. */
void rootfs_room(struct event *e, const char *path);

/* Finds the file in which the unpacking stopped. The kernel sets the size of a
 * file before it writes the content: so this is a file that takes less than its
 * size. If no inode is left, it is the file with the largest inode: a tmpfs
 * numbers inodes in order (since 5.9). 1: *e names the file, and has the number
 * of inodes if none is left. This takes a while, because it visits all files;
 * if there are too many, it names no file. */
int rootfs_last_file(struct event *e, const char *path);

/* Has the rootfs at `path` so little room left, or no inode, that files may be
 * missing? */
int rootfs_is_full(const char *path);

/*
 * --- slabinfo
 *
 * /proc/slabinfo: objects and pages of each slab cache.
 *
 * A read takes the kernel 1.5 ms for 235 caches on a machine of 2 CPUs. The
 * file counts free objects in the slabs of a CPU as in use.
 */

/* Parses a line of the file. 0; -EINVAL: not a cache (the first two lines). */
int slab_line(const char *line, size_t len, struct slab *s);

/* Calls `see` for each cache. 0, or -errno: the file cannot be read. */
int slabinfo_each(slab_seen *see, void *context);

/* EVENT_CACHE_SEEN for each cache, then one for the end. */
void proc_caches(struct event_out *o, uint64_t time_ns);

/*
 * --- zones
 *
 * Free memory, and which allocations may take it, by /proc/zoneinfo.
 *
 * The kernel gives no page of a zone whose free pages are down to its watermark
 * "min" plus what it keeps for allocations that must use this zone or a lower
 * one (vm.lowmem_reserve_ratio); and it kills when this holds for each zone
 * that the allocation may use. The kernel's own allocations cannot be moved:
 * they may not use a zone of movable pages, contiguous memory (CMA) or high
 * memory.
 */

/* Sums of all zones, in pages. free = own + kept + reserve +
 * apart + high + cma. */
struct zones {
	int known;		/* the file has zones: the sums are valid */
	uint64_t free_pages;
	uint64_t own_pages;	/* for the kernel's own allocations; */
	uint64_t kept_pages;	/* the watermarks "min" keep these, */
	uint64_t reserve_pages;	/* vm.lowmem_reserve_ratio these; */
	uint64_t apart_pages;	/* in zones of movable pages, */
	uint64_t high_pages;	/* in high memory, */
	uint64_t cma_pages;	/* and in contiguous memory */
	uint64_t any_pages;	/* for an allocation that may use all zones */
	uint64_t min_pages;	/* the watermarks "min": vm.min_free_kbytes; */
	uint64_t own_min_pages;	/* of zones for the kernel's own allocations */
	uint64_t packed_pages;	/* hold compressed pages (zsmalloc) */
};

/* From the open file; z->known is 0 if the descriptor is -1. */
void proc_zones(int zoneinfo_fd, struct zones *z);

/* The free pages that the kernel's own allocations may take, as last read. */
struct room {
	int fd;			/* of /proc/zoneinfo, kept open */
	struct zones zones;	/* as they were at read_ns */
	uint64_t read_ns;
};

/* EVENT_KEPT for each part of free memory that the kernel's own allocations may
 * not take, and for the watermarks, as last read. */
void room_emit(const struct room *r, struct event_out *out, uint64_t time_ns);
/* Reads the zones. */
void room_look(struct room *r, uint64_t now_ns);
/* A lower bound of the pages that the kernel's own allocations may take:
 * whatever free memory has lost since the last read may have been taken from
 * them. Reads the zones again if nothing would be left, after a loss of an
 * eighth of `enough`, and below `enough` every 10 ms. Without zones: all free
 * pages. */
uint64_t room_pages(struct room *r, uint64_t free_pages, uint64_t enough,
		    uint64_t now_ns);

/*
 * --- allocinfo
 *
 * A line of /proc/allocinfo (lib/alloc_tag.c, since 6.10):
 *
 *	allocinfo - version: 1.0
 *	#     <size>  <calls> <tag info>
 *	        4096        1 mm/slub.c:123 [module] func:allocate
 *
 * The size is signed: each CPU counts for itself, and a sum that is read
 * meanwhile may be below 0 for a moment. Since version 2.0 pairs "key:value"
 * may follow the function ("accurate:no"). Unknown pairs are skipped, as the
 * kernel's documentation asks.
 */

struct site_line {
	int64_t bytes, calls;		/* below 0 only while the kernel counts */
	struct word place;		/* file:line */
	struct word module;		/* len 0: none */
	struct word function;
	int inaccurate;
	uint32_t unknown;		/* pairs that were passed over */
};

/* 0: a site. 1: the head; *version is set if this line has the version.
 * Otherwise *problem names the error. */
int allocinfo_line(const char *line, size_t len, struct site_line *s,
		   struct word *version, const char **problem);

/*
 * What was in use before tracing, by the line of code that allocated it: a tag.
 *
 * Tags of one name, which inline functions have, are one row. Only the largest
 * TAGS_KEPT rows are kept while the file is read, so a name whose parts are all
 * smaller may be missing. A page of slab counts at the tag that allocated the
 * page, and its objects count at theirs: so tags do not add up.
 */

struct tag {
	uint64_t bytes, calls;
	char name[MODULE_NAME_BYTES];	/* "function [module] file:line" */
	int inaccurate;
};

struct tag_reader {
	uint32_t used;
	struct tag row[TAGS_KEPT];
	uint64_t tags;			/* that hold memory */
	uint64_t wrong_lines;
	int is_part;			/* the file was not read to its end */
};

void tag_line(struct tag_reader *r, const char *line, size_t len);
/* EVENT_TAG for the largest rows, and the one that ends them. */
void tags_emit(struct tag_reader *r, struct event_out *out, uint64_t time_ns);
/* The same for the whole file; nothing if the kernel keeps no such record, or
 * vm.mem_profiling is 0. */
void proc_tags(struct event_out *out, uint64_t time_ns);

#endif
