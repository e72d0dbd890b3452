/* SPDX-License-Identifier: MIT */
/*
 * The kernel's log, read record by record: "6,80,0,-;Memory: 211188K/…", a
 * priority and three words, then the text.
 */
#ifndef MEMSTRACK_KERNEL_LOG_H
#define MEMSTRACK_KERNEL_LOG_H

#include <stdint.h>
#include "base/readfile.h"

#define LOG_RECORD_BYTES 1024u

/* /dev/kmsg behind its last record, or -1: it cannot be read, or is another
 * file, as in a container. */
int log_open(void);

/* Reads the next record, and counts *most down; a record that was overwritten
 * before it was read, or is too long, is skipped and counted. Returns its
 * length; 0: there is no record now, or *most is 0. In a container the file may
 * have no end. */
size_t log_next(int fd, char record[LOG_RECORD_BYTES], uint32_t *most);

/* Gives all records that are there now, at most so many, to `take`, until it
 * returns 0. */
void log_each(int fd, uint32_t most,
	      int (*take)(void *context, const char *record, size_t len),
	      void *context);

/* The text of a record. 0, or -EINVAL: not a record of the kernel itself. */
int log_text(const char *record, size_t len, struct word *text);

#endif
