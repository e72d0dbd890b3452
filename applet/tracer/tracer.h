/* SPDX-License-Identifier: MIT */
/* The loop of the tracer: sources, ledger, and the reasons to report. */
#ifndef MEMSTRACK_TRACER_TRACER_H
#define MEMSTRACK_TRACER_TRACER_H

#include <poll.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/base.h"
#include "base/system.h"
#include "config/config.h"
#include "control/control.h"
#include "ledger/ledger.h"
#include "output/output.h"
#include "record/record.h"
#include "report/report.h"
#include "source/event.h"
#include "source/proc/proc.h"
#include "source/source.h"

/*
 * --- engine
 *
 * The engine: source -> ledger -> recorder, one event at a time.
 *
 * The engine owns all memory of the tracer, taken in engine_open(), and looks
 * up whatever is needed on the way: the text of a loaded module, areas of
 * vmalloc, free memory. The engine knows nothing of reports: an event that must
 * be answered at once is returned to the caller, who asked for the next event.
 */

struct engine {
	struct event_out events;	/* first; for sources: engine_take() */
	struct sink *sink;		/* for what cannot wait for a report */
	const struct config *config;
	struct source *source;		/* in the arena */
	int boot;			/* started as PID 1's child */
	int guard;			/* process that holds a reboot */
	struct session session;
	struct arena arena;
	const char *record_path;
	struct trace_writer writer;	/* fd -1: nothing is recorded */
	struct trace_memory *recording;	/* of the arena */
	int log_read;
	uint64_t began_ns;		/* when the engine was made */
	uint32_t cpus_most;		/* rings there is room for */
	uint32_t early_cpus;		/* traced from the start on */
	uint32_t cpus_came;		/* later: opened late, or hotplugged */
	int cpu_failed;			/* some CPU's events did not open */
	int opens_late;			/* events are opened while tracing */
	uint32_t late_note;		/* the session's note about this */
	uint32_t module_found;		/* found last by catch_up() */
	int zoneinfo_fd, meminfo_fd;	/* open: opening takes memory */
	uint64_t available_ns;	/* the next sample of files is due */
	int samples_areas;		/* vmalloc is sampled: no probes */
	enum addresses addresses;	/* of areas, as they are shown */
	int modules_changed;		/* since they were looked at */
	int areas_changed;
	uint64_t from_ns;		/* that record has all events before */
	uint64_t events_pages;		/* of the kernel, for our events */
	uint64_t areas_ns;		/* the next sample of vmalloc is due */
	uint64_t mounts_ns;		/* the next look at mounts is due */
	int uses_changed;		/* modules came or went since then: */
	uint64_t uses_ns;		/* the next look at those in use is due */
	uint32_t mounts_full;		/* at the last look */
	struct tmpfs_most mounts_most;
	uint64_t chains, bare;		/* allocations with frames, without */
	uint64_t ring_lost;		/* records, as the rings report them */
	uint64_t lost_before_init;	/* lost too, but not by the rings */
	uint64_t enabled_ns;		/* all events of pages are on since then */
	uint64_t handed_pages;		/* by the kernel's count, when tracing
					 * began */
	uint64_t followed_ns;		/* when the CPUs were looked at */
	uint64_t mem_total_bytes;	/* when memory was looked at */
	uint64_t counted_stalls;	/* the source's, sent to the ledger */
	uint64_t noted_skips;		/* of source->skipped, those in notes */
	struct event own;		/* engine_event() */
	struct source_offer offer;
	struct before before;		/* the record from before init */
	struct initramfs initramfs;
	struct ram_reader ram;
	struct ledger ledger;
};

/* Every event of the trace comes here: those of the source, and those of /proc,
 * whose readers get &engine.events. It is recorded, and applied to the
 * ledger. */
void engine_take(struct engine *g, const struct event *e);

/* A new event of the tracer's own, with fields of 0, to be filled in and taken
 * before the next one is made. */
struct event *engine_event(struct engine *g, enum event_type type,
			   uint64_t time_ns);

/* Reads, once, what the kernel logged at boot about memory, and where all of
 * RAM is. This takes a while, so it is called when nobody waits any more. 1:
 * the unpacking of the initramfs has failed. */
int engine_read_log(struct engine *g);

/* May files of the initramfs be missing? Then PID 1 may not live long, and
 * should wait until the log is read. */
int engine_lacks_files(const struct engine *g);

/* Notes where the files of the initramfs are, while PID 1 waits. */
void engine_find_files(struct engine *g);
/* Sums the files by directory, some at a time, when nobody waits any more. 1:
 * call it again after the next drain. */
