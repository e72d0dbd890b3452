/* SPDX-License-Identifier: MIT */
/*
 * The way to the tracer: see control.h.
 *
 * The way needs tracefs, if the kernel has it, and a /proc of our own pid
 * namespace. The client may have neither: it may be PID 1 of an initramfs about
 * to switch root, or run in a container. So a child process mounts what is
 * missing in a mount namespace of its own, and connects a socket that it shares
 * with its parent. The child mounts tracefs only if no tracefs is there: before
 * Linux 6.0 another mount resets the mode and the group of all mounts.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/system.h"
#include "base/base.h"
#include "control/control.h"

/* The lock file, with a /proc mounted too; or -errno. After a chroot the root
 * is not a mount point and cannot be left (EINVAL): then the existing mounts
 * must do. */
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

/* connect() does not block: if the backlog is full, it returns EAGAIN. */
static int go(int fd, const struct control_way *way)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	print_to(a.sun_path, sizeof(a.sun_path), "/proc/%d/fd/%d",
		 (int)way->pid, way->number);
	return connect(fd, (struct sockaddr *)&a, sizeof(a)) ? -errno : 0;
}

static int find(int lock, struct control_way *way)
{
	return control_find(lock, &way->pid, &way->number);
}

/* A tracer that started where no tracefs was mounted has the lock of sysfs,
 * though there may be a tracefs here. */
static int find_and_go(int fd, struct control_way *way)
{
	int sysfs = system_open_path("/sys/" CONTROL_LOCK_SYSFS, O_RDONLY);
	const int lock = open_way();
	int error = lock < 0 ? lock : find(lock, way);

	if (error == -ECONNREFUSED) {
		if (sysfs < 0 && !mounts_add("/tracing", "sysfs"))
			sysfs = system_open_path("/tracing/" CONTROL_LOCK_SYSFS,
						 O_RDONLY);
		if (sysfs >= 0)
			error = find(sysfs, way);
	}
	return error ? error : go(fd, way);
}

/* The child passes the way to its parent in `shared`, if that could be mapped.
 * If SIGCHLD is ignored, the child's exit status is lost, but the socket still
 * shows whether it is connected. A mount, or a file of /proc, may block the
 * child: then init reaps the child later, and no way is found. The pipe closes
 * when the child exits. */
static int reach(int fd, struct control_way *shared, pid_t *pid,
		 int64_t deadline)
{
	struct control_way own = { 0 };
	int end[2], status = 0, error;
	pid_t child;

	if (pipe2(end, O_CLOEXEC))
		return -errno;
	child = system_fork();
	if (!child)
		_exit(-find_and_go(fd, shared == MAP_FAILED ? &own : shared));
	error = child < 0 ? -errno : 0;
	close(end[1]);
	if (!error)
		error = deadline_wait_readable(end[0], deadline);
	close(end[0]);
	if (child < 0)
		return error;
	if (error)
		kill(child, SIGKILL);
	waitpid(child, &status, error ? WNOHANG : 0);
	if (error)
		return error;
	error = control_peer(fd, pid);
	if (error == -ENOTCONN && WIFEXITED(status) && WEXITSTATUS(status))
		error = -WEXITSTATUS(status);
	return error;
}

/* A socket connected by the way of the last time, or -1. */
static int go_again(const struct control_way *way)
{
	const int fd = way->pid ? control_socket() : -1;
	pid_t pid;

	if (fd >= 0 && !go(fd, way) && !control_peer(fd, &pid) &&
	    pid == way->pid)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

int control_reach(struct control_way *way, int64_t deadline)
{
	struct control_way *shared;
	int fd = go_again(way), error;

	if (fd >= 0)
		return fd;
	fd = control_socket();
	if (fd < 0)
		return fd;
	shared = system_map(sizeof(*shared), MAP_SHARED | MAP_ANONYMOUS, -1);
	error = reach(fd, shared, &way->pid, deadline);
	if (shared != MAP_FAILED) {
		way->number = shared->number;
		munmap(shared, sizeof(*shared));
	}
	if (!error)
		return fd;
	way->pid = 0;
	close(fd);
	return error;
}
