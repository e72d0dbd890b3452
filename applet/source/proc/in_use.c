/* SPDX-License-Identifier: MIT */
/* Modules that are in use: see proc.h, in use. */
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/base.h"
#include "source/proc/proc.h"

/* Where too many are in use to know them all, every module is. */
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
 * "[permanent]," is no user. A module that is not live yet uses itself; a kernel that
 * unloads none counts no uses, then all are in use. */
void in_use_line(struct in_use *u, const char *line, size_t len)
{
	struct word rest = { line, len }, name, users, w;
	uint64_t uses = 1;
	int used;

	next_word(&rest, &name);
	next_word(&rest, &w);
	word_number(next_word(&rest, &w), 10, &uses);
	next_word(&rest, &users);
	for (used = has(u, &name); users.len;) {
		word_to(&users, ',', &w);
		used |= has(u, &w);
		uses -= w.len && *w.at != '-' && *w.at != '[';
	}
	if (!word_is(next_word(&rest, &w), "Live") || !(used | (uses != 0)))
		return;
	add(u, &name);
	word_copy(&name, u->event.name, sizeof(u->event.name));
	u->out->event(u->out, &u->event);
}

static void take_user(void *context, char *line, size_t len)
{
	in_use_line(context, line, len);
}

static size_t read_link(const char *path, char link[256])
{
	const long n = syscall(SYS_readlinkat, AT_FDCWD, path, link, 255);

	link[n > 0 ? n : 0] = '\0';
	return n > 0 ? (size_t)n : 0;
}

/* The link "../../devices/pci0000:00/0000:00:04.0/virtio1/block/vda": each
 * directory on the way may be a device with a driver. */
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
	each_line("/proc/modules", take_user, &u);
}
