/*
 * A root of the tracer's own, so that the boot finds the machine untouched.
 *
 * The first initramfs of a machine may hold one file and no directory: there
 * is no /proc to mount on, and one made for it would be seen by the boot that
 * follows. Worse, who switches root empties the initramfs, and removing a
 * directory detaches what other namespaces have mounted on it (since Linux
 * 3.18): a /proc borrowed there would vanish before the report.
 *
 * So nothing of the initramfs is used: in a mount namespace of its own the
 * tracer lays an empty ramfs (in every kernel, unlike tmpfs) over "/", which
 * needs no directory and which nobody can remove, and moves there. Device
 * nodes are made, for devtmpfs may be absent and the three we need never
 * change their numbers.
 *
 * What must hold: after unshare() all mounts are made private before the
 * first is added, or they would show in PID 1's namespace. Costs one inode
 * and one dentry each, some 10 KiB.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "mounts.h"
#include "../limits.h"
#include "../system.h"

#define MOUNT_FLAGS (MS_NOSUID | MS_NODEV | MS_NOEXEC)

/* In the order in which they nest. A directory that sysfs holds cannot be
 * made there and need not be; without sysfs, it is ours to make. Tracefs is
 * as old (4.1) as the page's number in the events. */
static const struct {
	char dir[20], type[8];
} places[] = {
	{ "/proc", "proc" },
	{ "/sys", "sysfs" },
	{ "/sys/kernel", "" },
	{ "/sys/kernel/tracing", "tracefs" },
	{ "/dev", "" },
};

static const struct {
	char path[14];
	uint8_t major, minor;
} nodes[] = {
	{ "/dev/null", 1, 3 },
	{ "/dev/kmsg", 1, 11 },
	{ "/dev/console", 5, 1 },
};

static void mount_all(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(places); i++) {
		mkdir(places[i].dir, 0755);
		if (places[i].type[0])
			mount("memstrack", places[i].dir, places[i].type,
			      MOUNT_FLAGS, NULL);
	}
	for (i = 0; i < ARRAY_LEN(nodes); i++)
		mknod(nodes[i].path, S_IFCHR | 0600,
		      makedev(nodes[i].major, nodes[i].minor));
}

/* The ramfs lies over "/", but we still stand beneath it: a lookup steps up
 * onto what covers a directory only when it arrives there by a name, and ".."
 * of the root is such a name. */
static int enter_own_root(void)
{
	struct stat before, after;

	if (system_stat(AT_FDCWD, "/", &before) ||
	    mount("memstrack", "/", "ramfs", 0, NULL) || chdir("/..") ||
	    chroot(".") || system_stat(AT_FDCWD, "/", &after))
		return -errno;
	return before.st_dev == after.st_dev ? -EXDEV : 0;
}

int mounts_private(void)
{
	int err;

	if (unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return -errno;
	err = enter_own_root();
	if (!err)
		mount_all();
	return err;
}
