/* SPDX-License-Identifier: MIT */
/* What /proc, /sys and the kernel's log say. */
#ifndef MEMSTRACK_SOURCE_PROC_PROC_H
#define MEMSTRACK_SOURCE_PROC_PROC_H

#include <stddef.h>
#include <stdint.h>
#include "base/system.h"
#include "source/event.h"

/*
 * --- proc
 *
 * What /proc and /sys tell at the start and later: RAM, CPUs, the tasks that
 * run already, modules and where their text lies.
 *
 * Sources: Documentation/filesystems/proc.rst, Documentation/ABI/testing/
 * sysfs-module; /sys/module/NAME/sections since 2.6.
 */

/* "System RAM" of /proc/iomem, in pages. 0; -ENODATA: no such range, or only
 * zeroes, which the kernel shows to users other than root; or -errno. */
int proc_ram(struct ram *ram, uint32_t page_size);
/* Is this how the file names RAM? */
int ram_name(const struct word *name);
int iomem_line(struct ram *ram, const char *line, size_t len,
	       uint32_t page_size);

/* Which CPUs are online. */
#define CPUS_ONLINE "/sys/devices/system/cpu/online"
/* A list like "0-3,8,10-11". Calls set() for each CPU below CPUS_MAX. Returns
 * the number of CPUs, or -EINVAL. */
int cpu_list(const char *text, size_t len, void (*set)(void *ctx, uint32_t cpu),
	     void *ctx);

/* The same for the CPUs that are online; without sysfs that is CPU 0. */
int proc_cpus(void (*set)(void *ctx, uint32_t cpu), void *ctx);
/* The same from the open file. */
void proc_cpus_again(int fd, void (*set)(void *ctx, uint32_t cpu), void *ctx);

/* How many CPUs may ever be there; 0: not known. */
uint32_t proc_possible_cpus(void);

/* Calls take() for each name in a directory. 0 or -errno. */
int proc_each_entry(const char *path,
		    void (*take)(void *context, const char *name),
		    void *context);

/* One EVENT_TASK for each process that runs. 0 or -errno. */
int proc_tasks(struct event_out *out, uint64_t time_ns);
/* EVENT_FORK for each thread but a process's first. 0 or -errno. */
int proc_threads(struct event_out *out, uint64_t time_ns);
/* Some process has several threads, or not all processes can be seen. */
int proc_has_threads(void);
/* The text of /proc/PID/stat. 0 or -EINVAL. */
int stat_line(const char *text, size_t len, struct event *e);

/* EVENT_MODULE_RANGE for every loaded module. -ENOENT: the kernel has no
 * modules. */
int proc_modules(struct event_out *out, uint64_t time_ns);

/* EVENT_MODULE_DIR for every module of a modules.dep (modules.dep(5)) whose
 * directory is known. */
void proc_module_dirs(struct event_out *out, uint64_t time_ns,
		      const char *path);

/* EVENT_MODULE_RANGE for the core and init text of the module that `e` names; e
 * is overwritten. -ENOENT: the module is gone already, or there is no sysfs. */
int module_ranges(struct event_out *out, struct event *e);

/* How addresses are shown to us. */
enum addresses {
	ADDRESSES_UNKNOWN, ADDRESSES_HIDDEN, ADDRESSES_HASHED, ADDRESSES_PLAIN,
};

/* EVENT_AREA_SEEN for every area of vmalloc, then EVENT_AREAS_SEEN. *shown is
 * how addresses were shown before, if at all, and are now. 0; -EPERM: they are
 * hidden; -ESTALE: they are shown in another way than before, so known areas
 * cannot be found again; or -errno. */
int proc_vmallocinfo(struct event_out *out, uint64_t time_ns,
		     enum addresses *shown);
/* One line of it. -EINVAL: not a line with pages; -EPERM: no address. */
int vmallocinfo_line(const char *line, size_t len, struct event *e);

/* EVENT_FIGURE for what /proc/meminfo says now (`boot`: nothing has run yet),
 * and for what the kernel logged at boot; EVENT_UNPACK if that says so. rootfs:
 * see section rootfs. */
void proc_baseline(struct event_out *out, uint64_t time_ns, int boot);
struct ram_reader;
/* `ram` gets the lines too, if it is not NULL. */
void kmsg_baseline(struct event_out *out, uint64_t time_ns, const char *rootfs,
		   struct ram_reader *ram);
