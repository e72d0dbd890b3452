/* See name.h. */
#include <string.h>
#include "base/print.h"
#include "diff/name.h"

#define NO_NAME "(no name)"

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

/* "kmalloc_trace.isra.0+0x1f [ext4]" -> "kmalloc_trace [ext4]". */
static size_t function_name(char *name, size_t len)
{
	const size_t behind = up_to(name, len, ' ');
	size_t end = up_to(name, behind, '+');

	end = up_to(name, end, '.');
	if (end > 2 && !memcmp(name, "0x", 2))
		end = print_to(name, behind, NO_NAME);
	memmove(name + end, name + behind, len - behind);
	return end + len - behind;
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
	if (t == DIFF_INITCALL)
		len = add(name, len, " [", parsed_string(o, "module"), "]");
	/* Below level 3 they are one row, which is told by its name. */
	if (t <= DIFF_VMALLOC && len == sizeof(loads) - 1 &&
	    !memcmp(name, loads, len))
		name[len - 2] = ')', len--;
	return len;
}
