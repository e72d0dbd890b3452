/* SPDX-License-Identifier: MIT */
/*
 * source/perf/follow.c: CPUs go and come by a list that is a file here. No
 * tracepoint is known, so no event opens: that is told as well.
 */
#include <sys/mman.h>
#include "source/perf/perf.h"
#include "followed.h"

#define RINGS 2u

static struct perf_ring rings[RINGS + 1];
static struct tracefs points;
static const struct source_kind kind = { .follow = perf_follow };
static struct perf perf = {
	.source = { .kind = &kind, .rings = RINGS, .points = &points },
	.ring = rings, .capacity = RINGS,
};

static int told_is(const char *list, const char *want)
{
	if (ftruncate(perf.cpus_fd, 0) ||
	    pwrite(perf.cpus_fd, list, strlen(list), 0) < 0)
		abort();
	return follows(&perf.source, want);
}

#define FULL "1:-28 "		/* ENOSPC */
#define CLOSED(cpu) cpu ":-2 "	/* ENOENT */

int main(void)
{
	static const struct {
		const char *list, *want;
		_Bool gone;	/* the first ring's CPU */
		uint32_t cpu;	/* of the first ring */
		const char *what;
	} t[] = {
		{ "0-2\n", FULL, 0, 0, "no ring for a CPU: that is told" },
		{ "0-2\n", "", 0, 0, "once" },
		{ "0-2,5\n", FULL "5:-28 ", 0, 0, "and with the next one" },
		{ "", "", 0, 0, "a list that cannot be read says nothing" },
		{ "x\n", "", 0, 0, "nor one of no numbers" },
		{ "2\n", "", 1, 0, "a CPU is gone" },
		{ "0,2\n", CLOSED("0"), 1, 0,
		  "it comes again, and its events do not open" },
		{ "0,2\n", "", 1, 0, "which is told once" },
		{ "2,7\n", CLOSED("7"), 1, 7, "another one takes its ring" },
	};

	perf.cpus_fd = memfd_create("online", 0);
	for (uint32_t i = 0; i < RINGS; i++)
		rings[i].cpu = i * 2;
	for (size_t i = 0; i < ARRAY_LEN(t); i++)
		tap_ok(told_is(t[i].list, t[i].want) && !rings[1].gone &&
		       rings[0].gone == t[i].gone && rings[0].cpu == t[i].cpu,
		       "%s", t[i].what);
	perf.capacity++;
	tap_ok(told_is("2,7,9\n", CLOSED("9")) && rings[RINGS].cpu == 9 &&
	       perf.source.rings == RINGS + 1 && rings[RINGS].gone,
	       "or it gets a new one, as long as there is room");
	tap_ok(told_is("2,7-9\n", "8:-28 ") && told_is("2,7-9\n", ""),
	       "and no longer");
	perf.cpus_fd = -1;
	tap_ok(follows(&perf.source, ""), "without a list nothing is told");
	return tap_plan_done();
}