int engine_sum_files(struct engine *g);

/* Gives every event that was stamped before the horizon: call begin, then next
 * until it returns 0. A returned event has been recorded and applied, unless it
 * is only for the tracer (event.h). Then call settle, which counts what was
 * lost and samples free memory. */
void engine_begin(struct engine *g, uint64_t horizon_ns);
int engine_next(struct engine *g, struct event *e);
/* Ten times a second, behind a drain: a CPU may have come online. */
void engine_follow_cpus(struct engine *g, uint64_t now_ns);
/* Memory may have come or gone. Called before a drain, because events may be
 * about the new memory. */
void engine_follow_ram(struct engine *g, int always);
void engine_settle(struct engine *g, uint64_t horizon_ns);

/* Samples the areas of vmalloc, if there are no probes and a sample is due. The
 * kernel allocates memory for it. */
void engine_sample_areas(struct engine *g);
/* Looks which modules are in use if some came or went, but seldom. */
void engine_sample_uses(struct engine *g);
/* The same at once; the sample gets this time. */
void engine_look_at_areas(struct engine *g, uint64_t time_ns);

/* Looks, if a look is due, which tmpfs that PID 1 sees is full. */
void engine_sample_mounts(struct engine *g);

/* Sends the ledger the caches of /proc/slabinfo, if slab is traced. */
void engine_look_at_caches(struct engine *g, uint64_t time_ns);

/* Frees the memory of the record from before init, a part at a time. 1: call
 * it again when the events of this part have been read. */
int engine_give_back(struct engine *g);

/* Sends the ledger the time from which all is traced, or that not all is: at
 * the start, and when events were opened later. */
void engine_emit_whole(struct engine *g);

/* Samples free memory, with this time or that of the last event, if later. */
void engine_sample_memory(struct engine *g, uint64_t time_ns, uint32_t flags);
/* Samples what can be reclaimed, if a new worst moment may have come, or if the
 * last sample is old and little is free. */
void engine_sample_available(struct engine *g, int always);
/* Samples the free pages on per-CPU lists, from a file that is open. */
void engine_sample_lists(struct engine *g);

/* Samples what a report needs besides events: areas, per-CPU lists, and the
 * number of lost records, which interrupts every CPU. */
void engine_take_stock(struct engine *g);

/* Brings the session up to date for a report. */
void engine_describe(struct engine *g, const char *reason);

/* Removes rings and probes. */
void engine_close(struct engine *g);

/*
 * --- before init
 *
 * The record of events from before init (source/source.h, before), put in front
 * of our own source's.
 *
 * Our source begins first, at T0; then the kernel's record is ended and read.
 * Its events up to T0 are applied in front, and our own source's from T0 on. A
 * record that cannot be read, or not within a second, is a note.
 */

/* Before memory is taken: returns the bytes of the arena that a record needs;
 * 0: there is none. */
uint64_t before_init_find(struct engine *g);
/* After the source was opened. */
void before_init_open(struct engine *g);

FEATURE_INLINE int before_init_found(const struct engine *g)
{
	return has_feature(FEATURE_BEFORE) && g->before.used;
}

/* Free memory at T0. */
struct before_init_memory {
	struct event_out out;		/* first; for proc_pcp() */
	struct event lists;		/* type 0: not known */
	uint64_t free_pages;
};

/* The source is enabled. Applies the record, and returns T0. */
uint64_t before_init_read(struct engine *g, struct before_init_memory *m);

/* Sends the ledger the memory of the record's buffers. */
void before_init_emit(struct engine *g, uint64_t now_ns);

/*
 * --- choose
 *
 * Which source: the one that was asked for, or the first of its kinds
 * (source/source.h, kind) that works on this kernel.
 */

/* Takes the tracer's memory with `extra_bytes` of room, and opens a source with
 * it. 0, or -errno after one line or more through the sink. */
int choose_source(struct engine *g, uint64_t extra_bytes);

/*
 * --- functions
 *
 * Lines of /proc/kallsyms -> events with the addresses of the functions by
 * which the ledger knows the kinds of pages (ledger/tables.h, kinds).
 *
 * Also the addresses of initcalls, which the ledger knows by a return address
 * in them (ledger/tables.h, initcalls).
 *
 * The kernel's own symbols are sorted by address, so a function ends where the
 * next one begins. Neighbours with the same rule are one event. Symbols of
 * modules come last and are left out.
 */

