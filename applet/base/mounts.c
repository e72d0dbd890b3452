/* SPDX-License-Identifier: MIT */
/*
 * The tracer's own root directory, so that the boot finds the machine
 * untouched.
 *
 * The first initramfs of a machine may hold one file and no directory. Then
 * there is no /proc to mount on, and the boot that follows would see the /proc
 * that we made. Worse: the program that switches the root empties the
 * initramfs, and since Linux 3.18 removing a directory detaches what other
 * namespaces have mounted on it. A /proc mounted there would vanish before the
 * report.
 *
 * So the tracer uses nothing of the initramfs. In its own mount namespace the
 * tracer mounts an empty ramfs over "/", and moves there. Every kernel has
 * ramfs, unlike tmpfs; a mount over "/" needs no directory, and nobody can
 * remove it. Device nodes are made with mknod(): devtmpfs may be absent, and
 * the three nodes that we need have fixed numbers.
 *
 * What must hold: after unshare() all mounts are made private before the first
 * mount is added. Otherwise PID 1 would see the mounts. A mount costs one inode
 * and one dentry; together they take some 10 KiB.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "base/system.h"
#include "limits.h"

#define MOUNT_FLAGS (MS_NOSUID | MS_NODEV | MS_NOEXEC)

/* Directories, outer ones first, each with the type of its mount. sysfs has the
 * directories below /sys; without sysfs we make them. Tracefs exists since 4.1,
 * and so does the page frame number in the events. */
static const struct {
	const char *dir, *type;		/* type NULL: only the directory */
} places[] = {
	{ "/proc", "proc" },
	{ "/sys", "sysfs" },
	{ "/sys/kernel", NULL },
	{ "/sys/kernel/tracing", "tracefs" },
	{ "/sys/kernel/debug", "debugfs" },
	{ "/dev", NULL },
};

static void make_node(const char *path, unsigned int major, unsigned int minor)
{
	mknod(path, S_IFCHR | 0600, makedev(major, minor));
}

int mounts_add(const char *dir, const char *type)
{
	mkdir(dir, 0755);	/* it may exist */
	return mount("memstrack", dir, type, MOUNT_FLAGS, NULL) ? -errno : 0;
}

static void mount_all(void)
{
	for (unsigned int i = 0; i < ARRAY_LEN(places); i++) {
		if (places[i].type)
			mounts_add(places[i].dir, places[i].type);
		else
			mkdir(places[i].dir, 0755);
	}
	make_node("/dev/null", 1, 3);
	make_node("/dev/kmsg", 1, 11);
	make_node("/dev/console", 5, 1);
}

/* The ramfs covers "/", but our root is still the directory under it. A lookup
 * goes to the covering mount only when it reaches a directory by a name; "/.."
 * is such a name. 0, or -1 and errno. */
static int enter_own_root(void)
{
	const dev_t before = system_device_path("/");
	dev_t after;

	if (!before || mount("memstrack", "/", "ramfs", 0, NULL) ||
	    chdir("/..") || chroot("."))
		return -1;
	after = system_device_path("/");
	if (!after)
		return -1;
	errno = EXDEV;
	return before == after ? -1 : 0;
}

int mounts_leave(void)
{
	if (unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    enter_own_root())
		return -errno;
	return 0;
}

int mounts_private(void)
{
	int error = mounts_leave();

	if (!error)
		mount_all();
	return error;
}
