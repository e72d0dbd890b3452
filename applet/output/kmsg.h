/*
 * /dev/kmsg, with all its limits.
 *
 * Of each open file the kernel keeps ten records in five seconds; one that it
 * drops still returns success. /proc/sys/kernel/printk_devkmsg would lift the
 * limit for the whole machine, but it is not ours: systemd sets it for good
 * when the real root starts, which is when a report is written, and would find
 * it put back. So the records are counted here: several files are open, and
 * when all have taken their ten, /dev/kmsg is opened anew. Locked "off"
 * (printk.devkmsg=) it cannot be opened at all.
 *
 * Opening takes memory: 32 KiB a file up to Linux 6.2, 4 KiB later. Where that
 * is missing, it waits, for seconds. So while memory is short, many lines go
 * into one record, which saves the kernel memory too, and the open files take
 * four reports or more.
 *
 * A record past some 976 bytes is EINVAL. On the console each of its lines gets
 * a stamp, and what is more than 1024 bytes with those is cut. Source:
 * devkmsg_open(), devkmsg_write() and record_print_text() in
 * kernel/printk/printk.c of 5.10, 6.1 and 6.12, lib/ratelimit.c.
 */
#ifndef MEMSTRACK_KMSG_H
#define MEMSTRACK_KMSG_H

#include <stddef.h>
#include <stdint.h>
#include "limits.h"

/* DEFAULT_RATELIMIT_BURST of linux/ratelimit_types.h. */
#define KMSG_BURST 10u

#define KMSG_FILES 4
#define KMSG_PREFIX "memstrack: "

struct kmsg_file {
	int fd;			/* -1: not open */
	uint32_t left;		/* records that the kernel still takes */
	int64_t again_ms;	/* when it takes all of them again */
};

struct kmsg {
	struct kmsg_file file[KMSG_FILES];
	int dev_fd;		/* directory of /dev/kmsg; -1: not open */
	int printk_fd;		/* /proc/sys/kernel/printk; -1 */
	int restrict_fd;	/* dmesg_restrict there; -1 */
	int sparing;		/* set while memory is short */
	size_t used;		/* bytes of the record that is not yet sent */
	size_t shown;		/* of it, with what a console adds */
	char record[LINE_BYTES + sizeof(KMSG_PREFIX)];
};

/* What cannot be opened is left out. */
void kmsg_open(struct kmsg *k);
void kmsg_close(const struct kmsg *k);

static inline int kmsg_is_open(const struct kmsg *k)
{
	return k->file[0].fd >= 0;
}

/* A line of up to LINE_BYTES - 1 into the record, with the prefix before and a
 * newline behind: 0, or -ENOBUFS where the record must be sent before. */
int kmsg_add(struct kmsg *k, const char *text, size_t len);

/* The record, if there is one, which is sent or lost then: 0 or an errno. */
int kmsg_send(struct kmsg *k);

/* Files that have taken records are opened anew, for whoever comes next when
 * memory is short. */
void kmsg_renew(struct kmsg *k);

/* Does the console not show what goes to kmsg? Where that cannot be told, it
 * is taken for hidden: a line too many is better than none. */
int kmsg_hidden(const struct kmsg *k);

/* Is the kernel log read by root alone? Where that cannot be told, it is not. */
int kmsg_is_roots(const struct kmsg *k);

#endif
