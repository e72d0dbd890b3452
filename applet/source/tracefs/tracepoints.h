/*
 * Tracepoints by name: where tracefs is, their ids and the fields we read.
 *
 * A tracepoint that a kernel lacks is absent, not an error: tracing goes on
 * with what there is. A format we do not know is refused by name.
 */
#ifndef MEMSTRACK_TRACEPOINTS_H
#define MEMSTRACK_TRACEPOINTS_H

#include "source/event.h"
#include "source/tracefs/format.h"
#include "source/session.h"

enum tracepoint {
	TP_FREE, TP_ALLOC, TP_MODULE_LOAD, TP_MODULE_FREE,
	TP_ENTER_INIT_MODULE, TP_ENTER_FINIT_MODULE,
	TP_EXIT_INIT_MODULE, TP_EXIT_FINIT_MODULE,
	/* Where the kernel lacks those four: of all system calls; and where it
	 * lacks these, the end of a module's init function. */
	TP_RAW_ENTER, TP_RAW_EXIT, TP_INITCALL,
	/* Kretprobes and kprobes of our own, and contiguous memory. */
	TP_BULK, TP_AREA_ENTER, TP_AREA_ALLOC, TP_AREA_FREE, TP_CMA,
	/* For the tracer itself: memory or the system comes to an end. */
	TP_VICTIM, TP_LOW, TP_RECLAIM, TP_REBOOT,
	/* Without these probes: areas of all kinds come and go (since 6.2). */
	TP_VMAP, TP_VUNMAP,
	TP_COUNT,
};

struct point {
	uint32_t id;			/* 0: the kernel has no such event */
	uint32_t type;			/* enum event_type it becomes */
	uint32_t set_flags;		/* that all of these events have */
	struct field flags;		/* common_flags */
	struct field order;		/* of pages */
	struct field text;		/* name of a module */
	struct field number;		/* pfn, result, base, pages or tid, by type */
};

struct tracefs {
	struct point point[TP_COUNT];
	/* Bits of gfp_flags that together mark a first touch of anonymous
	 * user memory; 0: they cannot be told on this kernel. */
	uint64_t anon[3];
	char problem[NOTE_BYTES];	/* what was refused, and why */
};

/* Where tracefs may be: texts in a row, the last one empty. */
extern const char tracefs_roots[];

const char *tracepoint_name(enum tracepoint tp);
/* Nothing can be traced without it. */
int tracepoint_needed(enum tracepoint tp);

/* Probes of our own on vmalloc, in the kernel until they are removed, which
 * can be done when no event of theirs is open. They are there for those who
 * read the formats after this. 0, or -errno where the kernel refuses. */
int tracefs_probe(void);
void tracefs_unprobe(void);

/* 0; -ENOENT: no tracefs, or no page events; -EINVAL: a format of theirs is
 * not known. problem says which in both cases. */
int tracefs_read(struct tracefs *t);

/* One format file's text into a point: for tracefs_read() and the fuzzer. */
int point_parse(struct point *p, enum tracepoint tp, const char *text,
		size_t len);
void anon_parse(struct tracefs *t, const char *text, size_t len);

/* A raw record into an event: fills what the point has. -EINVAL: it does not
 * fit its format. */
int point_decode(const struct point *p, const unsigned char *raw, size_t len,
		 struct event *e);

#endif
