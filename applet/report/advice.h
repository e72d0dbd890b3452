/* SPDX-License-Identifier: MIT */
/*
 * How much memory is enough, for a machine or a crash kernel.
 *
 * Two moments need the most memory: the peak of the traced memory; and the
 * unpacking of the initramfs, while the compressed initrd stands beside its
 * content. There are also limits: if rootfs is a tmpfs, it holds at most half
 * of the memory that is not reserved when the kernel starts, be it the initramfs
 * or files that were written later; and so do others. The advice is for the one
 * of these four that needs most.
 *
 * Pages on per-CPU lists are free, but MemFree does not count them. Their
 * number is known when tracing begins and now, but not at the lowest free
 * memory. So the smaller of the two known numbers is used. On a machine of 16
 * GiB these pages are 15 MiB.
 *
 * Page structs and hash tables grow with memory, so they are counted for the
 * advised size, not for the size of this machine. So are the page structs of
 * memory that was offline, or came while we traced; such memory itself counts as
 * far as it was used.
 */
#ifndef MEMSTRACK_ADVICE_H
#define MEMSTRACK_ADVICE_H

#include "report/figure_list.h"
#include "report/report.h"

enum advice_for { FOR_PEAK, FOR_UNPACKING, FOR_ROOTFS, FOR_TMPFS,
		  ADVICE_MOMENTS };

/* Sets [FIGURE_ADVICE, FIGURE_HEAD), in KiB. They follow from the balance in
 * `value` and from the lowest free memory, sampled or computed. Figures from
 * the kernel's log are UNKNOWN if the log was not read. The unpacking is
 * UNKNOWN too if tracing began after it. The advice is UNKNOWN if it is not
 * reliable: records were lost, or what is not explained is more than 5 % of what
 * was used. */
void advice_get(const struct report *r, uint64_t value[FIGURES]);

/* Of a number of pages that may be below 0. */
uint64_t signed_kib(const struct session *s, int64_t pages);
/* All RAM that was online when tracing began; MemTotal when the machine had grown
 * by so many pages, 0: when tracing began. */
uint64_t start_kib(const struct ledger *l, const struct session *s);
uint64_t mem_total_kib(const struct ledger *l, const struct session *s,
		       int64_t grown);
/* Page structs of RAM that was offline then, or came later. */
uint64_t advice_came_structs_kib(const struct ledger *l);

/* A figure of before tracing began, in KiB; 0 if it is not known. */
uint64_t baseline_kib(const struct ledger *l, const char *name);
/* Of the contiguous memory that is free now, what was free at the worst moment too:
 * anonymous memory and tmpfs may lie there, and do where other memory is short. */
uint64_t advice_idle_cma_kib(const struct report *r);
/* The figure is no memory in use. */
int is_limit(const char *name);
/* Files of the initramfs found no inode. */
int lacks_inodes(const struct ledger *l);
/* What rootfs needs is for the number of its files, not for their size. */
int rootfs_needs_inodes(const struct ledger *l, const uint64_t value[FIGURES]);

/* The memory of which rootfs may hold so much: its limit is a part of what is not
 * reserved, half by default. UNKNOWN: any, for it does not grow with memory. */
uint64_t rootfs_needs_kib(const struct ledger *l, const struct session *s,
			  uint64_t content_kib);
int rootfs_is_half(const struct ledger *l);

/* Why there is no advice. */
const char *no_advice(const struct ledger *l);

/* What this one needs, with free memory that is no room: limits need none of that.
 * UNKNOWN if it is not known. */
uint64_t advice_needed(const uint64_t value[FIGURES], enum advice_for moment);

/* The one that needs most, among those that are known. */
enum advice_for advice_for(const uint64_t value[FIGURES]);

#endif
