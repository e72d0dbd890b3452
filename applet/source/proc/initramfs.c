/* SPDX-License-Identifier: MIT */
/* Which directories of the initramfs hold most: see proc.h, initramfs. */
#include <string.h>
#include "base/system.h"
#include "base/base.h"
#include "source/proc/proc.h"

/* Below this, nothing is worth a walk. */
#define LEAST_KIB 1024u
/* In one go: 0.1 ms or so. */
#define FILES_AT_ONCE 64u

/* Directories whose parts are looked at by themselves. */
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

/* How much of the path is the name of a part. */
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

/* Of a file with several names, each has a part. */
static uint64_t share_of(const struct walked *f)
{
	return f->used_bytes / (f->links ? f->links : 1);
}

/* All files of a part come one after the other. */
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

void initramfs_tell(struct initramfs *i, struct event_out *out,
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
