/* SPDX-License-Identifier: MIT */
/*
 * source/sampled/: the texts that it reads, as kernels write them, cut off
 * anywhere, and as no kernel does. Each in memory of its exact size.
 */
#include <errno.h>
#include <string.h>
#include "exact.h"
#include "source/proc/slabinfo.h"
#include "source/sampled/sampled.h"
#include "tap.h"

#define PAGE 4096u

typedef int reader(const char *text, size_t len, uint32_t page_bytes,
		   struct event *e);

static int read_cache(const char *text, size_t len, uint32_t page_bytes,
		      struct event *e)
{
	(void)page_bytes;
	return cache_line(text, len, e);
}

static int read_text(reader *r, const char *text, size_t len, struct event *e)
{
	char *copy = exact(text, len);
	int result;

	event_begin(e, EVENT_REJECTED, 7);
	e->tid = 88;
	result = r(copy, len, PAGE, e);
	free(copy);
	return result;
}

/* Cut off at any place, no text is read beyond its end, and no name is without
 * its end byte. */
static void cut_anywhere(const char *what, reader *r, const char *text)
{
	uint32_t wrong = 0;
	struct event e;

	for (size_t len = 0; len < strlen(text); len++) {
		read_text(r, text, len, &e);
		wrong += !memchr(e.name, 0, sizeof(e.name));
	}
	tap_ok(!wrong, "%s: cut off anywhere", what);
}

#define BEFORE "Name:\teater\nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t88\n" \
	"Ngid:\t0\nPid:\t88\nPPid:\t1\nTracerPid:\t0\nGroups:\t \n"

static void test_status(void)
{
	static const char user[] = BEFORE "VmPeak:\t  66440 kB\n"
		"VmHWM:\t  61308 kB\nVmRSS:\t  51316 kB\nThreads:\t1\n";
	static const char kthreadd[] = "Name:\tkthreadd\nPPid:\t0\n";
	static const char odd[] = "Name:\tabcdefghijklmnopqrst\nVmRSS: x kB";
	static const char thread[] = "Name:\tkworker/0:1\nPPid:\t2\n";
	struct event e;

	tap_ok(read_text(status_text, user, strlen(user), &e) == 1 &&
	       e.type == EVENT_TASK_SAMPLE && e.tid == 88 && e.tgid == 88 &&
	       e.parent_tgid == 1 && !strcmp(e.name, "eater") &&
	       e.rss_pages == 51316 / 4 && e.pages == 61308 / 4,
	       "status of a task: name, parent, resident pages, the most");
	tap_ok(!read_text(status_text, thread, strlen(thread), &e),
	       "status of a kernel thread: its parent is kthreadd");
	e.tid = 2;
	tap_ok(!status_text(kthreadd, strlen(kthreadd), PAGE, &e),
	       "and kthreadd is one");
	tap_ok(read_text(status_text, BEFORE, strlen(BEFORE), &e) == 1 &&
	       !e.rss_pages && !e.pages, "a zombie has no memory, but is a task");
	tap_ok(read_text(status_text, odd, strlen(odd), &e) == 1 && strlen(e.name) == COMM_BYTES - 1 &&
	       !e.rss_pages, "a name too long; no number");
	cut_anywhere("status", status_text, user);
}

static void test_lines(void)
{
	static const char module[] =
		"ext4 1130497 1 - Live 0xffffffffc0a12000";
	static const char cache[] = "dentry             3192   3213    192   21"
		"    1 : tunables    0    0    0 : slabdata    153    153      0";
	static const char *const no_caches[] = {
		"slabinfo - version: 2.1", "", "x 1 2 3 4 y : tunables 0 0 0 : "
		"slabdata 1 2 3", "# name            <active_objs> <num_objs>",
		"x 1 2 3 4 5 : tunables 0 0 0 : slabdata 1 9999999999 3",
	};
	struct event e;
	int wrong = 0;

	tap_ok(!read_text(module_line, module, strlen(module), &e) &&
	       e.type == EVENT_MODULE_SAMPLE && !strcmp(e.name, "ext4") &&
	       e.pages == 277, "a module: whole pages, rounded up");
	tap_ok(read_text(module_line, "ext4", 4, &e) == -EINVAL &&
	       read_text(module_line, "ext4 x 1", 8, &e) == -EINVAL &&
	       read_text(module_line, "", 0, &e) == -EINVAL,
	       "no module: no size, no number, no name");
	tap_ok(!read_text(read_cache, cache, strlen(cache), &e) &&
	       e.type == EVENT_CACHE_SAMPLE && !strcmp(e.name, "dentry") &&
	       e.pages == 153, "a slab cache: slabs and the pages of one");
	for (size_t i = 0; i < ARRAY_LEN(no_caches); i++)
		wrong += read_text(read_cache, no_caches[i],
				   strlen(no_caches[i]), &e) != -EINVAL;
	tap_ok(!wrong, "no slab cache: headings, no numbers, too many");
	tap_ok(!read_text(kind_line, "Slab:              15560 kB", 27, &e) &&
	       e.type == EVENT_KIND_SAMPLE && !strcmp(e.name, "Slab") &&
	       e.pages == 3890, "a line of meminfo, in pages");
	tap_ok(read_text(kind_line, "HugePages_Total:       0", 24, &e) ==
	       -EINVAL && read_text(kind_line, "Slab: -1 kB", 11, &e) ==
	       -EINVAL, "no kB, no number");
	cut_anywhere("module", module_line, module);
	cut_anywhere("slab cache", read_cache, cache);
}

