/* SPDX-License-Identifier: MIT */
/* Modules: which of them are in use, where their text is, and their
 * directories: see proc.h, in use and proc. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/base.h"
#include "base/system.h"
#include "source/proc/proc.h"

/* The words of a line of /proc/modules: "ext4 1130496 1 - Live
 * 0xffffffffc0a12000". */
enum {
	MODULE_BYTES = 1, MODULE_USES, MODULE_USERS, MODULE_STATE, MODULE_START,
	MODULE_WORDS
};

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

/* If the table of names is full, every module counts as in use. */
static int has(const struct in_use *u, const struct word *name)
{
	if (u->names == IN_USE_MAX)
		return 1;
	for (uint32_t i = 0; i < u->names; i++)
		if (word_is(name, u->name[i]))
			return 1;
	return 0;
}

static void add(struct in_use *u, const struct word *name)
{
	if (!has(u, name))
		word_copy(name, u->name[u->names++], MODULE_NAME_BYTES);
}

/* "virtio_ring 36864 2 virtio_blk,virtio_pci, Live 0x0", "ext4 9 1 - Live 0x0";
 * "[permanent]," is not a user. A module that is not live yet uses itself. A
 * kernel that cannot unload modules counts no uses: then all modules are in
 * use. */
void in_use_line(void *reader, char *line, size_t len)
{
	struct in_use *u = reader;
	struct word rest = { line, len }, m[MODULE_WORDS], w;
	uint64_t uses = 1;
	int used;

	next_words(&rest, m, MODULE_WORDS);
	word_number(&m[MODULE_USES], 10, &uses);
	for (used = has(u, m); m[MODULE_USERS].len;) {
		word_to(&m[MODULE_USERS], ',', &w);
		used |= has(u, &w);
		uses -= w.len && *w.at != '-' && *w.at != '[';
	}
	if (!word_is(&m[MODULE_STATE], "Live") || !(used | (uses != 0)))
		return;
	add(u, m);
	word_copy(m, u->event.name, sizeof(u->event.name));
	u->out->event(u->out, &u->event);
}

static size_t read_link(const char *path, char link[256])
{
	const long n = syscall(SYS_readlinkat, AT_FDCWD, path, link, 255);

	link[n > 0 ? n : 0] = '\0';
	return n > 0 ? (size_t)n : 0;
}

/* The link is "../../devices/pci0000:00/0000:00:04.0/virtio1/block/vda": each
 * directory of the path may be a device with a driver. */
static void add_drivers(struct in_use *u, const char *class, const char *name)
{
	static const char root[] = "/sys/class/";
	char path[512], link[256], *end;
	const char *module;

	print_to(path, sizeof(path), "%s%s%s", root, class, name);
	if (!read_link(path, link) || strncmp(link, "../../", 6))
		return;
	print_to(path, 300, "/sys/%s", link + 6);
	for (end = path + strlen(path); end > path + 12; *end = '\0') {
		memcpy(end, "/driver/module", 15);
		if (read_link(path, link)) {
			module = past_last(link, '/');
			add(u, &(struct word){ module, strlen(module) });
		}
		do
			end--;
		while (*end != '/');
	}
}

static void take_disk(void *context, const char *name)
{
	struct in_use *u = context;

	if (u->disks++ == IN_USE_DISKS)
		u->names = IN_USE_MAX;
	if (u->disks <= IN_USE_DISKS)
		add_drivers(u, "block/", name);
}

static void take_picture(void *context, const char *name)
{
	add_drivers(context, "graphics/", name);
}

static void take_terminals(void *context, char *line, size_t len)
{
	struct word rest = { line, len }, w;
	char name[32];

	while (next_word(&rest, &w)->len) {
		word_copy(&w, name, sizeof(name));
		add_drivers(context, "tty/", name);
	}
}

