/*
 * Strict numbers, for every parser: all of the text must be the number, and in
 * range. 0, -EINVAL or -ERANGE, and then the value is left alone.
 */
#ifndef MEMSTRACK_NUMBER_H
#define MEMSTRACK_NUMBER_H

#include <stddef.h>
#include <stdint.h>

int parse_u64(const char *text, size_t len, unsigned int base, uint64_t min,
	      uint64_t max, uint64_t *value);
/* The digits that a text begins with: *len becomes how many. -EINVAL: none. */
int parse_digits(const char *text, size_t *len, unsigned int base,
		 uint64_t *value);
/* With K, M or G behind it. */
int parse_size(const char *text, size_t len, uint64_t min, uint64_t max,
	       uint64_t *value);

#endif
