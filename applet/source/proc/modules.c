/* SPDX-License-Identifier: MIT */
/*
 * Where the text of a module lies.
 *
 * /sys/module/NAME/sections/ tells the exact start of .text and .init.text.
 * coresize and initsize tell how far they may reach: exactly up to 6.3; since
 * then text is one of several parts, and the size is the sum of all parts, an
 * upper bound, which ledger/modules.c cuts at the next module. initsize is 0
 * after init has run: its text may then be freed and used for something else,
 * so it is not claimed. Without sysfs, /proc/modules gives the start and size
 * of the core. On powerpc .init.text is a part of the core, and stays.
 */
#include <errno.h>
#include <string.h>
#include "base/base.h"
#include "source/proc/proc.h"
#include "base/system.h"

/* A number other than 0 in a file of /sys/module/NAME. */
static int module_number(const char *module, const char *file,
			 unsigned int base, uint64_t *value)
{
	char path[sizeof("/sys/module//sections/.init.text") +
		  MODULE_NAME_BYTES];
	int error;

	print_to(path, sizeof(path), "/sys/module/%s/%s", module, file);
	error = read_number(path, base, value);
	return error || *value ? error : -ERANGE;
}

/* Reads a range of text; it begins at the start of its page. */
static int read_range(struct event *e, const char *start, const char *size)
{
	int error = module_number(e->name, start, 16, &e->base);

	e->base &= ~(uint64_t)4095;
	return error ? error : module_number(e->name, size, 10, &e->size);
}

#ifdef __powerpc__
#define INIT_TEXT_APART 0
#else
#define INIT_TEXT_APART 1
#endif

/* A name with a slash or a leading dot would name another file. */
static int is_plain(const char *name)
{
	return *name && *name != '.' && !memchr(name, '/', strlen(name));
}

int module_ranges(struct event_out *out, struct event *e)
{
	int error = -EINVAL;

	e->type = EVENT_MODULE_RANGE;
	if (is_plain(e->name))
		error = read_range(e, "sections/.text", "coresize");
	if (error == -ENOENT)	/* all of its text may be cold */
		error = read_range(e, "sections/.text.unlikely", "coresize");
	if (error)
		return error;
	e->flags = 0;
	out->event(out, e);
	e->flags = EVENT_INIT_TEXT;
	if (INIT_TEXT_APART &&
	    !read_range(e, "sections/.init.text", "initsize"))
		out->event(out, e);
	return 0;
}

struct modules_reader {
	struct event_out *out;
	struct event event;
};

/* "ext4 1130496 1 - Live 0xffffffffc0a12000": name, size, users, users' names,
 * state, start. */
static void take_module(void *context, char *line, size_t len)
{
	struct modules_reader *r = context;
	struct event *e = &r->event;
	struct word rest = { line, len }, name, size, w;

	word_to(&rest, ' ', &name);
	word_to(&rest, ' ', &size);
	for (int i = 0; i < 4; i++)
		word_to(&rest, ' ', &w);
	if (!w.len || !name.len || name.len >= MODULE_NAME_BYTES)
		return;
	word_copy(&name, e->name, sizeof(e->name));
	if (!module_ranges(r->out, e) || w.len < 3)
		return;
	w.at += 2;
	w.len -= 2;
	e->flags = 0;
	if (!word_number(&size, 10, &e->size) && e->size &&
	    !word_number(&w, 16, &e->base) && e->base)
		r->out->event(r->out, e);
}

int proc_modules(struct event_out *out, uint64_t time_ns)
{
	struct modules_reader r;

	r.out = out;
	event_begin(&r.event, EVENT_MODULE_RANGE, time_ns);
	return each_line("/proc/modules", take_module, &r);
}
