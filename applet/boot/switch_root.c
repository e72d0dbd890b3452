/* SPDX-License-Identifier: MIT */
/*
 * Empties the initramfs, to free its memory.
 *
 * sweep() works through descriptors, so that neither a mount over a path nor a
 * symbolic link leads elsewhere. It needs no recursion and no memory: it keeps
 * a stack of open directories, each with a small buffer of entries. One walk,
 * depth first, is enough: an entry that is not removed is read exactly once,
 * whatever is removed beside it.
 *
 * Costs at most SWEEP_DEPTH descriptors, and 66 KiB of stack: 1 KiB for each
 * open directory.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "base/base.h"
#include "base/system.h"
#include "boot/boot.h"
#include "control/control.h"
#include "limits.h"

/* Directories nested deeper are not removed, and keep their memory. An
 * initramfs has some fifteen levels. */
#define SWEEP_DEPTH 64

struct level {
	struct entries entries;
	const char *name;	/* of the entry that was read last */
};

/* A descriptor of a directory that must be emptied first, or -1. A mount point
 * never gets here, because its removal failed with EBUSY; the devices are
 * compared to be sure. */
static int enter_dir(const struct level *l, dev_t dev)
{
	int fd = system_open(l->entries.fd, l->name, O_RDONLY | O_DIRECTORY |
			     O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0 && system_device(fd, "") != dev) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Removes the entry, or returns a descriptor of what must be emptied first. */
static int remove_entry(const struct level *l, dev_t dev)
{
	const int dir = l->entries.fd;

	if (!strcmp(l->name, ".") || !strcmp(l->name, "..") ||
	    !unlinkat(dir, l->name, 0) ||
	    !unlinkat(dir, l->name, AT_REMOVEDIR) || errno != ENOTEMPTY)
		return -1;
	return enter_dir(l, dev);
}

/* When a level is done, the buffer of the level above still holds the entry of
 * its directory, which is then removed. */
void sweep(int dir_fd)
{
	struct level stack[SWEEP_DEPTH], *l = stack;
	const dev_t dev = system_device(dir_fd, "");

	if (!dev)
		return;
	entries_begin(&l->entries, dir_fd);
	for (;;) {
		const char *name = entries_next(&l->entries);
		int fd;

		if (!name) {
			if (l == stack)
				return;
			close(l->entries.fd);
			l--;
			unlinkat(l->entries.fd, l->name, AT_REMOVEDIR);
			continue;
		}
		l->name = name;
		fd = remove_entry(l, dev);
		if (fd < 0)
			continue;
		if (l == stack + SWEEP_DEPTH - 1) {
			close(fd);
			continue;
		}
		l++;
		entries_begin(&l->entries, fd);
	}
}

/*
 * --- switch root
 *
 * memstrack switch_root [-c CONSOLE] NEWROOT INIT [ARGS…]
 *
 * Does what the switch_root of busybox and util-linux does, but first asks the
 * tracer for the report, while the initramfs is still complete. switch_root
 * waits until the tracer has taken its final figures, at most
 * SWITCH_TIMEOUT_MS, and then until the report is written, at most as long as
 * rd.memstrack.wait= allows. The tracer sends that number, because there may be
 * no /proc here to read it from. If no tracer runs, that is no error.
 *
 * The initramfs cannot be restored, so it is emptied last. Before that, NEWROOT
 * is moved and entered, and INIT is checked by its path in the new root (INIT
 * is often an absolute symbolic link). If a step before the emptying fails, no
 * file is lost.
 *
 * Mounts on /dev, /proc, /sys and /run are moved too, as util-linux does;
 * dracut's scripts rely on this. busybox leaves the moves to the script, which
 * has moved or unmounted them before: then nothing is left to move here. If
 * NEWROOT has no such directory, or has something mounted there, the old mount
 * is detached, so that it pins no memory.
 */

/* Prints the text of errno, and returns the exit status. */
static int fail(const char *verb, const char *object)
{
	print_line(STDERR_FILENO, "switch_root: %s %s: %s", verb, object,
		error_text(errno));
	return 1;
}

static int refuse(const char *why)
{
	print_line(STDERR_FILENO, "switch_root: %s: nothing is deleted", why);
	return 1;
}

/* Returns the arguments from NEWROOT on, or NULL if they are wrong. The
 * arguments after INIT are INIT's own. */
static char **read_args(char *argv[], const char **console)
{
	char **a = argv + 1;

	for (; *a && (*a)[0] == '-' && (*a)[1]; a++) {
		if (!strcmp(*a, "--")) {
			a++;
			break;
		}
		if ((*a)[1] != 'c')
			return NULL;
		*console = (*a)[2] ? *a + 2 : *++a;
		if (!*console)
			return NULL;
	}
	return a[0] && a[1] ? a : NULL;
}

/* --- before anything is changed ------------------------------------------ */

/* 0, and the working directory is NEWROOT; or the exit status. */
static int check(const char *newroot, int old_root)
{
	const dev_t old = system_device_path("/");
	struct statfs fs;
	dev_t here, above;

	if (!old || fstatfs(old_root, &fs))
		return fail("stat", "/");
	if (fs.f_type != RAMFS_MAGIC && fs.f_type != TMPFS_MAGIC)
		return refuse("/ is not a ramfs or tmpfs");
	here = chdir(newroot) ? 0 : system_device_path(".");
	above = here ? system_device_path("..") : 0;
	if (!above)
		return fail("enter", newroot);
	if (here == old || here == above)
		return refuse("NEWROOT is not a mount point");
	return 0;
}

/* --- the report ---------------------------------------------------------- */

/* Reads a byte from the tracer: 0, or -errno if none comes in time. */
static int next_byte(int fd, unsigned int seconds, unsigned char *byte)
{
	const int err = deadline_wait_readable(
		fd, deadline_after((int)seconds * 1000));

	if (err)
		return err;
	return read(fd, byte, 1) == 1 ? 0 : -ECONNRESET;
}

/* After the first answer the tracer sends the seconds to wait for the second
 * one. With rd.memstrack.wait=0 a report to a file is already written, and
 * nothing follows. The second answer may be an error, which the tracer has
 * printed. */
static int wait_for_report(int fd)
{
	unsigned char seconds = 0, answer;

	next_byte(fd, 0, &seconds);
	return seconds ? next_byte(fd, seconds, &answer) : 0;
}

static void report(void)
{
	int err = control_ask_once(CONTROL_SWITCH_ROOT, "", SWITCH_TIMEOUT_MS);

	if (err == -ECONNREFUSED || err == -EAFNOSUPPORT)
		return;
	if (err >= 0) {
		const int fd = err;

		err = wait_for_report(fd);
		close(fd);
	}
	if (err)
		boot_say("switch_root goes on without the report: %s",
			 err == -ETIMEDOUT ? "it takes too long" :
			 error_text(err));
}

/* --- the move ------------------------------------------------------------ */

/* The working directory is the old root, "/" the new root. If `from` is not a
 * mount point, both calls fail and nothing changes. */
static void carry(const char *to)
{
	const char *from = to + 1;

	if (system_device_path(to) != system_device_path("/") ||
	    mount(from, to, NULL, MS_MOVE, NULL))
		umount2(from, MNT_DETACH);
}

/* Returns the verb of the step that failed, or NULL. */
static const char *move_root(int old_root)
{
	static const char *const with_us[] = {
		"/dev", "/proc", "/sys", "/run",
	};

	if (mount(".", "/", NULL, MS_MOVE, NULL))
		return "move";
	if (chroot(".") || syscall(SYS_fchdir, old_root))
		return "enter";
	for (unsigned int i = 0; i < ARRAY_LEN(with_us); i++)
		carry(with_us[i]);
	return chdir("/") ? "enter" : NULL;
}

/* 0, or -1 and errno. */
static int check_init(const char *init)
{
	struct stat st;

	if (system_stat_path(init, &st))
		return -1;
	errno = EACCES;
	return S_ISREG(st.st_mode) && (st.st_mode & 0111) ? 0 : -1;
}

/* --- the real init ------------------------------------------------------- */

/* O_NONBLOCK: a serial line may have no carrier, and the open would wait for a
 * carrier. */
static void take_console(const char *path)
{
	int fd = system_open(AT_FDCWD, path, O_RDWR | O_NONBLOCK);

	if (fd < 0) {
		fail("open", path);
		return;
	}
	syscall(SYS_fcntl, fd, F_SETFL, 0l);
	for (int i = 0; i <= STDERR_FILENO; i++)
		dup2(fd, i);
	if (fd > STDERR_FILENO)
		close(fd);
}

int switch_root_main(char *argv[])
{
	const char *console = NULL, *failed;
	char **args = read_args(argv, &console);
	int old_root, err;

	if (!args) {
		print_line(STDERR_FILENO, "usage: switch_root [-c CONSOLE] "
			   "NEWROOT INIT [ARGS...]");
		return EXIT_USAGE;
	}
	if (getpid() != 1)
		return refuse("not PID 1");
	old_root = system_open_path("/", O_DIRECTORY);
	if (old_root < 0)
		return fail("open", "/");
	err = check(args[0], old_root);
	if (err)
		return err;
	report();
	failed = move_root(old_root);
	if (failed)
		return fail(failed, args[0]);
	if (check_init(args[1]))
		return fail("execute", args[1]);
	sweep(old_root);
	close(old_root);
	if (console)
		take_console(console);
	/* There is no way back. If memory was short, a second try may
	 * succeed. */
	execv(args[1], args + 1);
	execv(args[1], args + 1);
	return fail("execute", args[1]);
}
