/* SPDX-License-Identifier: MIT */
/*
 * The first lines of a report for people: what happened, who holds the
 * memory, what kind it is, what to do, and what was used before. Each can stand
 * alone in a bug report.
 */
#include <string.h>
#include "report/report.h"
#include "report/parts.h"

/* Programs know a report by this line, so it is not broken. */
static void put_state(struct sheet *s, const struct verdict *v)
{
	const int killed = is_oom(s->r) && !s->r->session->low;
	const uint32_t columns = s->columns;

	s->columns = 0;
	line_str(&s->line, "memstrack " MEMSTRACK_VERSION ": ");
	line_str(&s->line, killed ? "OUT OF MEMORY (" : "");
	line_name(&s->line, s->r->session->reason);
	line_str(&s->line, killed ? ")" : "");
	sheet_figures(s, " at %t: ", FIGURE_END_NS);
	if (!s->ledger->memory_sampled)
		line_str(&s->line, "free memory was not sampled");
	else if (is_oom(s->r))
		sheet_figures(s, "%k free of %k RAM", FIGURE_FREE_NOW_KIB,
			      FIGURE_RAM_KIB);
	else
		line_fill(&s->line, "lowest free %k of %k RAM",
			  (const uint64_t[]){
			  s->value[FIGURE_FREE_LOWEST_KIB],
			  ram_kib(s->ledger, s->r->session,
				  s->ledger->growth.lowest_pages) });
	if (is_sampled(s->ledger)) {
		line_str(&s->line, "; sampled");
	} else {
		line_str(&s->line, !v->complete ? "; INCOMPLETE, " :
			 is_oom(s->r) ? "; " : "; complete, ");
		sheet_figures(s, "%u lost", FIGURE_LOST);
		/* When memory runs out, the rings are not asked once more. */
		line_str(&s->line, v->complete && is_oom(s->r) ?
			 " so far" : "");
	}
	sheet_emit(s);
	s->columns = columns;
}

/* Free memory that is no help: a 64th of all memory, or more. */
#define KEPT_SHARE 64

static void put_kept(struct sheet *s)
{
	static const char *const why[] = {
		[KEPT_MIN] = "kept by vm.min_free_kbytes",
		[KEPT_RESERVE] = "kept by vm.lowmem_reserve_ratio",
		[KEPT_APART] = "only for movable pages",
		[KEPT_CMA] = "only in CMA",
	};
	const uint64_t *pages = s->ledger->kept_pages;
	const char *before = "room    ";

	for (uint32_t i = 0; i < ARRAY_LEN(why) && is_oom(s->r); i++) {
		if (pages_kib(pages[i], s->line.page_kib) <
		    s->r->session->mem_total_kib / KEPT_SHARE)
			continue;
		line_str(&s->line, before);
		line_fill(&s->line, "%p are free, but ", &pages[i]);
		line_str(&s->line, why[i]);
		before = "; ";
	}
	if (s->line.len)
		sheet_emit(s);
}

/* What the advice for the peak is made of. */
static void put_needs(struct sheet *s)
{
	const struct need *n = &s->ledger->need;
	const uint64_t *v = s->value;
	const uint64_t anon = n->anon - smaller(n->anon,
						need_swaps(n, n->swappable));
	const uint64_t named = pages_kib(anon + n->shmem + n->slab,
					s->line.page_kib);

	if (!n->known || is_oom(s->r) || s->r->level < 1)
		return;
	sheet_figures(s, "needs   in this machine %k could not be given back "
		      "at %t: ", FIGURE_HARD_KIB, FIGURE_HARD_NS);
	line_fill(&s->line, "anonymous %p, tmpfs %p, slab %p, ",
		  (const uint64_t[]){ anon, n->shmem, n->slab });
	line_value(&s->line, "others %k; ",
		   v[FIGURE_HARD_KIB] - smaller(v[FIGURE_HARD_KIB], named));
	sheet_figures(s, "and the kernel keeps %k free; %k of all used could "
		      "be given back", FIGURE_KEPT_KIB, FIGURE_SOFT_KIB);
	sheet_emit(s);
}

/* What an early report advised, if the boot went on all the same. */
static void put_low(struct sheet *s)
{
	if (!is_taken_back(s->r))
		return;
	line_fill(&s->line, "        memory was low at %t, and nothing was "
		  "killed: take this advice, not that report's",
		  &s->ledger->low_ns);
	sheet_emit(s);
}

/* "module overlay 57.7M" */
static void put_largest(struct sheet *s, const struct verdict *v,
			enum table t)
{
	const struct largest *k = t == TABLE_TASKS ? v->at.task : v->at.module;

	line_str(&s->line, table_name(t));
	line_char(&s->line, ' ');
	row_write(&s->line, s->ledger, t, k->row);
	line_value(&s->line, s->ledger->total.lost ? " ~%p" : " %p", k->pages);
}

/* "5 tasks worker, 151.2M together"; "40 modules plnt*, most of them from
 * drivers/net, 89.0M in pages and 4.9M in images"; "33 modules from drivers/net,
 * 40.0M together" */
static void put_group(struct sheet *s, const struct group *g)
{
	const char *const where[] = {
		" in pages", " in images",
		g->table == TABLE_TASKS ? " in areas" : " in vmalloc",
	};
	const uint64_t apart = g->image_pages + g->vmalloc_pages;
	const uint64_t pages[] = {
		g->pages - apart, g->image_pages, g->vmalloc_pages,
	};
	const char *before = s->ledger->total.lost ? ", ~%p" : ", %p";

	line_value(&s->line, "%u ", g->rows);
	line_str(&s->line, table_name(g->table));
	line_str(&s->line, g->dir ? "s from " : g->letters ? "s " : "s");
	group_write(&s->line, s->ledger, g);
	if (g->from > g->dir) {
		line_str(&s->line, ", most of them from ");
		group_write_from(&s->line, s->ledger, g);
	}
	for (unsigned int i = 0; i < ARRAY_LEN(where); i++)
		if (pages[i]) {
			line_value(&s->line, before, pages[i]);
			line_str(&s->line, apart ? where[i] : " together");
			before = " and %p";
		}
}