struct functions {
	struct engine *engine;
	const struct kind_rule *rule;	/* of the functions since `base`, or
					 * NULL */
	uint64_t base, last;		/* last: the address of the last one */
	int emitted;			/* events, in this reading */
	char name[MODULE_NAME_BYTES];	/* of the first function */
	/* Return addresses in initcalls, from the first on, whose functions are
	 * looked for; 0: none. The last symbol. */
	uint64_t lowest, highest, below;
	/* Rows of initcalls: those before were looked for in an earlier whole
	 * reading, or are in this one. */
	uint32_t looked, looking;
};

/*
 * --- guard
 *
 * Holds a reboot until the report is written.
 *
 * A kernel with one CPU reboots when the tracer, a real-time task, lets it.
 * With several CPUs the tracer runs on one and the reboot on another, and the
 * reboot would finish first. But after all devices are shut down, each reboot
 * moves to one CPU: the first, unless the parameter reboot= names another CPU
 * (kernel/reboot.c, migrate_to_reboot_cpu()). The guard is a small process,
 * real-time and bound to the first CPU. perf's event of a reboot sends SIGIO to
 * the guard before the reboot can get to this CPU. Then the guard keeps this
 * CPU busy until the tracer signals that the report is written, but no longer
 * than asked. Meanwhile the kernel reserves no part of each second for other
 * tasks (kernel.sched_rt_runtime_us). Since 6.12 it reserves 50 ms
 * nevertheless, so a reboot may finish after a second. A kernel that does not
 * preempt (PREEMPT_NONE) is held only if the reboot was asked for on another
 * CPU.
 *
 * Costs a process that sleeps, some 60 KiB of the kernel's memory; nothing with
 * one CPU, and nothing where perf does not trace.
 */

/* Called before the tracer takes memory, which the guard would share. The guard
 * holds a reboot for most_s seconds. 0: no guard is needed, or fork failed. */
pid_t guard_begin(uint32_t cpus, uint32_t most_s);
/* The report is written, or nobody reboots. */
void guard_let_go(pid_t guard);
/* The guard ends soon; its parent at that time reaps it. */
void guard_end(pid_t guard);

/*
 * --- heal
 *
 * After a loss: pages that the ledger charges although the kernel has freed
 * them.
 *
 * If the record of a free was lost, its page stays charged until it is
 * allocated again. /proc/kpageflags shows which pages are in the kernel's free
 * lists (KPF_BUDDY; Documentation/admin-guide/mm/pagemap.rst; before Linux 4.7
 * only the first page of a block has this flag). Free pages on per-CPU lists do
 * not show there, so some pages stay charged.
 *
 * A flag may be out of date when it is applied. So the rings are drained after
 * the flags were read and before they are applied. If a page was allocated
 * after its flag was read, the event comes in this drain or later. If a page
 * was freed before that, the event comes in this drain: a page is free only
 * after its event was written.
 */

#define HEAL_PAGES 512u		/* whose flags are read at once: 4 KiB */

struct heal {
	int flags_fd;		/* -1: the kernel has no such file */
	int passing;		/* a pass over all of RAM has begun */
	uint64_t lost;		/* records, when the pass began */
	uint32_t cpus_came;	/* and CPUs: what was freed on them before */
	uint32_t range;		/* of RAM: where the pass is */
	uint64_t at;		/* in this range */
	uint64_t pfn;		/* the pages that were looked at last */
	uint32_t count;
	uint64_t flags[HEAL_PAGES];
};

void heal_open(struct heal *h);

/* Reads the flags of the next pages, if records were lost or CPUs came. 0: no
 * page is left. 1: the flags of `count` pages were read; `count` is 0 if nobody
 * holds any of the pages looked at. */
int heal_look(struct heal *h, struct engine *g);

/* Called for each event of the drain that follows. */
void heal_see(struct heal *h, const struct event *e);

/* Called after the drain: makes an EVENT_FREE with EVENT_FOUND for each page
 * that is free and still charged. */
void heal_settle(const struct heal *h, struct engine *g);

/*
 * --- kallsyms
 *
 * Names of the kernel's functions, from /proc/kallsyms: those of the addresses
 * that will be printed (report/report.h, symbols), and the functions by which
 * kinds of pages and initcalls are known (section functions). The file has some
 * 200,000 lines, so it is read as seldom as possible, or in slices before names
 * are needed.
 */

struct kallsyms {
	struct symbols symbols;
	struct functions functions;
	int fd;			/* kept open: opening takes memory */
	int reading;		/* in slices, before names are needed */
	struct lines lines;	/* of fd, while reading */
};

