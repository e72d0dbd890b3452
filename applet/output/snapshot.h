/* SPDX-License-Identifier: MIT */
/*
 * Lines into a file of fixed size, at once and from its start: the account as
 * it is now, for one client (control/given.h).
 *
 * A byte 0 ends the text. Lines that do not fit are left out, and all behind
 * them, so that whoever finds no last line knows that the text was cut.
 */
#ifndef MEMSTRACK_SNAPSHOT_H
#define MEMSTRACK_SNAPSHOT_H

#include "report/report.h"

struct snapshot {
	struct out out;		/* first */
	int fd;
	int error;
	int cut;
	uint64_t at, bytes;	/* of the file */
	size_t used;
	char part[4096];	/* written when it is full */
};

void snapshot_begin(struct snapshot *s, int fd, uint64_t bytes);
int snapshot_end(struct snapshot *s);	/* 0 or -errno */

/* Bytes of less than a part that are not a line: the caller knows that they fit
 * the file. After an error they are dropped. */
void snapshot_put(struct snapshot *s, const void *bytes, size_t len);
/* Writes what is left in `part`. 0, or the first error as -errno. */
int snapshot_write(struct snapshot *s);

#endif
