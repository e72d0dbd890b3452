/* SPDX-License-Identifier: MIT */
/*
 * The last part of the report for people: how the figures above it are known,
 * what was there before, and what tracing cost. Level 1 leaves out lines that
 * do not help to find where the memory went.
 */
#include <string.h>
#include "report/report.h"
#include "report/parts.h"

#define BASELINE_COLUMNS 66

#define KINDS_GROWN 4
#define CACHES_SHOWN 5
#define BEFORE_SHOWN 2

/* The kinds that grew most since the start, and the pages on per-CPU lists,
 * which are free. */
static void put_grown(struct sheet *s)
{
	const struct samples *p = &s->ledger->samples;
	uint64_t grown[KINDS];
	int kinds;

	for (unsigned int i = 0; i < KINDS; i++)
		grown[i] = p->kind[i].now -
			   smaller(p->kind_start[i], p->kind[i].now);
	sheet_figures(s, "fall    %q in free memory; what grew since the start"
		      ": ", FIGURE_FALL);
	kinds = kinds_write(&s->line, grown, KINDS_GROWN);
	if ((int64_t)s->value[FIGURE_PCP] > 0)
		sheet_figures(s, kinds ? ", per-CPU lists %p" :
			      "per-CPU lists %p", FIGURE_PCP);
	else if (!kinds)
		s->line.len -= sizeof(": ") - 1;
	sheet_emit(s);
}

/* The largest, in order of size. */
static void put_caches(struct sheet *s)
{
	const struct samples *p = &s->ledger->samples;
	struct largest best[CACHES_SHOWN] = { { 0, 0 } };

	for (uint32_t i = 0; i < p->caches; i++)
		snapshot_offer(best, CACHES_SHOWN, i, p->cache[i].pages.now);
	for (int i = 0; i < CACHES_SHOWN && best[i].pages; i++) {
		line_str(&s->line, i ? ", " : "slab    sampled: ");
		line_name(&s->line, p->cache[best[i].row].name);
		line_value(&s->line, " %p", best[i].pages);
	}
	if (s->line.len)
		sheet_emit(s);
}

void text_balance(struct sheet *s)
{
	const uint64_t explained = s->value[FIGURE_PERMILLE];

	if (explained == UNKNOWN)
		return;
	if (is_sampled(s->ledger)) {
		put_grown(s);
		put_caches(s);
		return;
	}
	sheet_figures(s, "fall    %q in free memory, %m%% explained: "
		      "traced %q, areas %q, ", FIGURE_FALL, FIGURE_PERMILLE,
		      FIGURE_TRACED, FIGURE_AREAS);
	sheet_figures(s, "other bulk %q, CMA %q, freed from before %q, ",
		      FIGURE_BULK, FIGURE_CMA, FIGURE_BEFORE);
	if (s->value[FIGURE_NO_ROOM])
		sheet_figures(s, "no room in the page table %q, ",
			      FIGURE_NO_ROOM);
	sheet_figures(s, "per-CPU lists %q, rest %q", FIGURE_PCP, FIGURE_REST);
	sheet_line(s, " (%m%%)", &(uint64_t){ (int64_t)explained > 1000 ?
					      explained - 1000 :
					      1000 - explained });
}

/* What the advice is made of, and what it leaves out. The lowest free memory is
 * not the one in the line `memory`: report.h, advice says how it is found. */
static void put_used(struct sheet *s)
{
	const uint64_t *v = s->value;

	if (!s->ledger->memory_sampled)
		return;
	sheet_figures(s, "used    most %k of %k RAM, without per-CPU lists",
		      FIGURE_USED_KIB, FIGURE_RAM_PEAK_KIB);
	sheet_emit(s);
	if (s->r->level < 2)
		return;
	if (v[FIGURE_SCALED_KIB] == UNKNOWN) {
		sheet_line(s, "        the kernel's log was not read: "
			   "unpacking is not counted, page structs as of %k "
			   "RAM", &v[FIGURE_RAM_PEAK_KIB]);
		return;
	}
	if (v[FIGURE_UNPACKING_KIB] == UNKNOWN)
		line_str(&s->line, "        the unpacking of the initramfs was "
			 "not seen");
	else
		sheet_figures(s, "        %k while the initramfs was unpacked",
			      FIGURE_UNPACKING_KIB);
	sheet_figures(s, "; page structs and hash tables %k",
		      FIGURE_SCALED_KIB);
	sheet_emit(s);
}