/* Takes its table from the engine's arena. 0 or -errno. */
int kallsyms_init(struct kallsyms *k, struct engine *g);
void kallsyms_open(struct kallsyms *k);

/* If all kinds are known and no frame is printed, no names are needed. */
int kallsyms_wanted(const struct kallsyms *k);
/* Names the collected and sorted addresses. */
void kallsyms_read(struct kallsyms *k);

/* The same, but in slices. */
void kallsyms_begin_slices(struct kallsyms *k);
/* The functions by which kinds of pages are known will be read in slices,
 * unless they are known. */
void kallsyms_prepare_kinds(struct kallsyms *k);
/* 1: the next slice should be read soon. */
int kallsyms_read_slice(struct kallsyms *k);

/* So that two return addresses in one initcall are one row before rows are
 * chosen. */
void kallsyms_find_initcalls(struct kallsyms *k);

/*
 * --- priority
 *
 * How the tracer gets a CPU before its rings overflow.
 *
 * There are two ways to wait for the rings, and each is late where the other is
 * not:
 *   real time   SCHED_FIFO runs before every ordinary task. But a real-time
 *               task is woken on the CPU where it last ran (kernel/sched/rt.c,
 *               select_task_rq_rt(), 6.1). If the kernel does not preempt, the
 *               task waits there until the system call on this CPU has ended,
 *               even if other CPUs are idle.
 *   ordinary    SCHED_OTHER with nice -20 is woken on an idle CPU. If all CPUs
 *               are busy, the task may wait until another task has used its
 *               time slice (3 ms since Linux 6.6).
 * On a kernel that preempts, the tracer is a real-time task. On another kernel
 * the tracer is an ordinary task, and a real-time task in a rush. A rush begins
 * when the tracer was late, which means that all CPUs are busy, and ends when
 * the rings have been quiet for a while.
 */

struct priority {
	int preempts;		/* the kernel preempts */
	uint32_t rush;		/* quiet waits until the rush is over */
};

/* Can another task get the CPU before a system call has ended? The kernel's
 * version tells what the kernel can do (uname -v: PREEMPT, PREEMPT_DYNAMIC,
 * PREEMPT_RT). With PREEMPT_DYNAMIC (since 5.12) one of several modes runs, and
 * only "none" does not preempt: in mode "voluntary" each allocation that may
 * sleep lets a real-time task run first. `modes` is debugfs' list, "none
 * (voluntary) full" (since 5.13), or empty; then the parameter preempt= of the
 * kernel's command line counts. A kernel built with CONFIG_PREEMPT_VOLUNTARY and
 * without the choice has no such word in its version: 0, as the configuration
 * may not be readable. */
int preempts(const char *modes, const char *cmdline, const char *version);
int kernel_preempts(const char *cmdline);

void priority_begin(struct priority *p, const char *cmdline);

/* After a wait: this many bytes of the fullest ring were in use. */
void priority_judge(struct priority *p, uint64_t used_bytes,
		    uint64_t ring_bytes);

/* Called before a report is written. Normally the tracer writes as an ordinary
 * task, because a serial console would keep a machine's only CPU busy for
 * seconds. With `haste` the tracer is a real-time task: a reboot must wait for
 * such a task, and when memory has run out, the task may take pages of the
 * kernel's reserves. priority_wait() is called after the report. */
void priority_write(int haste);
void priority_wait(const struct priority *p);

/* Gives real-time tasks all of the CPU's time; then restores their share. */
#define SHARE_BYTES 24
void priority_take_all(char share[SHARE_BYTES]);
void priority_give_back(const char share[SHARE_BYTES]);

/*
 * --- reporter
 *
 * What is reported, and where to: the engine's account, with names, goes
 * through the sink.
 *
 * A report when memory runs out uses only memory that is held already: it opens
 * no file and waits for nobody.
 */

struct reporter {
	struct engine *engine;
	const struct config *config;
	struct sink *sink;
	const struct priority *priority;
	int restricted;		/* addresses are hidden from ordinary users */
	/* Called now and then while names are read. */
	void (*meanwhile)(void *context);
	void *context;
	struct kallsyms kallsyms;
};

/* Takes its table from the engine's arena. 0 or -errno. */
int reporter_init(struct reporter *r, struct engine *g,
		  const struct priority *priority,
		  void (*meanwhile)(void *context), void *context);
void reporter_read_settings(struct reporter *r);

