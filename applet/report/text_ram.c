/* SPDX-License-Identifier: MIT */
/*
 * Where all of RAM is, in the report for people: a line for each group with its
 * largest rows. The small rows of a group are one, except at level 3.
 */
#include "report/parts.h"

#define RAM_COLUMNS 84
#define SIZE_COLUMN 20		/* where sizes of groups end */

/* Rows below this part of RAM are small: 512 KiB of 256 MiB. */
#define SMALL_PARTS 512

/* KiB that may be below 0. */
static void put_kib(struct sheet *s, int64_t kib)
{
	if (kib < 0)
		line_char(&s->line, '-');
	line_value(&s->line, "%k", (uint64_t)(kib < 0 ? -kib : kib));
}

/* A row behind others, in a new line if this one is long. */
static void put_row(struct sheet *s, const struct ram_part *p,
		    const char **comma)
{
	line_str(&s->line, *comma);
	if (s->line.len > RAM_COLUMNS)
		sheet_emit(s);
	if (!**comma || !s->line.len)
		line_pad(&s->line, SIZE_COLUMN);
	*comma = ",";
	line_char(&s->line, ' ');
	if (p->within) {
		line_str(&s->line, "(of ");
		line_str(&s->line, ram_whole(p));
		line_str(&s->line, ": ");
	}
	line_name(&s->line, p->name);
	line_char(&s->line, ' ');
	put_kib(s, p->kib);
	line_str(&s->line, p->within ? ")" : "");
}

static void put_group(struct sheet *s, const struct ram_account *a,
		      enum ram_group group)
{
	const int64_t small_kib = s->r->level > 2 ? 0 :
				  a->installed_kib / SMALL_PARTS;
	const char *comma = "";	/* no row yet */
	int64_t others_kib = 0;
	int others = 0;

	line_str(&s->line, "  ");
	/* "before" is the line of all that was in use then. */
	line_str(&s->line, group == RAM_BEFORE ? "untraced" :
			   ram_group_name(group));
	line_pad(&s->line, SIZE_COLUMN - 8);
	put_kib(s, a->group_kib[group]);
	for (uint32_t i = 0; i < a->parts; i++) {
		const struct ram_part *p = &a->part[i];

		if (p->group != group)
			continue;
		if (p->kib >= small_kib || p->kib <= -small_kib) {
			put_row(s, p, &comma);
		} else if (!p->within) {
			others = 1;
			others_kib += p->kib;
		}
	}
	if (others && *comma)
		put_row(s, &(struct ram_part){ "others", group, 0, others_kib },
			&comma);
	sheet_emit(s);
}

void text_ram(struct sheet *s)
{
	struct ram_account a;
	int64_t unknown;

	if (!ram_account(s->r, s->value, &a))
		return;
	unknown = a.group_kib[RAM_UNKNOWN];
	line_str(&s->line, "ram     ");
	put_kib(s, a.installed_kib);
	sheet_figures(s, " installed, RAM %k, MemTotal %k, ", FIGURE_RAM_KIB,
		      FIGURE_MEM_TOTAL_KIB);
	line_str(&s->line, unknown < 0 ? "counted twice " : "unknown ");
	if (unknown < 0)
		unknown = -unknown;
	put_kib(s, unknown);
	line_value(&s->line, " (%m%%)",
		   (uint64_t)share_of(unknown, a.installed_kib, 1000));
	sheet_emit(s);
	for (int i = RAM_FIRMWARE; i < RAM_GROUPS; i++)
		if (a.group_kib[i] && i != RAM_UNKNOWN)
			put_group(s, &a, (enum ram_group)i);
}
