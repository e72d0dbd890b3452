/* SPDX-License-Identifier: MIT */
/* Where all of RAM is: see parts.h, ram. */
#include "report/report.h"
#include "report/parts.h"

#define RAM_COLUMNS 84
#define SIZE_COLUMN 20		/* where sizes of groups end */

/* Rows below this part of RAM are small: 512 KiB of 256 MiB. */
#define SMALL_PARTS 512

/* As in JSON. */
static const char *const groups[RAM_GROUPS] = {
	[RAM_SUM] = "all",
	[RAM_FIRMWARE] = "firmware",
	[RAM_KERNEL] = "kernel",
	[RAM_RESERVED] = "reserved",
	[RAM_BEFORE] = "before",
	[RAM_TRACED] = "traced",
	[RAM_FREE] = "free",
	[RAM_UNKNOWN] = "unknown",
	[RAM_OFFLINE] = "offline",
};

/* The container of a part that has `within`: another part, or the sum of all
 * that the page allocator got, used or free. */
static const char *whole(const struct ram_part *p)
{
	return p->group == RAM_BEFORE ? "vmalloc" : "MemTotal";
}

/* Rows of one group by size; those that add nothing are the last ones. */
static int is_before(const struct ram_part *a, const struct ram_part *b)
{
	if (a->group != b->group)
		return a->group < b->group;
	if (a->within != b->within)
		return a->within < b->within;
	return a->kib > b->kib;
}

static void add(struct ram_account *a, const struct ram_part *p)
{
	uint32_t at = a->parts;

	if (!p->kib)
		return;
	for (; at && is_before(p, &a->part[at - 1]); at--)
		a->part[at] = a->part[at - 1];
	a->part[at] = *p;
	a->parts++;
	if (!p->within)
		a->group_kib[p->group] += p->kib;
}

static void add_kib(struct ram_account *a, enum ram_group group,
		    const char *name, int64_t kib)
{
	add(a, &(struct ram_part){ name, group, 0, kib });
}

/* Signed pages of a figure. A trace that is not true may have any number; the
 * sum must not overflow. */
static void add_pages(struct ram_account *a, const struct report *r,
		      enum ram_group group, const char *name, uint64_t pages)
{
	const int64_t most = (int64_t)RAM_KIB_MAX;
	int64_t kib = 0;

	if (__builtin_mul_overflow((int64_t)pages, (int64_t)
				   (r->session->page_size >> 10), &kib) ||
	    kib > most || kib < -most)
		kib = (int64_t)pages < 0 ? -most : most;
	add_kib(a, group, name, kib);
}

static void add_rows(struct ram_account *a, const struct ram_rows *rows)
{
	for (uint32_t i = 0; i < rows->used; i++) {
		const struct ram_row *row = &rows->row[i];

		if (row->group != RAM_SUM && row->group != RAM_OFFLINE)
			add(a, &(struct ram_part){ row->name, row->group,
				row->within, (int64_t)row->kib });
	}
}

/* What of a sum has no row; nothing if the rows are more. */
static void add_rest(struct ram_account *a, enum ram_group group,
		     const char *name, int64_t kib)
{
	if (kib > 0)
		add_kib(a, group, name, kib);
}

/* The rings are whole pages that no figure of the kernel has; each has one page
 * more, that is read by both sides. */
static void add_rings(struct ram_account *a, const struct report *r)
{
	const struct session *n = r->session;

	add_kib(a, RAM_BEFORE, "rings of memstrack",
		(int64_t)(smaller(n->layout.ring_bytes, RAM_KIB_MAX) +
			  (uint64_t)n->cpus_traced * n->page_size) / 1024);
}

static void add_traced(struct ram_account *a, const struct report *r,
		       const uint64_t *value)
{
	add_pages(a, r, RAM_BEFORE, "freed since", value[FIGURE_BEFORE]);
	add_pages(a, r, RAM_BEFORE, "no room in the page table",
		  value[FIGURE_NO_ROOM]);
	add_pages(a, r, RAM_TRACED, "pages", value[FIGURE_TRACED]);
	add_pages(a, r, RAM_TRACED, "areas", value[FIGURE_AREAS]);
	add_pages(a, r, RAM_TRACED, "CMA", value[FIGURE_CMA]);
	add_pages(a, r, RAM_TRACED, "other bulk", value[FIGURE_BULK]);
}

