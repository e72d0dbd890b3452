/*
 * The first and the last part of the report for people: when, how much, what to
 * do, and what must not be believed; and at the end, how all this is known and
 * what it cost. Level 1 leaves out lines that do not help to find where the
 * memory went.
 */
#include <string.h>
#include "report/advice.h"
#include "report/text_head.h"

#define BASELINE_COLUMNS 78

/* Printed after the number of rows that were used again. */
#define HIGHEST_PEAK "pages: the highest peak of these"

static void head_title(struct sheet *s, int brief)
{
	const struct session *n = s->r->session;

	line_str(&s->line, "memstrack " MEMSTRACK_VERSION);
	if (!brief)
		sheet_figures(s, ": level %u", FIGURE_LEVEL);
	sheet_figures(s, ", traced %t to %t, reason: ", FIGURE_START_NS,
		      FIGURE_END_NS);
	line_name(&s->line, n->reason);
	sheet_emit(s);
}

static void head_kernel(struct sheet *s)
{
	const struct session *n = s->r->session;

	if (s->r->level < 2 && n->cpus_traced == n->cpus_online)
		return;
	line_str(&s->line, "kernel  ");
	line_name(&s->line, n->kernel);
	sheet_figures(s, ", pages of %b, %u of %u CPUs traced",
		      FIGURE_PAGE_SIZE, FIGURE_CPUS_TRACED,
		      FIGURE_CPUS_ONLINE);
	sheet_emit(s);
}

static void head_balance(struct sheet *s)
{
	const uint64_t explained = s->value[FIGURE_PERMILLE];

	if (explained == UNKNOWN)
		return;
	sheet_figures(s, "fall    %q in free memory, %m%% explained: "
		      "traced %q, vmalloc %q,", FIGURE_FALL, FIGURE_PERMILLE,
		      FIGURE_TRACED, FIGURE_VMALLOC);
	sheet_emit(s);
	sheet_figures(s, "        other bulk %q, CMA %q, from before %q, "
		      "per-CPU lists %q, rest %q", FIGURE_BULK, FIGURE_CMA,
		      FIGURE_BEFORE, FIGURE_PCP, FIGURE_REST);
	sheet_line(s, " (%m%%)", &(uint64_t){ (int64_t)explained > 1000 ?
					      explained - 1000 :
					      1000 - explained });
}

/* As many figures in a line as fit; at level 1 without those below a fiftieth.
 * They do not add up: some are parts of others. */
