/* SPDX-License-Identifier: MIT */
/*
 * Allocation sites and their modules, summed up from /proc/allocinfo.
 *
 * A code line may have several tags (inlined functions, macros): they are one
 * site. Sites that hold nothing and never did are only counted. All tables have
 * a fixed size; what finds no room is one site "(other)", and is counted.
 */
#ifndef MEMSTRACK_VIEW_TAGS_H
#define MEMSTRACK_VIEW_TAGS_H

#include "base/arena.h"
#include "config/config.h"
#include "base/hash.h"
#include "report/report.h"
#include "view/allocinfo.h"

/* A distribution's kernel has some 5,000 sites that ever took memory, whose
 * names take some 70 bytes each. */
#define SITES_MAX (1u << 15)
#define SITE_MODULES_MAX (1u << 12)
#define SITE_TEXT_BYTES (4u << 20)
#define SITE_OTHERS 0u		/* the first row; of modules: no module */

struct site_sums {
	int64_t bytes, calls;
};

struct view_site {
	struct site_sums sums;
	uint32_t place, function;	/* in the texts */
	uint32_t module;
	uint32_t next;			/* in the bucket; 0: none */
	int inaccurate;
};

struct view_module {
	struct site_sums sums;
	uint32_t name;			/* in the texts */
	uint32_t sites;
};

struct view_sites {
	struct view_site *row;
	struct view_module *module;
	uint32_t *order;		/* rows to be sorted */
	char *texts;
	struct hash hash;
	uint32_t used, modules, texts_used;
	uint32_t last_module;		/* a module's sites stand together */
	struct site_sums sums;
	uint64_t sites;			/* lines */
	uint64_t wrong_lines, full, inaccurate, negative, pairs;
	char version[16];		/* "": no head */
	struct arena arena;
};

uint64_t tags_bytes(void);
/* `block` has this many bytes, which are zero. 0 or -ENOMEM. */
int tags_begin(struct view_sites *v, void *block);
/* NULL, or what is wrong with the line. */
const char *tags_line(struct view_sites *v, const char *line, size_t len);

/* See tags_write.c. `empty` is a ledger of zeros. */
void tags_write(struct view_sites *v, const struct config *c,
		 struct ledger *empty, struct out *o);

#endif