/* Where nothing is traced, free memory shows how much was taken, but not by
 * what. */
static void add_now(struct ram_account *a, const struct report *r,
		    const uint64_t *value)
{
	const struct ledger *l = r->ledger;

	if (is_sampled(l))
		add_pages(a, r, RAM_TRACED, "used since (sampled)",
			  value[FIGURE_FALL] - value[FIGURE_PCP]);
	else
		add_traced(a, r, value);
	add_pages(a, r, RAM_FREE, "MemFree", l->free_now_pages);
	add_pages(a, r, RAM_FREE, "per-CPU lists", l->pcp_now_pages);
}

/* RAM that came, or was removed; what of it, and of what was there, is not online
 * now. */
static void add_growth(struct ram_account *a, const struct report *r,
		       int64_t offline_kib)
{
	const struct growth *g = &r->ledger->growth;
	const int64_t page_kib = (int64_t)(r->session->page_size >> 10);
	int64_t came_kib = 0;

	if (g->ram_pages && g->start_pages <= RAM_KIB_MAX / 64)
		came_kib = (int64_t)(g->ram_pages - g->start_pages) * page_kib;
	a->installed_kib += came_kib;
	add_kib(a, RAM_OFFLINE, RAM_OFFLINE_NAME,
		offline_kib + came_kib - g->pages * page_kib);
}

int ram_account(const struct report *r, const uint64_t *value,
		struct ram_account *a)
{
	const struct ram_rows *rows = &r->ledger->ram;
	const int64_t present = (int64_t)ram_rows_kib(rows, RAM_SUM,
						      RAM_PRESENT);
	const int64_t total = (int64_t)smaller(mem_total_kib(r->ledger,
						r->session, 0), RAM_KIB_MAX);
	const int64_t offline = (int64_t)ram_rows_kib(rows, RAM_OFFLINE,
						      RAM_OFFLINE_NAME);
	int64_t known = 0;

	*a = (struct ram_account){
		.installed_kib = (int64_t)ram_rows_kib(rows, RAM_SUM,
						       RAM_INSTALLED),
	};
	if (!has_ram_rows() || !present || !a->installed_kib || !r->ledger->memory_sampled)
		return 0;
	add_rows(a, rows);
	add_rest(a, RAM_FIRMWARE, "parts of pages", a->installed_kib -
		 present - offline - a->group_kib[RAM_FIRMWARE]);
	add_rest(a, RAM_RESERVED, "not told", present - total -
		 a->group_kib[RAM_KERNEL] - a->group_kib[RAM_RESERVED]);
	add_rings(a, r);
	add_now(a, r, value);
	add_growth(a, r, offline);
	for (int i = RAM_FIRMWARE; i < RAM_GROUPS; i++)
		known += a->group_kib[i];
	add_kib(a, RAM_UNKNOWN, "unknown", a->installed_kib - known);
	return 1;
}

uint64_t ram_kernel_kib(const struct report *r, const uint64_t *value)
{
	struct ram_account a;

	return ram_account(r, value, &a) ? (uint64_t)a.group_kib[RAM_KERNEL] :
					   UNKNOWN;
}

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
		line_str(&s->line, whole(p));
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
			   groups[group]);
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

void ram_text(struct sheet *s)
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

static void put_part(struct sheet *s, const struct ram_part *p)
{
	json_begin(s, "ram");
	json_name(s, "group", groups[p->group]);
	json_name(s, "name", p->name);
	json_signed(s, "size_kib", p->kib);
	if (p->within)
		json_name(s, "part_of", whole(p));
	json_end(s);
}

void ram_json(struct sheet *s)
{
	struct ram_account a;

	if (!ram_account(s->r, s->value, &a))
		return;
	put_part(s, &(struct ram_part){ RAM_INSTALLED, RAM_SUM, 0,
				   a.installed_kib });
	for (uint32_t i = 0; i < a.parts; i++)
		put_part(s, &a.part[i]);
	if (!a.group_kib[RAM_UNKNOWN])
		put_part(s, &(struct ram_part){ "unknown", RAM_UNKNOWN, 0, 0 });
}
