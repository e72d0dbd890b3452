/* SPDX-License-Identifier: MIT */
/*
 * What may still be had, by /proc/meminfo.
 *
 * Free memory that is kept apart is of no use to the kernel's own allocations:
 * areas for contiguous memory (CMA), and high memory on 32-bit machines. A
 * kernel that runs out of the rest kills, however much of this is free. A
 * contiguous area may lie in high memory: so the larger of the two counts, not
 * their sum.
 */
#include "base/readfile.h"
#include "source/proc/proc.h"

static void raise_to(uint64_t *kib, uint64_t other_kib)
{
	if (*kib < other_kib)
		*kib = other_kib;
}

static void take_meminfo(void *context, char *line, size_t len)
{
	struct available *a = context;
	struct word rest = { line, len }, name;
	uint64_t kib;

	word_to(&rest, ':', &name);
	if (number_to(past_blanks(&rest), ' ', 10, &kib))
		return;
	if (word_is(&name, "MemAvailable")) {
		a->known = 1;
		a->kib += kib;
	} else if (word_is(&name, "SwapFree")) {
		a->kib += kib;
	} else if (word_is(&name, "SReclaimable")) {
		a->slab_kib = kib;
	} else if (word_is(&name, "CmaTotal") || word_is(&name, "HighTotal")) {
		raise_to(&a->apart_kib, kib);
	} else if (word_is(&name, "CmaFree") || word_is(&name, "HighFree")) {
		raise_to(&a->apart_free_kib, kib);
	}
}

void proc_available(int meminfo_fd, struct available *a)
{
	*a = (struct available){ 0 };
	if (meminfo_fd >= 0)
		each_line_again(meminfo_fd, take_meminfo, a);
}

uint64_t proc_own_free_kib(int meminfo_fd, uint64_t apart_kib,
			   uint64_t free_kib, uint64_t enough_kib)
{
	struct available a;

	if (!apart_kib || free_kib > enough_kib + apart_kib)
		return free_kib - apart_kib;
	proc_available(meminfo_fd, &a);
	return free_kib > a.apart_free_kib ? free_kib - a.apart_free_kib : 0;
}