void proc_in_use(struct event_out *out, uint64_t time_ns)
{
	struct in_use u;

	u.out = out;
	u.names = u.disks = 0;
	event_begin(&u.event, EVENT_IN_USE, time_ns);
	proc_each_entry("/sys/class/block", take_disk, &u);
	proc_each_entry("/sys/class/graphics", take_picture, &u);
	each_line("/sys/class/tty/console/active", take_terminals, &u);
	each_line("/proc/modules", in_use_line, &u);
}

/*
 * --- modules
 *
 * Where the text of a module is.
 *
 * /sys/module/NAME/sections/ has the exact start of .text and .init.text.
 * coresize and initsize limit their length. Up to 6.3 they are exact; since
 * then text is one of several parts of a module, and the size is the sum of all
 * parts, an upper bound, which ledger/modules.c cuts at the next module.
 * initsize is 0 after init has run: then the init text may be freed and its
 * memory reused, so we emit no range. Without sysfs, /proc/modules gives the
 * start and size of the core. On powerpc .init.text is a part of the core, and
 * stays.
 */

/* Reads a number other than 0 from a file of /sys/module/NAME. */
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

/* Reads a range of text, rounded down to the start of its page. */
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

static void take_module(void *context, char *line, size_t len)
{
	struct emitter *r = context;
	struct event *e = &r->event;
	struct word rest = { line, len }, m[MODULE_WORDS];
	struct word *const start = &m[MODULE_START];

	next_words(&rest, m, MODULE_WORDS);
	if (!start->len || m->len >= MODULE_NAME_BYTES)
		return;
	word_copy(m, e->name, sizeof(e->name));
	if (!module_ranges(r->out, e) || word_skip(start, "0x"))
		return;
	e->flags = 0;
	if (!word_number(&m[MODULE_BYTES], 10, &e->size) && e->size &&
	    !word_number(start, 16, &e->base) && e->base)
		r->out->event(r->out, e);
}

int proc_emit_lines(const char *path, take_line *take, struct event_out *out,
		    enum event_type type, uint64_t time_ns)
{
	struct emitter r;

	r.out = out;
	event_begin(&r.event, type, time_ns);
	return each_line(path, take, &r);
}

int proc_modules(struct event_out *out, uint64_t time_ns)
{
	return proc_emit_lines("/proc/modules", take_module, out,
			       EVENT_MODULE_RANGE, time_ns);
}

/* The length of the path's first three directories, or of fewer that fit `room`
 * bytes. */
static size_t dir_bytes(const char *dir, size_t room)
{
	size_t kept = 0;

	for (size_t at = 0, levels = 0; levels < 3 && at <= room; at++)
		if (!dir[at] || dir[at] == '/') {
			kept = at;
			levels += dir[at] ? 1 : 3;
		}
	return kept;
}

/* "kernel/drivers/infiniband/core/ib_core.ko.xz: kernel/..." A module's name
 * has '_' where the name of its file may have '-'. */
static void take_dir(void *context, char *line, size_t len)
{
	struct emitter *r = context;
	char *const dir = line + 7 * !strncmp(line, "kernel/", 7), *name;
	size_t kept;

	line[length_to(line, ':')] = '\0';
	name = dir + (past_last(dir, '/') - dir);
	if (name == dir)
		return;
	name[-1] = '\0';
	name[len = length_to(name, '.')] = '\0';
	for (char *c = name; *c; c++)
		*c = *c == '-' ? '_' : *c;
	kept = len < MODULE_NAME_BYTES - 2 ?
	       dir_bytes(dir, MODULE_NAME_BYTES - 2 - len) : 0;
	dir[kept] = '\0';
	print_to(r->event.name, sizeof(r->event.name), "%s %s", name, dir);
	if (kept)
		r->out->event(r->out, &r->event);
}

void proc_module_dirs(struct event_out *out, uint64_t time_ns,
		      const char *path)
{
	proc_emit_lines(path, take_dir, out, EVENT_MODULE_DIR, time_ns);
}
