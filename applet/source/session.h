/* SPDX-License-Identifier: MIT */
/*
 * What is known about a traced session besides its events: the machine, the
 * size of the tables, what could not be seen. It is written at the start and
 * the end of a recorded trace, and printed in a report's head.
 */
#ifndef MEMSTRACK_SESSION_H
#define MEMSTRACK_SESSION_H

#include <stdint.h>
#include "limits.h"

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
	uint32_t history;	/* 1: a picture is wanted (ledger/history.h) */
	uint64_t flat_bytes;	/* see pages_init(); not recorded */
};

/* A slab cache, as it is now. */
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
	/* This report is for low memory: nothing was killed when it came. */
	int low;
	int cut;		/* of a recording: not all of it was read */
	char reason[REASON_BYTES];	/* "switch-root", "SIGTERM"… */
	char kernel[RELEASE_BYTES];
	char cmdline[CMDLINE_KEPT_BYTES];	/* the kernel's; "": not known */
	/* What could not be seen, one sentence each, e.g. "no module events:
	 * the kernel was built without modules". */
	char note[NOTES_MAX][NOTE_BYTES];
};

/* Adds a note. If there is no room, the last note tells how many are
 * missing. */
__attribute__((format(printf, 2, 3)))
void session_note(struct session *s, const char *format, ...);

#endif
