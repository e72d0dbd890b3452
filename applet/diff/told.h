/* SPDX-License-Identifier: MIT */
/*
 * What one report tells: of itself, and of each table. Its rows are in rows.h.
 */
#ifndef MEMSTRACK_TOLD_H
#define MEMSTRACK_TOLD_H

#include <stdint.h>
#include "diff/rows.h"

#define TAKEN_NAME_BYTES 96u		/* a kernel's release, a reason */

#define NOTES_TOLD 8u			/* as many as a session has */
#define NOTE_TOLD_BYTES 160u

/* A number that the report does not have. */
#define NOT_TOLD INT64_MIN

/* What a report tells beside its rows. The first of the numbers are also told of
 * it in the difference. */
enum text_told { KERNEL, REASON, SOURCE, TEXTS_TOLD };
enum number_told {
	LEVEL, PAGE_SIZE, MEM_TOTAL_KIB, CPUS_ONLINE, LOST, COMPLETE,
	TOLD_AGAIN,
	BEFORE_INIT = TOLD_AGAIN, FREE_START_KIB, FREE_NOW_KIB, NOW_PAGES,
	PEAK_PAGES, TOTAL_KIB, USED_KIB, RECORDS, RECORDS_CUT, NUMBERS_TOLD,
};

struct taken {
	const char *path;
	enum diff_side side;
	struct diff_rows *rows;		/* of both reports */

	uint32_t reports;		/* that began */
	uint64_t broken, too_long;	/* lines */
	int damaged;			/* the file could not be read to its end */

	/* All below is of the last report. */
	char text[TEXTS_TOLD][TAKEN_NAME_BYTES];	/* "": not told */
	int64_t number[NUMBERS_TOLD];	/* or NOT_TOLD */
	char note[NOTES_TOLD][NOTE_TOLD_BYTES];
	uint32_t notes;			/* of these; others are left out */
	int64_t lines;			/* of it, up to its end */
	int sampled, apart;		/* apart: image, vmalloc are not in now */
	uint8_t has[DIFF_TABLES];	/* the report has this table */
	uint8_t open[DIFF_TABLES];	/* rows may be missing in it */
	int64_t hidden[DIFF_TABLES];	/* rows that it does not show */
};

#endif
