/* SPDX-License-Identifier: MIT */
/* Sites of /proc/allocinfo, summed up: see view.h, tags. */
#include <errno.h>
#include <string.h>
#include "base/base.h"
#include "host/view/view.h"

#define SLACK_BYTES 4096u

uint64_t tags_bytes(void)
{
	return SITES_MAX * (sizeof(struct view_site) + sizeof(uint32_t)) +
	       SITE_MODULES_MAX * sizeof(struct view_site) +
	       SITE_TEXT_BYTES + hash_bytes(SITES_MAX) + SLACK_BYTES;
}

/* The place of a text in the texts; 0: no room. */
static uint32_t keep(struct view_sites *v, const struct word *w)
{
	const uint32_t at = v->texts_used;

	if (w->len >= SITE_TEXT_BYTES - at)
		return 0;
	memcpy(v->texts + at, w->at, w->len);
	v->texts_used += (uint32_t)w->len + 1;
	return at;
}

int tags_begin(struct view_sites *v, const struct config *c, void *block)
{
	const struct word other = { "(other)", 7 }, none = { "(no module)", 11 };
	const struct word nowhere = { "", 0 };

	v->config = c;
	arena_init(&v->arena, block, (size_t)tags_bytes());
	v->row = arena_take(&v->arena, SITES_MAX, sizeof(*v->row));
	v->module = arena_take(&v->arena, SITE_MODULES_MAX, sizeof(*v->module));
	v->order = arena_take(&v->arena, SITES_MAX, sizeof(*v->order));
	v->texts = arena_take(&v->arena, SITE_TEXT_BYTES, 1);
	hash_init(&v->hash, &v->arena, SITES_MAX);
	if (v->arena.failed)
		return v->arena.failed;
	v->used = v->modules = 1;
	v->row[SITE_OTHERS].place = keep(v, &nowhere);
	v->row[SITE_OTHERS].name = keep(v, &other);
	v->module[SITE_OTHERS].name = keep(v, &none);
	return 0;
}

static int is_text(const struct view_sites *v, uint32_t at, const struct word *w)
{
	const char *text = v->texts + at;

	return !strncmp(text, w->at, w->len) && !text[w->len];
}

/* The row of a module; if there is no room, UINT32_MAX. */
static uint32_t module_of(struct view_sites *v, const struct word *name)
{
	uint32_t i = v->last_module, at;

	if (!name->len)
		return SITE_OTHERS;
	if (i && is_text(v, v->module[i].name, name))
		return i;
	for (i = 1; i < v->modules; i++)
		if (is_text(v, v->module[i].name, name))
			return i;
	at = i < SITE_MODULES_MAX ? keep(v, name) : 0;
	if (!at)
		return UINT32_MAX;
	v->module[i].name = at;
	v->modules++;
	return i;
}

static uint32_t site_of(struct view_sites *v, const struct site_line *s,
			uint32_t module)
{
	const uint32_t place = text_hash(TEXT_HASH_BEGIN ^ module,
					 s->place.at, s->place.len);
	uint32_t *head = hash_bucket(&v->hash,
				     text_hash(place, s->function.at,
					       s->function.len), 0);
	uint32_t i = *head;
	struct view_site *site;

	while (i && (v->row[i].module != module ||
		     !is_text(v, v->row[i].place, &s->place) ||
		     !is_text(v, v->row[i].name, &s->function)))
		i = v->row[i].next;
	if (i)
		return i;
	site = &v->row[v->used];
	if (v->used == SITES_MAX || !(site->place = keep(v, &s->place)) ||
	    !(site->name = keep(v, &s->function))) {
		v->full++;
		return SITE_OTHERS;
	}
	site->module = module;
	site->next = *head;
	*head = v->used;
	v->module[module].sites++;
	return v->used++;
}

/* The sum of bytes stays in its range, which no kernel comes near to; that of
 * calls wraps, as the kernel's own do. */
static void add(struct site_sums *sums, const struct site_line *s)
{
	if (__builtin_add_overflow(sums->bytes, s->bytes, &sums->bytes))
		sums->bytes = s->bytes < 0 ? INT64_MIN : INT64_MAX;
	sums->calls = (int64_t)((uint64_t)sums->calls + (uint64_t)s->calls);
}

static void enter(struct view_sites *v, const struct site_line *s)
{
	uint32_t module = SITE_OTHERS, row = SITE_OTHERS;

	v->sites++;
	v->inaccurate += s->inaccurate != 0;
	v->negative += s->bytes < 0 || s->calls < 0;
	v->pairs += s->unknown;
	if (!s->bytes && !s->calls && !s->inaccurate)
		return;
	module = module_of(v, &s->module);
	if (module == UINT32_MAX) {
		v->full++;
		module = SITE_OTHERS;
	} else {
		v->last_module = module;
		row = site_of(v, s, module);
	}
	add(&v->sums, s);
	add(&v->module[module].sums, s);
	add(&v->row[row].sums, s);
	v->row[row].inaccurate |= s->inaccurate;
}

const char *tags_line(struct view_sites *v, const char *line, size_t len)
{
	struct word version = { NULL, 0 };
	const char *problem = NULL;
	struct site_line s;
	int error;

	if (!len)
		return NULL;
	error = allocinfo_line(line, len, &s, &version, &problem);
	if (error > 0 && version.at)
		word_copy(&version, v->version, sizeof(v->version));
	if (!error)
		enter(v, &s);
	v->wrong_lines += error < 0;
	return problem;
}
