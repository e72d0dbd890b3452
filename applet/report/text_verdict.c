/*
 * The first five lines of a report for people: what happened, who holds the
 * memory, what kind it is, what to do, and what was used before. Each can stand
 * alone in a bug report.
 */
#include <string.h>
#include "report/advice.h"
#include "report/kind_names.h"
#include "report/names.h"
#include "report/text_verdict.h"
#include "report/trim.h"
#include "report/verdict.h"

#define BEFORE_SHOWN 2

static void put_state(struct sheet *s, const struct verdict *v)
{
	line_str(&s->line, "memstrack " MEMSTRACK_VERSION ": ");
	line_str(&s->line, is_oom(s->r) ? "OUT OF MEMORY (" : "");
	line_name(&s->line, s->r->session->reason);
	line_str(&s->line, is_oom(s->r) ? ")" : "");
	sheet_figures(s, " at %t: ", FIGURE_END_NS);
	if (!s->ledger->memory_sampled)
		line_str(&s->line, "free memory was not sampled");
	else if (is_oom(s->r))
		sheet_figures(s, "%k free of %k", FIGURE_FREE_NOW_KIB,
			      FIGURE_MEM_TOTAL_KIB);
	else
		sheet_figures(s, "lowest free %k of %k at %t",
			      FIGURE_FREE_LOWEST_KIB, FIGURE_MEM_TOTAL_KIB,
			      FIGURE_FREE_LOWEST_NS);
	if (s->ledger->samples.on) {
		sheet_line(s, "; sampled", NULL);
		return;
	}
	line_str(&s->line, !v->complete ? "; INCOMPLETE, " :
		 is_oom(s->r) ? "; " : "; complete, ");
	sheet_figures(s, "%u lost", FIGURE_LOST);
	/* When memory runs out, the rings are not asked once more. */
	line_str(&s->line, !v->complete ? ": see the warnings" :
		 is_oom(s->r) ? " so far" : "");
	sheet_emit(s);
}

/* "module overlay 57.7M, 62%" */
static void put_largest(struct sheet *s, const struct verdict *v,
			enum table t)
{
	const struct largest *k = t == TABLE_TASKS ? v->at.task : v->at.module;
	/* In a trace that somebody made up, sums wrap to 0. */
	const uint64_t taken = v->held_pages ? v->held_pages : 1;
	const uint64_t value[] = { k->pages, k->pages * UINT64_C(100) / taken };

	line_str(&s->line, table_name(t));
	line_char(&s->line, ' ');
	line_name(&s->line, row_name(s->ledger, t, k->row));
	if (t == TABLE_TASKS)
		line_fill(&s->line, "[%u]", (const uint64_t[])
			  { s->ledger->tasks.row[k->row].tid });
	line_fill(&s->line, s->ledger->total.lost ? " ~%p, %u%%" : " %p, %u%%",
		  value);
}

static void put_culprit(struct sheet *s, const struct verdict *v)
{
	const char *of_held = " of what was held", *comma = "; most: ";

	if (s->ledger->samples.on)
		of_held = " of what was in use";
	line_str(&s->line, "culprit ");
	if (v->module_stands_out) {
		put_largest(s, v, TABLE_MODULES);
		line_str(&s->line, of_held);
		line_str(&s->line, "; ");
		if (v->task_stands_out)
			put_largest(s, v, TABLE_TASKS);
		else
			line_str(&s->line, "no task stands out");
	} else if (v->task_stands_out) {
		put_largest(s, v, TABLE_TASKS);
		line_str(&s->line, of_held);
		line_str(&s->line, "; no module stands out");
	} else {
		line_fill(&s->line, v->little ? "none: only %p held" :
			  s->ledger->samples.on ?
			  "none stands out, of %p in use" :
			  "none stands out, of %p held", &v->held_pages);
		for (enum table t = TABLE_MODULES; t <= TABLE_TASKS; t++)
			if ((t == TABLE_TASKS ? v->at.task :
						v->at.module)->pages) {
				line_str(&s->line, comma);
				put_largest(s, v, t);
				comma = ", ";
			}
	}
	sheet_emit(s);
}

/* "shmem_write_begin", "ovl_splice_write [overlay]": the name alone. Returns 0
 * if there is none. */
static int put_function(struct sheet *s, const char *before, uint64_t addr)
{
	char *const text = s->text;
	const size_t start = s->line.len;
	size_t plus, behind;

	line_str(&s->line, before);
	plus = s->line.len;
	if (!frame_write(&s->line, s->r, addr)) {
		s->line.len = start;
		return 0;
	}
	while (plus < s->line.len && text[plus] != '+')
		plus++;
	for (behind = plus; behind < s->line.len && text[behind] != ' ';)
		behind++;
	memmove(text + plus, text + behind, s->line.len - behind);
	s->line.len -= behind - plus;
	return 1;
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
	if (put_function(s, "; most by ", k->node[first].addr) &&
	    caller != behind)
		put_function(s, " < ", k->node[caller].addr);
}