static void put_kernel(struct sheet *s)
{
	const struct session *n = s->r->session;

	const int sampled = is_sampled(s->ledger);

	if (s->r->level < 2 && (sampled || n->cpus_traced == n->cpus_online))
		return;
	line_str(&s->line, "kernel  ");
	line_name(&s->line, n->kernel);
	if (sampled)
		sheet_figures(s, ", pages of %b, sampled, CPUs %u",
			      FIGURE_PAGE_SIZE, FIGURE_CPUS_ONLINE);
	else
		sheet_figures(s, ", pages of %b, CPUs traced: %u of %u",
		      FIGURE_PAGE_SIZE, FIGURE_CPUS_TRACED,
		      FIGURE_CPUS_ONLINE);
	sheet_emit(s);
}

static void put_events(struct sheet *s)
{
	const struct totals *n = &s->ledger->total;

	if (n->anon_pages || n->before_frees) {
		sheet_figures(s, "        allocated without a stack %p; freed "
			      "from before tracing %p", FIGURE_ANON_PAGES,
			      FIGURE_BEFORE_PAGES);
		sheet_emit(s);
	}
	sheet_figures(s, "events  %u seen = %u applied + %u ignored + "
		      "%u rejected", FIGURE_SEEN, FIGURE_APPLIED,
		      FIGURE_IGNORED, FIGURE_REJECTED);
	sheet_emit(s);
}

static void put_own(struct sheet *s)
{
	const struct layout *y = &s->r->session->layout;

	sheet_figures(s, "own     %b locked, %d of CPU (pages %b, stacks %b, "
		      "tasks %b, modules %b, rings %b", FIGURE_OWN_BYTES,
		      FIGURE_CPU_NS, FIGURE_PAGES_BYTES, FIGURE_STACKS_BYTES,
		      FIGURE_TASKS_BYTES, FIGURE_MODULES_BYTES,
		      FIGURE_RING_BYTES);
	if (y->history && has_history())
		line_value(&s->line, ", history %b",
			   history_bytes(y->modules, y->tasks));
	line_char(&s->line, ')');
	sheet_emit(s);
}

static void put_notes(struct sheet *s)
{
	const struct session *n = s->r->session;

	for (uint32_t i = 0; i < n->notes && i < NOTES_MAX; i++) {
		line_str(&s->line, "note    ");
		line_name(&s->line, n->note[i]);
		sheet_emit(s);
	}
}

/* --- what was used before */

struct named_kib {
	const char *name;
	uint64_t kib;
};

/* Rows `ram` that no figure contains; older recordings have both. */
static const char *const reserved[] = {
	RAM_SWIOTLB, RAM_CRASHKERNEL, RAM_KFENCE,
};

/* Parts of the kernel's image, which count as one; then others that are parts of
 * figures that are listed, or were freed. */
#define KERNEL_PARTS 4u
static const char *const parts[] = {
	"kernel code", "rwdata", "rodata", "bss",
	"init", BASELINE_RESERVED, BASELINE_SHMEM, BASELINE_FREED,
	BASELINE_INITRD, BASELINE_INODES,
};

static int is_part(const char *name, size_t count)
{
	while (count && strcmp(name, parts[count - 1]) != 0)
		count--;
	return count != 0;
}

static int is_kernel_part(const char *name)
{
	return is_part(name, KERNEL_PARTS);
}

/* As many figures in a line as fit. They do not add up: some are parts of
 * others. */
static void put_baseline(struct sheet *s)
{
	const struct ledger *l = s->ledger;
	const char *comma = "before  by the kernel:";
	const int has_ram = ram_kernel_kib(s->r, s->value) != UNKNOWN;

	if (!l->memory_sampled)
		return;
	for (uint32_t i = 0; i < l->figures; i++) {
		const struct figure_kib *f = &l->figure[i];

		if (is_limit(f->name) || (has_ram && is_kernel_part(f->name)))
			continue;
		line_str(&s->line, comma);
		if (s->line.len > BASELINE_COLUMNS) {
			sheet_emit(s);
			line_str(&s->line, "       ");
		}
		line_char(&s->line, ' ');
		line_name(&s->line, f->name);
		if (!strcmp(f->name, BASELINE_RESERVED))
			line_str(&s->line, " (with the kernel)");
		if (!strcmp(f->name, BASELINE_SHMEM))
			line_str(&s->line, " (in Cached)");
		line_fill(&s->line, " %k", &f->kib);
		comma = ",";
	}
	if (s->line.len)
		sheet_emit(s);
}