/* "Slab:   15560 kB": a name and a number of KiB. 0 or -EINVAL. */
int meminfo_kib(const char *line, size_t len, struct word *name,
		uint64_t *kib);
/* The same in an event: 0, or -EINVAL if we do not use it. */
int meminfo_line(const char *line, size_t len, struct event *e);
/* 0, or -EINVAL for an impossibly large value. */
int baseline_figure(struct event *e, const struct word *name, uint64_t kib);

/* From the open /proc/meminfo, in KiB. */
struct available {
	int known;		/* MemAvailable is there (since 3.14) */
	uint64_t kib;		/* MemAvailable and SwapFree: may still be had
				 * without a kill */
	uint64_t slab_kib;	/* slab that counts as reclaimable */
	uint64_t file_kib;	/* pages of files, but for those of tmpfs: */
	uint64_t busy_kib;	/* of these mapped, or not written yet */
	uint64_t anon_kib, shmem_kib, all_slab_kib;
	uint64_t swap_kib, all_swap_kib;	/* free swap, and all */
	uint64_t huge, huge_free;	/* huge pages of the usual size */
	uint64_t huge_owed;		/* free, but promised to a mapping */
	uint64_t huge_kib;		/* of one */
	uint64_t all_huge_kib;		/* of any size (since 4.15) */
};

void proc_available(int meminfo_fd, struct available *a);
/* EVENT_AVAILABLE, from the same; EVENT_FIGURE of BASELINE_HUGE; EVENT_KEPT of
 * huge pages; and of swap, if there is some: what memory holds compressed is in
 * /proc/zoneinfo. A page of a file can be given back if it is
 * clean and nobody has mapped it: without the mapped ones programs that run
 * would read their code again and again. Slab that shrinks is not counted: what
 * it gives comes late, or not at all. */
void proc_tell_available(int meminfo_fd, int zoneinfo_fd,
			 struct event_out *out, uint64_t time_ns,
			 uint32_t page_size);
/* EVENT_MEMORY with EVENT_PCP, from /proc/zoneinfo; nothing if the descriptor
 * is -1. */
void proc_pcp(struct event_out *out, uint64_t time_ns, int zoneinfo_fd);
/* "  present  32768": a name and a number of pages. 0 or -EINVAL. */
int counter_line(const char *line, size_t len, struct word *name,
		 uint64_t *pages);
/* Pages of one line of /proc/zoneinfo. */
uint64_t zoneinfo_line(const char *line, size_t len);

/* All free pages, those on per-CPU lists included; 0: not known. */
uint64_t proc_free_pages(void);
/* EVENT_BLOCKS, for so many pages. */
void proc_blocks(struct event_out *out, uint64_t time_ns, uint64_t pages);
/* Pages of one line of /proc/buddyinfo, and those of its largest block. */
uint64_t buddyinfo_line(const char *line, size_t len, uint64_t *largest);

/*
 * --- ram
 *
 * Where all of RAM is: what the firmware kept, what the kernel's image takes,
 * what was reserved at boot, what was used before tracing. One EVENT_RAM for
 * each part.
 *
 *	/proc/meminfo	at the start of tracing: what was used, by kind
 *	the kernel's log	hash tables, per-CPU areas, bounce buffers, what was
 *			freed again (ram_log.c)
 *	/proc/iomem	the map of the firmware, and the kernel's image in it
 *			(ram_map.c)
 *	/proc/zoneinfo	the pages that were present at boot
 *	/proc/vmstat	page structs, since 6.10
 *	/proc/vmallocinfo	tables of per-CPU objects of memory cgroups
 *	/proc/device-tree/reserved-memory	regions by name (ram_tree.c)
 *	debugfs		slots of swiotlb: since 6.0 the log has it only if there is
 *			RAM above 4 GiB
 *
 * Every figure is the kernel's own. Only page structs before 6.10 follow from
 * the number of pages, if the log does not have them either.
 */

/* Bytes of struct page, as far as the kernel does not tell: as in kernel_log.c.
 * */
#define PAGE_STRUCT_BYTES (sizeof(long) == 8 ? 64u : 32u)

/* A region of reserved-memory. */
struct tree_region {
	uint64_t base, bytes;
	uint8_t no_map, reusable;
	uint8_t in_map;		/* iomem has it, or its place is not known */
	char name[RAM_NAME_BYTES];
};

