/*
 * What the kernel logged at boot about the memory that it took and gave back.
 *
 *	Memory: …	what the image holds, what is reserved; page structs are
 *			in that, and follow from the RAM
 *	… hash table entries: …	of dentries, inodes, connections: their size
 *			goes by that of memory, as that of page structs does
 *	Freeing … memory: …	the initrd once its content is unpacked; what
 *			only the kernel's start needed
 *	Run … as init process	since 4.20 the last before init
 *
 * Sources: mm/page_alloc.c (alloc_large_system_hash, free_reserved_area),
 * arch/x86/mm/init.c, init/main.c of 5.10, 6.1 and 6.12.
 */
#ifndef MEMSTRACK_BOOT_LOG_H
#define MEMSTRACK_BOOT_LOG_H

#include "source/proc/proc.h"

struct boot_log {
	struct event_out *out;
	struct event event;		/* its time is given */
	uint64_t hash_bytes, initrd_kib, freed_kib;
	int figures;			/* of the line "Memory:" */
};

/* A record of /dev/kmsg. 0: those that follow are not of the boot. */
int boot_log_record(struct boot_log *b, const char *record, size_t len);
/* The figures that are sums; none where there was no line "Memory:". */
void boot_log_end(struct boot_log *b);

#endif
