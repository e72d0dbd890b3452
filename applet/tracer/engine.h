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
#include "source/proc/proc.h"
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
	int zoneinfo_fd;		/* kept open: opening takes memory */
	int samples_areas;		/* vmalloc is sampled, for want of probes */
	enum addresses addresses;	/* of areas, as they are shown */
	int modules_changed;		/* since they were looked at */
	int areas_changed;
	uint64_t events_pages;		/* of the kernel, for our events */
	uint64_t areas_ns;		/* the next sample of vmalloc is due */
	uint64_t chains, bare;		/* allocations with frames, without */
	uint64_t told_lost;		/* by the rings so far */
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

/* Reads what the kernel logged at boot about memory. This takes a while, so it
 * is called when nobody waits any more. */
void engine_read_log(struct engine *g);

/* Everything that was stamped before the horizon: begin, then next until it
 * returns 0. Each event has been recorded and applied when it is returned, but
 * those for the tracer alone (event.h). Then settle: what was lost, and a sample
 * of free memory. */
void engine_begin(struct engine *g, uint64_t horizon_ns);
int engine_next(struct engine *g, struct event *e);
void engine_settle(struct engine *g, uint64_t horizon_ns);

/* Areas of vmalloc, where they are sampled, and a sample is due. Takes memory
 * of the kernel. */
void engine_sample_areas(struct engine *g);
/* Now, as of this time. */
void engine_look_at_areas(struct engine *g, uint64_t time_ns);

/* Free memory as of this time, or of the last event's if that is later. */
void engine_sample_memory(struct engine *g, uint64_t time_ns, uint32_t flags);
/* Free pages on per-CPU lists, from a file that is open. */
void engine_sample_lists(struct engine *g);

/* Whatever a report tells beside the events up to now: areas, lists, and what
 * the rings lost, which interrupts every CPU. */
void engine_take_stock(struct engine *g);

/* The session as it stands at a report. */
void engine_describe(struct engine *g, const char *reason);

/* Rings and probes: gone. */
void engine_close(struct engine *g);

#endif
