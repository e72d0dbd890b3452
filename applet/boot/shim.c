/*
 * PID 1: see shim.h for what must hold.
 *
 * The answer of the child is a pipe that carries, in this order and each of
 * them optional: the path of rd.memstrack.init= with its end byte (it begins
 * with '/'), and one other byte when tracing is on. PID 1 reads until that
 * byte, end of file, or the deadline, whichever comes first. The path goes
 * ahead of everything that may fail, so a tracer that hangs later does not
 * lose it. Nothing else is read and nothing mounted here: PID 1 cannot hang
 * on what it does not touch.
 *
 * The tracer is an ordinary child: the real init inherits it by exec, and
 * reaps it as it reaps any orphan. A child that leaves without tracing is
 * reaped here, so that nothing remains of it.
 *
 * Costs one fork, one pipe, the wait; and about 1 KiB of stack.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../print.h"
#include "shim.h"
#include "../deadline.h"
#include "../limits.h"

/* A child that closed the pipe without tracing is gone in no time; one that is
 * not is left to the real init. */
#define REAP_TIMEOUT_MS 200

#define SAY_BYTES (PATH_BYTES + 128)
#define SAY_FLAGS (O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
#define KMSG_NODE "/.memstrack-kmsg"

/* The kernel's own list (init/main.c), after the one asked for. */
static const char kernels_list[][12] = {
	"/init", "/sbin/init", "/etc/init", "/bin/init", "/bin/sh",
};

struct answer {
	char init[PATH_BYTES];	/* "": none told */
	int ready;
};

/* --- the child's side ---------------------------------------------------- */

int shim_tell_init(int ready_fd, const char *init)
{
	size_t len = strlen(init);

	if (!len)
		return 0;
	if (init[0] != '/')
		return -EINVAL;
	if (len >= PATH_BYTES)
		return -ENAMETOOLONG;
	return write(ready_fd, init, len + 1) < 0 ? -errno : 0;
}

int shim_ready(int ready_fd)
{
	int err = write(ready_fd, "", 1) < 0 ? -errno : 0;

	close(ready_fd);
	return err;
}

/* A session of its own: no hangup of a console that init takes as its
 * controlling terminal, no ^C typed there, no kill(0) ends the tracer. The
 * kernel may have had no console to give us: the pipe then sits at 0 to 2,
 * where anything that prints would answer for us. */
static int run_child(const struct shim_child *child, int ready_fd)
{
	int fd = ready_fd;

	while (fd >= 0 && fd <= STDERR_FILENO)
		fd = dup(fd);
	if (fd < 0)
		return 1;
	while (ready_fd != fd)
		close(ready_fd++);
	setsid();
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_NAME, "memstrack");	/* not "init" */
	return child->run(child->ctx, fd);
}

/* --- the wait ------------------------------------------------------------ */

/* One byte of the answer at *at; 1 when it is complete. */
static int take_byte(struct answer *a, size_t *at, char c)
{
	int in_path = *at > 0 && a->init[*at - 1] != '\0';

	if (!in_path && (*at || c != '/')) {
		a->ready = 1;
		return 1;
	}
	if (*at >= sizeof(a->init))	/* no end byte: not our protocol */
		return 1;
	a->init[(*at)++] = c;
	return 0;
}

/* 0 when there is nothing more to wait for, or -ETIMEDOUT. */
static int read_answer(int fd, int64_t deadline_ms, struct answer *a)
{
	char buf[64];
	size_t at = 0;
	ssize_t n;
	int done = 0;
	int err = 0;

	while (!done && !(err = deadline_wait_readable(fd, deadline_ms))) {
		n = read(fd, buf, sizeof(buf));
		done = n == 0 || (n < 0 && errno != EINTR);
		for (ssize_t i = 0; i < n && !done; i++)
			done = take_byte(a, &at, buf[i]);
	}
	if (at && a->init[at - 1])	/* cut off */
		a->init[0] = '\0';
	return err;
}

/* The initramfs may hold no /dev/kmsg; a node made for the moment of opening
 * leaves nothing behind. The last resort is the console, without the level
 * that only the kernel log reads. */
static int open_kmsg(void)
{
	int fd = open("/dev/kmsg", SAY_FLAGS);

	if (fd < 0 && !mknod(KMSG_NODE, S_IFCHR | 0600, makedev(1, 11))) {
		fd = open(KMSG_NODE, SAY_FLAGS);
		unlink(KMSG_NODE);
	}
	return fd;
}

