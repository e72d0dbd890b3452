/* SPDX-License-Identifier: MIT */
/*
 * The memory used before tracing began, from /proc/meminfo; and the number of
 * free pages on per-CPU lists, which MemFree does not count.
 */
#include <errno.h>
#include <string.h>
#include "base/base.h"
#include "base/system.h"
#include "source/proc/proc.h"

/* Of some fifty names: those of memory that belongs to no module or task. */
static const char *const meminfo_names[] = {
	"Cached", "AnonPages", "Slab", "KernelStack", "PageTables", "Percpu",
	"VmallocUsed", "CmaTotal", BASELINE_SHMEM,
};

int baseline_figure(struct event *e, const struct word *name, uint64_t kib)
{
	if (kib > UINT64_MAX / 1024)
		return -EINVAL;
	e->type = EVENT_FIGURE;
	e->size = kib * 1024;
	word_copy(name, e->name, FIGURE_NAME_BYTES);
	return 0;
}

int meminfo_kib(const char *line, size_t len, struct word *name,
		uint64_t *kib)
{
	struct word rest = { line, len };

	word_to(&rest, ':', name);
	return number_to(past_blanks(&rest), ' ', 10, kib) ||
	       !word_is(&rest, "kB") ? -EINVAL : 0;
}

int meminfo_line(const char *line, size_t len, struct event *e)
{
	struct word name;
	uint64_t kib;

	if (meminfo_kib(line, len, &name, &kib))
		return -EINVAL;
	for (unsigned int i = 0; i < ARRAY_LEN(meminfo_names); i++)
		if (word_is(&name, meminfo_names[i]))
			return baseline_figure(e, &name, kib);
	return -EINVAL;
}

int counter_line(const char *line, size_t len, struct word *name,
		 uint64_t *pages)
{
	struct word rest = { line, len };

	next_word(&rest, name);
	return word_number(past_blanks(&rest), 10, pages) ||
	       *pages > UINT32_MAX ? -EINVAL : 0;
}

/* "              count: 93", in the pagesets of a zone. */
uint64_t zoneinfo_line(const char *line, size_t len)
{
	struct word name;
	uint64_t pages;

	return counter_line(line, len, &name, &pages) ||
	       !word_is(&name, "count:") ? 0 : pages;
}

struct baseline_reader {
	struct event_out *out;
	int boot;
	struct event event;
};

static void take_meminfo(void *context, char *line, size_t len)
{
	struct baseline_reader *r = context;

	if (meminfo_line(line, len, &r->event))
		return;
	/* Before anything has run, page cache is the unpacked initramfs. */
	if (r->boot && !strcmp(r->event.name, "Cached"))
		memcpy(r->event.name, BASELINE_INITRAMFS,
		       sizeof(BASELINE_INITRAMFS));
	r->out->event(r->out, &r->event);
}

void proc_baseline(struct event_out *out, uint64_t time_ns, int boot)
{
	struct baseline_reader r;

	r.out = out;
	r.boot = boot;
	event_begin(&r.event, EVENT_FIGURE, time_ns);
	each_line("/proc/meminfo", take_meminfo, &r);
}

static void take_zoneinfo(void *context, char *line, size_t len)
{
	struct event *e = context;

	e->free_pages += zoneinfo_line(line, len);
}

void proc_pcp(struct event_out *out, uint64_t time_ns, int zoneinfo_fd)
{
	struct event e;

	if (zoneinfo_fd < 0)
		return;
	event_begin(&e, EVENT_MEMORY, time_ns);
	e.flags = EVENT_PCP;
	each_line_again(zoneinfo_fd, take_zoneinfo, &e);
	out->event(out, &e);
}
