/*
 * Values, by the text that says what is accepted: "1 to 10000", "4K to 1G",
 * "text|json". The same text is printed where a value is refused.
 */
#ifndef MEMSTRACK_VALUE_H
#define MEMSTRACK_VALUE_H

#include <stddef.h>
#include <stdint.h>

/* Bytes before the first `stop`, or the end. */
size_t length_to(const char *text, char stop);

/* A number within bounds that read "1 to 100"; where the last has a size's K, M
 * or G, it may have one: 0, or an error of number.h. */
int value_within(const char *bounds, const char *value, size_t len,
		 uint32_t *number);

/* Which of the words "text|json" it is, or -EINVAL. */
int value_keyword(const char *words, const char *value, size_t len);

#endif
