/* SPDX-License-Identifier: MIT */
/* The size of rootfs and its largest directories: see proc.h, rootfs and
 * initramfs. */
#include <linux/magic.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/vfs.h>
#include "base/base.h"
#include "base/system.h"
#include "source/proc/proc.h"

/* 1: the path is of a file system in memory that counts its pages; 0: of one
 * that does not; -1: of another file system, or of none. */
static int look(const char *path, struct statfs *s)
{
	if (!path || statfs(path, s))
		return -1;
	if (s->f_type == (__typeof__(s->f_type))RAMFS_MAGIC)
		return 0;
	/* Without CONFIG_SHMEM a tmpfs is a ramfs under another name. */
	if (s->f_type == TMPFS_MAGIC)
		return s->f_blocks != 0;
	return -1;
}

static int lacks_inodes(const struct statfs *s)
{
	return s->f_files && !s->f_ffree;
}

void rootfs_room(struct event *e, const char *path)
{
	struct statfs s;
	const int counts = look(path, &s);

	e->size = UINT64_MAX;
	e->pages = counts ? UINT64_MAX : 0;
	if (counts <= 0)
		return;
	/* The blocks of a tmpfs are pages. */
	e->pages = s.f_blocks;
	e->size = (s.f_blocks - s.f_bfree) * (uint64_t)s.f_bsize;
}

struct last_file {
	struct event *e;
	uint64_t inode;		/* the largest so far; 0: inodes do not count */
};

/* A file that was cut is the last one in any case. Keeps the end of a path that
 * is too long. */
static void add_file(void *context, const struct walked *f)
{
	struct last_file *l = context;
	struct event *e = l->e;
	const int is_cut = f->is_file && f->used_bytes < f->size_bytes;
	size_t len = strlen(f->path), from = 0;

	if (!is_cut && (e->size || !l->inode || f->inode < l->inode))
		return;
	if (len >= sizeof(e->name))
		from = len - (sizeof(e->name) - 1);
	memcpy(e->name, f->path + from, len - from + 1);
	e->size = is_cut ? f->size_bytes - f->used_bytes : 0;
	if (l->inode)
		l->inode = f->inode;
}

int rootfs_last_file(struct event *e, const char *path)
{
	struct last_file l = { .e = e };
	struct statfs s;
	struct walk w;

	e->flags = EVENT_CUT;
	e->name[0] = '\0';
	e->pages = e->size = 0;
	if (look(path, &s) <= 0)
		return 0;
	if (lacks_inodes(&s)) {
		e->pages = s.f_files;
		l.inode = 1;
	}
	walk_begin(&w, path);
	if (walk_on(&w, ROOTFS_FILES_MAX, add_file, &l) && !e->size)
		e->name[0] = '\0';
	return e->name[0] || e->pages;
}

/* The kernel stops at the first page that has no room, but each CPU counts
 * pages in batches: so 99 % used is full. */
int rootfs_is_full(const char *path)
{
	struct statfs s;

	return look(path, &s) > 0 && (s.f_bfree <= s.f_blocks / 100 ||
				      lacks_inodes(&s));
}

int rootfs_lacks_inodes(const char *path)
{
	struct statfs s;

	return look(path, &s) > 0 && lacks_inodes(&s);
}

static void take_cache(void *context, const struct slab *s)
{
	if (!strcmp(s->name, "shmem_inode_cache") || !strcmp(s->name, "dentry"))
		*(uint64_t *)context += s->object_bytes;
}

void rootfs_inodes(struct event_out *out, uint64_t time_ns, const char *path)
{
	uint64_t each_bytes = 0;
	struct statfs s;

	if (look(path, &s) <= 0)
		return;
	slabinfo_each(take_cache, &each_bytes);
	figure_emit(out, time_ns, BASELINE_INODES,
		    (s.f_files - s.f_ffree) * each_bytes);
}

/* Is this half of memory, except for the memory that was freed since rootfs was
 * mounted? */
static int is_half(const struct statfs *s, uint64_t pages)
{
	struct sysinfo i;
	uint64_t half, held;

	if (sysinfo(&i))
		return 1;
	half = (uint64_t)i.totalram * i.mem_unit / 2;
	held = pages * (uint64_t)s->f_bsize;
	return held <= half && held >= half - half / 8;
}

