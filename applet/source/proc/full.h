/* SPDX-License-Identifier: MIT */
/*
 * Which tmpfs has no room or no inode left, of all that a process sees; and how
 * much memory those need whose limit is a part of it. The mount does not tell
 * that: a limit is such a part if it is a whole number of per cent (mm/shmem.c,
 * shmem_parse_one()), the default is 50.
 *
 * No part of a path may make the tracer wait for a server, a program or a
 * device: openat2() with RESOLVE_CACHED (since Linux 5.12) opens only what the
 * kernel finds without a wait. An older kernel refuses it: there only the root
 * itself is looked at. A look reads mountinfo once, with four system calls for
 * each tmpfs, and vmstat if one is full. It takes 9 KiB of the stack.
 *
 * Sources: fs/namei.c (LOOKUP_CACHED), fs/proc_namespace.c (show_mountinfo:
 * bytes of a path that are blanks or a backslash are octal), mm/shmem.c
 * (shmem_statfs sums what each CPU has counted: the figures are exact) of 5.10
 * to 6.12; proc_pid_mountinfo(5).
 */
#ifndef MEMSTRACK_FULL_H
#define MEMSTRACK_FULL_H

#include "source/event.h"

/* Longer paths are left out. */
#define MOUNT_PATH_BYTES 256

struct mount_line {
	uint32_t device;	/* the minor number */
	int is_rootfs;
	char path[MOUNT_PATH_BYTES];
};

/* A line of mountinfo about a tmpfs, without its newline: 0, or -EINVAL. */
int mountinfo_line(const char *line, size_t len, struct mount_line *m);

/* The most at any look, in KiB. */
struct tmpfs_most {
	uint64_t rootfs, others;
};

/* EVENT_FULL for each that is full. `process`: its directory in /proc. Returns
 * how many they are. EVENT_FIGURE of BASELINE_ROOTFS_FILES and BASELINE_TMPFS
 * where it is more than in *most. */
uint32_t full_tell(struct event_out *out, uint64_t time_ns,
		   const char *process, struct tmpfs_most *most);

#endif
