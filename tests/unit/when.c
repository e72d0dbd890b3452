/* SPDX-License-Identifier: MIT */
/*
 * source/sampled/pass.c: how often /proc is looked at, minute by minute on a
 * clock of the test's own: more often while memory moves, at once when it
 * plunges, and never for more than its part of one CPU. And whom a look sees.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include "source/sampled/sampled.h"
#include "limits.h"
#include "tap.h"

#define MS 1000000u
#define SECOND 1000000000u
#define TOTAL 100000u		/* pages */

struct run {
	struct when when;
	uint64_t now_ns, cost_ns;
	uint32_t passes;
};

static void begin(struct run *r, uint64_t cost_ns)
{
	*r = (struct run){ .now_ns = SECOND, .cost_ns = cost_ns };
	when_begin(&r->when, TOTAL);
}

/* A look each 100 ms; free memory goes by `step` pages each. */
static void pass_time(struct run *r, uint64_t ns, uint64_t *free, int64_t step)
{
	const uint64_t end_ns = r->now_ns + ns;

	r->passes = 0;
	for (; r->now_ns < end_ns; r->now_ns += 100 * MS) {
		*free += (uint64_t)step;
		if (!when_due(&r->when, r->now_ns, *free))
			continue;
		when_done(&r->when, r->now_ns, r->cost_ns);
		r->passes++;
	}
}

static int is_between(uint32_t value, uint32_t least, uint32_t most)
{
	printf("# %u passes\n", value);
	return value >= least && value <= most;
}

static void test_pace(void)
{
	uint64_t free = 60000;
	struct run r;

	begin(&r, MS / 10);
	tap_ok(when_due(&r.when, r.now_ns, free), "the first look is whole");
	when_done(&r.when, r.now_ns, r.cost_ns);
	pass_time(&r, 60 * (uint64_t)SECOND, &free, 0);
	tap_ok(is_between(r.passes, 55, 65), "nothing moves: once a second");
	pass_time(&r, 2 * (uint64_t)SECOND, &free, 500);
	tap_ok(is_between(r.passes, 19, 20), "it moves: each 100 ms, at once");
	pass_time(&r, 60 * (uint64_t)SECOND, &free, 10);
	tap_ok(is_between(r.passes, 57, 180),
	       "it moves a little: less often");
}

static void test_cost(void)
{
	uint64_t free = 50000;
	struct run r;

	begin(&r, 10 * MS);
	pass_time(&r, 60 * (uint64_t)SECOND, &free, 0);
	tap_ok(is_between(r.passes, 15, 21),
	       "a pass of 10 ms: a third of a per cent of the time");
	begin(&r, 10 * MS);
	for (int i = 0; i < 300; i++) {	/* up and down */
		pass_time(&r, 100 * MS, &free, 2000);
		pass_time(&r, 100 * MS, &free, -2000);
	}
	tap_ok(r.now_ns - r.when.last_ns <= 4 * (uint64_t)SECOND &&
	       r.when.rest_ns - r.when.last_ns == 3 * (uint64_t)SECOND,
	       "though memory moves");
	free = 90000;
	begin(&r, 10 * MS);
	pass_time(&r, 200 * MS, &free, 0);
	pass_time(&r, 2 * (uint64_t)SECOND, &free, -4000);
	tap_ok(is_between(r.passes, 15, 20),
	       "but each time that it has fallen by a 32nd, at once");
}

static void test_looks(void)
{
	struct when w;

	when_begin(&w, TOTAL);
	tap_ok(!when_look_ns(&w, SECOND, 40000, 1000), "the first look");
	tap_ok(!when_look_ns(&w, SECOND + 100 * MS, 41000, 1000),
	       "it rises: as usual");
	tap_ok(when_look_ns(&w, SECOND + 200 * MS, 31000, 1000) == 75 * MS,
	       "10000 fewer in 100 ms, 30000 left: a quarter of 300 ms");
	tap_ok(when_look_ns(&w, SECOND + 275 * MS, 26000, 1000) ==
	       375 * MS / 4, "and of what is left then");
	tap_ok(when_look_ns(&w, SECOND + 276 * MS, 900, 1000) == MS,
	       "below the least: a millisecond");
	tap_ok(when_look_ns(&w, SECOND + 286 * MS, 20000, 1000) == 20 * MS &&
	       when_look_ns(&w, SECOND + 287 * MS, 20000, 1000) == 20 * MS &&
	       when_look_ns(&w, SECOND + 288 * MS, 11000, 1000) == MS &&
	       when_look_ns(&w, SECOND + 289 * MS, 11000, 1000) == 5 * MS,
	       "it has fallen lately, and little is free: soon again");
	for (int i = 0; i < 25; i++)
		when_look_ns(&w, SECOND + 289 * MS, 11000, 1000);
	tap_ok(!when_look_ns(&w, SECOND + 289 * MS, 11000, 1000),
	       "but not for ever");
	tap_ok(!when_look_ns(&w, SECOND + 227 * MS, 60000, 1000) &&
	       !when_look_ns(&w, SECOND + 228 * MS, 50001, 1000),
	       "more than half is free: as usual");
}

static void test_files(void)
{
	struct pace p = { 0 };

	tap_ok(pace_due(&p, SECOND, 500), "a file is read the first time");
	pace_done(&p, SECOND, 500, MS / 10);
	tap_ok(!pace_due(&p, SECOND + 999 * MS, 100) &&
	       pace_due(&p, SECOND + 1000 * MS, 499),
	       "then a second later, if less is free");
	tap_ok(!pace_due(&p, 9 * (uint64_t)SECOND, 500), "else not");
	pace_done(&p, SECOND, 500, 10 * MS);
	tap_ok(!pace_due(&p, SECOND + 7999 * (uint64_t)MS, 1) &&
	       pace_due(&p, 9 * (uint64_t)SECOND, 1),
	       "one that takes long: 800 times as long after");
}

static void put_task(int proc, const char *status)
{
	int fd;

	must(!mkdirat(proc, "77", 0700));
	fd = openat(proc, "77/status", O_WRONLY | O_CREAT, 0600);
	must(fd >= 0 && write(fd, status, strlen(status)) > 0);
	close(fd);
}

static void test_used_again(void)
{
	static struct sampled s;
	char folder[] = "/tmp/memstrack-when-XXXXXX";
	struct event e;
	int first, second, proc;

	must(mkdtemp(folder) && (proc = open(folder, O_RDONLY)) >= 0);
	s.fd[FILE_TASKS] = proc;
	s.page_bytes = 4096;
	put_task(proc, "Name:\tkworker/0:1\nPPid:\t2\n");
	first = sampled_task(&s, &e);
	must(!renameat(proc, "77", proc, "old"));
	put_task(proc, "Name:\thog\nPPid:\t1\nVmRSS:\t     400 kB\n");
	s.begun = 0;
	second = sampled_task(&s, &e);
	tap_ok(!first && second && e.tid == 77 && e.rss_pages == 100,
	       "a kernel thread's number that a program got is seen at once");
	unlinkat(proc, "77/status", 0);
	unlinkat(proc, "old/status", 0);
	unlinkat(proc, "77", AT_REMOVEDIR);
	unlinkat(proc, "old", AT_REMOVEDIR);
	close(proc);
	rmdir(folder);
}

int main(void)
{
	test_pace();
	test_cost();
	test_looks();
	test_files();
	test_used_again();
	return tap_plan_done();
}
