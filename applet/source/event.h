/* SPDX-License-Identifier: MIT */
/*
 * struct event: the only type that crosses from source/ to ledger/.
 *
 * A source decodes its input (perf ring, tracefs ring, /proc) into this struct;
 * the ledger does not know the source. A trace file records this struct, field
 * by field.
 *
 * time_ns is CLOCK_MONOTONIC. Events reach the ledger in time order.
 */
#ifndef MEMSTRACK_SOURCE_EVENT_H
#define MEMSTRACK_SOURCE_EVENT_H

#include <stdint.h>
#include "limits.h"

/* The record types of record/TRACE-FORMAT.md: a number is never reused. */
enum event_type {
	EVENT_ALLOC = 1,	/* pfn order flags chain */
	EVENT_FREE = 2,		/* pfn order flags */
	EVENT_FORK = 3,		/* tid tgid: the child; parent_tid parent_tgid */
	EVENT_COMM = 4,		/* name; flags EVENT_EXEC: by exec */
	EVENT_EXIT = 5,
	EVENT_TASK = 6,		/* ran before tracing: name rss_pages parent_tgid */
	EVENT_LOAD_ENTER = 7,	/* entry of init_module or finit_module */
	EVENT_MODULE_LOAD = 8,	/* name: image laid out, init not yet run */
	EVENT_LOAD_EXIT = 9,	/* result: what the system call returned */
	EVENT_MODULE_FREE = 10,	/* name */
	EVENT_MODULE_RANGE = 11,/* name base size: text of a module */
	EVENT_MEMORY = 12,	/* free_pages: a sample of MemFree */
	EVENT_LOST = 13,	/* lost: records that had no room in the ring */
	EVENT_REJECTED = 14,	/* a record that did not fit its format */
	EVENT_AREA_ENTER = 15,	/* chain: the caller; the task begins to vmalloc */
	EVENT_BULK = 16,	/* pages (without events of their own) flags */
	EVENT_AREA_ALLOC = 17,	/* base (0: failed) chain: the vmalloc ends */
	EVENT_AREA_FREE = 18,	/* base: of an area of any kind, also ioremap */
	EVENT_AREA_SEEN = 19,	/* base pages name: from vmallocinfo */
	EVENT_AREAS_SEEN = 20,	/* the end of vmallocinfo; flags */
	EVENT_FIGURE = 21,	/* name size: used before tracing, bytes; if
				 * repeated: the least counts */
	EVENT_FUNCTION = 22,	/* name base size: of the kernel (kinds) */
	EVENT_FUNCTIONS_END = 23,/* the last EVENT_FUNCTION has come */
	EVENT_RAM = 24,		/* name size: a part of RAM, bytes; flags */
	EVENT_UNPACK = 26,	/* name size pages: see struct unpack; flags */
	EVENT_INITCALL_START = 27,/* base: the function that the task calls */
	EVENT_INITCALL_FINISH = 28,/* base result */
	EVENT_BEFORE_INIT = 34,	/* the record of events before init begins; the
				 * second one: it ends. pages: events in the
				 * record; lost: not kept by the kernel */
	EVENT_INITCALL_CALLER = 35,/* base size: the function that calls
				 * initcalls; with EVENT_INIT_TEXT: an
				 * initcall */
	EVENT_INITRAMFS = 36,	/* name size: a file or directory of the
				 * initramfs, with all below it, bytes */
	/* If nothing can be traced: samples of a pass (ledger/history.h). */
	EVENT_CACHE_SAMPLE = 29,/* name pages: a slab cache */
	EVENT_TASK_SAMPLE = 30,	/* name parent_tgid rss_pages; pages: the most
				 * that the task ever had resident */
	EVENT_MODULE_SAMPLE = 31,/* name pages: its image, in whole pages */
	EVENT_KIND_SAMPLE = 32,	/* name pages: from meminfo; flags */
	EVENT_SOURCE = 33,	/* name: of the source of all these events */
	/* Objects of slab, if --slab asks for them. */
	EVENT_OBJECT_ALLOC = 37,/* base (0: failed) site cpu size
				 * allocated_bytes name chain; flags */
	EVENT_OBJECT_FREE = 38,	/* base site cpu name; flags */
	EVENT_CACHE_SEEN = 39,	/* name size objects pages: from slabinfo;
				 * without a name: the end of slabinfo */
	EVENT_KILL = 40,	/* result: pid that the OOM killer chose; 0: not
				 * known */
	EVENT_WHOLE = 41,	/* from here on all events are open on all
				 * CPUs; flags */
	EVENT_KEPT = 42,	/* name pages: free memory that the kernel's own
				 * allocations cannot use; or swap or huge
				 * pages: kept_names */
	EVENT_AVAILABLE = 43,	/* free_pages: pages of files that can be given
				 * back; pages in use: of tasks rss_pages, of
				 * tmpfs pages, of slab objects */
	EVENT_LOW_REPORTED = 44,/* a report was made: memory is low, or ran
				 * out */
	EVENT_FULL = 45,	/* name size pages: a tmpfs without room or
				 * inodes: where it is mounted, the bytes that
				 * it may hold, the pages that it holds;
				 * objects: its inodes, if none is left; lost:
				 * pages of files that were swapped out or
				 * moved, at most. Without a name: the end of a
				 * look at all mounts */
	EVENT_IN_USE = 46,	/* name: a module that is in use, or that a disk
				 * or the console needs */
	EVENT_COMPACTS = 47,	/* the task compacts memory from here on: it
				 * takes free pages without an event, moves
				 * pages there, and frees the rest */
	EVENT_COMPACTED = 48,	/* until here */
	EVENT_MOVE = 49,	/* base result: the task moves a page and will
				 * free its old place. base: the address of the
				 * old page struct; result: the distance to the
				 * new page struct, bytes */
	EVENT_RANGE = 50,	/* pfn pages: RAM that came while tracing; size:
				 * its page structs, bytes */
	EVENT_GROWN = 51,	/* result: the page allocator has so many pages
				 * more than before (MemTotal, and what balloons
				 * took); pages: all RAM, online or not; 0: not
				 * known */
	EVENT_BLOCKS = 52,	/* size pages free_pages: the pages of an
				 * allocation in one piece that failed, the
				 * largest free block of zones that have only
				 * smaller ones (0: none), and all free pages */
	EVENT_MODULE_DIR = 53,	/* name: a module, a blank, and the directory
				 * of its file, or one above that */
	EVENT_PHASE = 54,	/* name: a phase of the boot begins */
	EVENT_HANDED = 55,	/* pages: that the page allocator has given out
				 * since tracing began, by the kernel's own
				 * count; after records were lost */
	EVENT_TAG = 56,		/* name size objects: in use before tracing, by
				 * code: "function [module] file:line", bytes,
				 * allocations; flags. Without a name: the end;
				 * objects: all tags in use; lost: lines that
				 * were not understood */
	/* Only for the tracer: the ledger does not get these. */
	EVENT_VICTIM = 80,	/* result: pid that the OOM killer chose; 0: not
				 * known */
	EVENT_LOW = 81,		/* reclaim found too little for an allocation */
	EVENT_REBOOT = 82,	/* entry of reboot */
	EVENT_RECLAIM = 83,	/* an allocation must reclaim: look at memory */
	/* Only from the kernel's own records (ledger/history.h, books). */
	EVENT_HELD = 84,	/* pages chain: held now */
};

