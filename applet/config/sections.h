/* SPDX-License-Identifier: MIT */
/*
 * Lists of sections: the values that --report=LIST takes.
 */
#ifndef MEMSTRACK_SECTIONS_H
#define MEMSTRACK_SECTIONS_H

#include <stddef.h>
#include <stdint.h>

/* A section of a report in the format of the older memstrack. --report=LIST
 * names sections as TYPE[:ARGUMENT]…[,TYPE…]. */
enum section_type {
	SECTION_MODULE_SUMMARY, SECTION_MODULE_TOP,
	SECTION_TASK_SUMMARY, SECTION_TASK_TOP, SECTION_TASK_TOP_JSON,
	SECTION_SLAB,
};

struct section {
	const char *name;	/* no end byte */
	size_t name_len;
	enum section_type type;
	int by_peak;		/* sorted by peak, not by pages held now */
	uint32_t top;		/* rows, and stacks a row; 0: not given */
	uint32_t throttle_percent;	/* 0: not given */
};

/* The names of the types, in the order of the enum. */
#define SECTION_TYPES "module_summary|module_top|task_summary|task_top|" \
	"task_top_json|proc_slab_static"

/* Reads the next section and moves *list behind it. NULL, or the text of what
 * would have been accepted. After the last section *list is NULL. */
const char *section_next(const char **list, struct section *s);

/* Reads the whole list: NULL, or the text of what would have been accepted. */
const char *sections_check(const char *list);

#endif
