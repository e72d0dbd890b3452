/* SPDX-License-Identifier: MIT */
/* See diff.h, name. */
#include <string.h>
#include "base/base.h"
#include "base/system.h"
#include "host/diff/diff.h"

#define NO_NAME "(no name)"
/* What a report has for an address that it must not show. */
#define HIDDEN "(hidden)"
#define NOPROF (sizeof("_noprof") - 1)

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "kworker/u4:2", "ksoftirqd/0": without what names the CPU. */
static size_t task_length(const char *name, size_t len)
{
	for (size_t i = 1; i + 1 < len; i++)
		if (name[i] == '/' &&
		    (is_digit(name[i + 1]) ||
		     (name[i + 1] == 'u' && i + 2 < len &&
		      is_digit(name[i + 2]))))
			return i;
	return len;
}

/* The first place of `c`, or the end. */
static size_t up_to(const char *text, size_t len, char c)
{
	const char *found = memchr(text, c, len);

	return found ? (size_t)(found - text) : len;
}

/* "kmalloc_noprof.isra.0+0x1f [ext4]" -> "kmalloc [ext4]". Since 6.10 functions
 * that allocate have such names, if the kernel has a profile of allocations. */
static size_t function_name(char *name, size_t len)
{
	const size_t behind = up_to(name, len, ' ');
	const size_t no_name = sizeof(NO_NAME) - 1;
	size_t end = up_to(name, behind, '+'), rest = len - behind;

	end = up_to(name, end, '.');
	if (end > NOPROF && !memcmp(name + end - NOPROF, "_noprof", NOPROF))
		end -= NOPROF;
	if ((end < 3 || memcmp(name, "0x", 2)) &&
	    (end != sizeof(HIDDEN) - 1 || memcmp(name, HIDDEN, end))) {
		memmove(name + end, name + behind, rest);
		return end + rest;
	}
	if (rest > DIFF_NAME_BYTES - 1 - no_name)
		rest = DIFF_NAME_BYTES - 1 - no_name;
	memmove(name + no_name, name + behind, rest);
	memcpy(name, NO_NAME, no_name);
	return no_name + rest;
}

/* A cache of which only the size of its objects is known: "(192 bytes)". */
static size_t cache_name(char *name, size_t len)
{
	static const char bytes[] = " bytes)";
	const size_t n = sizeof(bytes) - 1;

	if (len <= n || name[0] != '(' || memcmp(name + len - n, bytes, n))
		return len;
	return print_to(name, DIFF_NAME_BYTES, NO_NAME);
}

static size_t add(char *name, size_t len, const char *before,
		  const struct word *w, const char *behind)
{
	if (!w || !w->len)
		return len;
	len += print_to(name + len, DIFF_NAME_BYTES - len, "%s", before);
	len += parsed_unescape(w, name + len, DIFF_NAME_BYTES - len);
	if (len == DIFF_NAME_BYTES)
		len--;
	return len + print_to(name + len, DIFF_NAME_BYTES - len, "%s", behind);
}

/* Any row may hide in these: what had no room, what had no name. */
int diff_name_hides(enum diff_table t, const char *name, size_t len)
{
	const size_t n = sizeof(NO_NAME) - 1;

	return (len == 7 && !memcmp(name, "(other)", len)) ||
	       (t >= DIFF_INITCALL && t <= DIFF_SLAB_CACHE && len >= n &&
		!memcmp(name, NO_NAME, n));
}

size_t diff_name(char name[DIFF_NAME_BYTES], enum diff_table t,
		 const struct parsed *o, const char *key)
{
	static const char loads[] = "(failed loads)";
	size_t len = 0;

	if (t == DIFF_RAM)
		len = add(name, 0, "", parsed_string(o, "group"), ": ");
	len = add(name, len, "", parsed_string(o, key), "");
	if (t == DIFF_TASK)
		len = task_length(name, len);
	if (!len)
		len = print_to(name, DIFF_NAME_BYTES, NO_NAME);
	if (t == DIFF_INITCALL || t == DIFF_SITE || t == DIFF_TAG)
		len = function_name(name, len);
	if (t == DIFF_SLAB_CACHE)
		len = cache_name(name, len);
	if (t == DIFF_INITCALL)
		len = add(name, len, " [", parsed_string(o, "module"), "]");
	/* Below level 3 these rows are one row, with a name of its own. */
	if (t <= DIFF_VMALLOC && len == sizeof(loads) - 1 &&
	    !memcmp(name, loads, len))
		name[len - 2] = ')', len--;
	return len;
}

/* --- rows */

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
