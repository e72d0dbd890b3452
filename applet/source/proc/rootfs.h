/*
 * rootfs, into which the kernel unpacks the initramfs: how much it holds, and
 * how much it may hold.
 *
 * It is a tmpfs, which may hold half of the memory that was not reserved when
 * the kernel mounted it; or, if the kernel was given a root= or has no tmpfs, a
 * ramfs, which has no limit and does not tell how much it holds.
 *
 * Sources: init/do_mounts.c (init_rootfs), mm/shmem.c (shmem_default_max_blocks,
 * shmem_statfs) of 5.10 to 6.12.
 */
#ifndef MEMSTRACK_ROOTFS_H
#define MEMSTRACK_ROOTFS_H

#include "source/event.h"

/* Sets the sizes of an EVENT_UNPACK. `path` is where rootfs is mounted; NULL:
 * nobody knows. */
void rootfs_room(struct event *e, const char *path);

/* Has the rootfs at `path` so little room that an unpacking may have failed for
 * that reason? */
int rootfs_is_full(const char *path);

#endif
