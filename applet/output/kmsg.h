/*
 * /dev/kmsg, with all its limits.
 *
 * The kernel keeps ten lines in five seconds of one open file unless
 * /proc/sys/kernel/printk_devkmsg is "on"; suppressed lines still return
 * success. So it is set for the time of writing and put back; where the
 * command line locked it (printk.devkmsg=), /dev/kmsg is opened anew for every
 * ten lines, since the limit is counted by open file. Locked "off" it cannot
 * be opened at all. A record past some 976 bytes is EINVAL. Source:
 * kernel/printk/printk.c of 6.1 and 6.18.
 */
#ifndef MEMSTRACK_KMSG_H
#define MEMSTRACK_KMSG_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct kmsg {
	int fd, dev_fd;		/* /dev/kmsg and its directory; -1: not open */
	int devkmsg_fd;		/* printk_devkmsg; -1: cannot be set */
	int printk_fd;		/* /proc/sys/kernel/printk; -1 */
	uint32_t burst;		/* lines left of this open file */
	int unlimited;		/* between begin and end */
	ssize_t before_bytes;	/* what printk_devkmsg was */
	char before[16];
};

/* What cannot be opened is left out; fd says whether there is a kmsg. */
void kmsg_open(struct kmsg *k);
void kmsg_close(const struct kmsg *k);

/* Around many lines. */
void kmsg_begin(struct kmsg *k);
int kmsg_end(struct kmsg *k);

/* 0 or an errno. */
int kmsg_line(struct kmsg *k, const char *text, size_t len);

/* Does the console not show what goes to kmsg? Where that cannot be told, it
 * is taken for hidden: a line too many is better than none. */
int kmsg_hidden(const struct kmsg *k);

#endif
