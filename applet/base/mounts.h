/* SPDX-License-Identifier: MIT */
/* A mount namespace of a process's own: see mounts.c. */
#ifndef MEMSTRACK_MOUNTS_H
#define MEMSTRACK_MOUNTS_H

/* Gives this process a root of its own with /proc, /sys, /sys/kernel/tracing,
 * /sys/kernel/debug, /dev/kmsg, /dev/console, /dev/null, and nothing else; PID 1's root is under
 * /proc/1/root. What cannot be mounted or made is left out; the code that needs
 * it reports that. The working directory becomes "/". 0, or -errno; other
 * processes see no change. */
int mounts_private(void);

/* The same in two steps: enter an empty root, and mount a filesystem in it, on
 * a directory that is made if it is missing. 0, or -errno. */
int mounts_leave(void);
int mounts_add(const char *dir, const char *type);

#endif
