/* SPDX-License-Identifier: MIT */
/*
 * source/proc/initramfs.c, with files in a tmpfs: which directories are told,
 * how large, and when nothing is.
 */
#include <sys/vfs.h>
#include <linux/magic.h>
#include "source/proc/initramfs.h"
#include "tap.h"

static char top[] = "/dev/shm/initramfs.XXXXXX";

struct listener {
	struct event_out out;	/* first: it takes events */
	char text[512];
};

static void hear(struct event_out *o, const struct event *e)
{
	struct listener *l = (struct listener *)o;
	const size_t len = strlen(l->text);

	snprintf(l->text + len, sizeof(l->text) - len, "%s%s %u",
		 len ? ", " : "", e->type == EVENT_INITRAMFS &&
		 e->time_ns == 99 ? e->name : "wrong",
		 (unsigned int)(e->size >> 10));
}

static void in_top(const char *command)
{
	char line[512];

	snprintf(line, sizeof(line), "cd %s && %s", top, command);
	if (system(line))
		puts("# failed");
}

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
	in_top("rm -r root files && rmdir $PWD");
}

int main(void)
{
	struct statfs s;

	if (!mkdtemp(top) || statfs(top, &s) || s.f_type != TMPFS_MAGIC) {
		rmdir(top);
		tap_skip("/dev/shm is no tmpfs");
	}
	in_top("mkdir files && ln -s files root");
	test_parts();
	test_shares();
	test_changes();
	return tap_plan_done();
}
