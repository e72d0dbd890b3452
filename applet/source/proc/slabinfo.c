/* SPDX-License-Identifier: MIT */
/* See proc.h, slabinfo. */
#include <errno.h>
#include <string.h>
#include "base/system.h"
#include "source/proc/proc.h"

/* The words of a line: name, objects in use, objects, bytes of each, objects and
 * pages of a slab, ":", "tunables", three of them, ":", "slabdata", active
 * slabs, slabs, shared. See slabinfo(5). */
enum { IN_USE = 1, EACH_BYTES = 3, SLAB_PAGES = 5, SLABS = 14, WORDS };

int slab_line(const char *line, size_t len, struct slab *s)
{
	struct word rest = { line, len }, name, w;
	uint64_t value[WORDS];

	next_word(&rest, &name);
	for (int i = 1; i < WORDS; i++) {
		const int wanted = i == IN_USE || i == EACH_BYTES ||
				   i == SLAB_PAGES || i == SLABS;

		next_word(&rest, &w);
		if (wanted && (word_number(&w, 10, &value[i]) ||
			       value[i] > UINT32_MAX))
			return -EINVAL;
	}
	s->objects = value[IN_USE];
	s->object_bytes = value[EACH_BYTES];
	s->pages = value[SLAB_PAGES] * value[SLABS];
	word_copy(&name, s->name, sizeof(s->name));
	return 0;
}

struct reading {
	slab_seen *see;
	void *context;
};

static void take_cache(void *context, char *line, size_t len)
{
	const struct reading *r = context;
	struct slab s;

	if (!slab_line(line, len, &s))
		r->see(r->context, &s);
}

int slabinfo_each(slab_seen *see, void *context)
{
	struct reading r = { see, context };

	return each_line("/proc/slabinfo", take_cache, &r);
}

struct telling {
	struct event_out *out;
	struct event event;
};

static void tell(void *context, const struct slab *s)
{
	struct telling *t = context;
	struct event *e = &t->event;

	e->size = s->object_bytes;
	e->objects = s->objects;
	e->pages = s->pages;
	memcpy(e->name, s->name, sizeof(s->name));
	t->out->event(t->out, e);
}

void proc_caches(struct event_out *o, uint64_t time_ns)
{
	struct telling t = { .out = o };

	event_begin(&t.event, EVENT_CACHE_SEEN, time_ns);
	if (slabinfo_each(tell, &t))
		return;		/* no cache is gone because of that */
	event_begin(&t.event, EVENT_CACHE_SEEN, time_ns);
	o->event(o, &t.event);
}
