/* SPDX-License-Identifier: MIT */
/* The line of what was used before: see parts.h, text before. */
#include <string.h>
#include "report/report.h"
#include "report/parts.h"

#define BEFORE_SHOWN 2

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

int is_kernel_part(const char *name)
{
	return is_part(name, KERNEL_PARTS);
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
}
