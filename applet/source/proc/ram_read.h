/* SPDX-License-Identifier: MIT */
/* Reads where all of RAM is, before and after tracing starts: see ram.h. */
#ifndef MEMSTRACK_RAM_READ_H
#define MEMSTRACK_RAM_READ_H

#include "source/proc/ram.h"

/* Tells what is used now, from meminfo. */
void ram_begin(struct ram_reader *r, struct event_out *out, uint64_t time_ns,
	       uint32_t page_size);
/* Tells all the rest. The log must have been read in between. */
void ram_finish(struct ram_reader *r);
/* Pages that balloons hold now; 0: none, or not known. */
uint64_t ram_balloon(struct ram_reader *r);

/* For tests: a line of each of these files. */
void ram_vmalloc_line(struct ram_reader *r, const char *line, size_t len);
void ram_meminfo_line(struct ram_reader *r, const char *line, size_t len);
void ram_zoneinfo_line(struct ram_reader *r, const char *line, size_t len);
void ram_vmstat_line(struct ram_reader *r, const char *line, size_t len);
/* All files were read: tells what follows from them. `cpus`: that may ever be
 * there; 0: not known. */
void ram_told(struct ram_reader *r, uint64_t cpus);

#endif
