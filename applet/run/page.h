/* SPDX-License-Identifier: MIT */
/*
 * The lines of a run: where they go, and what all forms of them share.
 */
#ifndef MEMSTRACK_PAGE_H
#define MEMSTRACK_PAGE_H

#include "report/line.h"
#include "run/parts.h"

/* One line at a time. */
struct page {
	struct line line;
	struct run *run;
	struct out *out;
	uint64_t lines;		/* that were written */
	char text[LINE_BYTES];
};

/* What is written of a run, besides its rows. */
struct outline {
	uint32_t count;		/* rows in processes.order */
	uint64_t seen;		/* processes, with those without a row */
	uint32_t shown;
	uint32_t running;	/* that have not ended */
	uint64_t left_pages;
	const char *source;	/* of processes and pages; NULL: none */
};

/* Takes the output that the user wants; makes it standard error if none was
 * asked for. */
void page_open_output(struct run *r);

/* A page of this format, on any output. */
void page_for(struct page *g, struct run *r, enum format f, struct out *o);
/* Before and after each report or line as it happens. 0 or -errno. */
int page_begin(struct page *g, struct run *r);
int page_end(struct page *g);

/* Adds a template of line.h, and ends the line. */
void page_line(struct page *g, const char *template, const uint64_t *value);
/* Adds a name or a command, and a quote if this is JSON. */
void page_name(struct page *g, const char *before, const char *text,
	       size_t size);

/* A figure of a process, or UNKNOWN. */
uint64_t if_known(const struct process *p, uint32_t what, uint64_t value);
uint64_t peak_rss_kib(const struct process *p);
uint64_t exit_status(const struct process *p);
/* Is each process of the tree in the table? */
int sees_all(const struct run *r);

#endif
