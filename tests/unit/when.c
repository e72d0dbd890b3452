/* SPDX-License-Identifier: MIT */
/*
 * source/sampled/pass.c: how often /proc is looked at, minute by minute on a
 * clock of the test's own: more often while memory moves, at once when it
 * plunges, and never for more than its part of one CPU (cases/when). And whom a
 * look sees.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include "source/sampled/sampled.h"
#include "limits.h"
#include "cases.h"

#define MS 1000000u
#define SECOND 1000000000u
#define TOTAL 100000u		/* pages */

struct run {
	struct when when;
	uint64_t now_ns, cost_ns, free_pages;
};

/* Each 100 ms free memory changes by `step` pages, or goes up and down by them:
 * how often a look is due then. */
static uint32_t pass_time(struct run *r, uint64_t ns, int64_t step, int swings)
{
	const uint64_t end_ns = r->now_ns + ns;
	uint32_t passes = 0;

	for (; r->now_ns < end_ns; r->now_ns += 100 * MS) {
		r->free_pages += (uint64_t)step;
		step = swings ? -step : step;
		if (!when_due(&r->when, r->now_ns, r->free_pages))
			continue;
		when_done(&r->when, r->now_ns, r->cost_ns);
		passes++;
	}
	return passes;
}

/* cases/when, [passes]: "US FREE" begins, where a look takes so long; then "by
 * PAGES for SECONDS" or "swings PAGES for SECONDS". */
static void pass_step(const char *text, char *out)
{
	static struct run r;
	unsigned long cost_us, pages, seconds;
	char how[8];
	long step;

	if (sscanf(text, "%lu %lu", &cost_us, &pages) == 2) {
		r = (struct run){
			.now_ns = SECOND, .cost_ns = cost_us * 1000,
			.free_pages = pages,
		};
		when_begin(&r.when, TOTAL);
		return;
	}
	must(sscanf(text, "%7s %ld for %lu", how, &step, &seconds) == 3);
	append(out, "%s%u", *out ? ", " : "",
	       pass_time(&r, seconds * SECOND, step, *how == 's'));
}

/* [looks]: "begin", then "MS FREE", perhaps several times: after how many us the
 * next look at free memory is, of the last time. */
static void look_step(const char *text, char *out)
{
	static struct when w;
	unsigned int ms, pages, times = 1;
	uint64_t ns = 0;

	if (!strcmp(text, "begin")) {
		when_begin(&w, TOTAL);
		return;
	}
	must(sscanf(text, "%u %u, %u times", &ms, &pages, &times) >= 2);
	while (times--)
		ns = when_look_ns(&w, SECOND + ms * (uint64_t)MS, pages, 1000);
	append(out, "%s%lu", *out ? ", " : "", ns / 1000);
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
	each_step("when", "passes", pass_step);
	each_step("when", "looks", look_step);
	test_files();
	test_used_again();
	return tap_plan_done();
}
