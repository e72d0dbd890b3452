/* SPDX-License-Identifier: MIT */
/*
 * source/perf/follow.c: CPUs go and come by a list that is a file here. No
 * tracepoint is known, so no event opens: that is told as well.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "source/perf/perf.h"
#include "tap.h"

#define RINGS 2u

static struct perf_ring rings[RINGS + 1];
static struct tracefs points;
static struct perf perf = {
	.source = { .rings = RINGS, .points = &points }, .ring = rings,
	.capacity = RINGS,
};

/* "3:-28 ": which CPUs came, and how. */
static char told[200];

static void came(void *context, uint32_t cpu, int error)
{
	const size_t len = strlen(told);

	(void)context;
	snprintf(told + len, sizeof(told) - len, "%u:%d ", cpu, error);
}

static const char *follow(const char *list)
{
	if (ftruncate(perf.cpus_fd, 0) ||
	    pwrite(perf.cpus_fd, list, strlen(list), 0) < 0)
		abort();
	told[0] = '\0';
	perf_follow(&perf.source, came, NULL);
	return told;
}

static int told_is(const char *list, const char *want)
{
	const char *got = follow(list);

	if (strcmp(got, want))
		printf("# %s: %s\n", list, got);
	return !strcmp(got, want);
}

int main(void)
{
	char again[32];

	perf.cpus_fd = memfd_create("online", 0);
	for (uint32_t i = 0; i < RINGS; i++)
		rings[i].cpu = i * 2;
	snprintf(again, sizeof(again), "0:%d ", -ENOENT);
	tap_ok(told_is("0-2\n", "1:-28 ") && !rings[0].gone && !rings[1].gone,
	       "a CPU for which there is no ring is told");
	tap_ok(told_is("0-2\n", ""), "once");
	tap_ok(told_is("0-2,5\n", "1:-28 5:-28 "), "and with the next one");
	tap_ok(told_is("", "") && !rings[0].gone,
	       "a list that cannot be read says nothing");
	tap_ok(told_is("x\n", "") && !rings[0].gone, "nor one of no numbers");
	tap_ok(told_is("2\n", "") && rings[0].gone && !rings[1].gone,
	       "a CPU is gone");
	tap_ok(told_is("0,2\n", again) && rings[0].gone,
	       "it comes again, and its events do not open");
	tap_ok(told_is("0,2\n", ""), "which is told once");
	snprintf(again, sizeof(again), "7:%d ", -ENOENT);
	tap_ok(told_is("2,7\n", again) && rings[0].cpu == 7,
	       "another one takes its ring");
	perf.capacity++;
	snprintf(again, sizeof(again), "9:%d ", -ENOENT);
	tap_ok(told_is("2,7,9\n", again) && perf.source.rings == RINGS + 1 &&
	       rings[RINGS].cpu == 9 && rings[RINGS].gone,
	       "or it gets a new one, as long as there is room");
	tap_ok(told_is("2,7-9\n", "8:-28 ") && told_is("2,7-9\n", ""),
	       "and no longer");
	perf.cpus_fd = -1;
	tap_ok((perf_follow(&perf.source, came, NULL), 1),
	       "without a list nothing is looked at");
	return tap_plan_done();
}