__attribute__((format(printf, 1, 2)))
static void say(const char *fmt, ...)
{
	static const char head[] = "<3>memstrack: ";
	char line[SAY_BYTES];
	const char *text = line;
	int fd = open_kmsg();
	va_list args;

	memcpy(line, head, sizeof(head));
	va_start(args, fmt);
	vprint_to(line + sizeof(head) - 1, sizeof(line) - sizeof(head), fmt,
		  args);
	va_end(args);
	strcat(line, "\n");
	if (fd < 0) {
		text += 3;
		fd = open("/dev/console", SAY_FLAGS);
	}
	if (write(fd < 0 ? STDERR_FILENO : fd, text, strlen(text)) < 0)
		text = NULL;	/* nobody is left to be told */
	if (fd >= 0)
		close(fd);
}

/* SIGCHLD is held back meanwhile so that it can be waited for with a bound;
 * where it is ignored the kernel reaps. */
static void reap(pid_t pid, int64_t deadline_ms)
{
	int64_t soon_ms = deadline_after(REAP_TIMEOUT_MS);
	struct timespec left = { 0 };
	struct sigaction action;
	sigset_t set, before;
	pid_t gone;
	int status;

	if (deadline_ms > soon_ms)
		deadline_ms = soon_ms;
	sigaction(SIGCHLD, NULL, &action);
	if (action.sa_handler == SIG_IGN || (action.sa_flags & SA_NOCLDWAIT))
		return;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, &before);
	while (!(gone = waitpid(pid, &status, WNOHANG))) {
		left.tv_nsec = deadline_left_ms(deadline_ms) * 1000000L;
		if (!left.tv_nsec)
			break;
		sigtimedwait(&set, NULL, &left);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (gone == pid && WIFSIGNALED(status))
		say("the tracer died of signal %d: this boot is not traced",
		    WTERMSIG(status));
}

/* Returns in the parent only, with no descriptor left behind. */
static void trace_in_child(const struct shim_child *child, struct answer *a)
{
	int64_t deadline_ms = deadline_after(READY_TIMEOUT_MS);
	int fd[2], err = 0;
	pid_t pid;

	if (pipe(fd)) {
		say("pipe: %s: this boot is not traced", error_text(errno));
		return;
	}
	pid = _Fork();
	if (!pid) {
		close(fd[0]);
		_exit(run_child(child, fd[1]));
	}
	if (pid < 0)
		say("fork: %s: this boot is not traced", error_text(errno));
	close(fd[1]);
	if (pid > 0)
		err = read_answer(fd[0], deadline_ms, a);
	close(fd[0]);
	if (err == -ETIMEDOUT)
		say("the tracer is not ready after %d ms: init starts without"
		    " it", READY_TIMEOUT_MS);
	else if (pid > 0 && !a->ready)
		reap(pid, deadline_ms);
}

/* --- becoming the real init ---------------------------------------------- */

/* The path by which the kernel started us, which argv[0] need not be. */
static int is_ourselves(const char *path)
{
	const char *self = (const char *)getauxval(AT_EXECFN);
	struct stat a, b;

	return self && !stat(self, &a) && !stat(path, &b) &&
		a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Returns an errno if it returns. Silent on what is absent and was not asked
 * for. A file that is there can give ENOENT too, and then it is another file
 * that lacks: the interpreter of a script, the loader of a program. */
static int try_init(const char *path, int named, char *argv[], char *envp[])
{
	int present = !access(path, F_OK);
	int err;

	if (is_ourselves(path)) {
		if (named)
			say("exec %s: this is memstrack itself", path);
		return ELOOP;
	}
	argv[0] = (char *)(uintptr_t)path;
	execve(path, argv, envp);
	err = errno;
	if (present || named || err != ENOENT)
		say("exec %s: %s%s", path, error_text(err),
		    err == ENOENT && present ?
		    " (it is there; its interpreter is not)" : "");
	return err;
}

int shim_run(const struct shim_child *child, char *argv[], char *envp[])
{
	struct answer a = { .ready = 0 };
	int err = ENOENT;

	trace_in_child(child, &a);
	if (a.init[0])
		err = try_init(a.init, 1, argv, envp);
	for (unsigned int i = 0; i < ARRAY_LEN(kernels_list); i++)
		err = try_init(kernels_list[i], 0, argv, envp);
	say("no init could be executed of rd.memstrack.init=, /init,"
	    " /sbin/init, /etc/init, /bin/init, /bin/sh");
	return err;
}
