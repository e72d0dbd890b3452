/*
 * memstrack switch_root [-c CONSOLE] NEWROOT INIT [ARGS…]
 *
 * What busybox's and util-linux's do, with the tracer's report before: it is
 * asked for first, while the initramfs still stands, and this waits until the
 * tracer has taken stock, at most SWITCH_TIMEOUT_MS. No tracer is no error.
 *
 * Emptying the initramfs cannot be taken back, so it comes last: NEWROOT is
 * moved and entered while the old root is whole, and INIT is looked at as it
 * is found there (it is often an absolute symbolic link). Until then, what is
 * refused has lost nothing.
 *
 * /dev, /proc, /sys and /run go along if something is mounted there, as with
 * util-linux, for dracut's scripts count on it; busybox leaves that to the
 * script, which then has moved or unmounted them before, and finds no
 * difference. Where NEWROOT has no such directory, or has it mounted already,
 * the old mount is detached, so that it pins no memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <linux/magic.h>
#include "sweep.h"
#include "switch_root.h"
#include "../control.h"
#include "../limits.h"
#include "../print.h"
#include "../system.h"

struct request {
	const char *console, *newroot;
	char **init;		/* INIT [ARGS…] */
};

/* By errno. */
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

/* Options end at NEWROOT: what follows INIT is INIT's. */
static int read_args(char *argv[], struct request *r)
{
	char **a = argv + 1;

	r->console = NULL;
	while (*a && (*a)[0] == '-' && (*a)[1]) {
		if (!strcmp(*a, "--")) {
			a++;
			break;
		}
		if ((*a)[1] != 'c')
			return -EINVAL;
		r->console = (*a)[2] ? *a + 2 : *++a;
		if (!r->console)
			return -EINVAL;
		a++;
	}
	if (!a[0] || !a[1])
		return -EINVAL;
	r->newroot = a[0];
	r->init = a + 1;
	return 0;
}

/* --- before anything is changed ------------------------------------------ */

/* 0, or the exit status; the working directory is then NEWROOT. */
static int check(const char *newroot, int old_root)
{
	struct stat old, here, above;
	struct statfs fs;

	if (system_stat(old_root, "", &old) || fstatfs(old_root, &fs))
		return fail("stat", "/");
	if (fs.f_type != RAMFS_MAGIC && fs.f_type != TMPFS_MAGIC)
		return refuse("/ is not a ramfs or tmpfs");
	if (chdir(newroot) || system_stat_path(".", &here) ||
	    system_stat_path("..", &above))
		return fail("enter", newroot);
	if (here.st_dev == old.st_dev || here.st_dev == above.st_dev)
		return refuse("NEWROOT is not where another filesystem is"
			      " mounted");
	return 0;
}

/* --- the move ------------------------------------------------------------ */

/* The working directory is the old root, "/" the new one. Both calls fail on
 * what is no mount point. */
static void carry(const char *to)
{
	const char *from = to + 1;
	struct stat root, there;

	if (system_stat_path("/", &root) ||
	    system_stat_path(to, &there) ||
	    there.st_dev != root.st_dev ||
	    mount(from, to, NULL, MS_MOVE, NULL))
		umount2(from, MNT_DETACH);
}

/* 0 or the exit status. */
static int move_root(const char *newroot, int old_root)
{
	const char *with_us = "/dev\0/proc\0/sys\0/run\0";

	if (mount(".", "/", NULL, MS_MOVE, NULL))
		return fail("move", newroot);
	if (chroot(".") || syscall(SYS_fchdir, old_root))
		return fail("enter", newroot);
	for (; *with_us; with_us = text_after(with_us))
		carry(with_us);
	return chdir("/") ? fail("enter", newroot) : 0;
}

static int check_init(const char *init)
{
	struct stat st;

	if (system_stat_path(init, &st))
		return fail("execute", init);
	if (S_ISREG(st.st_mode) && (st.st_mode & 0111))
		return 0;
	errno = EACCES;
	return fail("execute", init);
}

/* --- and on -------------------------------------------------------------- */

/* Not to wait for a serial line without a carrier. */
static void take_console(const char *path)
{
	int fd = system_open(AT_FDCWD, path, O_RDWR | O_NONBLOCK);

	if (fd < 0) {
		fail("open", path);
		return;
	}
	ioctl(fd, FIONBIO, &(int){ 0 });
	for (int i = 0; i <= STDERR_FILENO; i++)
		dup2(fd, i);
	if (fd > STDERR_FILENO)
		close(fd);
}

int switch_root_main(char *argv[])
{
	struct request r;
	int old_root, err;

	if (read_args(argv, &r)) {
		print_line(STDERR_FILENO, "usage: switch_root [-c CONSOLE] "
			 "NEWROOT INIT [ARGS...]");
		return EXIT_USAGE;
	}
	if (getpid() != 1)
		return refuse("not PID 1");
	old_root = system_open_path("/", O_DIRECTORY);
	if (old_root < 0)
		return fail("open", "/");
	if (check(r.newroot, old_root))
		return 1;
	err = control_ask(CONTROL_SWITCH_ROOT, "", SWITCH_TIMEOUT_MS);
	if (err < 0 && err != -ECONNREFUSED && err != -EAFNOSUPPORT) {
		errno = -err;
		fail("ask for", "the report");
	}
	if (move_root(r.newroot, old_root) || check_init(r.init[0]))
		return 1;
	sweep(old_root);
	close(old_root);
	if (r.console)
		take_console(r.console);
	/* Nothing is left to go back to; what failed may not fail again. */
	execv(r.init[0], r.init);
	execv(r.init[0], r.init);
	return fail("execute", r.init[0]);
}