static void head_baseline(struct sheet *s)
{
	const struct ledger *l = s->ledger;
	const uint64_t total_kib = s->value[FIGURE_TOTAL_KIB];
	const char *comma = ":";

	if (!l->memory_sampled)
		return;
	line_fill(&s->line, "before  %k used when tracing began, of %k of "
		  "RAM", (const uint64_t[]){
		  total_kib - smaller(total_kib,
				      s->value[FIGURE_FREE_START_KIB]),
		  total_kib });
	for (uint32_t i = 0; i < l->figures; i++) {
		const struct figure_kib *f = &l->figure[i];

		if (s->r->level < 2 && f->kib < total_kib / 50)
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
	sheet_emit(s);
}

static void head_traced(struct sheet *s)
{
	const struct totals *n = &s->ledger->total;

	sheet_figures(s, "memory  total %k  ", FIGURE_MEM_TOTAL_KIB);
	if (s->ledger->memory_sampled)
		sheet_figures(s, "free at start %k  now %k  lowest %k at %t",
			      FIGURE_FREE_START_KIB, FIGURE_FREE_NOW_KIB,
			      FIGURE_FREE_LOWEST_KIB, FIGURE_FREE_LOWEST_NS);
	else
		line_str(&s->line, "free memory was not sampled");
	sheet_emit(s);
	/* A lost record may have been an allocation or a free; the number of
	 * events is at least this. */
	sheet_figures(s, n->lost ? "traced  ~%p now, ~%p peak at %t; >=%u "
		      "allocs >=%u frees, %u lost" :
		      "traced  %p now, %p peak at %t; %u allocs %u frees, "
		      "%u lost", FIGURE_NOW_PAGES, FIGURE_PEAK_PAGES,
		      FIGURE_PEAK_NS, FIGURE_ALLOCS, FIGURE_FREES,
		      FIGURE_LOST);
	sheet_emit(s);
}

static void head_events(struct sheet *s)
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

/* The text for each counter that is not 0, in this order. */
static const struct warning {
	enum figure counter;
	int harmless;		/* printed only in full reports */
	const char *text;
	const char *raise;	/* the parameter that helps, or NULL */
} warnings[] = {
	{ .counter = FIGURE_LOST_RECORDS,
	  .text = "records lost: some pages are missing, some still count",
	  .raise = "ring" },
	{ .counter = FIGURE_LATE,
	  .text = "(events came out of order)",
	  .harmless = 1 },
	{ .counter = FIGURE_SETTLED_PAGES,
	  .text = "(pages of those, settled by their own order)",
	  .harmless = 1 },
	{ .counter = FIGURE_MISSED_FREES,
	  .text = "pages found free or allocated again, their free not seen" },
	{ .counter = FIGURE_UNTRACKED_PAGES,
	  .text = "pages found no room and are in no figure",
	  .raise = "pages" },
	{ .counter = FIGURE_OUTSIDE_RAM,
	  .text = "events of pages outside of known memory" },
	{ .counter = FIGURE_BAD_RECORDS,
	  .text = "records not of their format" },
	{ .counter = FIGURE_FAILED_ALLOCS,
	  .text = "allocations failed" },
	{ .counter = FIGURE_TASKS_FULL,
	  .text = "tasks went to (other)",
	  .raise = "tasks" },
	{ .counter = FIGURE_TASKS_RECYCLED,
	  .text = "ended tasks not listed",
	  .raise = "tasks" },
	{ .counter = FIGURE_TASKS_RECYCLED_PEAK,
	  .text = HIGHEST_PEAK },
	{ .counter = FIGURE_MODULES_FULL,
	  .text = "modules went to (other)",
	  .raise = "modules" },
	{ .counter = FIGURE_MODULES_RECYCLED,
	  .text = "gone modules not listed",
	  .raise = "modules" },
	{ .counter = FIGURE_MODULES_RECYCLED_PEAK,
	  .text = HIGHEST_PEAK },
	{ .counter = FIGURE_RANGES_FULL,
	  .text = "module ranges found no room",
	  .raise = "modules" },
	{ .counter = FIGURE_AREAS_FULL,
	  .text = "areas of vmalloc found no room",
	  .raise = "modules" },
	{ .counter = FIGURE_STACKS_FULL,
	  .text = "allocations kept without their stack",
	  .raise = "stacks" },
	{ .counter = FIGURE_OWNERS_FULL,
	  .text = "allocations kept with their task alone",
	  .raise = "stacks" },
	{ .counter = FIGURE_OWNERS_RECYCLED,
	  .text = "empty stacks not listed",
	  .raise = "stacks" },
	{ .counter = FIGURE_OWNERS_RECYCLED_PEAK,
	  .text = HIGHEST_PEAK },
};

static void head_warnings(struct sheet *s)
{
	for (const struct warning *w = warnings;
	     w < warnings + ARRAY_LEN(warnings); w++) {
		if (!s->value[w->counter] ||
		    (w->harmless && s->r->level < 3))
			continue;
		sheet_figures(s, w->harmless ? "note    %u " : "warning %u ",
			      w->counter);
		line_str(&s->line, w->text);
		if (w->raise) {
			line_str(&s->line, "; raise rd.memstrack.");
			line_str(&s->line, w->raise);
		}
		sheet_emit(s);
	}
}

static void head_own(struct sheet *s)
{
	sheet_figures(s, "own     %b locked, %d of CPU (pages %b, stacks %b, "
		      "tasks %b, modules %b, rings %b)", FIGURE_OWN_BYTES,
		      FIGURE_CPU_NS, FIGURE_PAGES_BYTES, FIGURE_STACKS_BYTES,
		      FIGURE_TASKS_BYTES, FIGURE_MODULES_BYTES,
		      FIGURE_RING_BYTES);
	sheet_emit(s);
}

static void head_notes(struct sheet *s)
{
	const struct session *n = s->r->session;

	for (uint32_t i = 0; i < n->notes && i < NOTES_MAX; i++) {
		line_str(&s->line, "note    ");
		line_name(&s->line, n->note[i]);
		sheet_emit(s);
	}
}

static void head_advice(struct sheet *s)
{
	static const char *const reasons[] = {
		[FOR_PEAK] = "at the peak",
		[FOR_UNPACKING] = "while the initramfs is unpacked",
		[FOR_ROOTFS] = "so that half of the free holds the initramfs",
	};
	const uint64_t *v = s->value;

	if (!s->ledger->memory_sampled)
		return;
	line_str(&s->line, "advice  ");
	if (v[FIGURE_ADVICE_KIB] == UNKNOWN) {
		line_str(&s->line, "none: ");
		line_str(&s->line, no_advice(s->ledger));
		sheet_emit(s);
		return;
	}
	line_str(&s->line, s->ledger->kdump ? "crashkernel=" : "memory of ");
	line_fill(&s->line, "%uM would do (%k ", (const uint64_t[])
		  { v[FIGURE_ADVICE_KIB] >> 10, v[FIGURE_NEED_KIB] });
	line_str(&s->line, reasons[advice_for(v)]);
	sheet_line(s, ", and a tenth more)", NULL);
}

/* What the advice is made of, and what it leaves out. The lowest free memory is
 * not the one in the line `memory`: advice.h says how it is found. */
static void head_used(struct sheet *s)
{
	const uint64_t *v = s->value;

	if (!s->ledger->memory_sampled)
		return;
	sheet_figures(s, "used    %k of %k at the peak, %k free with per-CPU "
		      "lists", FIGURE_USED_KIB, FIGURE_TOTAL_KIB,
		      FIGURE_LOWEST_KIB);
	sheet_emit(s);
	if (s->r->level < 2 && v[FIGURE_UNPACKING_KIB] != UNKNOWN)
		return;
	if (v[FIGURE_SCALED_KIB] == UNKNOWN) {
		sheet_line(s, "        the kernel's log was not read: "
			   "unpacking is not counted, page structs as of %k",
			   &v[FIGURE_TOTAL_KIB]);
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

/* A report when memory runs out. */
static int is_brief(const struct sheet *s)
{
	return s->r->order != BY_PEAK;
}

void text_head(struct sheet *s)
{
	head_title(s, is_brief(s));
	head_traced(s);
	if (!is_brief(s))
		head_advice(s);
	head_warnings(s);
}

void text_account(struct sheet *s)
{
	head_balance(s);
	if (is_brief(s))
		return;
	head_used(s);
	head_kernel(s);
	if (s->r->level > 1)
		head_events(s);
	head_own(s);
	head_notes(s);
	head_baseline(s);
}
