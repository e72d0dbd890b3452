/*
 * Lists of sections: what --report=LIST may be.
 */
#ifndef MEMSTRACK_SECTIONS_H
#define MEMSTRACK_SECTIONS_H

#include <stddef.h>
#include <stdint.h>

/* A section of a report in the shape of the older memstrack, as --report=LIST
 * names them: TYPE[:ARGUMENT]…[,TYPE…]. */
enum section_type {
	SECTION_MODULE_SUMMARY, SECTION_MODULE_TOP,
	SECTION_TASK_SUMMARY, SECTION_TASK_TOP, SECTION_TASK_TOP_JSON,
	SECTION_SLAB,
};

struct section {
	const char *name;	/* not ended */
	size_t name_len;
	enum section_type type;
	int by_peak;		/* sorted so, not by what is held now */
	uint32_t top;		/* rows, and stacks of each; 0: not given */
	uint32_t throttle_percent;	/* 0: not given */
};

/* Their names, in the order of the types. */
#define SECTION_TYPES "module_summary|module_top|task_summary|task_top|" \
	"task_top_json|proc_slab_static"

/* The next of a list, which moves on: NULL, or what would have been accepted.
 * Behind the last, *list is NULL. */
const char *section_next(const char **list, struct section *s);

/* All of a list: NULL, or what would have been accepted. */
const char *sections_check(const char *list);

#endif
