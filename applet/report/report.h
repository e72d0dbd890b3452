/*
 * What a report is made of, and the way its lines leave.
 *
 * A report reads a ledger and never changes what it counts. text.c and json.c
 * make no system call: every line goes to an `out`, which sink.c (kmsg,
 * console, file) or a test implements. The same ledger, info and symbols give
 * the same bytes.
 */
#ifndef MEMSTRACK_REPORT_H
#define MEMSTRACK_REPORT_H

#include <stddef.h>
#include <stdint.h>
#include "../ledger/ledger.h"

#define REASON_BYTES 32
#define RELEASE_BYTES 65	/* of struct utsname */
#define NOTE_BYTES 160
#define NOTES_MAX 8

/* What the ledger does not know. Recorded at the end of a trace, so that a
 * replay prints the bytes of the live report. */
struct report_info {
	uint32_t page_size;
	uint32_t cpus_traced, cpus_online;
	uint64_t start_ns, end_ns;
	uint64_t mem_total_kib;
	uint64_t own_bytes;	/* all memory of the tracer, rings included */
	uint64_t cpu_ns;	/* CPU time of the tracer */
	struct layout layout;
	char reason[REASON_BYTES];	/* "switch-root", "SIGTERM", "request"… */
	char kernel[RELEASE_BYTES];
	/* What could not be seen, one sentence each, e.g.
	 * "no module events: the kernel was built without modules". */
	char note[NOTES_MAX][NOTE_BYTES];
	uint32_t notes;
};

struct symbols;

struct report {
	struct ledger *ledger;	/* its scratch is used */
	const struct report_info *info;
	struct symbols *symbols;
	uint32_t level;			/* 1..3 */
	uint32_t top;			/* rows a table; 0: as the level says */
	uint32_t throttle_percent;
};

struct out {
	/* One line without its newline, printable, shorter than LINE_BYTES. */
	void (*line)(struct out *o, const char *text, size_t len);
};

/* The addresses that a report of this level will print, into r->symbols. */
void report_collect(const struct report *r);
void report_text(const struct report *r, struct out *o);
void report_json(const struct report *r, struct out *o);

#endif
