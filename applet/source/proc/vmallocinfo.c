/*
 * /proc/vmallocinfo: who asked for an area, and how many pages it has.
 *
 * "0xffffc9000001d000-0xffffc90000022000 20480 kernel_clone+0xbf/0x430
 * [module] pages=4 vmalloc N0=4"; areas without pages are ioremap's, vmap's and
 * so on. Addresses are hashed unless kptr_restrict is 1 (and we have
 * CAP_SYSLOG), so it is, for as long as we read.
 */
#include <errno.h>
#include <string.h>
#include "base/print.h"
#include "source/proc/proc.h"
#include "base/readfile.h"

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
	if (base.len > 16 || word_number(&base, 16, &e->base) || !e->base ||
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
	return 0;
}

struct area_reader {
	struct event_out *out;
	struct event event;
};

static void take_area(void *context, char *line, size_t len)
{
	struct area_reader *r = context;

	if (!vmallocinfo_line(line, len, &r->event))
		r->out->event(r->out, &r->event);
}

int proc_vmallocinfo(struct event_out *out, uint64_t time_ns, int sampled)
{
	const char *const restricted = "/proc/sys/kernel/kptr_restrict";
	struct area_reader r;
	char before[8];
	int hidden, error;

	r.out = out;
	event_begin(&r.event, EVENT_AREA_SEEN, time_ns);
	r.event.flags = sampled ? EVENT_SAMPLED : 0;
	/* What cannot be read is not changed: it could not be put back. */
	hidden = readfile(restricted, before, sizeof(before)) > 0 &&
		 before[0] != '1';
	if (hidden)
		writefile(restricted, "1");
	error = each_line("/proc/vmallocinfo", take_area, &r);
	if (hidden && writefile(restricted, before))
		writefile(restricted, before);	/* it must not stay so */
	r.event.type = EVENT_AREAS_SEEN;
	if (!error)
		out->event(out, &r.event);
	return error;
}
