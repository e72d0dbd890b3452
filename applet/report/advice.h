/*
 * How much memory would do, for a machine or a crash kernel.
 *
 * Two moments need the most: the peak of what was traced; and the unpacking of
 * the initramfs, while the compressed initrd stands beside its content. And one
 * limit: rootfs, where it is a tmpfs, holds no more than half of what is not
 * reserved when the kernel starts. The advice is for the one that needs most.
 *
 * Page structs and hash tables grow with memory, so of these it takes as much
 * as the advised size has.
 */
#ifndef MEMSTRACK_ADVICE_H
#define MEMSTRACK_ADVICE_H

#include "report/figure_list.h"
#include "report/report.h"

/* Why there is no advice. */
#define NO_ADVICE "records were lost or less than 95% is explained"

enum advice_for { FOR_PEAK, FOR_UNPACKING, FOR_ROOTFS };

/* [FIGURE_ADVICE, FIGURE_HEAD), in KiB: from the balance, which stands in
 * `value`, and from the lowest free memory, as it was sampled or as the account
 * has it. What the kernel's log would have told is UNKNOWN where that was not
 * read, the unpacking too where tracing began later; the advice is where it
 * is not reliable: something was lost, or less than 95 % explained. */
void advice_get(const struct report *r, uint64_t value[FIGURES]);

/* Which needs most, of those that are known. */
enum advice_for advice_for(const uint64_t value[FIGURES]);

#endif
