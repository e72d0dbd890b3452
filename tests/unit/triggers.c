/* SPDX-License-Identifier: MIT */
/*
 * tracer/triggers.c: which kill is the machine's and which a cgroup's, how often
 * either is told, and when names are got ready.
 */
#include <string.h>
#include <fcntl.h>
#include <unistd.h>
#include "tracer/triggers.h"
#include "tap.h"

#define SECOND 1000000000u

/* A machine of 1 GiB with so much of it free. */
static struct fixture {
	struct triggers t;
	struct ledger l;
	struct session s;
} f;

static void machine(uint64_t free_kib)
{
	memset(&f, 0, sizeof(f));
	f.s.page_size = 4096;
	f.s.mem_total_kib = 1 << 20;
	f.t.min_pages = 1000;
	f.l.free_now_pages = free_kib / 4;
	f.l.last_ns = 100ull * SECOND;
}

static int see(uint32_t type)
{
	return triggers_see(&f.t, &(struct event){ .type = type, .tid = 7 });
}

static int in_group(void)
{
	return triggers_kill_in_group(&f.t, &f.l, &f.s);
}

static void test_groups(void)
{
	machine(512 << 10);
	tap_ok(see(EVENT_VICTIM) == 1, "a victim must be answered at once");
	tap_ok(in_group(), "half of the machine's memory is free: a cgroup's");
	see(EVENT_LOW);
	tap_ok(!in_group(), "but not where the machine's reclaim has failed");
	machine(64 << 10);
	tap_ok(!in_group(), "a sixteenth is free: the machine's");
	machine((64 << 10) + 4);
	tap_ok(in_group(), "a page more: a cgroup's");
}

static void test_rate(void)
{
	uint32_t lines = 0, kills = 0, last = 0;

	machine(512 << 10);
	for (uint64_t ms = 0; ms < 60000; ms += 10) {
		uint32_t n = triggers_group_kills(&f.t, f.l.last_ns +
						  ms * 1000000);

		lines += n != 0;
		kills += n;
		last = n ? n : last;
	}
	tap_ok(lines == 6, "6,000 kills in a minute: 6 lines");
	tap_ok(last == 1000 && kills == 5001,
	       "each tells of all kills since the one before");
}

static void test_falling(void)
{
	uint32_t times = 0;

	machine(131072);
	tap_ok(!triggers_memory_falls(&f.t, &f.l, &f.s), "an eighth is free");
	for (uint64_t kib = 131071; kib; kib--) {
		f.l.free_now_pages = kib / 4;
		times += (uint32_t)triggers_memory_falls(&f.t, &f.l, &f.s);
	}
	tap_ok(times == 18, "less: at each half of it, down to nothing");
	f.l.free_now_pages = 1 << 20;
	triggers_memory_falls(&f.t, &f.l, &f.s);
	f.l.free_now_pages = 1;
	tap_ok(!triggers_memory_falls(&f.t, &f.l, &f.s), "once each");
}

static void test_low(void)
{
	machine(40 << 10);
	see(EVENT_LOW);
	tap_ok(triggers_memory_low(&f.t, &f.l, &f.s),
	       "reclaim fails and little is free: that is news");
	see(EVENT_LOW);
	tap_ok(!triggers_memory_low(&f.t, &f.l, &f.s), "no longer");
	f.l.last_ns += 10ull * SECOND;
	tap_ok(!triggers_memory_low(&f.t, &f.l, &f.s),
	       "later neither, for reclaim did not fail since");
	f.l.free_now_pages = 999;
	tap_ok(triggers_memory_low(&f.t, &f.l, &f.s),
	       "less than the kernel wants to keep: that is");
	machine(512 << 10);
	see(EVENT_LOW);
	tap_ok(!triggers_memory_low(&f.t, &f.l, &f.s),
	       "half of it is free: one zone was used up");
}

/* How many of these kills cause a report. */
static unsigned int reports(unsigned int kills, uint64_t apart_ns)
{
	unsigned int n = 0;

	machine(40 << 10);
	for (unsigned int i = 0; i < kills; i++)
		n += (unsigned int)triggers_oom_is_due(
			&f.t, f.l.last_ns + i * apart_ns);
	return n;
}

static void test_kills(void)
{
	tap_ok(reports(1, 0) == 1, "a kill: a report");
	tap_ok(triggers_oom_was_now(&f.t, f.l.last_ns + 2 * SECOND - 1) &&
	       !triggers_oom_was_now(&f.t, f.l.last_ns + 2 * SECOND),
	       "which is over after two seconds");
	tap_ok(reports(6, 2 * SECOND - 1) == 1, "a series: one report");
	tap_ok(reports(7, 2 * SECOND - 1) == 2, "another after ten seconds");
	tap_ok(reports(6, 2 * SECOND) == 6, "kills apart: one each");
}

