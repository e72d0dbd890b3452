/* SPDX-License-Identifier: MIT */
/*
 * source/proc/full.c: which mounts of a namespace of our own are told, and the
 * longest path; lines of mountinfo: texts.c. source/proc/initramfs.c: which
 * directories of a tmpfs are told, how large, and when none is (cases/tmpfs).
 */
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include "base/base.h"
#include "base/system.h"
#include "source/proc/proc.h"
#include "cases.h"

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
	char line[1024];

	snprintf(line, sizeof(line), "exec 2>/dev/null; cd %s && mk() { mkdir "
		 "-p files${1%%/*}; head -c $2K /dev/zero >files$1; } && %s",
		 top, command);
	if (system(line))
		puts("# failed");
}

/* cases/tmpfs: "BEFORE // MEANWHILE // AT THE END". */
static void test_case(struct cases *c)
{
	static struct initramfs i;
	struct listener l = { .out.event = hear };
	char path[64], process[32];
	char *const meanwhile = strstr(c->text, " // ");
	char *const after = meanwhile ? strstr(meanwhile + 4, " // ") : NULL;

	if (after)
		*after = '\0';
	if (meanwhile)
		*meanwhile = '\0';
	in_top(c->text);
	if (!strcmp(c->reader, "full")) {
		print_to(process, sizeof(process), "/proc/%d", (int)getpid());
		must(full_emit(&l.out, 99, process,
			       &(struct tmpfs_most){ 0, 0 }) || !*l.text);
		case_is(c, *l.text ? l.text : "none");
		return;
	}
	snprintf(path, sizeof(path), "%s/root", top);
	initramfs_begin(&i, path, strtoull(c->reader, NULL, 10));
	if (meanwhile)
		in_top(meanwhile + 4);
	while (initramfs_on(&i))
		;
	if (after)
		in_top(after + 4);
	initramfs_emit(&i, &l.out, 99, path);
	case_is(c, *l.text ? l.text : "none");
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

static int add(const char *name, const char *options)
{
	char path[64];

	print_to(path, sizeof(path), "%s/%s", top, name);
	return mkdir(path, 0700) || mount("x", path, "tmpfs", 0, options);
}

/* In KiB; of others than rootfs. */
static uint64_t most(uint64_t at_least)
{
	struct listener l = { .out.event = hear };
	struct tmpfs_most m = { UINT64_MAX, at_least };
	char process[32];

	print_to(process, sizeof(process), "/proc/%d", (int)getpid());
	full_emit(&l.out, 99, process, &m);
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

int main(void)
{
	if (!mkdtemp(top) || unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("x", top, "tmpfs", 0, NULL)) {
		rmdir(top);
		tap_skip("mounts need root");
	}
	test_long_lines();
	each_case("tmpfs", NULL, test_case);
	test_most();
	umount2(top, MNT_DETACH);
	rmdir(top);
	return tap_plan_done();
}
