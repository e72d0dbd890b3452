/* SPDX-License-Identifier: MIT */
/* What would save most, as lines of a report: see parts.h, saves. */
#include <string.h>
#include "report/report.h"
#include "report/parts.h"

/* Three strings, one behind the other: the name in JSON; what to change, behind
 * which stand a module's name, or the slots of swiotlb; why, with of_kib. */
static const char *const whats[] = {
	[SAVES_MODULE] = "module\0" "module_blacklist=\0"
			 ", if the boot can do without it: the module held %k",
	[SAVES_INITRAMFS] = "initramfs\0" "a smaller initramfs\0"
			    ": its files have %k",
	[SAVES_CPUS] = "nr_cpus\0" "nr_cpus=1\0" ": per-CPU memory has %k",
	[SAVES_SWIOTLB] = "swiotlb\0" "swiotlb=\0" ": bounce buffers have %k",
	[SAVES_CRASHKERNEL] = "crashkernel\0" "a smaller crashkernel=\0"
			      ": it has %k",
	[SAVES_HUGE] = "hugepages\0" "a smaller hugepages=\0"
		       ": unused huge pages have %k",
	[SAVES_NODES] = "numa\0" "numa=off\0" ": node data has %k",
	[SAVES_KFENCE] = "kfence\0" "kfence.sample_interval=0\0"
			 ": its pool has %k",
	[SAVES_KMEM] = "nokmem\0" "cgroup.memory=nokmem\0"
		       ": the table of per-CPU objects has %k",
	[SAVES_ROOTFS] = "initramfs_options\0" "initramfs_options=size=90%\0"
			 ", if the kernel has it: rootfs needs %k",
	[SAVES_WORKERS] = "udev\0" "a smaller udev.children-max=\0"
			  ": workers held %k",
	[SAVES_MODULES] = "modules\0" "module_blacklist=\0"
			  ", if the boot can do without them: they held %k",
	[SAVES_TASKS] = "tasks\0" "fewer tasks \0" ": all of them held %k",
	[SAVES_CMA] = "cma\0" "a smaller cma=\0" ": %k are reserved",
};

static const char *next_string(const char *text)
{
	return text + strlen(text) + 1;
}

/* Nothing says how small these can be; or by how much more they save. */
#define AT_MOST (1u << SAVES_INITRAMFS | 1u << SAVES_CRASHKERNEL | \
	1u << SAVES_HUGE | 1u << SAVES_CMA | 1u << SAVES_WORKERS | \
	1u << SAVES_TASKS)
#define AT_LEAST (1u << SAVES_CPUS | 1u << SAVES_NODES)

static uint64_t is_among(const struct saving *v, uint32_t some)
{
	return some >> v->what & 1;
}

/* Of many modules, as many as a line has room for. */
#define NAMES_END 70u

static void put_modules(struct sheet *s, const struct group *g)
{
	const char *before = "";

	for (uint32_t i = 0; i < s->ledger->modules.used; i++) {
		if (!saves_module(s->ledger, g, i))
			continue;
		line_str(&s->line, before);
		if (s->line.len >= NAMES_END) {
			line_str(&s->line, "...");
			return;
		}
		row_write(&s->line, s->ledger, TABLE_MODULES, i);
		before = ",";
	}
}

/* What to change is whose. */
static void put_whose(struct sheet *s, const struct saving *v,
		      const struct group group[TABLE_TASKS + 1])
{
	if (v->what == SAVES_MODULE)
		row_write(&s->line, s->ledger, TABLE_MODULES, v->row);
	else if (v->what == SAVES_MODULES)
		put_modules(s, &group[TABLE_MODULES]);
	else if (v->what == SAVES_TASKS)
		group_write(&s->line, s->ledger, &group[TABLE_TASKS]);
	else if (v->what == SAVES_SWIOTLB)
		line_value(&s->line, "%u", v->row);
}

/* Why a smaller initramfs saves more than its files. */
static void put_why(struct sheet *s)
{
	const enum advice_for moment = advice_for(s->value);
	const uint64_t image = baseline_kib(s->ledger, BASELINE_INITRD);
	const uint64_t inodes = baseline_kib(s->ledger, BASELINE_INODES);

	if (inodes && moment != FOR_ROOTFS)
		line_fill(&s->line, ", inodes %k", &inodes);
	if (moment == FOR_ROOTFS && rootfs_needs_inodes(s->ledger, s->value))
		line_value(&s->line, ", rootfs needs %k for each",
			   2 * s->line.page_kib);
	else if (moment == FOR_ROOTFS)
		line_str(&s->line, rootfs_is_half(s->ledger) ?
			 ", rootfs needs twice that" :
			 ", rootfs is a part of memory");
	else if (moment == FOR_UNPACKING && image)
		line_fill(&s->line, ", its image %k", &image);
}

static void put_largest(struct sheet *s)
{
	const struct ledger *l = s->ledger;

	for (uint32_t i = 0; i < l->initramfs_rows; i++) {
		line_str(&s->line, i ? ", " : "        most in ");
		line_name(&s->line, l->initramfs[i].name);
		line_fill(&s->line, " %b", &l->initramfs[i].bytes);
	}
	if (l->initramfs_rows)
		sheet_emit(s);
}

/* A report when memory runs out is short. */
void saves_text(struct sheet *s, const struct verdict *verdict)
{
	struct saving best[SAVES_MAX];
	unsigned int count = saves_get(s->r, verdict, s->value, best);

	if (count && is_oom(s->r))
		count = 1;
	for (const struct saving *v = best; v < best + count; v++) {
		const char *const change = next_string(whats[v->what]);

		line_str(&s->line, "saves   ");
		line_str(&s->line, is_among(v, AT_MOST) ? "at most " :
				   is_among(v, AT_LEAST) ? "at least " : "");
		line_fill(&s->line, "%k by ", &v->kib);
		line_str(&s->line, change);
		put_whose(s, v, verdict->group);
		line_fill(&s->line, next_string(change), &v->of_kib);
		if (v->what == SAVES_INITRAMFS)
			put_why(s);
		sheet_emit(s);
		if (v->what == SAVES_INITRAMFS)
			put_largest(s);
	}
}

void saves_json(struct sheet *s)
{
	struct saving best[SAVES_MAX];
	struct verdict verdict;
	unsigned int count;

	verdict_get(s->r, &verdict);
	count = saves_get(s->r, &verdict, s->value, best);

	for (const struct saving *v = best; v < best + count; v++) {
		json_begin(s, "save");
		json_name(s, "what", whats[v->what]);
		if (v->what == SAVES_MODULE)
			json_row_name(s, "module", TABLE_MODULES, v->row);
		if (v->what >= SAVES_MODULES) {
			line_str(&s->line, ",\"group\":\"");
			group_write(&s->line, s->ledger, &verdict.group[
				    v->what == SAVES_TASKS]);
			line_char(&s->line, '"');
		}
		if (v->what == SAVES_SWIOTLB)
			json_number(s, "slots", v->row);
		json_numbers(s, "saves_kib of_kib at_most at_least",
				(const uint64_t[]){
				v->kib, v->of_kib, is_among(v, AT_MOST),
				is_among(v, AT_LEAST) });
		json_end(s);
	}
}

void initramfs_json(struct sheet *s)
{
	const struct ledger *l = s->ledger;

	for (uint32_t i = 0; i < l->initramfs_rows; i++) {
		json_begin(s, "initramfs");
		json_name(s, "path", l->initramfs[i].name);
		json_number(s, "size_kib", l->initramfs[i].bytes / 1024);
		json_end(s);
	}
}
