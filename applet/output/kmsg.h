/* SPDX-License-Identifier: MIT */
/*
 * /dev/kmsg, with all its limits.
 *
 * The kernel keeps ten records in five seconds of each open file. A write that
 * it drops still returns success. /proc/sys/kernel/printk_devkmsg would lift
 * the limit for the whole machine, but it is not ours to change: systemd sets
 * it for good when the real root starts, just when a report is written, and we
 * would undo that. So the records are counted here: several files are open, and
 * when all of them have taken ten, /dev/kmsg is opened anew. If the kernel
 * locks it "off" (printk.devkmsg=), it cannot be opened at all.
 *
 * Opening a file takes memory: 32 KiB up to Linux 6.2, 4 KiB later. If memory
 * is short, the open waits for seconds. So while memory is short, many lines go
 * into one record, which saves kernel memory too, and the open files have room
 * for four reports or more.
 *
 * A record longer than some 976 bytes is EINVAL. A console puts a time stamp
 * before each line of a record, and cuts the record after 1024 bytes, stamps
 * included. Source: devkmsg_open(), devkmsg_write() and record_print_text() in
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
	size_t shown;		/* its bytes on a console, with stamps */
	char record[LINE_BYTES + sizeof(KMSG_PREFIX)];
};

/* Opens the files; those that cannot be opened are left out. */
void kmsg_open(struct kmsg *k);
void kmsg_close(const struct kmsg *k);

static inline int kmsg_is_open(const struct kmsg *k)
{
	return k->file[0].fd >= 0;
}

/* Adds a line of up to LINE_BYTES - 1 to the record, with the prefix and a
 * newline. 0, or -ENOBUFS: the record must be sent first. */
int kmsg_add(struct kmsg *k, const char *text, size_t len);

/* Sends the record, if there is one; after an error it is lost. 0 or an
 * errno. */
int kmsg_send(struct kmsg *k);

/* Opens files that have taken records anew, so that they have room when memory
 * is short. */
void kmsg_renew(struct kmsg *k);

/* Does the console hide what goes to kmsg? If this is not known, yes: printing
 * a line twice is better than not at all. */
int kmsg_hidden(const struct kmsg *k);

/* Can only root read the kernel log? If this is not known, no. */
int kmsg_is_roots(const struct kmsg *k);

#endif
