/* The tracer's own mount namespace: see mounts.c. */
#ifndef MEMSTRACK_MOUNTS_H
#define MEMSTRACK_MOUNTS_H

/* What could not be had; the tracer says what it cannot see for want of it. */
enum mounts_missing {
	MOUNTS_NO_PROC = 1,	/* no /proc */
	MOUNTS_NO_SYS = 2,	/* no /sys; tracefs may be there all the same */
	MOUNTS_NO_TRACEFS = 4,	/* nor debugfs, in kernels before 4.1 */
	MOUNTS_NO_DEV = 8,	/* no /dev/kmsg or no /dev/console */
};

/* From here on this process sees a root of its own with /proc, /sys,
 * /sys/kernel/tracing (or /sys/kernel/debug/tracing), /dev/kmsg,
 * /dev/console, /dev/null, and nothing else; what PID 1 sees is under
 * /proc/1/root. The working directory is "/". 0 and *missing, a sum of the
 * above; or -errno, and nothing that anybody else can see has changed. */
int mounts_private(unsigned int *missing);

#endif