#define EVENT_IRQ	1u	/* in hard or soft interrupt, NMI included */
#define EVENT_EXEC	2u
#define EVENT_INIT_TEXT	4u	/* EVENT_MODULE_RANGE: freed after loading */
#define EVENT_OPENS	8u	/* EVENT_MODULE_LOAD: begins the load, whose
				 * entry cannot be seen */
#define EVENT_PCP	16u	/* EVENT_MEMORY: free on per-CPU lists instead */
#define EVENT_KDUMP	32u	/* EVENT_MEMORY: the kernel is a crash kernel */
#define EVENT_CMA	64u	/* EVENT_BULK: of a contiguous memory area */
#define EVENT_SAMPLED	128u	/* EVENT_AREA_SEEN: the area has no other
				 * event */
#define EVENT_CUT	4096u	/* EVENT_UNPACK: the last file; size: its bytes
				 * that are missing; pages: inodes, if none is
				 * left */
#define EVENT_FOUND	256u	/* EVENT_FREE: the event of the free was lost */
#define EVENT_THREAD	512u	/* EVENT_FORK without tgids: the child is a
				 * thread of its parent's process */
#define EVENT_PASS_END	1024u	/* EVENT_KIND_SAMPLE: all memory in use, without
				 * per-CPU lists; tasks and modules that this
				 * pass did not show are gone */
#define EVENT_CACHE	8192u	/* EVENT_OBJECT_*: by a function of
				 * kmem_cache; else of kmalloc */
#define EVENT_AHEAD	16384u	/* EVENT_ALLOC: to read a file ahead */
#define EVENT_WARNS	32768u	/* EVENT_ALLOC that failed: the kernel's log
				 * warns of the failure */