void rootfs_limit(struct event_out *out, uint64_t time_ns, const char *path,
		  const char *cmdline)
{
	struct word rest = { cmdline, strlen(cmdline) }, w;
	struct statfs s;

	if (look(path, &s) <= 0)
		return;
	if (is_half(&s, s.f_files))
		figure_emit(out, time_ns, BASELINE_FILES,
			    (s.f_files - s.f_ffree) * (uint64_t)s.f_bsize);
	if (word_seek(&rest, "initramfs_options=") || is_half(&s, s.f_blocks))
		return;		/* the kernel does not know the option */
	next_word(&rest, &w);
	figure_emit(out, time_ns, BASELINE_ROOTFS, find_text(w.at, w.len, "%") ?
		    s.f_blocks * (uint64_t)s.f_bsize : 0);
}

/* --- initramfs */

/* A smaller rootfs is not worth a walk. */
#define LEAST_KIB 1024u
/* Files in one step, which takes some 0.1 ms. */
#define FILES_AT_ONCE 64u

/* Directories whose entries are parts. */
static const char *const shared[] = {
	"/lib", "/lib64", "/usr", "/usr/lib", "/usr/lib64", "/usr/local",
	"/usr/share",
};

static int is_shared(const char *path, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(shared); i++)
		if (!strncmp(shared[i], path, len) && !shared[i][len])
			return 1;
	return 0;
}

/* The length of the path's beginning that is the name of its part. */
static size_t part_bytes(const char *path)
{
	size_t len = 0;

	do
		len += 1 + length_to(path + len + 1, '/');
	while (path[len] && is_shared(path, len));
	return len;
}

/* Keeps the part if it is one of the largest. */
static void keep(struct initramfs *i)
{
	struct initramfs_part new = i->now, was;

	for (size_t at = 0; new.name[0] && at < INITRAMFS_PARTS; at++)
		if (new.bytes > i->largest[at].bytes) {
			was = i->largest[at];
			i->largest[at] = new;
			new = was;
		}
}

/* Each name of a file counts an equal share of its bytes. */
static uint64_t share_of(const struct walked *f)
{
	return f->used_bytes / (f->links ? f->links : 1);
}

/* The walk visits all files of a part in a row. */
static void take_file(void *context, const struct walked *f)
{
	struct initramfs *i = context;
	const size_t len = part_bytes(f->path);

	i->bytes += share_of(f);
	if (len >= sizeof(i->now.name) || i->now.name[len] ||
	    strncmp(i->now.name, f->path, len)) {
		keep(i);
		memset(&i->now, 0, sizeof(i->now));
		if (len < sizeof(i->now.name))
			memcpy(i->now.name, f->path, len);
	}
	i->now.bytes += share_of(f);
}

void initramfs_begin(struct initramfs *i, const char *path, uint64_t kib)
{
	struct event room;

	memset(i, 0, sizeof(*i));
	i->walk.depth = -1;
	rootfs_room(&room, path);
	if (kib < LEAST_KIB || kib > UINT64_MAX / 1024 ||
	    room.pages == UINT64_MAX)
		return;
	i->least_bytes = kib * 1024 / 10 * 9;
	walk_begin(&i->walk, path);
}

int initramfs_on(struct initramfs *i)
{
	return i->walk.files < ROOTFS_FILES_MAX &&
	       walk_on(&i->walk, FILES_AT_ONCE, take_file, i);
}

void initramfs_emit(struct initramfs *i, struct event_out *out,
		    uint64_t time_ns, const char *path)
{
	struct event e;

	keep(i);
	if (!i->bytes || i->bytes < i->least_bytes || i->walk.depth >= 0 ||
	    system_device_path(path) != i->walk.device)
		return;
	event_begin(&e, EVENT_INITRAMFS, time_ns);
	for (size_t at = 0; at < INITRAMFS_PARTS; at++) {
		const struct initramfs_part *p = &i->largest[at];

		if (p->bytes < i->bytes / 10 || !p->bytes)
			break;
		e.size = p->bytes;
		memcpy(e.name, p->name, sizeof(e.name));
		out->event(out, &e);
	}
}
