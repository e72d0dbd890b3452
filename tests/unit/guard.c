/* SPDX-License-Identifier: MIT */
/*
 * tracer/guard.c: it sleeps until the signal of a reboot comes, keeps the first
 * CPU until it is told to let go or its time is over, leaves the kernel's
 * setting as it was, and ends with the tracer.
 */
#include <signal.h>
#include <time.h>
#include "base/base.h"
#include "tracer/tracer.h"
#include "tap.h"

#define SHARE "/proc/sys/kernel/sched_rt_runtime_us"

static void text_of(const char *path, char *text, int size)
{
	FILE *f = fopen(path, "r");

	if (!f || !fgets(text, size, f))
		text[0] = '\0';
	if (f)
		fclose(f);
}

/* R, S, Z; '-': there is no such process. */
static char state(pid_t pid)
{
	char path[32], text[256];
	const char *at;

	print_to(path, sizeof(path), "/proc/%d/stat", (int)pid);
	text_of(path, text, sizeof(text));
	at = strrchr(text, ')');
	return at ? at[2] : '-';
}

/* It takes as long as it takes: a hang is found by who runs this. */
static int comes_to(pid_t pid, char wanted)
{
	const struct timespec ms = { 0, 1000000 };

	while (state(pid) != wanted)
		nanosleep(&ms, NULL);
	return 1;
}

static void test_hold(void)
{
	char before[32], meanwhile[32], after[32];
	const pid_t guard = guard_begin(2, 600);

	tap_ok(guard > 0 && comes_to(guard, 'S'), "a guard sleeps");
	guard_let_go(guard);
	tap_ok(comes_to(guard, 'S'), "also when it is told to let go");
	text_of(SHARE, before, sizeof(before));
	kill(guard, SIGIO);
	tap_ok(comes_to(guard, 'R'), "at a reboot it runs");
	do {
		text_of(SHARE, meanwhile, sizeof(meanwhile));
	} while (!strcmp(meanwhile, before));
	tap_ok(!strcmp(meanwhile, "-1\n"), "and others get no part");
	guard_let_go(guard);
	tap_ok(comes_to(guard, 'S'), "told to let go it sleeps again");
	text_of(SHARE, after, sizeof(after));
	tap_ok(!strcmp(before, after), "and others get the part they had");
	kill(guard, SIGIO);
	comes_to(guard, 'R');
	guard_end(guard);
	tap_ok(comes_to(guard, 'Z'), "it ends, also if it holds a reboot");
	text_of(SHARE, after, sizeof(after));
	tap_ok(!strcmp(before, after), "and leaves others their part");
}

static void test_time(void)
{
	const pid_t guard = guard_begin(2, 1);

	kill(guard, SIGIO);
	tap_ok(comes_to(guard, 'R') && comes_to(guard, 'S'),
	       "it lets go by itself when its time is over");
	guard_end(guard);
}

int main(void)
{
	tap_ok(!guard_begin(1, 600), "with one CPU there is none");
	tap_ok(!guard_begin(2, 0), "nor if nobody wants to wait");
	test_hold();
	test_time();
	return tap_plan_done();
}
