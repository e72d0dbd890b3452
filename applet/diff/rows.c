/* SPDX-License-Identifier: MIT */
/* See diff.h, rows. */
#include <string.h>
#include "base/system.h"
#include "base/base.h"
#include "diff/diff.h"

#define SLOTS (DIFF_ROWS_MAX * 2)

_Static_assert((SLOTS & (SLOTS - 1)) == 0, "slots are found by a mask");

static int is_row(const struct diff_rows *r, const struct diff_row *row,
		  enum diff_table t, const char *name, size_t len)
{
	return row->table == t && row->name_len == len &&
	       !memcmp(r->names + row->name, name, len);
}

/* Half of the slots are free at least, so the search ends. */
struct diff_row *diff_row(struct diff_rows *r, enum diff_table t,
			  const char *name, size_t len, int add)
{
	uint32_t at = text_hash(TEXT_HASH_BEGIN ^ t, name, len) & (SLOTS - 1);
	struct diff_row *row;

	for (; r->slot[at]; at = (at + 1) & (SLOTS - 1)) {
		row = &r->row[r->slot[at] - 1];
		if (is_row(r, row, t, name, len))
			return row;
	}
	if (!add || r->used == DIFF_ROWS_MAX ||
	    len > DIFF_NAMES_BYTES - r->names_used)
		return NULL;
	row = &r->row[r->used++];
	r->slot[at] = r->used;
	*row = (struct diff_row){
		.table = t, .name = r->names_used, .name_len = (uint32_t)len,
	};
	memcpy(r->names + r->names_used, name, len);
	r->names_used += (uint32_t)len;
	return row;
}

int64_t diff_sum(int64_t a, int64_t b)
{
	int64_t sum = 0;

	if (__builtin_add_overflow(a, b, &sum))
		sum = a < 0 ? INT64_MIN : INT64_MAX;
	if (sum > PARSED_NUMBER_MAX)
		return PARSED_NUMBER_MAX;
	return sum < -PARSED_NUMBER_MAX ? -PARSED_NUMBER_MAX : sum;
}

void diff_add(struct diff_rows *r, enum diff_side side, enum diff_table t,
	      const char *name, size_t len, const struct held *held)
{
	struct diff_row *row = diff_row(r, t, name, len, 1);
	struct held *k;

	if (!row) {
		r->full[side]++;
		return;
	}
	k = &row->side[side];
	if (!k->rows || held->peak > k->peak)
		k->peak = held->peak;
	k->rows++;
	k->now = diff_sum(k->now, held->now);
	k->at_peak = diff_sum(k->at_peak, held->at_peak);
	k->most = k->most == NO_BOUND || held->most == NO_BOUND ? NO_BOUND :
		  diff_sum(k->most, held->most);
}

void diff_forget(struct diff_rows *r, enum diff_side side)
{
	for (uint32_t i = 0; i < r->used; i++)
		r->row[i].side[side] = (struct held){ 0 };
	r->full[side] = 0;
}
