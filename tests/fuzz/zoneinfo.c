/* SPDX-License-Identifier: MIT */
/*
 * source/proc/baseline.c on any text as /proc/zoneinfo: the pages on per-CPU lists
 * are those that a plain reading of it finds, whatever stands around them. And
 * source/proc/free_pages.c on the same as /proc/buddyinfo.
 */
#include <stdlib.h>
#include <string.h>
#include "must.h"
#include "source/proc/proc.h"

/* "count:" is the first word, and behind it are only spaces and a number that 32
 * bits can hold; else nothing. */
static uint64_t plain(const char *line)
{
	static const char name[] = "count: ";
	const char *at = line + strspn(line, " ");
	uint64_t value = 0;

	if (strncmp(at, name, strlen(name)))
		return 0;
	at += strlen(name);
	at += strspn(at, " ");
	if (!*at || at[strspn(at, "0123456789")])
		return 0;
	for (; *at; at++) {
		value = value * 10 + (uint64_t)(*at - '0');
		if (value > UINT32_MAX)
			return 0;
	}
	return value;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	while (size) {
		const uint8_t *end = memchr(data, '\n', size);
		size_t len = end ? (size_t)(end - data) : size;
		char *alone = malloc(len ? len : 1);
		char *ended = calloc(1, len + 1);
		uint64_t got;

		/* Once of its exact size, once with an end byte. */
		must(alone && ended);
		memcpy(alone, data, len);
		memcpy(ended, data, len);
		got = zoneinfo_line(alone, len);
		must(got <= UINT32_MAX);
		must(buddyinfo_line(alone, len) == buddyinfo_line(ended, len));
		if (!memchr(data, '\0', len))
			must(got == plain(ended));
		free(alone);
		free(ended);
		data += len + (end != NULL);
		size -= len + (end != NULL);
	}
	return 0;
}
