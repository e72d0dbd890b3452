/* SPDX-License-Identifier: MIT */
/* Modules, slab caches and kinds of memory, line by line: see sampled.h. */
#include <errno.h>
#include <string.h>
#include "source/proc/proc.h"
#include "source/sampled/sampled.h"

/* "ext4 1130496 1 - Live 0xffffffffc0a12000" */
int module_line(const char *line, size_t len, uint32_t page_bytes,
		struct event *e)
{
	struct word rest = { line, len }, name;
	uint64_t bytes;

	next_word(&rest, &name);
	if (!name.len || name.len >= sizeof(e->name) ||
	    number_to(&rest, ' ', 10, &bytes))
		return -EINVAL;
	e->type = EVENT_MODULE_SAMPLE;
	e->pages = bytes / page_bytes + (bytes % page_bytes != 0);
	word_copy(&name, e->name, sizeof(e->name));
	return 0;
}

int cache_line(const char *line, size_t len, struct event *e)
{
	struct slab slab;

	if (slab_line(line, len, &slab))
		return -EINVAL;
	e->type = EVENT_CACHE_SAMPLE;
	e->pages = slab.pages;
	memcpy(e->name, slab.name, sizeof(slab.name));
	return 0;
}

int kind_line(const char *line, size_t len, uint32_t page_bytes,
	      struct event *e)
{
	struct word name;
	uint64_t kib;

	if (meminfo_kib(line, len, &name, &kib))
		return -EINVAL;
	e->type = EVENT_KIND_SAMPLE;
	e->pages = kib / (page_bytes >> 10);
	word_copy(&name, e->name, sizeof(e->name));
	return 0;
}

char *sampled_line(struct sampled *s, enum sampled_file file, size_t *len)
{
	if (!s->begun)
		lines_begin(&s->lines, s->fd[file]);
	s->begun = 1;
	return lines_next(&s->lines, len);
}

int sampled_module(struct sampled *s, struct event *e)
{
	char *line;
	size_t len;

	while ((line = sampled_line(s, FILE_MODULES, &len)))
		if (!module_line(line, len, s->page_bytes, e))
			return 1;
	return 0;
}

int sampled_cache(struct sampled *s, struct event *e)
{
	char *line;
	size_t len;

	while ((line = sampled_line(s, FILE_CACHES, &len)))
		if (!cache_line(line, len, e))
			return 1;
	return 0;
}

static int is_sampled(const char *name)
{
	for (unsigned int i = 0; i < MEMINFO_LINES; i++)
		if (!strcmp(name, meminfo_sampled[i]))
			return 1;
	return 0;
}

static void take_used(struct sampled *s, uint64_t pages)
{
	s->used_pages -= pages < s->used_pages ? pages : s->used_pages;
}

/* Memory in use is emitted later, at the end of the pass. */
int sampled_kind(struct sampled *s, struct event *e)
{
	char *line;
	size_t len;

	while ((line = sampled_line(s, FILE_MEMINFO, &len))) {
		if (kind_line(line, len, s->page_bytes, e))
			continue;
		if (is_sampled(e->name))
			return 1;
		if (!strcmp(e->name, "MemTotal"))
			s->used_pages = e->pages;
		else if (!strcmp(e->name, "MemFree"))
			take_used(s, e->pages);
	}
	return 0;
}

/* Pages on per-CPU lists are free, though MemFree leaves them out. Since 6.7
 * they may be an eighth of all memory (mm/page_alloc.c: zone_highsize()). */
int sampled_lists(struct sampled *s, struct event *e)
{
	char *line;
	size_t len;

	(void)e;
	while ((line = sampled_line(s, FILE_ZONES, &len)))
		take_used(s, zoneinfo_line(line, len));
	return 0;
}
