/* SPDX-License-Identifier: MIT */
/* What may still be had, by /proc/meminfo: see proc.h. */
#include "base/readfile.h"
#include "source/proc/proc.h"

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
	}
}

void proc_available(int meminfo_fd, struct available *a)
{
	*a = (struct available){ 0 };
	if (meminfo_fd >= 0)
		each_line_again(meminfo_fd, take_meminfo, a);
}
