/*
 * /dev/kmsg, with all its limits.
 *
 * Of each open file the kernel keeps ten lines in five seconds; a line that it
 * drops still returns success. /proc/sys/kernel/printk_devkmsg would lift the
 * limit for the whole machine, but it is not ours: systemd sets it for good
 * when the real root starts, which is when a report is written, and would find
 * it put back. So the lines are counted here, and /dev/kmsg is opened anew
 * after every ten. Locked "off" (printk.devkmsg=) it cannot be opened at all.
 *
 * Opening takes memory: 32 KiB a file up to Linux 6.2, 4 KiB later. When
 * memory has run out, open files that were spared take the whole report.
 *
 * A record past some 976 bytes is EINVAL. Source: devkmsg_open() and
 * devkmsg_write() in kernel/printk/printk.c of 5.10, 6.1 and 6.12,
 * lib/ratelimit.c.
 */
#ifndef MEMSTRACK_KMSG_H
#define MEMSTRACK_KMSG_H

#include <stddef.h>
#include <stdint.h>
#include "limits.h"

/* DEFAULT_RATELIMIT_BURST of linux/ratelimit_types.h. */
#define KMSG_BURST_LINES 10u

/* As many as a report takes when memory runs out. */
#define KMSG_FILES (OOM_LINES_MAX / KMSG_BURST_LINES)

struct kmsg_file {
	int fd;			/* -1: not open */
	uint32_t left;		/* lines that the kernel still takes */
	int64_t again_ms;	/* when it takes all of them again */
};

struct kmsg {
	struct kmsg_file file[KMSG_FILES];	/* the first, and spares */
	int use_spares;		/* set while memory is short */
	int dev_fd;		/* directory of /dev/kmsg; -1: not open */
	int printk_fd;		/* /proc/sys/kernel/printk; -1 */
};

/* What cannot be opened is left out. */
void kmsg_open(struct kmsg *k);
void kmsg_close(const struct kmsg *k);

static inline int kmsg_is_open(const struct kmsg *k)
{
	return k->file[0].fd >= 0;
}

/* 0 or an errno. */
int kmsg_line(struct kmsg *k, const char *text, size_t len);

/* Does the console not show what goes to kmsg? Where that cannot be told, it
 * is taken for hidden: a line too many is better than none. */
int kmsg_hidden(const struct kmsg *k);

#endif
