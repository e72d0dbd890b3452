/*
 * The way to the tracer: see control.h.
 *
 * It leads through tracefs and a /proc that tells pids as we know them. Who
 * asks may have neither: PID 1 of an initramfs that is about to switch root, a
 * container. So a child goes, in a mount namespace of its own where it mounts
 * what is missing, and connects a socket that it shares with its parent.
 * Tracefs is mounted only where there is none, because before Linux 6.0 another
 * mount sets back the mode and the group of all.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/mounts.h"
#include "base/print.h"
#include "base/system.h"
#include "control/control.h"
#include "control/reach.h"

/* The lock file, with a /proc to go with it; or -errno. A root that is no mount
 * point, after a chroot, cannot be left (EINVAL): what is mounted there has to
 * do. */
static int open_way(void)
{
	int lock = control_open_lock(O_RDONLY);
	int error = mounts_leave();

	if (error)
		return error == -EINVAL && lock >= 0 ? lock : error;
	error = mounts_add("/proc", "proc");
	if (!error && lock < 0) {
		error = mounts_add("/tracing", "tracefs");
		lock = system_open_path("/tracing/" CONTROL_LOCK, O_RDONLY);
	}
	if (error)	/* a kernel without tracefs has no tracer */
		return error == -ENODEV ? -ECONNREFUSED : error;
	return lock < 0 ? -errno : lock;
}

/* Connecting does not wait: a full backlog is EAGAIN. */
static int connect_tracer(int fd)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int error, number = -1, lock = open_way();
	pid_t pid = 0;

	error = lock < 0 ? lock : control_find(lock, &pid, &number);
	if (!error) {
		print_to(a.sun_path, sizeof(a.sun_path), "/proc/%d/fd/%d",
			 (int)pid, number);
		error = connect(fd, (struct sockaddr *)&a, sizeof(a)) ?
			-errno : 0;
	}
	return error;
}

/* What the child says cannot be had where SIGCHLD is ignored. Whether it has
 * connected can. */
static int reach(int fd, pid_t *pid)
{
	const pid_t child = system_fork();
	int status = 0, error;

	if (!child)
		_exit(-connect_tracer(fd));
	if (child < 0)
		return -errno;
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	error = control_peer(fd, pid);
	if (error == -ENOTCONN && WIFEXITED(status) && WEXITSTATUS(status))
		error = -WEXITSTATUS(status);
	return error;
}

int control_reach(pid_t *pid)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			0);
	int error;

	if (fd < 0)
		return -errno;
	error = reach(fd, pid);
	if (!error)
		return fd;
	close(fd);
	return error;
}