#define EVENT_PART	1u	/* EVENT_WHOLE: some events are missing;
				 * EVENT_TAG: some allocations are, and of the
				 * end: some tags are */
#define EVENT_NO_GROUP	2048u	/* EVENT_VICTIM: not for the limit of a memory
				 * cgroup; EVENT_LOW_REPORTED: memory ran out
				 * and a task was killed */

/* Where a part of RAM belongs: the lower byte of the flags of EVENT_RAM. */
enum ram_group {
	RAM_SUM,		/* no part: RAM_INSTALLED or RAM_PRESENT */
	RAM_FIRMWARE,		/* kept by the firmware */
	RAM_KERNEL,		/* the kernel's image */
	RAM_RESERVED,		/* by memblock, the allocator of early boot */
	RAM_BEFORE,		/* from the page allocator, before tracing */
	RAM_TRACED, RAM_FREE, RAM_UNKNOWN,	/* rows of reports */
	RAM_OFFLINE,		/* not given to the page allocator yet */
	RAM_GROUPS
};
#define RAM_GROUP_MASK	255u
#define RAM_WITHIN	256u	/* within another part, which counts it */
#define RAM_INSTALLED "installed"
#define RAM_OFFLINE_NAME "offline"	/* of RAM_OFFLINE */
#define RAM_OFFLINE_STRUCTS "page structs of offline RAM"	/* BEFORE */
#define RAM_PRESENT "present"		/* all zones, of zoneinfo */
/* Of all possible CPUs: reserved at boot, and allocated later. */
#define RAM_PERCPU "per-CPU areas"
#define RAM_PERCPU_EACH "per-CPU area"	/* a RAM_SUM: reserved for one CPU */
#define RAM_SWIOTLB "swiotlb"		/* these four are RESERVED */
#define RAM_CRASHKERNEL "crashkernel"
#define RAM_KFENCE "kfence"
#define RAM_NODES "node data"
#define RAM_NODES_EACH "a node's data"	/* these two are RAM_SUM */
#define RAM_KMEM "per-CPU cgroup table"	/* a part of vmalloc */

/* Names of EVENT_FIGURE that a report looks up. All other figures it only
 * prints. */
#define BASELINE_INITRAMFS "Cached (initramfs)"	/* traced from the boot on */
#define BASELINE_SHMEM "Shmem"
#define BASELINE_RESERVED "reserved"
/* The figures up to BASELINE_TMPFS are not memory in use. The limit of rootfs,
 * if the command line sets another limit than half of memory; 0: a limit that
 * does not grow with memory. */
#define BASELINE_ROOTFS "rootfs limit"
/* A page for each inode of rootfs: rootfs may have as many inodes as half of
 * memory has pages. */
#define BASELINE_FILES "rootfs inodes"
/* The most that rootfs held; and, for a tmpfs whose limit is a part of memory,
 * how much memory (without what is reserved) a machine must have so that the
 * limit is what this tmpfs held. The largest value counts. */
#define BASELINE_ROOTFS_FILES "rootfs files"
#define BASELINE_TMPFS "tmpfs limit"
#define BASELINE_CMA "cma-reserved"
#define BASELINE_INODES "inodes (initramfs)"	/* a part of slab */
#define BASELINE_HUGE "unused huge pages"
#define BASELINE_PAGE_STRUCTS "page structs"
#define BASELINE_HASH_TABLES "hash tables"
/* The name of an EVENT_UNPACK that has no line in the kernel's log. */
#define UNPACK_NO_INODE "no inode was left, so files are missing"
/* Freed when the initramfs was unpacked, and when the kernel was ready for
 * init. */
#define BASELINE_INITRD "initrd (freed)"
#define BASELINE_FREED "other (freed)"

/* The lines of /proc/meminfo that an EVENT_KIND_SAMPLE may name. */
enum meminfo {
	MEMINFO_ANON, MEMINFO_BUFFERS, MEMINFO_CACHED, MEMINFO_HUGE,
	MEMINFO_PERCPU,
	MEMINFO_SHMEM, MEMINFO_SLAB, MEMINFO_STACKS, MEMINFO_SWAP_CACHED,
	MEMINFO_TABLES, MEMINFO_TABLES_KVM, MEMINFO_VMALLOC,
	MEMINFO_LINES,
};
extern const char *const meminfo_sampled[MEMINFO_LINES];
/* The line of /proc/vmstat that an EVENT_KIND_SAMPLE may name: not pages, but
 * OOM kills since the kernel started. */
#define SAMPLED_KILLS "oom_kill"

/* Why the kernel's own allocations cannot use free memory (source/proc/proc.h,
 * zones), as named by EVENT_KEPT. */
