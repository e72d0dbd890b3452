/* SPDX-License-Identifier: MIT */
/*
 * The engine: source -> ledger -> recorder, one event at a time.
 *
 * It owns all memory of the tracer, taken in engine_open(), and looks up
 * whatever is needed on the way: the text of a loaded module, areas of vmalloc,
 * free memory. It knows nothing of reports: an event that must be answered at
 * once is returned to the caller, who asked for the next event.
 */
#ifndef MEMSTRACK_ENGINE_H
#define MEMSTRACK_ENGINE_H

#include "base/arena.h"
#include "config/config.h"
#include "ledger/ledger.h"
#include "output/sink.h"
#include "record/trace.h"
#include "source/before.h"
#include "source/proc/full.h"
#include "source/proc/initramfs.h"
#include "source/proc/proc.h"
#include "source/proc/ram_read.h"
#include "source/source.h"

struct engine {
	struct event_out events;	/* first: an engine takes events */
	struct sink *sink;		/* for what cannot wait for a report */
	const struct config *config;
	struct source *source;		/* in the arena */
	struct source_offer offer;
	struct arena arena;
	struct ledger ledger;
	const char *record_path;
	struct trace_writer writer;	/* fd -1: nothing is recorded */
	struct session session;
	int boot;			/* started as PID 1's child */
	int guard;			/* process that holds a reboot */
	struct ram_reader ram;
	int log_read;
	struct initramfs initramfs;
	uint64_t began_ns;		/* when the engine was made */
	uint32_t cpus_most;		/* rings there is room for */
	uint32_t early_cpus;		/* traced from the start on */
	uint32_t cpus_came;		/* later: opened late, or hotplugged */
	int cpu_failed;			/* some CPU's events did not open */
	int opens_late;			/* events are opened while tracing */
	uint32_t late_note;		/* the session's, that says so */
	uint32_t module_found;		/* the last one, when that ended */
	int zoneinfo_fd, meminfo_fd;	/* open: opening takes memory */
	uint64_t available_ns;	/* the next sample of files is due */
	int samples_areas;		/* vmalloc is sampled: no probes */
	enum addresses addresses;	/* of areas, as they are shown */
	int modules_changed;		/* since they were looked at */
	int areas_changed;
	struct before before;		/* the record from before init */
	uint64_t from_ns;		/* it has all events until then */
	uint64_t events_pages;		/* of the kernel, for our events */
	uint64_t areas_ns;		/* the next sample of vmalloc is due */
	uint64_t mounts_ns;		/* the next look at mounts is due */
	uint32_t mounts_full;		/* at the last one */
	struct tmpfs_most mounts_most;
	uint64_t chains, bare;		/* allocations with frames, without */
	uint64_t told_lost;		/* by the rings so far */
	uint64_t lost_before_init;	/* lost too, but not by the rings */
	uint64_t followed_ns;		/* when the CPUs were looked at */
	uint64_t mem_total_bytes;	/* when memory was looked at */
	uint64_t told_stalls;		/* of the source, to the ledger */
};

/* What is known of the machine, before anything is opened. */
void engine_init(struct engine *g, const struct config *c, struct sink *sink,
		 int boot, const struct trace_file *record);

/* Takes memory and opens the source, but enables nothing. `extra_bytes` of the
 * arena are for the caller, besides the ledger's share of symbols; the caller
 * then seals it. 0, or an exit status after one line through the sink. */
int engine_open(struct engine *g, uint64_t extra_bytes);

/* Enables the events, and tells the ledger the state of the machine first. 0,
 * or an exit status after one line through the sink. */
int engine_start(struct engine *g);

/* Reads, once, what the kernel logged at boot about memory, and where all of RAM
 * is. This takes a while, so it is called when nobody waits any more. 1: the
 * unpacking of the initramfs has failed. */
int engine_read_log(struct engine *g);

/* May files of the initramfs be missing? Then PID 1 may not live long, and
 * should wait until the log is read. */
int engine_lacks_files(const struct engine *g);

/* Notes where the files of the initramfs are, while PID 1 waits. */
void engine_find_files(struct engine *g);
/* Sums them by directory, some files at a time, when nobody waits any more. 1:
 * call it again, when what happened meanwhile has been read. */
int engine_sum_files(struct engine *g);

/* Gives every event that was stamped before the horizon: call begin, then next
 * until it returns 0. A returned event has been recorded and applied, unless it
 * is only for the tracer (event.h). Then call settle, which counts what was
 * lost and samples free memory. */
void engine_begin(struct engine *g, uint64_t horizon_ns);
int engine_next(struct engine *g, struct event *e);
/* Ten times a second, behind a drain: a CPU may have come online. */
void engine_follow_cpus(struct engine *g, uint64_t now_ns);
/* Before the events are taken that it explains: memory may have come or gone. */
void engine_follow_ram(struct engine *g, int always);
void engine_settle(struct engine *g, uint64_t horizon_ns);

/* Samples the areas of vmalloc, if there are no probes and a sample is due. The
 * kernel allocates memory for it. */
void engine_sample_areas(struct engine *g);
/* The same at once; the sample gets this time. */
void engine_look_at_areas(struct engine *g, uint64_t time_ns);

/* Looks, if a look is due, which tmpfs that PID 1 sees is full. */
void engine_sample_mounts(struct engine *g);

/* Tells what /proc/slabinfo has, if objects of slab are traced. */
void engine_look_at_caches(struct engine *g, uint64_t time_ns);

/* Gives back the memory of the record from before init, a part at a time. 1:
 * call it again, when what it caused has been read. */
int engine_give_back(struct engine *g);

/* Tells the ledger from when on all is traced, or that it is not: at the start,
 * and when events were opened later. */
void engine_tell_whole(struct engine *g);

/* Samples free memory, with this time or that of the last event, if later. */
void engine_sample_memory(struct engine *g, uint64_t time_ns, uint32_t flags);
/* Samples what can be given back, if a new worst moment may have come, or the
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

#endif