/* Bytes, if the name does not say otherwise. */
struct ram_reader {
	struct event_out *out;
	struct event event;	/* its time is given */
	uint32_t page_size;

	/* From meminfo, at the start. */
	uint64_t percpu;

	/* From the log. */
	uint64_t ramdisk, swiotlb, node_data;
	uint64_t log_buffer, log_all;	/* text; with what describes it */
	int log_made;			/* from memblock */
	uint64_t percpu_pages, percpu_unit, percpu_alloc;
	uint64_t memmap_pages;
	uint64_t freed_image, freed_bss, freed_initrd;
	int image_freed;
	struct {
		const char *name;
		uint64_t bytes;
	} log_image[4];		/* for machines whose iomem has no image */
	uint32_t log_images;
	int late;		/* the page allocator is ready */

	/* From iomem; ends are one byte behind. */
	uint64_t ram, ram_end, firmware, low_ram_pages;
	uint64_t run_end, run_hole, run_reserved, run_acpi;
	int run_has_ram;
	uint64_t image_start, image_end, image_named, bss;

	/* From zoneinfo and vmstat, in pages. */
	uint64_t present, zone_present, zone_managed, low_reserved;
	uint64_t memmap_boot, balloon;

	/* Bytes of a block of memory that can go offline; 0: not known. */
	uint64_t block;

	uint32_t regions;
	struct tree_region region[TREE_REGIONS_MAX];
};

/* Tells one part: `flags` as of EVENT_RAM; nothing if it has no bytes. */
void ram_tell(struct ram_reader *r, uint32_t flags, const struct word *name,
	      uint64_t bytes);
void ram_tell_named(struct ram_reader *r, uint32_t flags, const char *name,
		    uint64_t bytes);

/* Lines of the log, without prefix: any; a table's, up to the size; freed
 * memory. */
void ram_log_line(struct ram_reader *r, const struct word *text);
void ram_log_hash(struct ram_reader *r, const struct word *name,
		  uint64_t bytes, int by_vmalloc);
void ram_log_freed(struct ram_reader *r, const struct word *what,
		   uint64_t kib);

/* A line of iomem. */
void ram_map_line(struct ram_reader *r, const char *line, size_t len);
/* All lines of iomem were read: tells what only their sum tells. */
void ram_map_end(struct ram_reader *r);

/* Reads the regions of the device tree, and tells them once iomem is read. */
void ram_tree_read(struct ram_reader *r);
void ram_tree_tell(struct ram_reader *r);

/*
 * --- boot log
 *
 * What the kernel logged at boot about memory that it took and gave back.
 *
 *	Memory: …	the content of the image, and what is reserved; this
 *			includes the page structs, whose size follows from RAM
 *	… hash table entries: …	of dentries, inodes, connections: their size
 *			depends on the size of memory, as that of page structs
 *	Freeing … memory: …	the initrd after its content is unpacked; what
 *			only the kernel's start needed
 *	Initramfs unpacking failed: …	what is not there is the rest of the
 *			image; with CONFIG_BLK_DEV_RAM "rootfs image is not
 *			initramfs (…); looks like an initrd"
 *	Run … as init process	since 4.20 the last line before init
 *
 * Sources: mm/page_alloc.c (alloc_large_system_hash, free_reserved_area),
 * arch/x86/mm/init.c, init/main.c, init/initramfs.c of 5.10, 6.1 and 6.12.
 */

struct boot_log {
	struct event_out *out;
	struct event event;		/* its time is given */
	uint64_t hash_bytes, initrd_kib, freed_kib;
	struct ram_reader *ram;		/* or NULL */
	int figures;			/* of the line "Memory:" */
	char unpack_error[MODULE_NAME_BYTES];	/* "": the line was not there */
};

/* Takes a record of /dev/kmsg. 0: the records after it are not of the boot. */
int boot_log_record(struct boot_log *b, const char *record, size_t len);
/* Adds the figures that are sums; none if the line "Memory:" was missing. */
void boot_log_end(struct boot_log *b);

/*
 * --- dt cells
 *
 * Numbers in a flattened device tree: big-endian cells of 4 bytes, of which an
 * address or a size has as many as its parent says (Devicetree Specification
 * 0.4, 2.3.5 and 2.3.6).
 */

