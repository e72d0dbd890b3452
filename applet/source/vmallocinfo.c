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
#include "../number.h"
#include "../print.h"
#include "proc.h"
#include "readfile.h"

/* Past the next blanks, and where the word there ends. */
static const char *next_word(const char *at, const char *end, size_t *len)
{
	const char *stop;

	while (at < end && *at == ' ')
		at++;
	stop = memchr(at, ' ', (size_t)(end - at));
	*len = (size_t)((stop ? stop : end) - at);
	return at;
}

int vmallocinfo_line(const char *line, size_t len, struct event *e)
{
	const char *const end = line + len;
	const char *dash = memchr(line, '-', len), *caller, *at, *module;
	size_t word, caller_len, module_len = 0;

	if (!dash || dash - line < 3 ||
	    parse_u64(line + 2, (size_t)(dash - line - 2), 16, 1, UINT64_MAX,
		      &e->base))
		return -EINVAL;
	at = next_word(dash, end, &word);
	at = next_word(at + word, end, &word);
	caller = next_word(at + word, end, &caller_len);
	at = module = next_word(caller + caller_len, end, &word);
	if (word && *at == '[') {
		module_len = word;
		at = next_word(at + word, end, &word);
	}
	if (word < 7 || memcmp(at, "pages=", 6) ||
	    parse_u64(at + 6, word - 6, 10, 1, UINT32_MAX, &e->pages))
		return -EINVAL;
	e->type = EVENT_AREA_SEEN;
	/* The module's name stays whole. */
	if (module_len + 2 > sizeof(e->name))
		module_len = 0;
	if (caller_len > sizeof(e->name) - 2 - module_len)
		caller_len = sizeof(e->name) - 2 - module_len;
	memset(e->name, 0, sizeof(e->name));
	print_to(e->name, sizeof(e->name), module_len ? "%.*s %.*s" : "%.*s",
		 (int)caller_len, caller, (int)module_len, module);
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
	static const char restricted[] = "/proc/sys/kernel/kptr_restrict";
	struct area_reader r = { out, {
		.time_ns = time_ns, .flags = sampled ? EVENT_SAMPLED : 0,
	} };
	char before[8] = "";
	int error;

	readfile(restricted, before, sizeof(before));
	if (before[0] != '1')
		writefile(restricted, "1");
	error = each_line("/proc/vmallocinfo", take_area, &r);
	if (before[0] != '1')
		writefile(restricted, before);
	r.event.type = EVENT_AREAS_SEEN;
	if (!error)
		out->event(out, &r.event);
	return error;
}
