/* SPDX-License-Identifier: MIT */
/*
 * Tracepoints by name: where tracefs is, their ids and the fields we read.
 *
 * A tracepoint that a kernel lacks is absent, not an error: tracing goes on
 * with the others. A format that we do not know is refused, and named.
 */
#ifndef MEMSTRACK_TRACEPOINTS_H
#define MEMSTRACK_TRACEPOINTS_H

#include "source/event.h"
#include "source/tracefs/format.h"
#include "source/session.h"

enum tracepoint {
	TP_FREE, TP_ALLOC, TP_MODULE_LOAD, TP_MODULE_FREE,
	/* Our own probes, which cost the least. Without them: the system calls
	 * that load a module. */
	TP_LOAD_EXIT, TP_LOAD_ENTER,
	TP_ENTER_INIT_MODULE, TP_ENTER_FINIT_MODULE,
	TP_EXIT_INIT_MODULE, TP_EXIT_FINIT_MODULE,
	/* If the kernel lacks those four: entry and exit of all system calls.
	 * If it lacks these too: the end of a module's init function. */
	TP_RAW_ENTER, TP_RAW_EXIT, TP_INITCALL,
	/* Our own kprobes and kretprobes, and contiguous memory. */
	TP_BULK, TP_AREA_ENTER, TP_AREA_ALLOC, TP_AREA_FREE, TP_CMA,
	/* Pages are moved: our own probe, and within which a task compacts. */
	TP_MOVE, TP_COMPACTS, TP_COMPACTED,
	/* For the tracer itself: memory runs out, or the system ends. */
	TP_VICTIM, TP_LOW, TP_RECLAIM,
	/* Our own probe. Without it: the system call. */
	TP_REBOOT, TP_ENTER_REBOOT,
	/* Objects of slab, if they are asked for. Since 6.1 the first of each
	 * pair tells what the second did. */
	TP_KMALLOC, TP_KMALLOC_NODE, TP_CACHE_ALLOC, TP_CACHE_ALLOC_NODE,
	TP_KFREE, TP_CACHE_FREE,
	/* Without our probes: areas of all kinds are made and freed (since
	 * 6.2). */
	TP_VMAP, TP_VUNMAP,
	TP_COUNT,
};

struct point {
	uint32_t id;			/* 0: the kernel has no such event */
	uint32_t type;			/* the enum event_type it becomes */
	uint32_t set_flags;		/* flags of all these events */
	struct field flags;		/* common_flags */
	struct field order;		/* of pages */
	struct field text;		/* name of a module */
	struct field number;		/* pfn, result, base, pages, tid or
					 * caller, by type */
	struct field site;		/* of an object; the old place of a page */
	struct field requested, allocated;	/* of an object */
	struct field gfp;		/* of an allocation, and the bits that */
	uint64_t ahead;			/* mark the reading ahead of a file, or 0; */
	uint64_t zero;			/* a page of a file is not zeroed */
	uint64_t silent;		/* no warning if it fails, or 0 */
};

/* Rows of point[], plus one, by the low bits of their ids. */
#define POINTS_BY_ID 256u

struct tracefs {
	struct point point[TP_COUNT];
	uint8_t by_id[POINTS_BY_ID];
	/* Bits of gfp_flags that together mark a first touch of anonymous user
	 * memory; 0: this kernel does not tell them. */
	uint64_t anon[3];
	struct field gfp_flags;		/* of an allocation */
	int slab, slab_chains;		/* objects are traced, with chains */
	char problem[NOTE_BYTES];	/* what was refused, and why */
};

/* Where tracefs may be. */
#define TRACEFS_ROOTS 2
extern const char *const tracefs_roots[TRACEFS_ROOTS];

const char *tracepoint_name(enum tracepoint tp);
/* Without this tracepoint nothing can be traced. */
int tracepoint_needed(enum tracepoint tp);

/* The kernel does not optimize probes, until they go on. 0: it never did. */
int tracefs_probes_rest(void);
void tracefs_probes_go_on(void);
/* Adds our own probes. They stay in the kernel until they are
 * removed, which needs all their events closed. Formats read after this call
 * include them. 0, or -errno if the kernel refuses those on vmalloc. */
int tracefs_probe(void);
void tracefs_unprobe(void);

/* 0; -ENOENT: no tracefs, or no page events; -EINVAL: the format of a page
 * event is not known. In both cases problem says which. The caller has set what
 * is wanted of slab; all else is read. */
int tracefs_read(struct tracefs *t);
/* There is no room for slab: its events are as if they were not there. */
void tracefs_without_slab(struct tracefs *t);

/* Reads the text of one format file into a point: for tracefs_read() and the
 * fuzzer. */
int point_parse(struct point *p, enum tracepoint tp, const char *text,
		size_t len);
void anon_parse(struct tracefs *t, const char *text, size_t len);

/* The point with this id; NULL: there is none. */
const struct point *point_find(const struct tracefs *t, uint32_t id);

/* Decodes a raw record: fills the fields that the point has. -EINVAL: the
 * record does not fit its format. */
int point_decode(const struct point *p, const unsigned char *raw, size_t len,
		 struct event *e);

#endif
