/* SPDX-License-Identifier: MIT */
/* See parts.h, labels. */
#include <string.h>
#include "report/parts.h"
#include "report/report.h"

#define REST "(rest)"

/* The rows of a table by name. */
struct by_name {
	struct ranking ranking;		/* first: a by_name is a ranking */
	const struct report *report;
};

/* An address is another one after each boot: it would be a new series. */
static void write_initcall(struct line *l, const struct report *r,
			   uint32_t row)
{
	const size_t start = l->len;

	initcall_write(l, r, row);
	if (l->text[start] != '0')
		return;
	l->len = start;
	line_str(l, "(no name)");
}

/* Only initcalls have names that are not kept: they are written anew. */
static int compare(const struct by_name *n, uint32_t a, uint32_t b)
{
	const struct ledger *l = n->ranking.ledger;
	const enum table t = n->ranking.table;
	char text[2][LINE_BYTES];
	struct line line[2] = { { .text = text[0] }, { .text = text[1] } };
	const struct initcall *i = l->initcalls.row;

	if (t != TABLE_INITCALLS)
		return strcmp(row_name(l, t, a), row_name(l, t, b));
	write_initcall(&line[0], n->report, a);
	write_initcall(&line[1], n->report, b);
	text[0][line[0].len] = text[1][line[1].len] = '\0';
	if (strcmp(text[0], text[1]))
		return strcmp(text[0], text[1]);
	return strcmp(row_name(l, TABLE_MODULES, i[a].module),
		      row_name(l, TABLE_MODULES, i[b].module));
}

static int before(const struct ranking *k, uint32_t a, uint32_t b)
{
	const int sign = compare((const struct by_name *)k, a, b);

	return sign ? sign < 0 : a < b;
}

static void add_value(struct label *to, enum label_value i, uint64_t value)
{
	to->value[i] = value == UNKNOWN || to->value[i] == UNKNOWN ? UNKNOWN :
		       to->value[i] + value;
}

static void add_label(struct label *to, const struct label *from)
{
	to->rows += from->rows;
	for (unsigned int i = 0; i < LABEL_VALUES; i++)
		if (i != LABEL_PEAK)
			add_value(to, i, from->value[i]);
		else if (from->value[i] > to->value[i])
			to->value[i] = from->value[i];
}

/* Only from events: frames do not show how long a load took. */
static uint64_t run_ns(const struct ledger *l, uint32_t row)
{
	const struct initcall *i = &l->initcalls.row[row];

	return i->runs ? i->run_ns : UNKNOWN;
}

static void get_row(const struct ledger *l, enum table t, uint32_t row,
		    struct label *label)
{
	uint64_t pages[PAGE_COUNTS];

	row_pages(l, t, row, pages);
	*label = (struct label){ .row = row, .rows = 1, .value = {
		[LABEL_NOW] = pages[PAGES_NOW],
		[LABEL_AT_PEAK] = pages[PAGES_AT_PEAK],
		[LABEL_PEAK] = pages[PAGES_PEAK],
		[LABEL_IMAGE] = pages[PAGES_IMAGE],
		[LABEL_VMALLOC] = pages[PAGES_VMALLOC],
		[LABEL_RUN] = t == TABLE_INITCALLS ? run_ns(l, row) : 0,
	} };
}

static uint64_t weight(const struct label *l)
{
	uint64_t most = 0;

	for (unsigned int i = 0; i <= LABEL_PEAK; i++)
		if (l->value[i] > most)
			most = l->value[i];
	return most;
}

/* Keeps the largest in order; what has no place goes to the rest. */
static void keep(struct labels *all, struct label moved, uint32_t most)
{
	for (uint32_t i = 0; i < all->used; i++) {
		const struct label kept = all->label[i];

		if (weight(&moved) <= weight(&kept))
			continue;
		all->label[i] = moved;
		moved = kept;
	}
	if (all->used < most)
		all->label[all->used++] = moved;
	else
		add_label(&all->rest, &moved);
}

/* A program may call itself as we call the rest. */
static int is_rest(const struct ledger *l, enum table t, uint32_t row)
{
	return t != TABLE_INITCALLS && !strcmp(row_name(l, t, row), REST);
}

void labels_get(const struct report *r, enum table t, struct labels *all)
{
	const struct ledger *l = r->ledger;
	const uint32_t most = (uint32_t)smaller(r->top ? r->top : LABELS_SHOWN,
						LABELS_MAX);
	struct by_name n = { .report = r, .ranking = {
		.ledger = l, .table = t, .item = l->scratch,
		.capacity = l->scratch_capacity, .before = before,
	} };
	struct label label, next;

	*all = (struct labels){ .table = t };
	for (uint32_t i = 0; i < table_rows(l, t); i++)
		if (row_peak(l, t, i))
			ranking_offer(&n.ranking, i);
	ranking_sort(&n.ranking);
	for (uint32_t i = 0; i < n.ranking.kept;) {
		get_row(l, t, l->scratch[i], &label);
		while (++i < n.ranking.kept &&
		       !compare(&n, label.row, l->scratch[i])) {
			get_row(l, t, l->scratch[i], &next);
			add_label(&label, &next);
		}
		if (is_rest(l, t, label.row))
			add_label(&all->rest, &label);
		else
			keep(all, label, most);
	}
}

void label_write(struct sheet *s, enum table t, const struct label *l)
{
	const struct ledger *g = s->ledger;
	const uint32_t module = l && t == TABLE_INITCALLS ?
				g->initcalls.row[l->row].module : 0;

	line_str(&s->line, table_name(t));
	line_str(&s->line, "=\"");
	if (!l)
		line_str(&s->line, REST);
	else if (t == TABLE_INITCALLS)
		write_initcall(&s->line, s->r, l->row);
	else
		line_name(&s->line, row_name(g, t, l->row));
	if (t == TABLE_INITCALLS)
		line_str(&s->line, "\",module=\"");
	if (module)
		row_write(&s->line, g, TABLE_MODULES, module);
	line_char(&s->line, '"');
}
