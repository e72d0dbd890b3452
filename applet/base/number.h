/* SPDX-License-Identifier: MIT */
/*
 * Strict numbers, for every parser: the whole text must be a number in range.
 * Functions return 0, -EINVAL or -ERANGE. On an error *value keeps its old
 * value, except with parse_digits().
 */
#ifndef MEMSTRACK_NUMBER_H
#define MEMSTRACK_NUMBER_H

#include <stddef.h>
#include <stdint.h>

int parse_u64(const char *text, size_t len, unsigned int base, uint64_t min,
	      uint64_t max, uint64_t *value);
/* The digits at the start of a text: *len becomes their number. -EINVAL:
 * there is none. */
int parse_digits(const char *text, size_t *len, unsigned int base,
		 uint64_t *value);
/* A number that K, M or G may follow. */
int parse_size(const char *text, size_t len, uint64_t min, uint64_t max,
	       uint64_t *value);

#endif
