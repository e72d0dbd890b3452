/* SPDX-License-Identifier: MIT */
/* Events that arrive late: see tables.h, late. */
#include "ledger/tables.h"

void late_note(struct late *late, uint64_t pfn, uint64_t time_ns)
{
	uint32_t i = late->last;

	if (late->run[i].time_ns == time_ns &&
	    late->run[i].pfn + late->run[i].count == pfn) {
		late->run[i].count++;
		return;
	}
	i = (i + 1) % LATE_RUNS;
	late->run[i].pfn = pfn;
	late->run[i].count = 1;
	late->run[i].time_ns = time_ns;
	late->last = i;
}

int late_is_over(const struct late *late, uint64_t pfn, uint64_t time_ns)
{
	for (uint32_t i = 0; i < LATE_RUNS; i++)
		if (pfn - late->run[i].pfn < late->run[i].count &&
		    late->run[i].time_ns > time_ns)
			return 1;
	return 0;
}