/* With its share of what was held. */
static void put_who(struct sheet *s, const struct verdict *v, enum table t)
{
	const struct group *g = &v->group[t];
	const uint64_t pages = g->rows ? g->pages : t == TABLE_TASKS ?
			       v->at.task->pages : v->at.module->pages;

	if (g->rows)
		put_group(s, g);
	else
		put_largest(s, v, t);
	line_value(&s->line, ", %u%%", (uint64_t)share_of(
			(int64_t)pages, (int64_t)v->held_pages, 100));
}

static void put_nobody(struct sheet *s, const struct verdict *v)
{
	const char *comma = "; most: ";

	line_fill(&s->line, v->little ? "none: only %p held" :
		  "none stands out, of %p held", &v->held_pages);
	for (enum table t = TABLE_MODULES; t <= TABLE_TASKS; t++)
		if ((t == TABLE_TASKS ? v->at.task : v->at.module)->pages) {
			line_str(&s->line, comma);
			put_who(s, v, t);
			comma = ", ";
		}
}

static void put_culprit(struct sheet *s, const struct verdict *v)
{
	const struct group *g = v->group;
	const int module = v->module_stands_out || g[TABLE_MODULES].rows;
	const int task = v->task_stands_out || g[TABLE_TASKS].rows;

	line_str(&s->line, "culprit ");
	if (module || task) {
		put_who(s, v, module ? TABLE_MODULES : TABLE_TASKS);
		line_str(&s->line, " of what was held; ");
		if (module && task)
			put_who(s, v, TABLE_TASKS);
		else
			line_str(&s->line, module ? "no task stands out" :
				 "no module stands out");
		if (g[TABLE_MODULES].rows && !g[TABLE_MODULES].letters &&
		    !g[TABLE_MODULES].dir) {
			line_str(&s->line, "; most: ");
			put_largest(s, v, TABLE_MODULES);
		}
	} else {
		put_nobody(s, v);
	}
	sheet_emit(s);
}

#define MOST_BY "; most by "

/* The name alone of the code whose name begins there: "shmem_write_begin",
 * "ovl_splice_write [overlay]". */
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

/* The kind that no line of /proc/meminfo explains has no owner. The module that
 * was loaded last is no proof, but it is where to look first. Modules that one
 * look has found have one time; the newest comes first, as in /proc/modules. */
static void put_sampled_kind(struct sheet *s, const struct verdict *v)
{
	const struct modules *m = &s->ledger->modules;
	const uint64_t before = s->ledger->samples.kind_start[KIND_OTHER];
	const uint64_t grown = v->kind[KIND_OTHER] -
			       smaller(before, v->kind[KIND_OTHER]);
	uint32_t last = 0;

	line_str(&s->line, "kind    of all in use: ");
	if (!kinds_write(&s->line, v->kind, LARGEST_KINDS))
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

static void put_kind(struct sheet *s, const struct verdict *v)
{
	const struct most most = verdict_most(s->r, v);
	const struct group *g = &v->group[TABLE_MODULES];

	if (is_sampled(s->ledger)) {
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
	if (!kinds_write(&s->line, v->kind, LARGEST_KINDS))
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
	put_kind(s, &v);
}

static void put_advice(struct sheet *s)
{
	static const char *const reasons[] = {
		[FOR_PEAK] = "needed at that size",
		[FOR_UNPACKING] = "while the initramfs is unpacked",
		[FOR_ROOTFS] = "so that half of the free holds rootfs",
		[FOR_TMPFS] = "so that a tmpfs may hold its files",
	};
	const uint64_t *v = s->value;
	const int at_least = is_at_least(s->r, s->value);

	line_str(&s->line, "advice  ");
	if (!s->ledger->memory_sampled || v[FIGURE_ADVICE_KIB] == UNKNOWN) {
		line_str(&s->line, "none: ");
		line_str(&s->line, no_advice(s->ledger));
		sheet_emit(s);
		return;
	}
	line_str(&s->line, at_least ? "at least " : "");
	line_str(&s->line, s->ledger->kdump ? "crashkernel=" : "memory of ");
	line_value(&s->line, "%uM ", v[FIGURE_ADVICE_KIB] >> 10);
	line_str(&s->line, at_least ? "(" : "would do (");
	line_fill(&s->line, "%k ", &v[FIGURE_NEED_KIB]);
	line_str(&s->line, is_sampled(s->ledger) ? "sampled as " : "");
	line_str(&s->line, advice_for(v) == FOR_ROOTFS &&
		 rootfs_needs_inodes(s->ledger, v) ?
		 "so that rootfs has an inode for each file" :
		 reasons[advice_for(v)]);
	sheet_line(s, ", and a twentieth more)", NULL);
	if (s->ledger->total.lost && !at_least) {
		line_value(&s->line, "        records were lost: at most %uM more",
			   advice_more_kib(s->r, v) >> 10);
		sheet_emit(s);
	}
}

void text_verdict(struct sheet *s)
{
	struct verdict v;

	verdict_get(s->r, &v);
	put_state(s, &v);
	put_kept(s);
	troubles_text(s);
	put_culprit(s, &v);
	put_kind(s, &v);
	put_advice(s);
	put_low(s);
	put_needs(s);
	saves_text(s, &v);
	text_before(s);
}
