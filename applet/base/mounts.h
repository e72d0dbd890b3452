/* A mount namespace of a process's own: see mounts.c. */
#ifndef MEMSTRACK_MOUNTS_H
#define MEMSTRACK_MOUNTS_H

/* From here on this process sees a root of its own with /proc, /sys,
 * /sys/kernel/tracing, /dev/kmsg, /dev/console, /dev/null, and nothing else;
 * what PID 1 sees is under /proc/1/root. What cannot be had is left out: who
 * needs it says so. The working directory is "/". 0, or -errno, and nothing
 * that anybody else can see has changed. */
int mounts_private(void);

/* The same in two steps: an empty root, and a filesystem in it, on a directory
 * that is made where it is not there. 0, or -errno. */
int mounts_leave(void);
int mounts_add(const char *dir, const char *type);

#endif
