/* SPDX-License-Identifier: MIT */
/*
 * Every capacity of the program: unit, reason, cost.
 *
 * Tables whose size depends on the machine take shares of one memory budget
 * (ledger/layout.c). This file has the sizes of records and fixed buffers, and
 * the floor below which the tracer does not run.
 */
#ifndef MEMSTRACK_LIMITS_H
#define MEMSTRACK_LIMITS_H

#define MEMSTRACK_VERSION "0.1.0"

/* Frames kept of one call chain, unless rd.memstrack.frames is smaller. The
 * kernel's own limit is 127; chains in a boot have 20 to 45 frames. Each frame
 * takes 8 bytes in the ring. */
#define CHAIN_FRAMES_MAX 64

/* TASK_COMM_LEN of every kernel, with its end byte. */
#define COMM_BYTES 16

/* MODULE_NAME_LEN is 64 - sizeof(unsigned long) in the kernel. */
#define MODULE_NAME_BYTES 56

/* The caller's name in /proc/vmallocinfo: "symbol+0x1a/0x30". */
#define CALLER_BYTES 56

/* Slots for areas of vmalloc, 32 bytes each: this many for each module (a boot
 * has some 3 areas a module), and one for each row of tasks, for the task's
 * kernel stack. */
#define AREAS_PER_MODULE 3u

/* When the table of tasks or owners is full, the smallest of RECYCLE_CHOICE
 * rows that may be reused is reused, so the largest rows stay. Once one
 * reusable row is found, the choice ends RECYCLE_ROWS rows further on. */
#define RECYCLE_CHOICE 32u
#define RECYCLE_ROWS 1024u

/* Points of the timeline, 144 bytes each. When all are used, every second point
 * is dropped and the step between points doubles; TIMELINE_STEP_NS is the first
 * step. */
#define TIMELINE_POINTS 128u
#define TIMELINE_STEP_NS 10000000u

/* Modules, and tasks, whose pages are kept at each point, if a picture is
 * wanted, or a report in a JSON file, which carries one: 600 bytes each. A
 * picture shows the largest seven. */
#define HISTORY_COLUMNS 64u

/* Kills of the OOM killer whose time is kept, 16 bytes each. */
#define KILLS_MAX 16u

/* Phases of the boot, 24 bytes each, and a name with its end byte. dracut has
 * seven hooks that begin one, initramfs-tools six. */
#define PHASES_MAX 16u
#define PHASE_NAME_BYTES 16

/* Bytes of the kernel's command line that are kept for a picture, with an end
 * byte. x86 gives at most 2048 bytes. */
#define CMDLINE_KEPT_BYTES 1024

/* Records of the kernel's log that are read for its memory figures at boot: a
 * guest's boot has some 350 records, a large machine's some thousand. */
#define BOOT_RECORDS 4000u

/* Most files of rootfs that are looked at: each takes a microsecond or two,
 * more on an emulated CPU. */
#define ROOTFS_FILES_MAX 40000u

/* Parts of the initramfs in a report, 64 bytes each. */
#define INITRAMFS_PARTS 3u

/* Failed allocations of contiguous pages in a report, 144 bytes each. */
#define FAILURES_MAX 3u

/* Full mounts in a report, 104 bytes each. */
#define FULL_MOUNTS 4u

/* Slab caches in the section proc_slab_static, 56 bytes of the stack each: a
 * server has some 250. */
#define SLABS_SHOWN 384u

/* Figures about the memory used before tracing, 32 bytes each. */
#define FIGURES_MAX 32u
#define FIGURE_NAME_BYTES 24

/* Tags of /proc/allocinfo in a report, 80 bytes each, and those kept while the
 * file is read. A distribution's kernel has some 5,000 lines, of which the kernel
 * writes one in a microsecond; reading ends after so many lines, or so much
 * time. */
#define TAGS_SHOWN 16u
#define TAGS_KEPT 64u
#define TAG_LINES_MAX (1u << 16)
#define TAGS_NS UINT64_C(300000000)

/* The name of a source, with an end byte. */
#define SOURCE_NAME_BYTES 12

/* Parts of RAM in a report, 48 bytes each: a PC has some 40, of which 15 are
 * hash tables. */
#define RAM_ROWS_MAX 64u
#define RAM_NAME_BYTES 38

/* Nodes of a device tree's reserved-memory: a phone has some 40. */
#define TREE_REGIONS_MAX 48u

/* A path in a parameter or option; a longer one is refused with a message. */
#define PATH_BYTES 256

/* Files that are written beside a report. */
#define BESIDE_FILES 4u

/* /proc/cmdline: a boot loader gives 2048 bytes on x86, at most 4096 elsewhere
 * (COMMAND_LINE_SIZE). The keys of a bootconfig come first: its 32 KiB grow
 * because each key is printed in full. The buffer is on the stack, before
 * tracing. */
#define CMDLINE_BYTES (64u << 10)

/* Ranges of System RAM in /proc/iomem: firmware cuts RAM into some 10. Further
 * ranges are joined, together with the gaps between them. */
#define RAM_RANGES_MAX 32

/* CPUs: the kernel's largest NR_CPUS. Each CPU that exists takes 152 bytes of
 * the arena. */
#define CPUS_MAX 8192

/* Tracepoint events that one CPU has open (the table of
 * source/tracefs/format.c). */
#define EVENTS_PER_CPU_MAX 35
/* CPUs that may come online while we trace. */
#define CPUS_LATE 4u

