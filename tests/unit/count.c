/* SPDX-License-Identifier: MIT */
/*
 * ledger/count.h: two rows become one, as when a table's row is used again. All
 * other counts are compared with a model by replay/cases.t and random.t.
 */
#include "ledger/count.h"
#include "tap.h"

int main(void)
{
	const uint32_t epoch = 2;	/* the peak ended epoch 1 */
	struct count to = { 0 }, from = { 0 };

	count_add(&to, 1, 5);
	count_add(&from, 1, 4);
	count_sub(&to, epoch, 3);
	count_sub(&from, epoch, 3);
	count_fold(&to, &from, epoch);
	tap_ok(to.now == 3 && to.peak == 9 && count_at_peak(&to, epoch) == 9,
	       "the pages of both, and those of both at the peak");
	tap_ok(!from.now && !from.peak && !count_at_peak(&from, epoch),
	       "nothing is left in the other");
	return tap_plan_done();
}
