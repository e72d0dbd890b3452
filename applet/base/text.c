/* SPDX-License-Identifier: MIT */
/* See base.h, text. */
#include <string.h>
#include "base/base.h"

size_t length_to(const char *text, char stop)
{
	size_t len = 0;

	while (text[len] && text[len] != stop)
		len++;
	return len;
}

const char *past_last(const char *text, char mark)
{
	const char *behind = text;

	while (*text)
		if (*text++ == mark)
			behind = text;
	return behind;
}

const char *find_text(const char *text, size_t len, const char *what)
{
	size_t what_len = strlen(what);

	for (; len >= what_len; text++, len--)
		if (!memcmp(text, what, what_len))
			return text;
	return NULL;
}

uint32_t text_hash(uint32_t hash, const void *bytes, size_t len)
{
	const unsigned char *at = bytes;

	while (len--)
		hash = (hash ^ *at++) * 16777619u;
	return hash;
}
