/* SPDX-License-Identifier: MIT */
/*
 * The rows of a table for a monitoring system: few, and each name once.
 *
 * Such a system keeps a series for each name of each machine. So rows of one
 * name (processes of one program, modules that were loaded again) are one, and
 * the largest LABELS_SHOWN names, or as many as the report's `top`, stand
 * apart; the rest is one row, "(rest)".
 */
#ifndef MEMSTRACK_LABELS_H
#define MEMSTRACK_LABELS_H

#include "report/sheet.h"

#define LABELS_SHOWN 20u
#define LABELS_MAX 64u

/* In pages; LABEL_RUN in ns. LABEL_PEAK is the highest peak of one row: peaks
 * of different instants are never added up. */
enum label_value {
	LABEL_NOW, LABEL_AT_PEAK, LABEL_PEAK, LABEL_IMAGE, LABEL_VMALLOC,
	LABEL_RUN, LABEL_VALUES,
};

struct label {
	uint32_t row;		/* that has this name */
	uint32_t rows;
	uint64_t value[LABEL_VALUES];
};

struct labels {
	enum table table;
	uint32_t used;
	struct label rest;	/* rows 0: there is none */
	struct label label[LABELS_MAX];	/* the largest first */
};

void labels_get(const struct report *r, enum table t, struct labels *all);

/* module="xfs", task="load", initcall="populate_rootfs",module=""; NULL: the
 * rest. */
void label_write(struct sheet *s, enum table t, const struct label *l);

#endif