/* Tasks that move pages at the same time. The moves of further tasks are
 * rejected, and the head of the report counts them. */
#define MOVERS_MAX 64u

/* Tasks that compress pages at the same time, and pages that each of these
 * tasks has taken for it and not yet passed on: the kernel reclaims 32 pages at
 * a time, or 64 (MAX_LRU_BATCH). 528 bytes for each task. */
#define SQUEEZERS_MAX 4u
#define SQUEEZED_PAGES 64u

/* The largest order that the buddy allocator can have. powerpc and arm64 go to
 * 13, sparc to 18. (Up to 6.3, MAX_ORDER is one more than the largest
 * order.) */
#define ORDER_MAX 20
/* While the kernel starts, free blocks of this order or more are memory that
 * was not in use: see ledger/page_events.c. */
#define HANDED_ORDER 9u

/* One line of a report, with its end byte. A record of /dev/kmsg holds 976
 * bytes; our lines stay under 900 with the prefix "memstrack: ". */
#define LINE_BYTES 900

/* Most lines of a report in the kernel log or on the console (some 15 seconds
 * on a serial line at 115200), and most lines of a report about an OOM kill. */
#define LOG_LINES_MAX 2000
#define OOM_LINES_MAX 40

/* The budget, rings included: MemTotal / 128, between these two, in bytes. */
#define BUDGET_DIVISOR 128
#define BUDGET_FLOOR_BYTES (896u << 10)
#define BUDGET_CEILING_BYTES (32u << 20)
/* In addition, a flat page table for memory that is offline: up to MemTotal /
 * 64. */
#define OFFLINE_DIVISOR 64
/* And one for a machine of up to 64 GiB: 4 bytes a page. Where RAM is more, a
 * hash of the pages that are held takes half of the budget. */
#define FLAT_CEILING_BYTES (64u << 20)

/* The memory for slab objects, in addition to the budget, if no size is given:
 * MemTotal / 64, between these two, in bytes. A live object takes some 55
 * bytes. */
#define SLAB_DIVISOR 64
#define SLAB_FLOOR_BYTES (1u << 20)
#define SLAB_CEILING_BYTES (64u << 20)
/* With less memory than this, too few objects would be known. */
#define SLAB_LEAST_BYTES (256u << 10)

/* Init starts within so many seconds, unless rd.memstrack.ready= has another
 * number, up to the largest that a byte of the pipe to PID 1 holds. */
#define READY_S 2
/* The longest time that PID 1 waits for the tracer to be ready, if it is to start
 * init within READY_S: its own work takes a part of this. */
#define READY_TIMEOUT_MS (READY_S * 1000 - 200)
/* While PID 1 waits, events are opened for so long at most, from the tracer's
 * start on; again within READY_S. */
#define OPEN_MS (READY_S * 1000 - 500)

/* The longest time that a caller of `memstrack report` waits for a report to be
 * written. A serial line at 115200 carries 11 KiB/s. */
#define REPORT_TIMEOUT_MS 20000
/* The longest time that switch_root waits for the tracer to take its final
 * figures, and then for the report, unless rd.memstrack.wait= sets another
 * time. */
#define SWITCH_TIMEOUT_MS 1800
#define SWITCH_WAIT_S 10
/* After a report caused by a signal the tracer still answers requests for this
 * time: another process may have got the same signal. */
#define ASKER_MS 100

/* The stack that exec maps. mlockall() populates the stack, so that no page
 * fault needs memory later. The deepest call uses 40 KiB. */
#define STACK_BYTES (132u << 10)

/* `memstrack run`: processes, 220 bytes each, and as many rows of tasks; or one
 * process for each RUN_PROCESS_KIB of memory, if these are fewer. A build of a
 * Linux distribution's package has some thousands. */
#define RUN_PROCESSES 20000u
#define RUN_PROCESS_KIB 32u
/* The beginning of a command's arguments. */
#define RUN_ARGV_BYTES 64
/* Records of exited tasks that wait for the event of the task's start, 112
 * bytes each; and the kernel's buffer for records that we have not read, some 2
 * KiB each. */
#define RUN_ENDS 1024u
#define TASKSTATS_ROOM_BYTES (16 << 20)
/* Cgroups above our own whose limits are looked at. */
#define RUN_CGROUPS 12u

/* The exit status for arguments that cannot be read; other failures exit with
 * 1. */
#define EXIT_USAGE 2

/* Rows that `diff` compares, of both reports and all tables: a report of level
 * 3 has some thousand rows, whose names take 20 bytes each. 6 MiB, on the host;
 * only pages that are used are touched. */
#define DIFF_ROWS_MAX 32768u
#define DIFF_NAMES_BYTES (1u << 20)
/* Smaller changes are not shown, unless --min sets another limit: two boots of
 * one kernel differ by some 10 KiB in a row. */
#define DIFF_MIN_BYTES (64u << 10)

/* Loads of modules and lives of processes in a report that `view` draws, 136
 * bytes each: 9 MiB on the host, of which only the used part is touched. */
#define VIEW_SPANS_MAX (1u << 16)

/* Loaded modules that `estimate` knows, 72 bytes each; further ones are left
 * out: a large server has some 250. */
#define ESTIMATE_MODULES 1024u

/* Time between two screens of `top`, unless --interval sets another time. */
#define TOP_INTERVAL_S 2u

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* For the first 64-bit number of a table's row. i386 would align it to 4 bytes,
 * and its table would be smaller than the same recording's table elsewhere. */
#define ROW_ALIGN _Alignas(8)

#endif
