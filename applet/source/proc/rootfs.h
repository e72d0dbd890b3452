/* SPDX-License-Identifier: MIT */
/*
 * rootfs, into which the kernel unpacks the initramfs: how much it holds, and
 * how much it may hold.
 *
 * It is a tmpfs, which may hold half of the memory that was not reserved when
 * the kernel mounted it; or, if the kernel was given a root= or has no tmpfs, a
 * ramfs, which has no limit and does not tell how much it holds.
 *
 * Sources: init/do_mounts.c (init_rootfs), mm/shmem.c (shmem_default_max_blocks,
 * shmem_statfs) of 5.10 to 6.12; init/initramfs.c (do_name).
 */
#ifndef MEMSTRACK_ROOTFS_H
#define MEMSTRACK_ROOTFS_H

#include "source/event.h"

/* EVENT_FIGURE of BASELINE_ROOTFS if the kernel's command line has another limit
 * than the default (initramfs_options=size=, since 6.18 and in stable kernels);
 * and of BASELINE_FILES if the limit of inodes is the default. */
void rootfs_limit(struct event_out *out, uint64_t time_ns, const char *path,
		  const char *cmdline);

/* EVENT_FIGURE of BASELINE_INODES: what its inodes take, with a name each, by
 * /proc/slabinfo. A ramfs does not count them. */
void rootfs_inodes(struct event_out *out, uint64_t time_ns, const char *path);

/* Is there no inode left in it? The kernel leaves out files for which there is
 * none, and says nothing. */
int rootfs_lacks_inodes(const char *path);

/* Sets the sizes of an EVENT_UNPACK. `path` is where rootfs is mounted; NULL:
 * nobody knows. */
void rootfs_room(struct event *e, const char *path);

/* The kernel gives a file its size before it writes it. So a file whose size is
 * larger than what it takes is the one in which the unpacking stopped. If no
 * inode is left, it is the file with the largest one: a tmpfs numbers them in
 * order (since 5.9). 1: the event then is about this file, and has the number of
 * inodes, if none is left. It takes a while: each file is looked at, and if
 * these are too many, none is the last. */
int rootfs_last_file(struct event *e, const char *path);

/* Has the rootfs at `path` so little room, or no inode left, that files may be
 * missing for that reason? */
int rootfs_is_full(const char *path);

#endif