/* As in the account of RAM, if there is one. */
static uint64_t kernel_image_kib(const struct sheet *s)
{
	const struct ledger *l = s->ledger;
	uint64_t kib = ram_kernel_kib(s->r, s->value);

	if (kib != UNKNOWN)
		return kib;
	kib = 0;
	for (uint32_t i = 0; i < l->figures; i++)
		kib += is_kernel_part(l->figure[i].name) ? l->figure[i].kib : 0;
	return kib;
}

/* The sum of the figures, and what was reserved besides them. */
static struct named_kib figure_at(const struct ledger *l, uint32_t i)
{
	struct named_kib row;

	if (i < l->figures) {
		row.name = l->figure[i].name;
		row.kib = is_part(row.name, ARRAY_LEN(parts)) ||
			  is_limit(row.name) ? 0 : l->figure[i].kib;
	} else {
		row.name = reserved[i - l->figures];
		row.kib = baseline_kib(l, row.name) ? 0 :
			  ram_rows_kib(&l->ram, RAM_RESERVED, row.name);
	}
	return row;
}

/* The largest first; equal figures in the order of the kernel's log. */
static void largest_figures(const struct ledger *l,
			    struct named_kib best[BEFORE_SHOWN])
{
	for (uint32_t i = 0; i < l->figures + ARRAY_LEN(reserved); i++) {
		struct named_kib new = figure_at(l, i), was;

		for (int at = 0; at < BEFORE_SHOWN; at++)
			if (new.kib > best[at].kib) {
				was = best[at];
				best[at] = new;
				new = was;
			}
	}
}

/* By level: so many of the largest. */
static const uint32_t tags_shown[] = { 3, 3, 8, TAGS_SHOWN };

static void put_tags(struct sheet *s)
{
	const struct tag_rows *t = &s->ledger->tags;
	const uint32_t most = tags_shown[s->r->level & 3];

	if (!t->ended)
		return;
	line_fill(&s->line, "tags    largest of %u in use", &t->all);
	line_str(&s->line, t->is_part ? ", not all read: " : ": ");
	for (uint32_t i = 0; i < t->used && i < most; i++) {
		line_str(&s->line, i ? ", " : "");
		line_name(&s->line, t->row[i].name);
		line_str(&s->line, t->row[i].at_least ? " at least" : "");
		line_fill(&s->line, " %b", &t->row[i].bytes);
	}
	if (t->wrong_lines)
		line_fill(&s->line, "; %u line%s not understood",
			  &t->wrong_lines);
	sheet_emit(s);
}

void text_before(struct sheet *s)
{
	const struct ledger *l = s->ledger;
	const uint64_t total_kib = ram_kib(l, s->r->session, 0);
	struct named_kib best[BEFORE_SHOWN] = { { 0 } };
	const uint64_t kernel_kib = kernel_image_kib(s);

	if (!l->memory_sampled) {
		sheet_line(s, "before  not known: free memory was not sampled",
			   NULL);
		return;
	}
	line_fill(&s->line, "before  %k of %k RAM in use when ",
		  (const uint64_t[]){
		  total_kib - smaller(total_kib,
				      s->value[FIGURE_FREE_START_KIB]),
		  total_kib });
	if (l->before_init.marks)
		line_fill(&s->line, "init began, of it %p in the tables",
			  &l->before_init.held_pages);
	else
		line_str(&s->line, "tracing began");
	if (kernel_kib)
		line_fill(&s->line, ": kernel %k", &kernel_kib);
	largest_figures(l, best);
	for (int i = 0; i < BEFORE_SHOWN && best[i].kib; i++) {
		line_str(&s->line, i || kernel_kib ? ", " : ": ");
		line_name(&s->line, best[i].name);
		line_fill(&s->line, " %k", &best[i].kib);
	}
	sheet_emit(s);
	if (has_feature(FEATURE_RAM))
		put_tags(s);
}

void text_account(struct sheet *s)
{
	text_balance(s);
	put_used(s);
	put_kernel(s);
	if (s->r->level > 1)
		put_events(s);
	put_own(s);
	put_notes(s);
	if (has_feature(FEATURE_RAM))
		ram_text(s);
	if (s->r->level > 1)
		put_baseline(s);
}
