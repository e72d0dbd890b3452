/*
 * The way to the tracer: see control.h.
 *
 * It needs tracefs, if the kernel has it, and a /proc of our own pid namespace.
 * The client may have neither: it may be PID 1 of an initramfs about to switch
 * root, or run in a container. So a child process mounts what is missing in a
 * mount namespace of its own, and connects a socket that it shares with its
 * parent. It mounts tracefs only if there is none: before Linux 6.0 another
 * mount resets the mode and the group of all mounts.
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

/* The lock file, with a /proc mounted too; or -errno. After a chroot the root
 * is not a mount point and cannot be left (EINVAL): then the mounts there must
 * do. */
static int open_way(void)
{
	int lock = control_open_lock(O_RDONLY);
	int error = mounts_leave();

	if (error)
		return error == -EINVAL && lock >= 0 ? lock : error;
	error = mounts_add("/proc", "proc");
	if (!error && lock < 0) {
		mounts_add("/tracing", "tracefs");
		lock = system_open_path("/tracing/" CONTROL_LOCK, O_RDONLY);
		if (lock < 0 && !mounts_add("/tracing", "sysfs"))
			lock = system_open_path("/tracing/" CONTROL_LOCK_SYSFS,
						O_RDONLY);
	}
	return error ? error : lock < 0 ? -errno : lock;
}

/* A connect does not wait: if the backlog is full, it returns EAGAIN. */
static int connect_tracer(int fd, int lock, pid_t *pid)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int error, number = -1;

	error = lock < 0 ? lock : control_find(lock, pid, &number);
	if (!error) {
		print_to(a.sun_path, sizeof(a.sun_path), "/proc/%d/fd/%d",
			 (int)*pid, number);
		error = connect(fd, (struct sockaddr *)&a, sizeof(a)) ?
			-errno : 0;
	}
	return error;
}

/* Without a child, with what is mounted here. /proc may be that of another pid
 * namespace: then another process may answer, but not the one that has the
 * lock. */
static int reach_from_here(int fd, pid_t *pid)
{
	int lock = control_open_lock(O_RDONLY);
	pid_t holder = 0;
	int error = connect_tracer(fd, lock, &holder);

	if (lock >= 0)
		close(lock);
	if (!error)
		error = control_peer(fd, pid);
	return error ? error : *pid == holder ? 0 : -ESRCH;
}

/* If SIGCHLD is ignored, the child's exit status is lost. But whether the
 * socket is connected can still be seen. */
static int reach(int fd, pid_t *pid)
{
	const pid_t child = system_fork();
	int status = 0, error;
	pid_t holder = 0;

	if (!child)
		_exit(-connect_tracer(fd, open_way(), &holder));
	if (child < 0)
		return -errno;
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	error = control_peer(fd, pid);
	if (error == -ENOTCONN && WIFEXITED(status) && WEXITSTATUS(status))
		error = -WEXITSTATUS(status);
	return error;
}

static int reach_by(int (*way)(int fd, pid_t *pid), pid_t *pid)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			0);
	int error;

	if (fd < 0)
		return -errno;
	error = way(fd, pid);
	if (!error)
		return fd;
	close(fd);
	return error;
}

int control_reach(pid_t *pid)
{
	return reach_by(reach, pid);
}

int control_reach_often(pid_t *pid)
{
	int fd = reach_by(reach_from_here, pid);

	return fd < 0 ? control_reach(pid) : fd;
}
