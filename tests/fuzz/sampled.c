/* SPDX-License-Identifier: MIT */
/*
 * source/sampled/ on any text: as /proc/PID/status, as a record of the kernel's
 * log on a kill, and each of its lines as one of /proc/modules, slabinfo, vmstat
 * and meminfo. Names end, and a text with an end byte behind it says the same.
 */
#include "fuzz.h"
#include "source/proc/oom_log.h"
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

/* Once of its exact size, once with an end byte. */
static void twice(reader *r, const char *alone, size_t len, uint32_t type)
{
	char *copy = ended(alone, len);
	struct event a, b;
	int result;

	event_begin(&a, EVENT_REJECTED, 7);
	a.tid = 88;
	b = a;
	result = r(alone, len, PAGE, &a);
	must(result == r(copy, len, PAGE, &b) && !memcmp(&a, &b, sizeof(a)));
	must(memchr(a.name, 0, sizeof(a.name)) != NULL);
	must(result < 0 || a.type == type);
	must(type != EVENT_TASK_SAMPLE || strlen(a.name) < COMM_BYTES);
	free(copy);
}

/* source/proc/oom_log.c: the same from a copy of the exact size. */
static void killed(const char *text, size_t len)
{
	enum oom_limit a = LIMIT_UNKNOWN, b = LIMIT_UNKNOWN;
	char *copy = ended(text, len);
	const uint32_t tid = oom_record(text, len, &a);

	must(oom_record(copy, len, &b) == tid && (!tid || a == b));
	must(!tid || a != LIMIT_UNKNOWN);
	free(copy);
}

void fuzz_sampled(const uint8_t *data, size_t size)
{
	struct text t = { .at = data, .left = size };

	twice(status_text, (const char *)data, size, EVENT_TASK_SAMPLE);
	while (next_line(&t)) {
		killed(t.line, t.len);
		twice(kill_record, t.line, t.len, EVENT_TASK_SAMPLE);
		twice(module_line, t.line, t.len, EVENT_MODULE_SAMPLE);
		twice(kind_line, t.line, t.len, EVENT_KIND_SAMPLE);
		twice(read_kills, t.line, t.len, EVENT_KIND_SAMPLE);
		twice(read_cache, t.line, t.len, EVENT_CACHE_SAMPLE);
	}
}
