/* SPDX-License-Identifier: MIT */
/*
 * source/sampled/ on any text: as /proc/PID/status, as a record of the kernel's
 * log on a kill, and each of its lines as one of /proc/modules, slabinfo, vmstat
 * and meminfo. Each in memory of its exact size. Names end, and a text with an end
 * byte behind it says the same.
 */
#include <stdlib.h>
#include <string.h>
#include "must.h"
#include "source/sampled/sampled.h"

#define PAGE 4096u

typedef int reader(const char *text, size_t len, uint32_t page_bytes,
		   struct event *e);

static int read_cache(const char *text, size_t len, uint32_t page_bytes,
		      struct event *e)
{
	(void)page_bytes;
	return cache_line(text, len, e);
}

static int read_kills(const char *text, size_t len, uint32_t page_bytes,
		      struct event *e)
{
	(void)page_bytes;
	e->type = EVENT_KIND_SAMPLE;
	return kills_line(text, len, &e->pages);
}

static void once(reader *r, const char *alone, const char *ended, size_t len,
		 uint32_t type)
{
	struct event a, b;
	int result;

	event_begin(&a, EVENT_REJECTED, 7);
	a.tid = 88;
	b = a;
	result = r(alone, len, PAGE, &a);
	must(result == r(ended, len, PAGE, &b) && !memcmp(&a, &b, sizeof(a)));
	must(memchr(a.name, 0, sizeof(a.name)) != NULL);
	must(result < 0 || a.type == type);
	must(type != EVENT_TASK_SAMPLE || strlen(a.name) < COMM_BYTES);
}

/* Once of its exact size, once with an end byte. */
static void twice(const uint8_t *data, size_t len, int whole)
{
	char *alone = malloc(len ? len : 1), *ended = calloc(1, len + 1);

	must(alone && ended);
	memcpy(alone, data, len);
	memcpy(ended, data, len);
	if (whole) {
		once(status_text, alone, ended, len, EVENT_TASK_SAMPLE);
	} else {
		once(kill_record, alone, ended, len, EVENT_TASK_SAMPLE);
		once(module_line, alone, ended, len, EVENT_MODULE_SAMPLE);
		once(kind_line, alone, ended, len, EVENT_KIND_SAMPLE);
		once(read_kills, alone, ended, len, EVENT_KIND_SAMPLE);
		once(read_cache, alone, ended, len, EVENT_CACHE_SAMPLE);
	}
	free(alone);
	free(ended);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	twice(data, size, 1);
	while (size) {
		const uint8_t *end = memchr(data, '\n', size);
		size_t len = end ? (size_t)(end - data) : size;

		twice(data, len, 0);
		data += len + (end != NULL);
		size -= len + (end != NULL);
	}
	return 0;
}
