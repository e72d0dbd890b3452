/* SPDX-License-Identifier: MIT */
/* /proc/slabinfo, vmallocinfo and meminfo: see proc.h, slabinfo and proc. */
#include <errno.h>
#include <string.h>
#include "base/base.h"
#include "base/system.h"
#include "source/proc/proc.h"

/* --- slabinfo */

/* The words of a line: name, objects in use, objects, bytes of an object,
 * objects and pages of a slab, ":", "tunables", three tunables, ":",
 * "slabdata", active slabs, slabs, shared. See slabinfo(5). */
enum { IN_USE = 1, EACH_BYTES = 3, SLAB_PAGES = 5, SLABS = 14, WORDS };

int slab_line(const char *line, size_t len, struct slab *s)
{
	struct word rest = { line, len }, w[WORDS];
	uint64_t slab_pages, slabs;

	next_words(&rest, w, WORDS);
	if (word_number(&w[IN_USE], 10, &s->objects) ||
	    word_number(&w[EACH_BYTES], 10, &s->object_bytes) ||
	    word_number(&w[SLAB_PAGES], 10, &slab_pages) ||
	    word_number(&w[SLABS], 10, &slabs) ||
	    (s->objects | s->object_bytes | slab_pages | slabs) > UINT32_MAX)
		return -EINVAL;
	s->pages = slab_pages * slabs;
	word_copy(w, s->name, sizeof(s->name));
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

static void emit_cache(void *context, const struct slab *s)
{
	struct emitter *t = context;
	struct event *e = &t->event;

	e->size = s->object_bytes;
	e->objects = s->objects;
	e->pages = s->pages;
	memcpy(e->name, s->name, sizeof(s->name));
	t->out->event(t->out, e);
}

void proc_caches(struct event_out *o, uint64_t time_ns)
{
	struct emitter t = { .out = o };

	event_begin(&t.event, EVENT_CACHE_SEEN, time_ns);
	if (slabinfo_each(emit_cache, &t))
		return;		/* without the end no cache is gone */
	event_begin(&t.event, EVENT_CACHE_SEEN, time_ns);
	o->event(o, &t.event);
}

/*
 * --- vmallocinfo
 *
 * /proc/vmallocinfo: the caller that asked for an area, and its pages.
 *
 * "0xffffc9000001d000-0xffffc90000022000 20480 kernel_clone+0xbf/0x430 [module]
 * pages=4 vmalloc N0=4". Areas without pages belong to ioremap, vmap and
 * others. kptr_restrict decides how addresses are shown (lib/vsprintf.c, %pK).
 * 1, with CAP_SYSLOG: plain. 0: hashed to 32 bits; a hash identifies an area as
 * long as the kernel runs, but not the code in the area. 2: all are 0. We do
 * not change the setting. On a 32-bit kernel a hash looks like an address:
 * there we read the setting itself.
 */

int vmallocinfo_line(const char *line, size_t len, struct event *e)
{
	enum { AREA_END, AREA_BYTES, AREA_CALLER, AREA_PAGES, AREA_WORDS };
	struct word rest = { line, len }, w[AREA_WORDS];
	struct word base, caller, module = { "", 0 }, pages;

	word_to(&rest, '-', &base);
	next_words(&rest, w, AREA_WORDS);
	caller = w[AREA_CALLER];
	pages = w[AREA_PAGES];
	if (pages.len && *pages.at == '[') {
		module = pages;
		next_word(&rest, &pages);
	}
	base.at += 2;
	base.len -= 2;
	if (base.len > 16 || word_number(&base, 16, &e->base) ||
	    !word_is(word_to(&pages, '=', &rest), "pages") ||
	    word_number(&pages, 10, &e->pages) || e->pages - 1 >= UINT32_MAX)
		return -EINVAL;
	e->type = EVENT_AREA_SEEN;
	/* If the text is too long, the name of the caller is cut. */
	if (module.len + 2 > sizeof(e->name))
		module.len = 0;
	if (caller.len > sizeof(e->name) - 2 - module.len)
		caller.len = sizeof(e->name) - 2 - module.len;
	memset(e->name, 0, sizeof(e->name));
	print_to(e->name, sizeof(e->name), module.len ? "%.*s %.*s" : "%.*s",
		 (int)caller.len, caller.at, (int)module.len, module.at);
	return e->base ? 0 : -EPERM;
}

struct area_reader {
	struct event_out *out;
	enum addresses *shown;
	unsigned int hash_bits;	/* of a hashed address; 0: none is hashed */
	int changed;
	struct event event;
};

static enum addresses how_shown(const struct area_reader *r)
{
	const uint64_t base = r->event.base;

	if (!base)
		return ADDRESSES_HIDDEN;
	return base >> r->hash_bits ? ADDRESSES_PLAIN : ADDRESSES_HASHED;
}

/* On a 64-bit kernel no plain address is as small as a hash. */
static unsigned int hash_bits(void)
{
	uint64_t restricted = 0;

	if (sizeof(long) == 4)
		read_number("/proc/sys/kernel/kptr_restrict", 10, &restricted);
	return restricted == 1 ? 0 : 32;
}

static void take_area(void *context, char *line, size_t len)
{
	struct area_reader *r = context;
	const int error = vmallocinfo_line(line, len, &r->event);

	if (error && error != -EPERM)
		return;
	if (!*r->shown)
		*r->shown = how_shown(r);
	r->changed |= how_shown(r) != *r->shown;
	if (!error && !r->changed)
		r->out->event(r->out, &r->event);
}

int proc_vmallocinfo(struct event_out *out, uint64_t time_ns,
		     enum addresses *shown)
{
	struct area_reader r;
	int error;

	r.out = out;
	r.shown = shown;
	r.changed = 0;
	r.hash_bits = hash_bits();
	event_begin(&r.event, EVENT_AREA_SEEN, time_ns);
	r.event.flags = EVENT_SAMPLED;
	error = each_line("/proc/vmallocinfo", take_area, &r);
	if (error)
		return error;
	if (r.changed)
		return -ESTALE;
	if (*shown == ADDRESSES_HIDDEN)
		return -EPERM;
	r.event.type = EVENT_AREAS_SEEN;
	out->event(out, &r.event);
	return 0;
}

/*
 * --- baseline
 *
 * The memory used before tracing, from /proc/meminfo; and the free pages on
 * per-CPU lists, which MemFree does not count.
 */

/* Of some fifty lines, those of memory that belongs to no module or task. */
static const char *const meminfo_names[] = {
	"Cached", "AnonPages", "Slab", "KernelStack", "PageTables", "Percpu",
	"VmallocUsed", "CmaTotal", BASELINE_SHMEM,
};

int baseline_figure(struct event *e, const struct word *name, uint64_t kib)
{
	if (kib > UINT64_MAX / 1024)
		return -EINVAL;
	e->type = EVENT_FIGURE;
	e->flags = 0;
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
