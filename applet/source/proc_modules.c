/*
 * Where the text of a module lies.
 *
 * /sys/module/NAME/sections/ tells the exact start of .text and .init.text;
 * coresize and initsize how far they may reach (exact up to 6.3; since then
 * text is one of several parts, and this is the sum of all, an upper bound:
 * ledger/modules.c cuts it at the next module). initsize is 0 once init has
 * run: then its text may be gone and used by another, and is not claimed.
 * Without sysfs, /proc/modules gives the start and size of the core.
 */
#include <errno.h>
#include <string.h>
#include "../number.h"
#include "../print.h"
#include "proc.h"
#include "readfile.h"

/* A number in a file of /sys/module/NAME. */
static int read_number(const char *module, const char *file, unsigned int base,
		       uint64_t *value)
{
	char path[sizeof("/sys/module//sections/.init.text") +
		  MODULE_NAME_BYTES];
	char text[32];
	const char *at = text;
	ssize_t len;

	print_to(path, sizeof(path), "/sys/module/%s/%s", module, file);
	len = readfile(path, text, sizeof(text));
	if (len < 0)
		return (int)len;
	while (len && (at[len - 1] == '\n' || !at[len - 1]))
		len--;
	if (base == 16 && len > 2 && at[0] == '0' && at[1] == 'x') {
		at += 2;
		len -= 2;
	}
	return parse_u64(at, (size_t)len, base, 1, UINT64_MAX, value);
}

static void emit(struct event_out *out, const char *name, uint64_t time_ns,
		 uint64_t base, uint64_t size, uint32_t flags)
{
	struct event e = {
		.time_ns = time_ns, .type = EVENT_MODULE_RANGE,
		.base = base, .size = size, .flags = flags,
	};

	print_to(e.name, sizeof(e.name), "%s", name);
	out->event(out, &e);
}

/* A name with a slash or a leading dot would name another file. */
static int is_plain(const char *name)
{
	return *name && *name != '.' && !memchr(name, '/', strlen(name));
}

int module_ranges(struct event_out *out, const char *name, uint64_t time_ns)
{
	uint64_t base, size;
	int error;

	if (!is_plain(name))
		return -EINVAL;
	error = read_number(name, "sections/.text", 16, &base);
	if (!error)
		error = read_number(name, "coresize", 10, &size);
	if (error)
		return error;
	emit(out, name, time_ns, base & ~(uint64_t)4095, size, 0);
	if (!read_number(name, "sections/.init.text", 16, &base) &&
	    !read_number(name, "initsize", 10, &size))
		emit(out, name, time_ns, base & ~(uint64_t)4095, size,
		     EVENT_INIT_TEXT);
	return 0;
}

/* "ext4 1130496 1 - Live 0xffffffffc0a12000": name, size, users, users' names,
 * state, start. */
static void proc_line(struct event_out *out, char *line, size_t len,
		      uint64_t time_ns)
{
	char *word[6], *end = line + len;
	uint64_t size, base;
	unsigned int words = 0;

	while (words < 6 && line < end) {
		char *stop = memchr(line, ' ', (size_t)(end - line));

		word[words++] = line;
		if (!stop)
			stop = end;
		*stop = '\0';
		line = stop + 1;
	}
	if (words < 6 || !*word[0] || strlen(word[0]) >= MODULE_NAME_BYTES)
		return;
	if (!module_ranges(out, word[0], time_ns) || strlen(word[5]) < 3 ||
	    parse_u64(word[1], strlen(word[1]), 10, 1, UINT64_MAX, &size) ||
	    parse_u64(word[5] + 2, strlen(word[5] + 2), 16, 1, UINT64_MAX,
		      &base))
		return;
	emit(out, word[0], time_ns, base, size, 0);
}

int proc_modules(struct event_out *out, uint64_t time_ns)
{
	struct lines l;
	char *line;
	size_t len;
	int error = lines_open(&l, "/proc/modules");

	if (error)
		return error;
	while ((line = lines_next(&l, &len)))
		proc_line(out, line, len, time_ns);
	lines_close(&l);
	return 0;
}
