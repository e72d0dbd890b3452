/* SPDX-License-Identifier: MIT */
/*
 * source/sampled/: the texts that it reads, as kernels write them, and as no
 * kernel does. tests/fuzz/sampled.c: nothing is read behind them.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "limits.h"
#include "source/proc/slabinfo.h"
#include "source/sampled/sampled.h"
#include "tap.h"

#define PAGE 4096u

typedef int reader(const char *text, size_t len, uint32_t page_bytes,
		   struct event *e);

static int cache(const char *text, size_t len, uint32_t page_bytes,
		 struct event *e)
{
	(void)page_bytes;
	return cache_line(text, len, e);
}

static int kills(const char *text, size_t len, uint32_t page_bytes,
		 struct event *e)
{
	(void)page_bytes;
	e->type = EVENT_KIND_SAMPLE;
	return kills_line(text, len, &e->pages);
}

#define BEFORE "Name:\teater\nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t88\n" \
	"Ngid:\t0\nPid:\t88\nPPid:\t1\nTracerPid:\t0\nGroups:\t \n"
#define OOM "3,512,4711,-;Out of memory: Killed process "
#define OF_123 "123 (ea) ter) total-vm:66440kB, anon-rss:64308kB, "

/* What is read: the result, type, task and parent, name, resident pages, pages
 * and flags. NULL: -EINVAL. */
static void test_texts(void)
{
	static const struct {
		reader *read;
		const char *text, *want, *what;
	} t[] = {
		{ status_text, BEFORE "VmPeak:\t  66440 kB\n"
		  "VmHWM:\t  61308 kB\nVmRSS:\t  51316 kB\nThreads:\t1\n",
		  "1 30 88/88 1 eater 12829 15327 0", "status of a task" },
		{ status_text, "Name:\tkworker/0:1\nPPid:\t2\n",
		  "0 30 88/88 2 kworker/0:1 0 0 0",
		  "a kernel thread: its parent is kthreadd" },
		{ status_text, BEFORE, "1 30 88/88 1 eater 0 0 0",
		  "a zombie has no memory, but is a task" },
		{ status_text, "Name:\tabcdefghijklmnopqrst\nVmRSS: x kB",
		  "1 30 88/88 0 abcdefghijklmno 0 0 0",
		  "a name too long; no number" },
		{ module_line, "ext4 1130497 1 - Live 0xffffffffc0a12000",
		  "0 31 88/0 0 ext4 0 277 0", "whole pages, rounded up" },
		{ module_line, "ext4", NULL, "no module: no size" },
		{ module_line, "ext4 x 1", NULL, "no number" },
		{ module_line, "", NULL, "no name" },
		{ cache, "dentry             3192   3213    192   21    1 : "
		  "tunables    0    0    0 : slabdata    153    153      0",
		  "0 29 88/0 0 dentry 0 153 0", "slabs and the pages of one" },
		{ cache, "slabinfo - version: 2.1", NULL, "no slab cache" },
		{ cache, "", NULL, "no slab cache" },
		{ cache, "# name            <active_objs> <num_objs>", NULL,
		  "no slab cache: a heading" },
		{ cache, "x 1 2 3 4 y : tunables 0 0 0 : slabdata 1 2 3", NULL,
		  "no number" },
		{ cache, "x 1 2 3 4 5 : tunables 0 0 0 : slabdata 1 "
		  "9999999999 3", NULL, "too many" },
		{ kind_line, "Slab:              15560 kB",
		  "0 32 88/0 0 Slab 0 3890 0", "a line of meminfo, in pages" },
		{ kind_line, "HugePages_Total:       0", NULL, "no kB" },
		{ kind_line, "Slab: -1 kB", NULL, "no number" },
		{ kill_record, OOM OF_123 "file-rss:4kB, shmem-rss:1344kB, "
		  "UID:0 pgtables:160kB oom_score_adj:0",
		  "0 30 123/123 0 ea) ter 16414 0 2048", "all memory" },
		{ kill_record, "3,512,4711,-;Memory cgroup out of memory: "
		  "Killed process " OF_123 "file-rss:4kB, shmem-rss:1344kB\n",
		  "0 30 123/123 0 ea) ter 16414 0 0", "a cgroup's" },
		{ kill_record, "3,512,4711,-;Killed process " OF_123
		  "file-rss:1348kB", "0 30 123/123 0 ea) ter 16414 0 0",
		  "before 4.19, two lines: whose is not known" },
		{ kill_record, "", NULL, "no record" },
		{ kill_record, ";", NULL, "no record" },
		{ kill_record, "6,1,1,-;eater: killed after 16143 pages", NULL,
		  "another record" },
		{ kill_record, "12,1,1,-;Out of memory: Killed process 123 "
		  "(x) total-vm:1kB", NULL, "written by a process" },
		{ kill_record, OOM "x (x) total-vm:1kB", NULL, "no pid" },
		{ kill_record, OOM "0 (x) total-vm:1kB", NULL, "no task" },
		{ kill_record, OOM "1 x) total-vm:1kB", NULL, "no bracket" },
		{ kill_record, OOM "1 (x, total-vm:1kB", NULL, "only one" },
		{ kill_record, OOM, NULL, "cut off" },
		{ kills, "oom_kill 3", "0 32 88/0 0  0 3 0", "a count" },
		{ kills, "", NULL, "no count of kills" },
		{ kills, "oom_kill", NULL, "no number" },
		{ kills, "oom_kill x", NULL, "no number" },
		{ kills, "oom_kill -1", NULL, "no number" },
		{ kills, "oom_kills 3", NULL, "another name" },
		{ kills, "pgfault 3", NULL, "another name" },
	};

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct event e = { .type = EVENT_REJECTED, .tid = 88 };
		int result = t[i].read(t[i].text, strlen(t[i].text), PAGE, &e);
		char got[100];

		snprintf(got, sizeof(got), "%d %u %u/%u %u %.20s %" PRIu64
			 " %" PRIu64 " %u", result, e.type, e.tid, e.tgid,
			 e.parent_tgid, e.name, e.rss_pages, e.pages, e.flags);
		tap_ok(t[i].want ? !strcmp(got, t[i].want) : result == -EINVAL,
		       "%.60s: %s: %s", t[i].text, t[i].what, got);
	}
}

static void test_others(void)
{
	static const char kthreadd[] = "Name:\tkthreadd\nPPid:\t0\n";
	/* Each word is another number. */
	static const char line[] = "files_cache 80 92 704 46 8 : tunables 1 2 3"
		" : slabdata 4 5 6";
	static const char many[] = "oom_kill 99999999999999999999";
	struct event e = { .tid = 2 };
	struct slab s;

	tap_ok(!status_text(kthreadd, strlen(kthreadd), PAGE, &e),
	       "kthreadd is a kernel thread");
	tap_ok(!slab_line(line, strlen(line), &s) &&
	       !strcmp(s.name, "files_cache") && s.objects == 80 &&
	       s.object_bytes == 704 && s.pages == 40,
	       "slabinfo: objects in use, bytes of each, pages of all slabs");
	tap_ok(kills(many, strlen(many), PAGE, &e), "more than a number");
}

int main(void)
{
	test_texts();
	test_others();
	return tap_plan_done();
}
