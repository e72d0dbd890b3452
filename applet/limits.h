/*
 * Every capacity of the program: unit, reason, cost.
 *
 * Tables whose size depends on the machine take shares of one memory budget
 * (ledger/layout.c); what stands here is the shape of a record, the floor
 * below which the tracer declines to run, and buffers of fixed size.
 */
#ifndef MEMSTRACK_LIMITS_H
#define MEMSTRACK_LIMITS_H

#define MEMSTRACK_VERSION "0.1.0"

/* Frames kept of one call chain, unless rd.memstrack.frames says fewer. The
 * kernel's own limit is 127; chains of a boot end at 20 to 45. Costs 8 bytes a
 * frame in the ring. */
#define CHAIN_FRAMES_MAX 64

/* TASK_COMM_LEN of every kernel, with its end byte. */
#define COMM_BYTES 16

/* MODULE_NAME_LEN is 64 - sizeof(unsigned long) in the kernel. */
#define MODULE_NAME_BYTES 56

/* What /proc/vmallocinfo calls a caller: "symbol+0x1a/0x30". */
#define CALLER_BYTES 56

/* Areas of vmalloc that are told apart, beside one for each row of tasks, which
 * has a kernel stack: a boot has some 3 a module. 32 bytes each. */
#define AREAS_PER_MODULE 3u

/* A full table of tasks or owners uses the smallest again of so many rows that
 * may go: the largest of them, but one so many, never go. What may go is looked
 * for in no more than RECYCLE_ROWS once there is one. */
#define RECYCLE_CHOICE 32u
#define RECYCLE_ROWS 1024u

/* Points of the timeline, 72 bytes each. When all are used, every second one
 * goes and the step, at first this long, doubles. */
#define TIMELINE_POINTS 128u
#define TIMELINE_STEP_NS 10000000u

/* Records of the kernel's log that are read for what it says of memory at boot:
 * a guest's boot has some 350, a large machine's some thousand. */
#define BOOT_RECORDS 4000u

/* Figures on what was used before tracing, 32 bytes each. */
#define FIGURES_MAX 24u
#define FIGURE_NAME_BYTES 24

/* A path in a parameter or option; longer ones are refused by name. */
#define PATH_BYTES 256

/* /proc/cmdline: a boot loader gives 2048 bytes on x86, 4096 at most elsewhere
 * (COMMAND_LINE_SIZE). The keys of a bootconfig come before those, and its
 * 32 KiB grow when each key is written out. On the stack, before tracing. */
#define CMDLINE_BYTES (64u << 10)

/* Ranges of System RAM in /proc/iomem: firmware cuts RAM into some 10. More
 * are merged with the gap between them. */
#define RAM_RANGES_MAX 32

/* CPUs: the kernel's largest NR_CPUS. 140 bytes each of the arena, for those
 * that exist. */
#define CPUS_MAX 8192

/* Tracepoint events that one CPU has open (the table of source/perf/cpu.c). */
#define EVENTS_PER_CPU_MAX 23

/* Largest order the buddy allocator can have (MAX_ORDER up to 6.3 is one
 * past the last; powerpc and arm64 go to 13, sparc to 18). */
#define ORDER_MAX 20

/* One line of a report, with its end byte: the kernel takes 976 bytes a
 * record of /dev/kmsg; with the prefix "memstrack: " ours stay under 900. */
#define LINE_BYTES 900

/* Lines of a report in the kernel log or on the console, some 15 seconds of a
 * serial line at 115200; of one when memory runs out. */
#define LOG_LINES_MAX 2000
#define OOM_LINES_MAX 40

/* The budget, rings included: MemTotal / 128 within these, in bytes. */
#define BUDGET_DIVISOR 128
#define BUDGET_FLOOR_BYTES (768u << 10)
#define BUDGET_CEILING_BYTES (32u << 20)

/* PID 1 waits no longer than this for the tracer to be ready: init is promised
 * within 2 s, and what PID 1 does before and after takes its part of them. */
#define READY_TIMEOUT_MS 1800

/* A caller of `memstrack report` waits no longer than this for a report to be
 * written (a serial line at 115200 carries 11 KiB/s); switch_root no longer
 * than that for the tracer to take stock. */
#define REPORT_TIMEOUT_MS 20000
#define SWITCH_TIMEOUT_MS 1800
/* Who heard the same signal as a tracer may ask it so long after its report. */
#define ASKER_MS 100

/* The stack that exec maps, which mlockall() fills: no page fault needs memory
 * later. The deepest call takes 40 KiB of it. */
#define STACK_BYTES (132u << 10)

/* The exit status of arguments that cannot be read; what failed is 1. */
#define EXIT_USAGE 2

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

#endif