/* A meminfo of this text. */
static void meminfo(const char *text)
{
	char name[] = "/tmp/meminfo.XXXXXX";

	f.t.meminfo_fd = mkstemp(name);
	unlink(name);
	if (write(f.t.meminfo_fd, text, strlen(text)) < 0)
		abort();
}

static int is_low(void)
{
	f.l.last_ns += 10ull * SECOND;	/* as often as it may be told */
	return triggers_memory_low(&f.t, &f.l, &f.s);
}

static void test_exhausted(void)
{
	machine(64 << 10);
	meminfo("MemFree:  65536 kB\nMemAvailable:  3999 kB\nSwapFree: 0 kB\n");
	tap_ok(is_low(), "less is available than the kernel wants to keep");
	tap_ok(!is_low(), "which is no news any more");
	close(f.t.meminfo_fd);
	meminfo("MemAvailable:  7999 kB\n");
	is_low();
	close(f.t.meminfo_fd);
	meminfo("MemAvailable:  3999 kB\n");
	tap_ok(!is_low(), "nor after a little more was available");
	close(f.t.meminfo_fd);
	meminfo("MemAvailable:  8000 kB\n");
	is_low();
	close(f.t.meminfo_fd);
	meminfo("MemAvailable:  3999 kB\n");
	tap_ok(is_low(), "after twice as much it is");
	machine((64 << 10) + 4);
	meminfo("MemAvailable:  0 kB\n");
	tap_ok(!is_low(), "more than a sixteenth is free");
	close(f.t.meminfo_fd);
	machine(64 << 10);
	meminfo("MemAvailable:  3990 kB\nSwapFree:  10 kB\n");
	tap_ok(!is_low(), "with swap as much is available");
	close(f.t.meminfo_fd);
	machine(64 << 10);
	meminfo("MemFree:  65536 kB\n");
	tap_ok(!is_low(), "a kernel that does not tell what is available");
	close(f.t.meminfo_fd);
}

/* The kernel keeps 4000 KiB, and begins to reclaim at 5048, a thousandth of all
 * memory more. Of slab that is called reclaimable, MemAvailable counts all but
 * that, or half of it if this is less. */
static void test_pinned_slab(void)
{
	machine(64 << 10);
	meminfo("MemAvailable: 18951 kB\nSReclaimable: 20000 kB\n");
	tap_ok(is_low(), "slab may be pinned: it is not available");
	close(f.t.meminfo_fd);
	machine(64 << 10);
	meminfo("MemAvailable: 18952 kB\nSReclaimable: 20000 kB\n");
	tap_ok(!is_low(), "as much as is kept, beside it");
	close(f.t.meminfo_fd);
	machine(64 << 10);
	meminfo("MemAvailable: 6999 kB\nSReclaimable: 6000 kB\n");
	tap_ok(is_low(), "little slab: a half of it is counted");
	close(f.t.meminfo_fd);
	machine(64 << 10);
	meminfo("MemAvailable: 7000 kB\nSReclaimable: 6000 kB\n");
	tap_ok(!is_low(), "as much, beside little slab");
	close(f.t.meminfo_fd);
	machine(64 << 10);
	meminfo("MemAvailable: 100 kB\nSReclaimable: 20000 kB\n");
	tap_ok(is_low(), "less than slab alone");
	close(f.t.meminfo_fd);
}

/* 300 MiB of it are for contiguous memory or high, and what is free in them is
 * of no use to the kernel. */
static void test_apart(void)
{
	machine((310 << 10) + 40);
	meminfo("MemAvailable: 317440 kB\nCmaTotal: 307200 kB\n"
		"CmaFree: 307200 kB\nHighTotal: 204800 kB\nHighFree: 9 kB\n");
	f.t.apart_kib = 307200;
	tap_ok(!in_group(), "a kill: all that is free is kept apart");
	see(EVENT_LOW);
	tap_ok(is_low(), "reclaim fails, likewise");
	machine((310 << 10) + 40);
	f.t.apart_kib = 307200;
	close(f.t.meminfo_fd);
	meminfo("MemAvailable: 311192 kB\nCmaFree: 307200 kB\n");
	tap_ok(is_low(), "less is available besides than the kernel keeps");
	close(f.t.meminfo_fd);
	machine((310 << 10) + 40);
	f.t.apart_kib = 307200;
	meminfo("MemAvailable: 311200 kB\nHighFree: 307200 kB\n");
	tap_ok(!is_low(), "as much: not");
	machine(310 << 10);
	f.t.apart_kib = 307200;
	close(f.t.meminfo_fd);
	meminfo("MemAvailable: 317440 kB\nCmaFree: 204800 kB\n");
	tap_ok(in_group(), "a kill: 110 MiB are free besides");
	machine(440 << 10);
	f.t.apart_kib = 307200;
	f.t.meminfo_fd = -1;
	tap_ok(in_group(), "much is free: no file is read");
}

int main(void)
{
	test_groups();
	test_rate();
	test_falling();
	test_low();
	test_kills();
	test_exhausted();
	test_pinned_slab();
	test_apart();
	return tap_plan_done();
}
