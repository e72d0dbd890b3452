/* SPDX-License-Identifier: MIT */
/* Where the report goes, with the files beside it: see config.h, where. */
#include <string.h>
#include "config/config.h"

#define WHERE_WORDS "auto|kmsg|console"

const char *path_set(char *path, const char *value, size_t len, int from_root,
		     const char *accepts)
{
	if (!len || (from_root && *value != '/'))
		return accepts;
	if (len >= PATH_BYTES)
		return "at most 255 bytes";
	memcpy(path, value, len);
	path[len] = 0;
	return NULL;
}

_Static_assert(BESIDE_FILES == 4, "the text says how many");
static const char too_many[] = "at most 4 files beside the report";

/* A word that a comma ends is no path with a comma: what follows has a suffix
 * that is not known. */
static int is_word_and_more(const char *name, size_t len)
{
	size_t word = 0;

	while (word < len && name[word] != ',')
		word++;
	return word < len && value_keyword(WHERE_WORDS, name, word) >= 0;
}

/* One of WHERE[,FILE...]. A file that is not the first, or whose suffix stands
 * for a picture, is written beside the report. */
static const char *set_file(struct config *c, const char *name, size_t len,
			    int first, int boot, const char *accepts)
{
	const enum format f = format_of_file(name, len);
	const int keyword = value_keyword(WHERE_WORDS, name, len);
	size_t i = 0;

	if (first && keyword >= 0) {
		c->out = (enum out_kind)keyword;
		return NULL;
	}
	if (first && (f == FORMATS || !format_is_for_files(f))) {
		c->out = OUT_FILE;
		return is_word_and_more(name, len) ? accepts :
		       path_set(c->out_path, name, len, boot, accepts);
	}
	while (i < BESIDE_FILES && c->beside[i][0])
		i++;
	return i == BESIDE_FILES ? too_many : f == FORMATS ? accepts :
	       path_set(c->beside[i], name, len, boot, accepts);
}

/* A path may have commas of its own. One ends it only if a name with the suffix of
 * a format follows. */
static const char *file_end(const char *at, const char *end)
{
	for (; at < end; at++) {
		const char *next = at + 1, *stop = next;

		while (stop < end && *stop != ',')
			stop++;
		if (*at == ',' &&
		    format_of_file(next, (size_t)(stop - next)) < FORMATS)
			break;
	}
	return at;
}

const char *where_set(struct config *c, const char *value, size_t len, int boot,
		      const char *accepts)
{
	const char *at = value, *end = value + len, *why;

	c->out = OUT_AUTO;
	memset(c->beside, 0, sizeof(c->beside));
	do {
		const char *name = at;

		at = file_end(at, end);
		why = set_file(c, name, (size_t)(at - name), name == value,
			       boot, accepts);
	} while (!why && at++ < end);
	return why;
}
