/* SPDX-License-Identifier: MIT */
/* See diff.h, name. */
#include <string.h>
#include "base/base.h"
#include "diff/diff.h"

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
	if (t == DIFF_INITCALL || t == DIFF_SITE)
		len = function_name(name, len);
	if (t == DIFF_SLAB_CACHE)
		len = cache_name(name, len);
	if (t == DIFF_INITCALL)
		len = add(name, len, " [", parsed_string(o, "module"), "]");
	/* Below level 3 they are one row, which is told by its name. */
	if (t <= DIFF_VMALLOC && len == sizeof(loads) - 1 &&
	    !memcmp(name, loads, len))
		name[len - 2] = ')', len--;
	return len;
}
