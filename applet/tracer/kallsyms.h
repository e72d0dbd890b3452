/* SPDX-License-Identifier: MIT */
/*
 * Names of the kernel's functions, from /proc/kallsyms: those of the addresses
 * that will be printed (report/symbols.h), and the functions by which kinds of
 * pages and initcalls are known (functions.h). The file has some 200,000 lines,
 * so it is read as seldom as possible, or in slices before names are needed.
 */
#ifndef MEMSTRACK_KALLSYMS_H
#define MEMSTRACK_KALLSYMS_H

#include "base/readfile.h"
#include "report/symbols.h"
#include "tracer/engine.h"
#include "tracer/functions.h"

struct kallsyms {
	struct symbols symbols;
	struct functions functions;
	int fd;			/* kept open: opening takes memory */
	int reading;		/* in slices, before names are needed */
	struct lines lines;	/* of fd, while reading */
};

/* Takes its table from the engine's arena. 0 or -errno. */
int kallsyms_init(struct kallsyms *k, struct engine *g);
void kallsyms_open(struct kallsyms *k);

/* Without a frame to print and with all kinds known, names tell nothing. */
int kallsyms_wanted(const struct kallsyms *k);
/* Names the collected and sorted addresses. */
void kallsyms_read(struct kallsyms *k);

/* The same, but in slices. */
void kallsyms_begin_slices(struct kallsyms *k);
/* The functions by which kinds of pages are known will be read in slices,
 * unless they are known. */
void kallsyms_prepare_kinds(struct kallsyms *k);
/* 1: the next slice should be read soon. */
int kallsyms_read_slice(struct kallsyms *k);

/* So that two return addresses in one initcall are one row before rows are
 * chosen. */
void kallsyms_find_initcalls(struct kallsyms *k);

#endif
