/* SPDX-License-Identifier: MIT */
/*
 * PID 1: see boot.h, shim for what must hold.
 *
 * The answer of the child is a pipe that carries two strings with their end
 * bytes: rd.memstrack.ready= as one byte with the path of rd.memstrack.init=
 * behind it, and an empty one when tracing is on. PID 1 reads until the empty
 * one, end of file, or the deadline, whichever comes first. The path goes ahead
 * of everything that may fail, so a tracer that hangs later does not lose the
 * path. Nothing else is read and nothing mounted here: PID 1 cannot hang on what
 * it does not touch.
 *
 * The tracer is an ordinary child: the real init inherits it by exec, and reaps
 * it like any orphan. A child that exits without tracing is reaped here, so
 * that no zombie remains, unless its exit takes too long.
 *
 * Costs one fork, one pipe, the wait, and about 2 KiB of stack.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "boot/boot.h"
#include "base/system.h"
#include "limits.h"
#include "base/base.h"

#define SAY_BYTES (PATH_BYTES + 112)
#define SAY_FLAGS (O_WRONLY | O_NOCTTY | O_NONBLOCK)

/* Room for the seconds, a path, its end byte and the end byte of the empty
 * string; one more byte makes sure that the text always has an end byte. */
#define ANSWER_BYTES (PATH_BYTES + 3)

/* The kernel's own list (init/main.c), tried after the program of
 * rd.memstrack.init=. */
static const char *const kernels_list[] = {
	"/init", "/sbin/init", "/etc/init", "/bin/init", "/bin/sh",
};

void boot_say(const char *format, ...)
{
	int fd = system_open_kmsg();
	char text[SAY_BYTES];
	va_list args;

	va_start(args, format);
	vprint_to(text, sizeof(text), format, &args);
	va_end(args);
	if (fd < 0 || print_line(fd, "<3>memstrack: %s", text) < 0) {
		fd = system_open_path("/dev/console", SAY_FLAGS);
		print_line(fd < 0 ? STDERR_FILENO : fd, "memstrack: %s", text);
	}
	close(fd);
}

/* --- the child's side ---------------------------------------------------- */

void shim_configure(int ready_fd, uint32_t ready_s, const char *init)
{
	char text[ANSWER_BYTES] = { (char)ready_s };
	const size_t len = print_to(text + 1, sizeof(text) - 1, "%s", init);

	if (write(ready_fd, text, len + 2) < 0)
		return;		/* PID 1 has gone on */
}

void shim_ready(int ready_fd)
{
	const ssize_t n = write(ready_fd, "", 1);

	(void)n;		/* PID 1 may have gone on */
	close(ready_fd);
}

/* The child gets its own session: a hangup of the console that init takes as
 * its controlling terminal, a ^C typed there, or kill(0) must not end the
 * tracer. If the kernel had no console for us, the pipe has a number from 0 to
 * 2, and any output would go into it: so the descriptor is moved. SIGUSR1, by
 * which PID 1 asks for a report, stays blocked until the tracer handles
 * signals. */
static int run_child(shim_child *child, char *argv[], int ready_fd)
{
	int fd = (int)syscall(SYS_fcntl, ready_fd, F_DUPFD,
			      STDERR_FILENO + 1);

	close(ready_fd);
	setsid();
	signals_block(signal_bit(SIGPIPE) | signal_bit(SIGUSR1));
	syscall(SYS_prctl, PR_SET_NAME, "memstrack");	/* not "init" */
	return child(argv, fd);
}

/* --- the wait ------------------------------------------------------------ */

enum answer { READY, LEFT, LATE };

/* How much longer than usual PID 1 waits, from the first byte of the answer. */
static int more_ms(const char *text)
{
	return text[0] ? ((uint8_t)text[0] - READY_S) * 1000 : 0;
}

/* Reads the child's answer into the text, zeroed before: the seconds that PID 1
 * waits, as one byte, and the path of the init behind it; or "". */
static enum answer read_answer(int fd, int64_t deadline_ms, char *text)
{
	enum answer answer = READY;
	size_t len = 0;

	while (answer == READY && len < strlen(text) + 2) {
		ssize_t n = -1;

		if (deadline_wait_readable(fd, deadline_ms + more_ms(text)))
			answer = LATE;
		else
			n = read(fd, text + len, ANSWER_BYTES - 1 - len);
		if (n > 0)
			len += (size_t)n;
		else if (answer == READY && (!n || errno != EINTR))
			answer = LEFT;
	}
	if (len == strlen(text))	/* cut off */
		text[0] = '\0';
	return answer;
}

/* The time between two looks whether the child has exited. Kernels before 5.3
 * offer nothing to wait for a child with a deadline. */
#define REAP_EACH_MS 5

/* Nobody holds the pipe any more, so the child has exited or is about to. The
 * signal makes sure that it ends. But an exit closes files first and perf events
 * late: with some hundred of them it takes seconds, and then init reaps it. */
