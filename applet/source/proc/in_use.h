/* SPDX-License-Identifier: MIT */
/*
 * Modules that are in use: without one of these the boot may have no root or no
 * console.
 *
 * By /proc/modules these are opened or mounted: a module has more uses than
 * modules that use it. So have file systems, disks and what disks are made of.
 * Nobody counts what leads to a disk, to a terminal of the console or to its
 * picture (virtio_pci, xhci_pci, bochs). So the drivers of all directories above
 * one in sysfs are in use too, of any disk: a root is found before it is mounted.
 * And so is all that one of these modules uses.
 *
 * A network that the root comes from is not seen. A few links of sysfs are read
 * for each disk, when a module came or went and for a report.
 *
 * Sources: Documentation/filesystems/proc.rst (1.2), Documentation/ABI/testing/
 * sysfs-tty; /sys/class/block and driver/module since 2.6.27. /proc/modules has
 * the newest module first: after its users.
 */
#ifndef MEMSTRACK_IN_USE_H
#define MEMSTRACK_IN_USE_H

#include "base/readfile.h"
#include "source/event.h"

/* If there are as many names, or more disks, partitions included, all modules are
 * in use. */
#define IN_USE_MAX 64u
#define IN_USE_DISKS 256u

struct in_use {
	struct event_out *out;
	struct event event;	/* its time is given */
	uint32_t names, disks;
	char name[IN_USE_MAX][MODULE_NAME_BYTES];
};

/* One EVENT_IN_USE for each. */
void proc_in_use(struct event_out *out, uint64_t time_ns);

/* For tests: a line of /proc/modules. */
void in_use_line(struct in_use *u, const char *line, size_t len);

#endif
