/* SPDX-License-Identifier: MIT */
/*
 * /proc/vmallocinfo: who asked for an area, and how many pages it has.
 *
 * "0xffffc9000001d000-0xffffc90000022000 20480 kernel_clone+0xbf/0x430
 * [module] pages=4 vmalloc N0=4". Areas without pages belong to ioremap, vmap
 * and others. kptr_restrict decides how addresses are shown (lib/vsprintf.c,
 * %pK). 1, with CAP_SYSLOG: as they are. 0: hashed to 32 bits; a hash
 * identifies an area as long as the kernel runs, but does not tell which code
 * lies in it. 2: all are 0. We do not change the setting, and read what is
 * shown. On a 32-bit kernel a hash looks like an address: there the setting itself
 * is read.
 */
#include <errno.h>
#include <string.h>
#include "base/base.h"
#include "source/proc/proc.h"
#include "base/system.h"

int vmallocinfo_line(const char *line, size_t len, struct event *e)
{
	struct word rest = { line, len };
	struct word base, caller, module = { "", 0 }, pages;

	word_to(&rest, '-', &base);
	next_word(&rest, &pages);	/* the end */
	next_word(&rest, &pages);	/* the size */
	next_word(&rest, &caller);
	next_word(&rest, &pages);
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
	/* The module's name stays whole. */
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
	unsigned int hash_bits;	/* no hash is larger; 0: there are none */
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

/* With 1 a 64-bit kernel shows no small addresses to this program either. */
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
