/* SPDX-License-Identifier: MIT */
/*
 * What the kernel logged at boot about memory that it took and gave back.
 *
 *	Memory: …	the content of the image, and what is reserved; this
 *			includes the page structs, whose size follows from RAM
 *	… hash table entries: …	of dentries, inodes, connections: their size
 *			depends on the size of memory, as that of page structs
 *	Freeing … memory: …	the initrd after its content is unpacked; what
 *			only the kernel's start needed
 *	Initramfs unpacking failed: …	what is not there is the rest of the
 *			image; with CONFIG_BLK_DEV_RAM "rootfs image is not
 *			initramfs (…); looks like an initrd"
 *	Run … as init process	since 4.20 the last line before init
 *
 * Sources: mm/page_alloc.c (alloc_large_system_hash, free_reserved_area),
 * arch/x86/mm/init.c, init/main.c, init/initramfs.c of 5.10, 6.1 and 6.12.
 */
#ifndef MEMSTRACK_BOOT_LOG_H
#define MEMSTRACK_BOOT_LOG_H

#include "source/proc/proc.h"
#include "source/proc/ram.h"

struct boot_log {
	struct event_out *out;
	struct event event;		/* its time is given */
	uint64_t hash_bytes, initrd_kib, freed_kib;
	struct ram_reader *ram;		/* or NULL */
	int figures;			/* of the line "Memory:" */
	char unpack_error[MODULE_NAME_BYTES];	/* "": the line was not there */
};

/* Takes a record of /dev/kmsg. 0: the records after it are not of the boot. */
int boot_log_record(struct boot_log *b, const char *record, size_t len);
/* Adds the figures that are sums; none if the line "Memory:" was missing. */
void boot_log_end(struct boot_log *b);

#endif
