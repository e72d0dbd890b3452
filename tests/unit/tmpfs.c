/* SPDX-License-Identifier: MIT */
/*
 * source/proc/full.c: which mounts of a mount namespace of our own are told, and
 * the longest path; lines of mountinfo: texts.c. source/proc/initramfs.c: which
 * directories of a tmpfs are told, how large, and when nothing is.
 */
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include "base/base.h"
#include "base/system.h"
#include "source/proc/proc.h"
#include "exact.h"
#include "tap.h"

static char top[] = "/tmp/tmpfs.XXXXXX";

struct listener {
	struct event_out out;	/* first: it takes events */
	char text[1024];
};

/* Other mounts of this machine may be full too. */
static void hear(struct event_out *o, const struct event *e)
{
	char *const all = ((struct listener *)o)->text, *text;
	const char *name = e->name;

	text = all + strlen(all);
	if (e->type == EVENT_INITRAMFS) {
		must(e->time_ns == 99);
		sprintf(text, "%s%s %u", text > all ? ", " : "", name,
			(unsigned int)(e->size >> 10));
		return;
	}
	if (strncmp(name, top, strlen(top)))
		return;
	must(e->type == EVENT_FULL && e->time_ns == 99);
	sprintf(text, "%s%s %u of %u %u", text > all ? ", " : "",
		name + strlen(top),
		(unsigned int)(e->pages * (uint64_t)getpagesize() >> 10),
		(unsigned int)(e->size >> 10), (unsigned int)e->objects);
}

static void in_top(const char *command)
{
	char line[512];

	snprintf(line, sizeof(line), "cd %s && %s", top, command);
	if (system(line))
		puts("# failed");
}

/* --- full.c --- */

static void test_long_lines(void)
{
	char line[512];
	struct mount_line m;

	for (int more = 0; more < 2; more++) {
		int len = snprintf(line, sizeof(line), "1 2 0:3 / /%0*d rw - "
				   "tmpfs t rw", MOUNT_PATH_BYTES - 2 + more, 0);
		int error = mountinfo_line(exact_once(line, (size_t)len),
					   (size_t)len, &m);

		tap_ok(error == (more ? -EINVAL : 0), "%s path",
		       more ? "a longer" : "the longest");
	}
}

static void looks(const char *want, const char *name)
{
	struct listener l = { .out.event = hear };
	char process[32];
	uint32_t full;

	print_to(process, sizeof(process), "/proc/%d", (int)getpid());
	full = full_tell(&l.out, 99, process, &(struct tmpfs_most){ 0, 0 });
	tap_ok(!strcmp(l.text, want) && (full || !*want), "%s: %s", name,
	       *l.text ? l.text : "nothing");
}

static int add(const char *name, const char *options)
{
	char path[64];

	print_to(path, sizeof(path), "%s/%s", top, name);
	return mkdir(path, 0700) || mount("x", path, "tmpfs", 0, options);
}

/* Without RESOLVE_CACHED: see full.h. */
static void test_looks(void)
{
	if (add("mnt", "size=64k") || add("few", "nr_inodes=3,size=64k") ||
	    add("a b", "size=64k") || add("room", "size=64k"))
		tap_skip("mounts need root");
	looks("", "none is full");
	in_top("head -c 1M /dev/zero >mnt/file 2>/dev/null;"
	       "touch few/1 few/2 few/3 2>/dev/null; true");
	looks("/mnt 64 of 64 0, /few 0 of 64 3",
	      "one without room, one without inodes");
	in_top("mkdir again && mount --bind mnt again");
	looks("/mnt 64 of 64 0, /few 0 of 64 3",
	      "one that is mounted twice is told once");
	in_top("mount -t tmpfs -o size=64k x mnt");
	looks("/few 0 of 64 3, /again 64 of 64 0",
	      "where another is on top of it, it is not seen");
	in_top("umount mnt; rm mnt/file few/*;"
	       "head -c 1M /dev/zero >'a b/file' 2>/dev/null; true");
	looks("/a b 64 of 64 0", "those are not full any more; one is");
}

/* In KiB; of others than rootfs. */
static uint64_t most(uint64_t at_least)
{
	struct listener l = { .out.event = hear };
	struct tmpfs_most m = { UINT64_MAX, at_least };
	char process[32];

	print_to(process, sizeof(process), "/proc/%d", (int)getpid());
	full_tell(&l.out, 99, process, &m);
	return m.others;
}

