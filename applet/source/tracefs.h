/*
 * Tracepoints by name: where tracefs is, their ids and the fields we read.
 *
 * A tracepoint that a kernel lacks is absent, not an error: tracing goes on
 * with what there is. A format we do not know is refused by name.
 */
#ifndef MEMSTRACK_TRACEFS_H
#define MEMSTRACK_TRACEFS_H

#include "event.h"
#include "format.h"
#include "session.h"

enum tracepoint {
	TP_FREE, TP_ALLOC, TP_MODULE_LOAD, TP_MODULE_FREE,
	TP_ENTER_INIT_MODULE, TP_ENTER_FINIT_MODULE,
	TP_EXIT_INIT_MODULE, TP_EXIT_FINIT_MODULE,
	TP_COUNT,
};

struct point {
	uint32_t id;			/* 0: the kernel has no such event */
	uint32_t type;			/* enum event_type it becomes */
	struct field flags;		/* common_flags */
	struct field pfn, order;	/* pages */
	struct field text;		/* name of a module */
	struct field result;		/* of a system call */
};

struct tracefs {
	struct point point[TP_COUNT];
	/* Bits of gfp_flags that together mark a first touch of anonymous
	 * user memory; 0: they cannot be told on this kernel. */
	uint64_t anon[3];
	char problem[NOTE_BYTES];	/* what was refused, and why */
};

const char *tracepoint_name(enum tracepoint tp);

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
