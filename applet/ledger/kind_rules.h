/* SPDX-License-Identifier: MIT */
/*
 * The kinds of memory, and which functions tell them: see kind_rules.c.
 */
#ifndef MEMSTRACK_KIND_RULES_H
#define MEMSTRACK_KIND_RULES_H

#include <stdint.h>

/* Below 16: stacks.h keeps a kind in four bits. */
enum page_kind {
	KIND_OTHER,		/* nothing below holds */
	KIND_ANON,		/* pages of this kind up to KIND_IMAGE can be
				 * moved */
	KIND_CACHE,		/* files: read, or waiting to be written */
	KIND_TMPFS,		/* files in tmpfs or ramfs, shared memory */
	KIND_IMAGE,		/* page cache of a loop device or squashfs */
	KIND_TABLES,		/* page tables */
	KIND_STACKS,		/* of tasks, in the kernel */
	KIND_SLAB,
	KIND_VMALLOC,		/* with images of modules and per-CPU memory */
	KIND_NET,		/* buffers of packets and sockets */
	KIND_HUGE,		/* of hugetlbfs, used or not; no THP */
	KIND_DRIVER,		/* for a module, in no other way; for DMA */
	KIND_COMPRESSED,	/* pages that zram or zswap has taken */
	KINDS,
	/* Only while a chain is read: */
	KIND_LARGE = KINDS,	/* by kmalloc: slab, unless for the network */
	KIND_AREA,		/* vmalloc, whoever asks for it */
	KIND_PERCPU,		/* vmalloc too, shared by all of the kernel */
};

/* Functions whose names begin like this (underscores in front left out). */
struct kind_rule {
	char begins[16];
	uint8_t kind;
	uint8_t over;		/* decides also if a frame farther in has said
				 * this kind; 0: no */
};

#define KIND_RULES 92u
extern const struct kind_rule kind_rules[KIND_RULES];	/* sorted */

#endif