/* The kind that no line of /proc/meminfo explains has no owner. Which module
 * was loaded last is no proof, but it is where to look first. */
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
			if (m->row[i].load_ns &&
			    m->row[i].load_ns >= m->row[last].load_ns)
				last = i;
		if (last) {
			line_str(&s->line, "; module loaded last: ");
			line_name(&s->line, row_name(s->ledger, TABLE_MODULES,
						     last));
		}
	}
	sheet_emit(s);
}

static void put_kind(struct sheet *s, const struct verdict *v)
{
	const uint32_t leaf = verdict_stack(s->r, v);

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
	line_name(&s->line, v->module_stands_out ?
		  row_name(s->ledger, TABLE_MODULES, v->at.module[0].row) :
		  "all");
	line_str(&s->line, s->ledger->total.lost ? ": about " : ": ");
	if (!kinds_write(&s->line, v->kind))
		line_str(&s->line, "nothing was held");
	if (leaf)
		put_functions(s, leaf);
	sheet_emit(s);
}

static void put_advice(struct sheet *s)
{
	static const char *const reasons[] = {
		[FOR_PEAK] = "at the peak",
		[FOR_UNPACKING] = "while the initramfs is unpacked",
		[FOR_ROOTFS] = "so that half of the free holds the initramfs",
	};
	const uint64_t *v = s->value;

	line_str(&s->line, "advice  ");
	if (!s->ledger->memory_sampled || v[FIGURE_ADVICE_KIB] == UNKNOWN) {
		line_str(&s->line, "none: ");
		line_str(&s->line, no_advice(s->ledger));
		sheet_emit(s);
		return;
	}
	line_str(&s->line, is_oom(s->r) ? "at least " : "");
	line_str(&s->line, s->ledger->kdump ? "crashkernel=" : "memory of ");
	line_fill(&s->line, "%uM ", &(uint64_t){ v[FIGURE_ADVICE_KIB] >> 10 });
	line_str(&s->line, is_oom(s->r) ? "(" : "would do (");
	line_fill(&s->line, "%k ", &v[FIGURE_NEED_KIB]);
	line_str(&s->line, s->ledger->samples.on ?
		 "sampled as the most " : "");
	line_str(&s->line, reasons[advice_for(v)]);
	sheet_line(s, ", and a tenth more)", NULL);
}

/* Parts of the kernel's image count as one. Others are parts of figures that
 * are listed, or were freed. */
static int is_kernel(const char *name)
{
	return !strcmp(name, "kernel code") || !strcmp(name, "rwdata") ||
	       !strcmp(name, "rodata") || !strcmp(name, "bss");
}

static int is_part(const char *name)
{
	return is_kernel(name) || !strcmp(name, "init") ||
	       !strcmp(name, BASELINE_RESERVED) ||
	       !strcmp(name, BASELINE_SHMEM) || !strcmp(name, BASELINE_FREED) ||
	       !strcmp(name, BASELINE_INITRD);
}

/* The largest figure after this one (NULL: of all). */
static const struct figure_kib *next_figure(const struct ledger *l,
					    const struct figure_kib *last)
{
	const struct figure_kib *best = NULL;

	for (uint32_t i = 0; i < l->figures; i++) {
		const struct figure_kib *f = &l->figure[i];

		if (is_part(f->name) || !f->kib ||
		    (last && (f->kib > last->kib ||
			      (f->kib == last->kib && f <= last))) ||
		    (best && f->kib <= best->kib))
			continue;
		best = f;
	}
	return best;
}

static void put_before(struct sheet *s)
{
	const struct ledger *l = s->ledger;
	const uint64_t total_kib = s->value[FIGURE_TOTAL_KIB];
	const struct figure_kib *f = NULL;
	uint64_t kernel_kib = 0;

	if (!l->memory_sampled) {
		sheet_line(s, "before  not known: free memory was not sampled",
			   NULL);
		return;
	}
	for (uint32_t i = 0; i < l->figures; i++)
		kernel_kib += is_kernel(l->figure[i].name) ?
			      l->figure[i].kib : 0;
	line_fill(&s->line, "before  %k of %k in use when tracing began",
		  (const uint64_t[]){
		  total_kib - smaller(total_kib,
				      s->value[FIGURE_FREE_START_KIB]),
		  total_kib });
	if (kernel_kib)
		line_fill(&s->line, ": kernel %k", &kernel_kib);
	for (int i = 0; i < BEFORE_SHOWN && (f = next_figure(l, f)); i++) {
		line_str(&s->line, i || kernel_kib ? ", " : ": ");
		line_name(&s->line, f->name);
		line_fill(&s->line, " %k", &f->kib);
	}
	sheet_emit(s);
}

void text_kind(struct sheet *s)
{
	struct verdict v;

	verdict_get(s->r, &v);
	put_kind(s, &v);
}

void text_verdict(struct sheet *s)
{
	struct verdict v;

	verdict_get(s->r, &v);
	put_state(s, &v);
	put_culprit(s, &v);
	put_kind(s, &v);
	put_advice(s);
	put_before(s);
}