/* 1 to 4 cells are one number. 0; -EINVAL: not so many cells, or too few bytes;
 * -ERANGE: more than 64 bits. */
int dt_number(const unsigned char *at, size_t len, uint32_t cells,
	      uint64_t *value);

/* The pair of this number, from 0, of a property "reg". -ENOENT: there is none;
 * or as above. */
int dt_pair(const unsigned char *reg, size_t len, uint32_t address_cells,
	    uint32_t size_cells, uint32_t pair, uint64_t *base,
	    uint64_t *bytes);

/*
 * --- full
 *
 * Which tmpfs has no room or no inode left, of all that a process sees; and how
 * much memory those need whose limit is a part of it. The mount does not tell
 * that: a limit is such a part if it is a whole number of per cent (mm/shmem.c,
 * shmem_parse_one()), the default is 50.
 *
 * No part of a path may make the tracer wait for a server, a program or a
 * device: openat2() with RESOLVE_CACHED (since Linux 5.12) opens only what the
 * kernel finds without a wait. An older kernel refuses it: there only the root
 * itself is looked at. A look reads mountinfo once, with four system calls for
 * each tmpfs, and vmstat if one is full. It takes 9 KiB of the stack.
 *
 * Sources: fs/namei.c (LOOKUP_CACHED), fs/proc_namespace.c (show_mountinfo:
 * bytes of a path that are blanks or a backslash are octal), mm/shmem.c
 * (shmem_statfs sums what each CPU has counted: the figures are exact) of 5.10
 * to 6.12; proc_pid_mountinfo(5).
 */

/* Longer paths are left out. */
#define MOUNT_PATH_BYTES 256

struct mount_line {
	uint32_t device;	/* the minor number */
	int is_rootfs;
	char path[MOUNT_PATH_BYTES];
};

/* A line of mountinfo about a tmpfs, without its newline: 0, or -EINVAL. */
int mountinfo_line(const char *line, size_t len, struct mount_line *m);

/* The most at any look, in KiB. */
struct tmpfs_most {
	uint64_t rootfs, others;
};

/* EVENT_FULL for each that is full. `process`: its directory in /proc. Returns
 * how many they are. EVENT_FIGURE of BASELINE_ROOTFS_FILES and BASELINE_TMPFS
 * where it is more than in *most. */
uint32_t full_tell(struct event_out *out, uint64_t time_ns,
		   const char *process, struct tmpfs_most *most);

/*
 * --- in use
 *
 * Modules that are in use: without one of these the boot may have no root or no
 * console.
 *
 * By /proc/modules these are opened or mounted: a module has more uses than
 * modules that use it. So have file systems, disks and what disks are made of.
 * Nobody counts what leads to a disk, to a terminal of the console or to its
 * picture (virtio_pci, xhci_pci, bochs). So the drivers of all directories
 * above one in sysfs are in use too, of any disk: a root is found before it is
 * mounted. And so is all that one of these modules uses.
 *
 * A network that the root comes from is not seen. A few links of sysfs are read
 * for each disk, when a module came or went and for a report.
 *
 * Sources: Documentation/filesystems/proc.rst (1.2), Documentation/ABI/testing/
 * sysfs-tty; /sys/class/block and driver/module since 2.6.27. /proc/modules has
 * the newest module first: after its users.
 */

/* If there are as many names, or more disks, partitions included, all modules
 * are in use. */
#define IN_USE_MAX 64u
#define IN_USE_DISKS 256u

struct in_use {
	struct event_out *out;
	struct event event;	/* its time is given */
	uint32_t names, disks;
	char name[IN_USE_MAX][MODULE_NAME_BYTES];
};

/* One EVENT_IN_USE for each. */
void proc_in_use(struct event_out *out, uint64_t time_ns);

/* For tests: a line of /proc/modules. */
void in_use_line(struct in_use *u, const char *line, size_t len);

/*
 * --- initramfs
 *
 * Which directories of the initramfs hold most, each with all below it.
 *
 * What stands in one of the directories that every system has (/usr, /usr/lib)
 * is a part: a directory, /usr/lib/modules, or a file. The name of /usr would
 * say nothing, and that of a directory deep in a part is long and says less
 * than it seems.
 *
 * Each file is looked at, a few at a time, while the real init runs already. So
 * nothing is told if the files are not there any more: if the root was
 * switched, or less is found than a tenth below what the kernel had in memory
 * at the start.
 */