/* Each word of the line is another number. */
static void test_slabinfo(void)
{
	static const char line[] = "files_cache 80 92 704 46 8 : tunables 1 2 3"
		" : slabdata 4 5 6";
	struct slab s;

	tap_ok(!slab_line(line, strlen(line), &s) &&
	       !strcmp(s.name, "files_cache") && s.objects == 80 &&
	       s.object_bytes == 704 && s.pages == 40,
	       "slabinfo: objects in use, bytes of each, pages of all slabs");
}

static void test_kills(void)
{
	static const char *const kills[] = {
		"3,512,4711,-;Out of memory: Killed process 123 (ea) ter) "
		"total-vm:66440kB, anon-rss:64308kB, file-rss:4kB, "
		"shmem-rss:1344kB, UID:0 pgtables:160kB oom_score_adj:0",
		"3,512,4711,-;Memory cgroup out of memory: Killed process 123 "
		"(ea) ter) total-vm:66440kB, anon-rss:64308kB, file-rss:4kB, "
		"shmem-rss:1344kB\n",
		/* Before 4.19; two lines. */
		"3,512,4711,-;Killed process 123 (ea) ter) total-vm:66440kB, "
		"anon-rss:64308kB, file-rss:1348kB",
	};
	static const char *const others[] = {
		"", ";", "6,1,1,-;eater: killed after 16143 pages",
		/* Written by a process. */
		"12,1,1,-;Out of memory: Killed process 123 (x) total-vm:1kB",
		"3,1,1,-;Out of memory: Killed process x (x) total-vm:1kB",
		"3,1,1,-;Out of memory: Killed process 0 (x) total-vm:1kB",
		"3,1,1,-;Out of memory: Killed process 1 x) total-vm:1kB",
		"3,1,1,-;Out of memory: Killed process 1 (x, total-vm:1kB",
		"3,1,1,-;Out of memory: Killed process ",
	};
	struct event e;
	int wrong = 0;

	for (size_t i = 0; i < ARRAY_LEN(kills); i++) {
		tap_ok(!read_text(kill_record, kills[i], strlen(kills[i]), &e) &&
		       e.type == EVENT_TASK_SAMPLE && e.tid == 123 &&
		       !strcmp(e.name, "ea) ter") && e.rss_pages == 65656 / 4,
		       "%.60s", kills[i]);
		tap_ok(!i == (e.flags == EVENT_NO_GROUP),
		       "whether the whole machine has none");
		cut_anywhere("a kill", kill_record, kills[i]);
	}
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		wrong += read_text(kill_record, others[i], strlen(others[i]),
				   &e) != -EINVAL;
	tap_ok(!wrong, "other records are none");
	tap_ok(!read_text(kill_record, kills[1], strlen(kills[1]), &e) &&
	       !e.flags, "nor does one of them change the next kill");
}

static int read_kills(const char *text, uint64_t *kills)
{
	char *copy = exact(text, strlen(text));
	int result;

	result = kills_line(copy, strlen(text), kills);
	free(copy);
	return result;
}

static void test_count(void)
{
	static const char *const others[] = {
		"", "oom_kill", "oom_kill x", "oom_kill -1", "oom_kills 3",
		"pgfault 3", "oom_kill 99999999999999999999",
	};
	uint64_t kills = 7;
	int wrong = 0;

	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		wrong += !read_kills(others[i], &kills);
	tap_ok(!wrong, "no count of kills");
	tap_ok(!read_kills("oom_kill 3", &kills) && kills == 3,
	       "a count of kills");
}

int main(void)
{
	test_status();
	test_lines();
	test_slabinfo();
	test_kills();
	test_count();
	return tap_plan_done();
}