static void reap(pid_t pid, int64_t deadline_ms, int wait_ms)
{
	int status = 0;
	pid_t found;

	kill(pid, SIGKILL);
	while (!(found = (pid_t)syscall(SYS_wait4, pid, &status, WNOHANG,
					NULL)) &&
	       deadline_left_ms(deadline_ms))
		poll(NULL, 0, REAP_EACH_MS);
	if (!found)
		boot_say("the tracer has not ended after %d ms: init starts "
			 "without it", wait_ms);
	if (found == pid && WIFSIGNALED(status))
		boot_say("the tracer died of signal %d: this boot is not "
			 "traced", WTERMSIG(status));
}

/* Returns only in the parent, and leaves no descriptor open (they are
 * close-on-exec too). Returns the pid of the tracer, or 0. */
static pid_t trace_in_child(shim_child *child, char *argv[], char *text)
{
	int64_t deadline_ms = deadline_after(READY_TIMEOUT_MS);
	enum answer answer = READY;
	int fd[2] = { -1, -1 }, wait_ms = READY_TIMEOUT_MS;
	pid_t pid = -1;

	if (!syscall(SYS_pipe2, fd, O_CLOEXEC))
		pid = system_fork();
	if (!pid) {
		close(fd[0]);
		_exit(run_child(child, argv, fd[1]));
	}
	if (pid < 0) {
		boot_say("no tracer: %s: this boot is not traced",
			 error_text(errno));
		pid = 0;
	}
	close(fd[1]);
	if (pid)
		answer = read_answer(fd[0], deadline_ms, text);
	close(fd[0]);
	wait_ms += more_ms(text);
	if (answer == LATE)
		boot_say("the tracer is not ready after %d ms: init starts "
			 "without it", wait_ms);
	if (answer == LEFT) {
		reap(pid, deadline_ms + more_ms(text), wait_ms);
		pid = 0;
	}
	return pid;
}

void shim_start(shim_child *child, char *argv[])
{
	char text[ANSWER_BYTES] = "";

	trace_in_child(child, argv, text);
}

/* --- whose PID 1 --------------------------------------------------------- */

/* The kernel starts kthreadd as process 2, in process group 0, right after
 * process 1 and before process 1 executes anything (init/main.c: rest_init()).
 * Another pid namespace has no process 2 at first. A later process 2 there may
 * have a group outside of the namespace, which also reads as 0; but that
 * process 2 is a child of process 1, and kthreadd is not. If an error leaves
 * the question open, the answer is yes. */
int shim_is_init(void)
{
	siginfo_t info;
	pid_t group;

	if (getpid() > 1)
		return 0;
	group = getpgid(2);
	if (group > 0 || (group < 0 && errno == ESRCH))
		return 0;
	return waitid(P_PID, 2, &info, WEXITED | WNOHANG | WNOWAIT) < 0;
}

/* --- becoming the real init ---------------------------------------------- */

/* Is this the file from which the kernel started us? argv[0] need not be its
 * path. */
static int is_ourselves(const struct stat *st)
{
	const char *self = (const char *)getauxval(AT_EXECFN);
	struct stat own;

	return self && !system_stat_path(self, &own) &&
		own.st_dev == st->st_dev && own.st_ino == st->st_ino;
}

/* Executes an init; returns only on failure, with an errno. Prints nothing if
 * the file is absent and was not asked for, or if the file is memstrack itself.
 * ENOENT for an existing file means that another file is missing: the
 * interpreter of a script, or the loader of a program. */
static int try_init(const char *path, int named, char *argv[])
{
	const char *why = "this is memstrack itself", *more = "";
	struct stat st;
	int present = !system_stat_path(path, &st);
	int err = ELOOP;

	if (!present || !is_ourselves(&st)) {
		argv[0] = (char *)(uintptr_t)path;
		execv(path, argv);
		/* This may be the only init there is. If memory was short or a
		 * signal came, a second try works. */
		execv(path, argv);
		err = errno;
		why = error_text(err);
		named |= present;
		if (present && err == ENOENT)
			more = " (it is there; its interpreter is not)";
	}
	if (named)
		boot_say("exec %s: %s%s", path, why, more);
	return err;
}

int shim_run(shim_child *child, char *argv[])
{
	char text[ANSWER_BYTES] = "";
	pid_t tracer = trace_in_child(child, argv, text);
	int err = ENOENT;

	if (text[0] && text[1] == '/')
		err = try_init(text + 1, 1, argv);
	for (unsigned int i = 0; i < ARRAY_LEN(kernels_list); i++)
		err = try_init(kernels_list[i], 0, argv);
	boot_say("no init could be executed of rd.memstrack.init=, /init, "
		 "/sbin/init, /etc/init, /bin/init, /bin/sh");
	/* We also come here if there was no memory to execute the init. The
	 * report then goes to the console, the only place where somebody can
	 * read it now. */
	if (tracer)
		kill(tracer, SIGUSR1);
	return err;
}