/* What follows a report. If a reboot may follow, the report is written at
 * real-time priority. If a reboot follows, a report to a file also goes to the
 * log, because the file may not outlive the reboot. */
enum what_follows {
	WORK_FOLLOWS,
	REBOOT_MAY_FOLLOW,
	REBOOT_FOLLOWS,
};

/* Writes the account as the engine has described it. 0 or -errno. */
int reporter_write(struct reporter *r, enum sink_target target,
		   enum what_follows follows);
/* Writes these sections to a client, whose descriptor is then closed, and to
 * the log. */
void reporter_write_sections(struct reporter *r, const char *sections,
			     uint32_t throttle_percent, int client);
/* Writes the rows that a client wants into the client's file of so many bytes.
 * Opens no file, asks no other CPU, and takes no memory. 0 or -errno. */
int reporter_write_live(struct reporter *r,
			const struct control_message *wanted, uint64_t bytes);
/* The short report when memory runs out, which uses only memory held
 * already. */
void reporter_write_oom(struct reporter *r);
/* Finds the directories of modules, if the answer may name one: reads
 * modules.dep of the root of PID 1. `order`: of the report that follows. */
void reporter_find_dirs(struct reporter *r, enum order order);
/* Called when free memory falls: the names that this report would print now
 * will be read in slices. */
void reporter_prepare_oom(struct reporter *r);

/*
 * --- triggers
 *
 * Why a report is written: signals, requests, memory that runs out, the change
 * of the root, a reboot, the heartbeat.
 *
 * Triggers only decide that a report is due. They see each event
 * (triggers_see()) and keep what must be remembered between two events; the
 * loop (tracer.c) then has the report written.
 */

struct triggers {
	int boot;		/* started as PID 1's child */
	int signal_fd;		/* -1: signals are not handled */
	int exec_by_init;	/* an exec by init, since the last look */
	int switched;		/* the change of the root was reported */
	int low;		/* reclaim failed since the last look */
	int exhausted;		/* nothing was available: reported */
	int meminfo_fd;
	int asked;		/* a reboot was, since the last answer */
	uint32_t reboot_tid;	/* by this task; 0: by nobody who may */
	dev_t root_dev;		/* of PID 1 when tracing began */
	ino_t root_ino;		/* 0: not known */
	uint64_t oom_ns, low_ns;	/* no such report before this time */
	uint64_t oom_again_ns;	/* but one in a series of kills */
	uint64_t group_ns;	/* no line on kills in groups until then */
	uint32_t group_kills;	/* kills in groups since the last line */
	uint32_t fallen;	/* how often memory has fallen by half */
	uint64_t heartbeat_ns;	/* the next one is due */
	struct oom_log log;
	struct room room;
};

/* Before tracing starts: notes the root. Signals end the program as usual until
 * triggers_hear() is called. */
void triggers_init(struct triggers *t, int boot);
/* The files that are read when memory runs out, already open; opens the
 * kernel's log. */
void triggers_open(struct triggers *t, int meminfo_fd, int zoneinfo_fd);
int triggers_hear(struct triggers *t);	/* 0 or -errno */

/* Takes every event that the engine gives. 1: the OOM killer has chosen a
 * victim, which must be answered at once. */
int triggers_see(struct triggers *t, const struct event *e);

/* Called after a sample of free memory. 1: memory runs out, and no report has
 * said so yet. */
int triggers_memory_low(struct triggers *t, const struct ledger *l,
			const struct session *s);

/* Called after a sample of free memory. 1: free memory falls, and a report
 * about low memory may be near: at an eighth of all memory, and each time that
 * half of the rest is used up. */
int triggers_memory_falls(struct triggers *t, const struct ledger *l,
			  const struct session *s);

/* Was a task killed because a memory cgroup met its limit? Any user with a
 * cgroup can cause such kills again and again. The kernel's log names the
 * limit; else free memory of the machine decides. */
int triggers_kill_in_group(struct triggers *t, const struct ledger *l,
			   const struct session *s, uint32_t victim_tid);
/* The number of such kills that a line must report now; 0: no line is due. */
uint32_t triggers_group_kills(struct triggers *t, uint64_t now_ns);

/* Memory runs out. 1: a report is due; 0: the report just before covers this.
 */
int triggers_oom_is_due(struct triggers *t, uint64_t now_ns);
/* Memory ran out just now: nothing may take memory. */
int triggers_oom_was_now(const struct triggers *t, uint64_t now_ns);

int triggers_root_changed(struct triggers *t);
int triggers_heartbeat(struct triggers *t, uint64_t now_ns,
		       uint32_t every_s);