struct initramfs_part {
	uint64_t bytes;
	char name[MODULE_NAME_BYTES];	/* "": too long to be told */
};

struct initramfs {
	struct walk walk;
	uint64_t least_bytes, bytes;	/* there must be; found so far */
	struct initramfs_part now;	/* whose files are being found */
	struct initramfs_part largest[INITRAMFS_PARTS];
};

/* `path`: where rootfs is mounted; it has files of so many KiB. If that is less
 * than 1 MiB, or the path is of no file system in memory, nothing is looked
 * at. */
void initramfs_begin(struct initramfs *i, const char *path, uint64_t kib);

/* Looks at the next files. 0: these were the last. */
int initramfs_on(struct initramfs *i);

/* EVENT_INITRAMFS for the largest parts, the largest first, that have a tenth
 * of the files or more. `path` is that of the beginning. */
void initramfs_tell(struct initramfs *i, struct event_out *out,
		    uint64_t time_ns, const char *path);

/*
 * --- kernel log
 *
 * The kernel's log, read record by record: "6,80,0,-;Memory: 211188K/…", a
 * priority and three words, then the text.
 */

#define LOG_RECORD_BYTES 1024u

/* /dev/kmsg behind its last record, or -1: it cannot be read, or is another
 * file, as in a container. */
int log_open(void);

/* Reads the next record, and counts *most down; a record that was overwritten
 * before it was read, or is too long, is skipped and counted. Returns its
 * length; 0: there is no record now, or *most is 0. In a container the file may
 * have no end. */
size_t log_next(int fd, char record[LOG_RECORD_BYTES], uint32_t *most);

/* The text of a record. 0, or -EINVAL: not a record of the kernel itself. */
int log_text(const char *record, size_t len, struct word *text);

/*
 * --- oom log
 *
 * Why the OOM killer killed, by the kernel's log: no event tells whose limit
 * was met.
 *
 * Before it marks its victim the kernel writes (since 5.0; ten such reports in
 * five seconds at most)
 * "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,
 * oom_memcg=/box,task_memcg=/box,task=eater,pid=88,uid=0".
 */

enum oom_limit {
	LIMIT_UNKNOWN,
	LIMIT_MACHINE,	/* or some of its nodes */
	LIMIT_GROUP,	/* a memory cgroup's */
};

/* The last kills that the log has told. */
#define OOM_TOLD 16u
struct oom_log {
	int fd;			/* log_open() of section kernel log */
	uint32_t told;		/* so far */
	struct { uint32_t tid; enum oom_limit limit; } kill[OOM_TOLD];
};

/* Reads on to the end, now and then, so that little is to be read at a kill. */
void oom_log_read(struct oom_log *o);
/* The same; of a task that was to be killed, once. */
enum oom_limit oom_log_limit(struct oom_log *o, uint32_t tid);

/* A record: of which task it tells, or 0. */
uint32_t oom_record(const char *record, size_t len, enum oom_limit *limit);

/*
 * --- ram read
 *
 * Reads where all of RAM is, before and after tracing starts: see section ram.
 */

/* Tells what is used now, from meminfo. */
void ram_begin(struct ram_reader *r, struct event_out *out, uint64_t time_ns,
	       uint32_t page_size);
/* Tells all the rest. The log must have been read in between. */
void ram_finish(struct ram_reader *r);
/* Pages that balloons hold now; 0: none, or not known. */
uint64_t ram_balloon(struct ram_reader *r);

/* For tests: a line of each of these files. */
void ram_vmalloc_line(struct ram_reader *r, const char *line, size_t len);
void ram_meminfo_line(struct ram_reader *r, const char *line, size_t len);
void ram_zoneinfo_line(struct ram_reader *r, const char *line, size_t len);
void ram_vmstat_line(struct ram_reader *r, const char *line, size_t len);
/* All files were read: tells what follows from them. `cpus`: that may ever be
 * there; 0: not known. */
void ram_told(struct ram_reader *r, uint64_t cpus);

/*
 * --- rootfs
 *
 * rootfs, into which the kernel unpacks the initramfs: how much it holds, and
 * how much it may hold.
 *
 * It is a tmpfs, which may hold half of the memory that was not reserved when
 * the kernel mounted it; or, if the kernel was given a root= or has no tmpfs, a
 * ramfs, which has no limit and does not tell how much it holds.
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

/* EVENT_FIGURE of BASELINE_INODES: what its inodes take, with a name each, by
 * /proc/slabinfo. A ramfs does not count them. */
