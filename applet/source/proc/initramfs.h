/* SPDX-License-Identifier: MIT */
/*
 * Which directories of the initramfs hold most, each with all below it.
 *
 * What stands in one of the directories that every system has (/usr, /usr/lib)
 * is a part: a directory, /usr/lib/modules, or a file. The name of /usr would
 * say nothing, and that of a directory deep in a part is long and says less than
 * it seems.
 *
 * Each file is looked at, a few at a time, while the real init runs already. So
 * nothing is told if the files are not there any more: if the root was switched,
 * or less is found than a tenth below what the kernel had in memory at the start.
 */
#ifndef MEMSTRACK_SOURCE_INITRAMFS_H
#define MEMSTRACK_SOURCE_INITRAMFS_H

#include "base/walk.h"
#include "source/event.h"

struct initramfs_part {
	uint64_t bytes;
	char name[MODULE_NAME_BYTES];	/* "": too long to be told */
};

struct initramfs {
	struct walk walk;
	uint64_t least_bytes, bytes;	/* there must be; found so far */
	struct initramfs_part now;	/* whose files are being found */
	struct initramfs_part largest[INITRAMFS_PARTS];
};

/* `path`: where rootfs is mounted; it has files of so many KiB. If that is less
 * than 1 MiB, or the path is of no file system in memory, nothing is looked
 * at. */
void initramfs_begin(struct initramfs *i, const char *path, uint64_t kib);

/* Looks at the next files. 0: these were the last. */
int initramfs_on(struct initramfs *i);

/* EVENT_INITRAMFS for the largest parts, the largest first, that have a tenth of
 * the files or more. `path` is that of the beginning. */
void initramfs_tell(struct initramfs *i, struct event_out *out,
		    uint64_t time_ns, const char *path);

#endif