/* What a signal asks for. */
struct signal_wish {
	int number;
	const char *reason;
	enum sink_target target;	/* SINK_CONFIGURED: tracing ends */
};

/* The next of the signals that have arrived: call until NULL. Wishes after
 * which tracing goes on come before those that end it, so that each gets its
 * report. */
const struct signal_wish *triggers_signal(struct triggers *t,
					  unsigned long *arrived);

/* --- parts: what a tracer consists of: see tracer.h */

struct tracer {
	const struct config *config;
	struct sink *sink;
	uint32_t done_later;	/* of what waits until PID 1 goes on */
	struct pollfd *poll;	/* the rings, signals, door */
	struct priority priority;
	struct engine engine;
	struct triggers triggers;
	struct reporter reporter;
	struct heal heal;
	struct control_door door;
};

/*
 * --- memory
 *
 * The tracer's one block of memory: see memory.c.
 */

/* Takes the arena with the ledger in it, for a source of this kind with so many
 * rings, and leaves `extra_bytes` of room. 0, or -errno after one line through
 * the sink. */
int memory_take(struct engine *g, const struct source_kind *kind, uint32_t cpus,
		uint64_t extra_bytes);

/* Unmaps the arena. */
void memory_return(struct engine *g);

/* All memory of the tracer, rings included. */
uint64_t memory_own_bytes(const struct engine *g);

/*
 * --- opening
 *
 * When the events are opened.
 *
 * To switch an event on, the kernel changes its own code, and each CPU must see
 * the change: with 64 emulated CPUs that takes 60 ms for each of twenty events,
 * or a second if their host is busy. PID 1 does not wait for so long. The page
 * events of all CPUs come first. The others follow while PID 1 waits if they do
 * not take long; else when PID 1 runs, in slices between drains. Notes name the
 * time from which these events are traced. On most machines everything is open
 * within milliseconds.
 */

/* Opens more events of a source that open() has begun, as long as PID 1 may
 * wait, but no event that may take longer. 0; or -errno, and the source is
 * closed. */
int opening_in_time(struct engine *g);

/* Notes what the source does not see, or does not see yet. */
void opening_note(struct engine *g);

/* Opens some of the events that were left, if any were. 1: call it again,
 * behind a drain. */
int opening_go_on(struct engine *g);

/*
 * --- file answer
 *
 * What a client gets in a file of its own (control/control.h, given), so that
 * nobody waits for a slow reader: the table of pages (control/control.h, page
 * table), or rows of the account as they change (memstrack top), once or twice
 * a second for hours. Live rows must cost the trace nothing:
 * engine_take_stock() is not called, because it reads /proc and interrupts
 * every CPU to count lost records.
 */

/* Right behind a drain of the events up to now_ns. Answers the client, and
 * closes its file. This takes no memory, waits for nobody, and writes at most
 * what fits the file. */
void file_answer(struct tracer *t, int client, const struct control_message *m,
		 uint64_t now_ns);

/*
 * --- record names
 *
 * The names in a recorded trace, for replays on other machines.
 */

/* Writes into the recorded trace the names of all addresses that any report of
 * this trace may print, as many at a time as the table has room for. */
void record_names(struct kallsyms *k, struct engine *g);

/* --- status: lines outside of a report, on the current state */

/* One line: free memory, what is traced, and who holds most of it. */
void status_say(const struct engine *g, uint64_t now_ns, const char *what);

/* One line: why the unpacking of the initramfs failed, and what would help. */
void status_say_unpacking(const struct engine *g);

/*
 * --- tracer
 *
 * The tracer: engine (source -> ledger -> recorder), triggers (why a report),
 * reporter (what, and where to), and the loop that wires the three.
 *
 * Policy is here: which failure ends tracing (no page events, no memory) and
 * which is a note in the report (no module events, no control socket). All
 * memory is taken in tracer_open(); tracer_run() allocates nothing, starts no
 * process and needs none.
 */

/* Does everything up to the first event. 0, or an exit status after one line
 * through the sink; door.listener is -EEXIST if another tracer runs. */
int tracer_open(struct tracer *t, const struct config *c, struct sink *sink,
		int boot, const struct trace_file *record);

/* Traces until a signal, a request or the change of root ends it. Returns the
 * exit status. */
/* For a reporter: takes the events of rings that fill up. `context`: the
 * tracer. */
void tracer_meanwhile(void *context);

int tracer_run(struct tracer *t);

#endif