void rootfs_inodes(struct event_out *out, uint64_t time_ns, const char *path);

/* Is there no inode left in it? The kernel leaves out files for which there is
 * none, and says nothing. */
int rootfs_lacks_inodes(const char *path);

/* Sets the sizes of an EVENT_UNPACK. `path` is where rootfs is mounted; NULL:
 * nobody knows. */
void rootfs_room(struct event *e, const char *path);

/* The kernel gives a file its size before it writes it. So a file whose size is
 * larger than what it takes is the one in which the unpacking stopped. If no
 * inode is left, it is the file with the largest one: a tmpfs numbers them in
 * order (since 5.9). 1: the event then is about this file, and has the number
 * of inodes, if none is left. It takes a while: each file is looked at, and if
 * these are too many, none is the last. */
int rootfs_last_file(struct event *e, const char *path);

/* Has the rootfs at `path` so little room, or no inode left, that files may be
 * missing for that reason? */
int rootfs_is_full(const char *path);

/*
 * --- slabinfo
 *
 * /proc/slabinfo: objects and pages of each slab cache.
 *
 * A read takes the kernel 1.5 ms for 235 caches on a machine of 2 CPUs. Objects
 * that are free in the slabs of a CPU count as in use.
 */

/* A line of the file. 0; -EINVAL: no cache (the two lines of the heading). */
int slab_line(const char *line, size_t len, struct slab *s);

/* Calls `see` for each cache. 0, or -errno: the file cannot be read. */
int slabinfo_each(slab_seen *see, void *context);

/* Tells each cache as an event, and then the end. */
void proc_caches(struct event_out *o, uint64_t time_ns);

/*
 * --- zones
 *
 * What is free, and for whom, by /proc/zoneinfo.
 *
 * The kernel gives no page of a zone whose free pages are down to its watermark
 * "min" and to what it keeps for allocations that may use only zones like this
 * one (vm.lowmem_reserve_ratio); and it kills when that is so in each zone that
 * the allocation may use. What the kernel allocates for itself cannot be moved:
 * a zone of movable pages, contiguous memory (CMA) and high memory are no room
 * for it.
 */

/* Of all zones, in pages. free = own + kept + reserve +
 * apart + high + cma. */
struct zones {
	int known;		/* there are zones: the others count */
	uint64_t free_pages;
	uint64_t own_pages;	/* the kernel's own allocations may take them */
	uint64_t kept_pages;	/* the watermarks "min" keep them from these, */
	uint64_t reserve_pages;	/* or vm.lowmem_reserve_ratio for others */
	uint64_t apart_pages;	/* in zones of movable pages, and */
	uint64_t high_pages;	/* in high memory, which these may not use */
	uint64_t cma_pages;
	uint64_t any_pages;	/* an allocation that may use all may take */
	uint64_t min_pages;	/* the watermarks "min": vm.min_free_kbytes; */
	uint64_t own_min_pages;	/* of zones that these may use */
	uint64_t packed_pages;	/* have compressed pages (zsmalloc) */
};

/* From the open file; nothing is known if the descriptor is -1. */
void proc_zones(int zoneinfo_fd, struct zones *z);

/* How much of what is free the kernel's own allocations may take, asked often.
 * */
struct room {
	int fd;			/* of /proc/zoneinfo, kept open */
	struct zones zones;	/* as they were at read_ns */
	uint64_t read_ns;
};

/* EVENT_KEPT. */
void kept_tell(struct event_out *out, uint64_t time_ns, enum kept what,
	       uint64_t pages);
/* EVENT_KEPT for each part of free memory that is none, and for the watermarks,
 * as last seen. */
void room_tell(const struct room *r, struct event_out *out, uint64_t time_ns);
void room_look(struct room *r, uint64_t now_ns);
/* So many pages at least. What is free fewer than at the last look may have
 * been taken from these, so if nothing would be left the zones are looked at
 * again. So they are whenever an eighth of `enough` more is gone, because they
 * may have been set anew; and below `enough` every 10 ms. Without zones: all
 * that is free. */
uint64_t room_pages(struct room *r, uint64_t free_pages, uint64_t enough,
		    uint64_t now_ns);

#endif
