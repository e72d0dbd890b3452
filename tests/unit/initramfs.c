/* SPDX-License-Identifier: MIT */
/*
 * source/proc/initramfs.c, with files in a tmpfs: which directories are told,
 * how large, and when nothing is.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <linux/magic.h>
#include "source/proc/initramfs.h"
#include "tap.h"

#define KIB 1024u

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
		 (unsigned int)(e->size / KIB));
}

/* A file with its directories. */
static void make(const char *path, uint32_t kib)
{
	char name[512];
	int fd;

	snprintf(name, sizeof(name), "%s/files%s", top, path);
	for (char *c = name + strlen(top) + 1; (c = strchr(c, '/')); c++) {
		*c = '\0';
		mkdir(name, 0700);
		*c = '/';
	}
	fd = open(name, O_CREAT | O_WRONLY, 0600);
	for (char zero[KIB] = { 0 }; kib; kib--)
		if (write(fd, zero, sizeof(zero)) != sizeof(zero))
			break;
	close(fd);
}

static void in_top(const char *command)
{
	char line[128];

	snprintf(line, sizeof(line), "cd %s && %s", top, command);
	if (system(line))
		puts("# failed");
}

/* What is told of files that had so many KiB. One command is run before they are
 * looked at, or one after. */
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
	for (int i = 0; i < 200; i++) {
		char path[64];

		snprintf(path, sizeof(path), "/usr/lib/modules/x/%d", i);
		make(path, 4);
	}
	tells(4108, want, "directories with all below them");
	tells(4108 * 10 / 9 - 9, want, "nine tenths are enough");
	tells(4108 * 10 / 9 + 9, "", "some are missing");
	tells(1023, "", "not for less than 1 MiB");
	tells(UINT64_MAX, "", "nor for what no machine has");
	in_top("ln files/usr/lib/firmware/c files");
	tells(4108,
	      "/usr/lib/modules 1600, /usr/bin 700, /bin 600",
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
		puts("1..0 # SKIP /dev/shm is no tmpfs");
		return 0;
	}
	in_top("mkdir files && ln -s files root");
	test_parts();
	test_shares();
	test_changes();
	return tap_plan_done();
}
