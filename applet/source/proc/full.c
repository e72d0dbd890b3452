/* SPDX-License-Identifier: MIT */
/* A tmpfs without room: see proc.h, full. */
#include <errno.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "base/system.h"
#include "source/proc/proc.h"

/* The last full devices are remembered: a tmpfs that is mounted in several
 * places is emitted once. */
#define SEEN 8u

struct look {
	struct event_out *out;
	struct event event;
	struct tmpfs_most *most;
	int root;
	uint32_t full;
	uint32_t seen[SEEN];	/* devices, the last ones */
};

/* 0, or -EINVAL: the path is too long. */
static int unescape(const struct word *w, char text[MOUNT_PATH_BYTES])
{
	size_t used = 0;

	for (size_t i = 0; i < w->len; i++) {
		char c = w->at[i];

		if (c == '\\' && w->len - i > 3) {
			c = (char)((w->at[i + 1] & 3) << 6 |
				   (w->at[i + 2] & 7) << 3 |
				   (w->at[i + 3] & 7));
			i += 3;
		}
		if (used == MOUNT_PATH_BYTES - 1)
			return -EINVAL;
		text[used++] = c;
	}
	text[used] = '\0';
	return 0;
}

/* "36 35 0:24 / /mnt\040a rw,noatime shared:1 - tmpfs tmpfs rw,size=52224k" */
int mountinfo_line(const char *line, size_t len, struct mount_line *m)
{
	struct word rest = { line, len }, w;
	uint64_t minor;

	next_word(&rest, &w);
	next_word(&rest, &w);
	word_to(&rest, ':', &w);
	if (number_to(&rest, ' ', 10, &minor) || minor > UINT32_MAX)
		return -EINVAL;
	m->device = (uint32_t)minor;
	next_word(&rest, &w);
	next_word(&rest, &w);
	if (!w.len || *w.at != '/' || unescape(&w, m->path))
		return -EINVAL;
	do
		next_word(&rest, &w);
	while (rest.len && !word_is(&w, "-"));
	next_word(&rest, &w);
	m->is_rootfs = word_is(&w, "rootfs");
	return m->is_rootfs || word_is(&w, "tmpfs") ||
	       word_is(&w, "devtmpfs") ? 0 : -EINVAL;
}

/* -1: the mount cannot be opened without waiting, or is gone. A change of other
 * mounts at this moment can make the first attempt fail. */
static int open_mount(int root, const char *path)
{
	const struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_CACHED | RESOLVE_IN_ROOT,
	};
	long fd = -1;

	for (int i = 0; i < 2 && fd < 0; i++)
		fd = syscall(SYS_openat2, root, path, &how, sizeof(how));
	return (int)fd;
}

/* Another file system may be mounted on top of the one that we look for. */
static int is_device(int fd, uint32_t device)
{
	struct statx s;

	return !syscall(SYS_statx, fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC,
			0, &s) &&
	       !s.stx_dev_major && s.stx_dev_minor == device;
}

static void take_counter(void *context, char *line, size_t len)
{
	uint64_t *pages = context, count;
	struct word w;

	if (!counter_line(line, len, &w, &count) &&
	    word_is(&w, "pgmigrate_success"))
		*pages += count;
}

/* An upper bound of the pages of files that no account has: they were swapped
 * out, or moved without an event. */
static uint64_t unseen_pages(uint64_t page_bytes)
{
	struct sysinfo s;
	uint64_t pages = 0;

	each_line("/proc/vmstat", take_counter, &pages);
	if (!sysinfo(&s))
		pages += (s.totalswap - s.freeswap) * (uint64_t)s.mem_unit /
			 page_bytes;
	return pages;
}

/* How much memory, without what is reserved, a machine must have so that the
 * limit of this tmpfs is what it holds now; 0: the limit does not seem to
 * depend on memory. */
static uint64_t share_needs(const struct statfs *s, uint64_t pages)
{
	struct sysinfo i;
	uint64_t total, percent, limit;

	if (sysinfo(&i))
		return 0;
	total = i.totalram * (uint64_t)i.mem_unit / (uint64_t)s->f_bsize;
	percent = (s->f_blocks * 100 + total / 2) / total;
	limit = total * percent / 100;
	return s->f_blocks == limit || s->f_blocks == limit + 1 ?
	       pages * total / s->f_blocks : 0;
}

static void note_most(struct look *l, const struct mount_line *m,
		      const struct statfs *s)
{
	const uint64_t pages = s->f_blocks - s->f_bfree;
	uint64_t *most = m->is_rootfs ? &l->most->rootfs : &l->most->others;
	uint64_t kib;

	/* CPUs count at the same time, so the sum may be below 0. */
	if (s->f_bfree >= s->f_blocks)
		return;
	kib = (m->is_rootfs ? pages : share_needs(s, pages)) *
	      ((uint64_t)s->f_bsize >> 10);
	if (kib <= *most)
		return;
	*most = kib;
	figure_emit(l->out, l->event.time_ns, m->is_rootfs ?
		    BASELINE_ROOTFS_FILES : BASELINE_TMPFS, kib << 10);
}

static void emit_tmpfs(struct look *l, const struct mount_line *m, int fd)
{
	struct event *e = &l->event;
	const char *name = m->path;
	const size_t len = strlen(name), most = sizeof(e->name) - 1;
	struct statfs s;

	if (!is_device(fd, m->device) || fstatfs(fd, &s) ||
	    s.f_type != TMPFS_MAGIC)
		return;
	note_most(l, m, &s);
	e->objects = s.f_ffree ? 0 : s.f_files;
	if ((s.f_bfree || !s.f_blocks) && !e->objects)
		return;
	if (!l->full)
		e->lost = unseen_pages((uint64_t)s.f_bsize);
	e->size = s.f_blocks * (uint64_t)s.f_bsize;
	e->pages = s.f_blocks - s.f_bfree;
	if (len > most)
		name += len - most;
	memcpy(e->name, name, strlen(name) + 1);
	l->seen[l->full++ % SEEN] = m->device;
	l->out->event(l->out, e);
}

static void look_at(void *context, char *line, size_t len)
{
	struct look *l = context;
	struct mount_line m;
	int fd;

	if (mountinfo_line(line, len, &m))
		return;
	for (uint32_t i = 0; i < SEEN; i++)
		if (m.device == l->seen[i])
			return;
	fd = m.path[1] ? open_mount(l->root, m.path) : l->root;
	if (fd >= 0)
		emit_tmpfs(l, &m, fd);
	if (fd >= 0 && m.path[1])
		close(fd);
}

uint32_t full_emit(struct event_out *out, uint64_t time_ns,
		   const char *process, struct tmpfs_most *most)
{
	struct look l = { .out = out, .most = most };
	const int dir = system_open_path(process, O_PATH);
	const int list = system_open(dir, "mountinfo", O_RDONLY);

	l.root = system_open(dir, "root", O_PATH);
	event_begin(&l.event, EVENT_FULL, time_ns);
	if (l.root >= 0 && list >= 0)
		each_line_again(list, look_at, &l);
	close(l.root);
	close(list);
	close(dir);
	return l.full;
}
