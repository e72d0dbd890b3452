/* SPDX-License-Identifier: MIT */
/*
 * Values, checked by the text that says what is accepted: "1 to 10000", "4K to
 * 1G", "text|json". The same text is printed when a value is refused.
 */
#ifndef MEMSTRACK_VALUE_H
#define MEMSTRACK_VALUE_H

#include <stddef.h>
#include <stdint.h>

/* A number within bounds such as "1 to 100". If the upper bound ends with K, M
 * or G, the value may end with one too. 0, or an error of number.h. */
int value_within(const char *bounds, const char *value, size_t len,
		 uint32_t *number);

/* The place of the value among the words "text|json", or -EINVAL. */
int value_keyword(const char *words, const char *value, size_t len);

#endif
