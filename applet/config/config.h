/* SPDX-License-Identifier: MIT */
/*
 * What the user wants: the values of all parameters.
 */
#ifndef MEMSTRACK_CONFIG_H
#define MEMSTRACK_CONFIG_H

#include <stdint.h>
#include "config/formats.h"
#include "limits.h"

/* All but auto: in the order of enum source_number. */
enum backend { BACKEND_AUTO, BACKEND_PERF, BACKEND_FTRACE, BACKEND_SAMPLED };
enum out_kind { OUT_AUTO, OUT_KMSG, OUT_CONSOLE, OUT_FILE };
enum oom { OOM_REPORT, OOM_LINE, OOM_OFF };
enum diff_by { DIFF_BY_PEAK, DIFF_BY_NOW };

struct config {
	uint32_t level;			/* 0..3; 0: do not trace */
	enum backend backend;
	enum out_kind out;
	enum format format;
	uint32_t format_given;		/* no suffix changes it */
	uint32_t top;			/* rows in a table; 0: depends on the
					 * level */
	uint32_t throttle_percent;	/* 1..100: rows until they hold this
					 * share */
	uint32_t lines;			/* of a report; 0: see limits.h */
	enum oom oom;
	uint32_t heartbeat_s;		/* 0: none */
	uint32_t keep;			/* continue after switch-root */
	uint32_t wait_s;		/* switch_root waits for the report */
	uint32_t frames;		/* of a chain; 0: see limits.h */
	uint32_t mem_bytes;		/* 0: MemTotal / 128, see limits.h */
	/* One for each table; 0: the table's share of mem. In rows; ring: bytes
	 * of all CPUs together, pages: bytes of the page table. */
	uint32_t pages_bytes, stacks, tasks, modules, ring_bytes;
	/* Room for the objects of slab; 0: they are not traced; 1: a share of
	 * memory, see limits.h. */
	uint32_t slab_bytes;
	uint32_t slab_chains;
	/* Of diff: what is compared; smaller changes are not shown; one that is
	 * larger is a failure (UINT32_MAX: none is). */
	enum diff_by by;
	uint32_t min_bytes, fail_bytes;
	uint32_t once, interval_s;	/* of top */
	char check[PATH_BYTES];		/* of report: a path or "page_owner";
					 * "": no check */
	char sections[PATH_BYTES];	/* "": none; see sections.h */
	char init[PATH_BYTES];		/* "": the kernel's own list of
					 * programs */
	char out_path[PATH_BYTES];	/* OUT_FILE */
	/* Files beside the report, each in the format of its suffix; ""
	 * behind the last. */
	char beside[BESIDE_FILES][PATH_BYTES];
};

/* Has the report, or a file beside it, such a format? 0 or 1. */
int config_has(const struct config *c, int (*is_such)(enum format f));

/* After all values are set. Without a format, the suffix of the report's own
 * file stands for one. A format for files takes the file that is named with its
 * suffix.
 * -EINVAL: there is none for it, and no other file; a log then gets text. */
int config_settle(struct config *c);

#endif
