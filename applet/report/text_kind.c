/* SPDX-License-Identifier: MIT */
/* The line of the kinds: see parts.h, text kind. */
#include <string.h>
#include "report/parts.h"
#include "report/report.h"

#define MOST_BY "; most by "

/* "shmem_write_begin", "ovl_splice_write [overlay]": the name alone of the code
 * whose name begins there. */
static void cut_offset(struct sheet *s, size_t plus)
{
	char *const text = s->text;
	size_t behind;

	while (plus < s->line.len && text[plus] != '+')
		plus++;
	for (behind = plus; behind < s->line.len && text[behind] != ' ';)
		behind++;
	memmove(text + plus, text + behind, s->line.len - behind);
	s->line.len -= behind - plus;
}

/* Returns 0 if there is no name. */
static int put_function(struct sheet *s, const char *before, uint64_t addr)
{
	const size_t start = s->line.len;

	line_str(&s->line, before);
	if (!frame_write(&s->line, s->r, addr)) {
		s->line.len = start;
		return 0;
	}
	cut_offset(s, start + strlen(before));
	return 1;
}

static void put_caller(struct sheet *s, const struct caller *c)
{
	const size_t start = s->line.len + strlen(MOST_BY);

	if (c->node) {
		put_function(s, MOST_BY, s->ledger->stacks.node[c->node].addr);
		return;
	}
	line_str(&s->line, MOST_BY);
	line_name(&s->line, c->name);
	if (c->module)
		module_write(&s->line, s->ledger, c->module);
	cut_offset(s, start);
}

/* The outermost function that decides the kind, and who called for it: the
 * innermost one in a module, if there is one. */
static void put_functions(struct sheet *s, uint32_t leaf)
{
	const struct stacks *k = &s->ledger->stacks;
	const uint32_t kind = stack_kind(&k->node[leaf]);
	uint32_t first = leaf, behind, caller, node;

	trim_probe(s, &first);
	trim_chain(s, &first, &behind);
	node = kind == KIND_OTHER ? behind : first;
	for (; node != behind; node = stack_parent(&k->node[node]))
		if (kinds_function(&s->ledger->kinds, k->node[node].addr) ==
		    kind)
			first = node;
	node = caller = stack_parent(&k->node[first]);
	for (; node != behind; node = stack_parent(&k->node[node]))
		if (modules_at(&s->ledger->modules, k->node[node].addr - 1)) {
			caller = node;
			break;
		}
	if (put_function(s, MOST_BY, k->node[first].addr) &&
	    caller != behind)
		put_function(s, " < ", k->node[caller].addr);
}

/* All huge pages, those from before tracing too, which have no kind. */
static void put_huge(struct sheet *s)
{
	const uint64_t *kept = &s->ledger->kept_pages[KEPT_HUGE_USED];

	if (kept[0] | kept[1] | kept[2])
		line_fill(&s->line, kept[2] ?
			  "; huge pages now: %p used, %p unused, "
			  "%p of other sizes" :
			  "; huge pages now: %p used, %p unused", kept);
	sheet_emit(s);
}

/* The kind that no line of /proc/meminfo explains has no owner. Which module
 * was loaded last is no proof, but it is where to look first. */
/* Modules that one look has found have one time; the newest comes first, as in
 * /proc/modules. */
static void put_sampled_kind(struct sheet *s, const struct verdict *v)
{
	const struct modules *m = &s->ledger->modules;
	const uint64_t before = s->ledger->samples.kind_start[KIND_OTHER];
	const uint64_t grown = v->kind[KIND_OTHER] -
			       smaller(before, v->kind[KIND_OTHER]);
	uint32_t last = 0;

	line_str(&s->line, "kind    of all in use: ");
	if (!kinds_write(&s->line, v->kind))
		line_str(&s->line, "not known");
	if (grown * 4 >= v->held_pages && grown) {
		line_fill(&s->line, "; other grew by %p, which a driver or the "
			  "kernel itself took", &grown);
		for (uint32_t i = MODULES_FIXED; i < m->used; i++)
			if (m->row[i].load_ns > m->row[last].load_ns)
				last = i;
		if (last) {
			line_str(&s->line, "; module loaded last: ");
			row_write(&s->line, s->ledger, TABLE_MODULES, last);
		}
	}
	put_huge(s);
}

void text_kind_of(struct sheet *s, const struct verdict *v)
{
	const struct most most = verdict_most(s->r, v);
	const struct group *g = &v->group[TABLE_MODULES];

	if (s->ledger->samples.on) {
		put_sampled_kind(s, v);
		return;
	}
	if (!s->ledger->kinds.known) {
		sheet_line(s, "kind    not known: the names of functions were "
			   "not read", NULL);
		return;
	}
	line_str(&s->line, "kind    of ");
	if (g->rows && (g->letters || g->dir))
		group_write(&s->line, s->ledger, g);
	else
		line_name(&s->line, g->rows ? "modules" : v->module_stands_out ?
			  row_name(s->ledger, TABLE_MODULES,
				   v->at.module[0].row) : "all");
	line_str(&s->line, s->ledger->total.lost ? ": about " : ": ");
	if (!kinds_write(&s->line, v->kind))
		line_str(&s->line, "nothing was held");
	if (most.leaf)
		put_functions(s, most.leaf);
	if (most.caller)
		put_caller(s, &s->ledger->areas.caller[most.caller]);
	put_huge(s);
}

void text_kind(struct sheet *s)
{
	struct verdict v;

	verdict_get(s->r, &v);
	text_kind_of(s, &v);
}