/* Both are nearly full, so no other tmpfs of this machine comes near. */
static void test_most(void)
{
	const uint64_t all_kib = (uint64_t)sysconf(_SC_PHYS_PAGES) *
				 ((uint64_t)getpagesize() >> 10);
	uint64_t before, kib;

	if (add("bytes", "size=333k"))
		tap_skip("mounts need root");
	in_top("head -c 320K /dev/zero >bytes/file");
	before = most(0);
	if (add("share", "size=1%"))
		tap_skip("mounts need root");
	tap_ok(most(0) == before, "what is empty needs no more");
	in_top("head -c $(($(stat -f -c '%b * %S' share) * 19 / 20)) "
	       "/dev/zero >share/file");
	kib = most(0);
	tap_ok(before < all_kib * 9 / 10, "bytes are no part of memory");
	tap_ok(kib > all_kib * 94 / 100 && kib < all_kib * 96 / 100,
	       "19/20 of 1 %% would fill as much of memory: %llu of %llu KiB",
	       (unsigned long long)kib, (unsigned long long)all_kib);
	in_top("rm share/file");
	tap_ok(most(kib) == kib, "the most stays");
}

/* --- initramfs.c --- */

/* A file with its directories. */
static void make(const char *path, uint32_t kib)
{
	char line[256];

	snprintf(line, sizeof(line), "f=files%s; mkdir -p ${f%%/*} && "
		 "head -c %uK /dev/zero > $f", path, kib);
	in_top(line);
}

/* What is told of files that had so many KiB. A command runs before they are
 * looked at, and one after. */
static void tells_after(uint64_t kib, const char *before, const char *after,
			const char *want, const char *name)
{
	static struct initramfs i;
	struct listener l = { .out.event = hear };
	char path[64];
	int pieces = 1;

	snprintf(path, sizeof(path), "%s/root", top);
	initramfs_begin(&i, path, kib);
	in_top(before);
	for (; initramfs_on(&i); pieces++)
		;
	in_top(after);
	initramfs_tell(&i, &l.out, 99, path);
	tap_ok(!strcmp(l.text, want), "%s: %s in %d pieces", name,
	       *l.text ? l.text : "nothing", pieces);
}

static void tells(uint64_t kib, const char *want, const char *name)
{
	tells_after(kib, "true", "true", want, name);
}

static void test_parts(void)
{
	static const char want[] =
		"/usr/lib/modules 1600, /usr/lib/firmware 900, /usr/bin 700";

	make("/init", 4);
	make("/usr/lib/modules/6.1/kernel/drivers/net/a", 600);
	make("/usr/lib/modules/6.1/kernel/b", 200);
	make("/usr/lib/firmware/c", 900);
	make("/usr/lib/modules-load.d/d", 4);
	make("/usr/lib/one", 300);
	make("/usr/bin/e", 700);
	make("/bin/f", 600);
	in_top("cd files/usr/lib/modules && mkdir x && for i in $(seq 200); do "
	       "head -c 4K /dev/zero > x/$i; done");
	tells(4108, want, "directories with all below them");
	tells(4108 * 10 / 9 - 9, want, "nine tenths are enough");
	tells(4108 * 10 / 9 + 9, "", "some are missing");
	tells(1023, "", "not for less than 1 MiB");
	tells(UINT64_MAX, "", "nor for what no machine has");
	in_top("ln files/usr/lib/firmware/c files");
	tells(4108, "/usr/lib/modules 1600, /usr/bin 700, /bin 600",
	      "half of a file with two names is in each");
	in_top("rm files/c");
}

static void test_shares(void)
{
	make("/a-name-that-is-longer-than-what-there-is-room-for-in-an-event",
	     2200);
	tells(4108, "/usr/lib/modules 1600, /usr/lib/firmware 900, "
	      "/usr/bin 700", "one whose name is too long is not told");
	make("/large", 2700);
	tells(4108, "/large 2700, /usr/lib/modules 1600",
	      "a file; nothing below a tenth");
}

static void test_changes(void)
{
	tells_after(9000, "rm -r files/usr", "true", "",
		    "removed before they are looked at");
	tells_after(5000, "true", "ln -sfn / root", "", "another root");
	in_top("ln -sfn files root");
	tells_after(5000, "ln -sfn / root", "ln -sfn files root", "",
		    "another root for a while");
	in_top("mkdir -p files/usr/lib64/y && mv files/large files/usr/lib64/y");
	tells(5000, "/usr/lib64/y 2700, /bin 600", "others");
	in_top("rm -r root files/bin files/usr");
	tells(2000, "", "no root");
	in_top("ln -s /proc root");
	tells(2000, "", "not in memory");
	in_top("rm -r root files");
}

int main(void)
{
	if (!mkdtemp(top) || unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("x", top, "tmpfs", 0, NULL)) {
		rmdir(top);
		tap_skip("mounts need root");
	}
	test_long_lines();
	in_top("mkdir files && ln -s files root");
	test_parts();
	test_shares();
	test_changes();
	test_looks();
	test_most();
	umount2(top, MNT_DETACH);
	rmdir(top);
	return tap_plan_done();
}