enum kept {
	KEPT_MIN, KEPT_RESERVE, KEPT_APART, KEPT_CMA,
	KEPT_MARKS,		/* all watermarks "min", free or not */
	KEPT_SWAP,		/* free swap */
	KEPT_SWAP_FREES,	/* of 1024 pages swapped out, so many are free */
	KEPT_HUGE_USED,		/* huge pages that are used, or reserved for a
				 * mapping; */
	KEPT_HUGE_UNUSED,	/* all others of the default size; */
	KEPT_HUGE_OTHERS,	/* those of other sizes */
	KEPTS
};
extern const char *const kept_names[KEPTS];

/* EVENT_SOURCE: the name of the source that samples. */
#define SOURCE_SAMPLED_NAME "sampled"

struct event {
	uint64_t time_ns;
	uint32_t type;
	uint32_t flags;
	uint32_t tid, tgid;		/* tgid 0: not known */
	uint32_t parent_tid, parent_tgid;
	uint64_t pfn;			/* UINT64_MAX: a failed allocation */
	uint32_t order;
	uint32_t chain_len;
	int64_t result;
	uint64_t base, size;		/* bytes */
	uint64_t free_pages, rss_pages, lost, pages;
	uint32_t cpu;
	char name[MODULE_NAME_BYTES];	/* comm or module, with an end byte */
	uint64_t site;			/* return address of the call that
					 * allocates or frees */
	uint64_t allocated_bytes, objects;
	uint64_t chain[CHAIN_FRAMES_MAX]; /* innermost first */
};

/* The receiver of events. */
struct event_out {
	void (*event)(struct event_out *o, const struct event *e);
};

/* Sets type and time; all other fields become 0. */
void event_begin(struct event *e, enum event_type type, uint64_t time_ns);
/* The same, with a constant as name, which must fit. */
void event_named(struct event *e, enum event_type type, uint64_t time_ns,
		 const char *name);
/* Emits an EVENT_FIGURE, with a constant as name. */
void figure_emit(struct event_out *out, uint64_t time_ns, const char *name,
		 uint64_t bytes);

/*
 * --- session
 *
 * What is known about a traced session besides its events: the machine, the
 * size of the tables, what could not be seen. The session is written at the
 * start and the end of a recorded trace, and printed in a report's head.
 */

#define REASON_BYTES 48
#define RELEASE_BYTES 65	/* of struct utsname */
#define NOTE_BYTES 160
#define NOTES_MAX 8
#define SLAB_NAME_BYTES 32

struct ram_range {
	uint64_t first_pfn, count_pages;
};

struct ram {
	struct ram_range range[RAM_RANGES_MAX];
	uint32_t count;
};

/* The sizes of all tables. Recorded traces contain them, so that the tables of
 * a replay overflow exactly where the live ledger's did. */
struct layout {
	uint64_t pages_bytes;
	uint32_t nodes, owners, tasks, modules, symbols;	/* rows */
	uint64_t ring_bytes;	/* all CPUs together; not the ledger's */
	uint64_t slab_bytes;	/* for the objects of slab; 0: none */
	uint32_t history;	/* 1: keep a history (ledger/history.h) */
	uint64_t flat_bytes;	/* see pages_init(); not recorded */
};

/* A slab cache, as /proc/slabinfo has it now. */
struct slab {
	uint64_t pages, objects, object_bytes;
	char name[SLAB_NAME_BYTES];
};

typedef void slab_seen(void *context, const struct slab *s);

struct session {
	uint32_t page_size;
	uint32_t cpus_traced, cpus_online;
	uint64_t start_ns, end_ns;
	uint64_t mem_total_kib;
	uint64_t own_bytes;	/* all memory of the tracer, rings included */
	uint64_t cpu_ns;	/* CPU time of the tracer */
	struct layout layout;
	uint32_t notes, notes_dropped;
	/* This report says that memory is low; no task was killed yet. */
	int low;
	int cut;		/* a part of the recording could not be read */
	char reason[REASON_BYTES];	/* "switch-root", "SIGTERM"… */
	char kernel[RELEASE_BYTES];
	char cmdline[CMDLINE_KEPT_BYTES];	/* the kernel's; "": not known */
	/* What could not be seen, one sentence each, e.g. "no module events:
	 * the kernel was built without modules". */
	char note[NOTES_MAX][NOTE_BYTES];
};

/* Adds a note. If there is no room, the last note becomes the number of missing
 * notes. */
__attribute__((format(printf, 2, 3)))
void session_note(struct session *s, const char *format, ...);

#endif
