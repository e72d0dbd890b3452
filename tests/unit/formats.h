/* SPDX-License-Identifier: MIT */
/*
 * `format` files of tracepoints, as kernels print them and as none does, in
 * tests/fuzz/corpus/format. In those without a version the fields are as every
 * kernel has them. And the bytes of records, by their words.
 */
#ifndef FORMATS_H
#define FORMATS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/system.h"
#include "source/tracefs/tracefs.h"

/* The text of a file, until the next call. */
static inline const char *format_text(const char *file)
{
	static char text[8192];
	char path[80];

	snprintf(path, sizeof(path), "tests/fuzz/corpus/format/%s", file);
	if (readfile(path, text, sizeof(text)) < 0)
		abort();
	return text;
}

static inline int format_point(struct point *p, enum tracepoint tp,
			       const char *file)
{
	const char *text = format_text(file);

	return point_parse(p, tp, text, strlen(text));
}

/* The bytes of a record that words mean, of 8 bytes in hexadecimal, or two of 4
 * with a / between them; a text is at byte 48, or where the word in front of it
 * says; IRQ is a flag. */
static inline void raw_of(const char *words, unsigned char raw[160])
{
	memset(raw, 0, 160);
	for (size_t at = 0; *words && !strchr("'I", *words); at += 8) {
		char *end;
		const uint64_t word = strtoull(words, &end, 16);
		uint32_t two[2] = { (uint32_t)word };

		if (*end == '\'') {
			strcpy((char *)raw + word, end + 1);
			return;
		}
		memcpy(raw + at, &word, 8);
		if (*end == '/') {
			two[1] = (uint32_t)strtoul(end + 1, &end, 16);
			memcpy(raw + at, two, 8);
		}
		words = end + strspn(end, " ");
	}
	if (*words == '\'')
		strcpy((char *)raw + 48, words + 1);
	else if (!strcmp(words, "IRQ"))
		raw[2] = 8;
}

#endif
