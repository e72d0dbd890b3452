/* SPDX-License-Identifier: MIT */
/*
 * One static program for shim.t and switch_root.t, by the name it runs under:
 *
 * driver MODE    PID 1: writes down what it was given, calls shim_run() with
 *                a child that behaves as MODE says
 * driver enter DIR PROGRAM ARGS…
 *                makes DIR, a mount point, its root and runs PROGRAM; with
 *                TRACED in the environment, beside something that answers so as
 *                the tracer. Descriptor 9 stays open on that root.
 * switch_root    the applet
 * anything else  the real init: writes down what it was given
 *
 * Time is virtual, so that no load changes what a test sees. poll() and
 * syscall() are linked as __wrap_poll() and __wrap_syscall(): the clock shows
 * what PID 1 has waited in vain, and nothing else. A wait is in vain when the
 * other process has said that it does nothing more, or has ended.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <ftw.h>
#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include "base/system.h"
#include "boot/boot.h"
#include "control/control.h"
#include "given.h"

#define OLD_ROOT 9
/* Our own descriptors are above those that are looked at. */
#define STANDS 300	/* here a process says that it does nothing more */
#define WAITED 302	/* the file with what it has waited in vain */

/* --- virtual time -------------------------------------------------------- */

static int time_is_virtual;	/* of PID 1 */
static int waited_ms;
static int exit_is_slow;	/* of the child */

static void make_pipe(int at)
{
	int fd[2];

	pipe(fd);
	for (int i = 0; i < 2; i++) {
		dup2(fd[i], at + i);	/* to remain over an exec by enter() */
		close(fd[i]);
	}
}

static void stand_still(void)
{
	write(STANDS + 1, "", 1);
	for (;;)
		pause();
}

int __real_poll(struct pollfd *fds, nfds_t n, int timeout);
int __wrap_poll(struct pollfd *fds, nfds_t n, int timeout);
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

/* PID 1 waits for one descriptor; or for none, then for the child's exit. */
int __wrap_poll(struct pollfd *fds, nfds_t n, int timeout)
{
	struct pollfd p[2] = { { STANDS, POLLIN, 0 } };

	if (!time_is_virtual || timeout <= 0)
		return __real_poll(fds, n, timeout);
	if (n) {
		p[1] = fds[0];
		__real_poll(p, 2, -1);
		/* Who dies closes its ends one after the other. */
		if (__real_poll(fds, n, p[0].revents & POLLIN ? 0 : -1) > 0)
			return 1;
	} else if (!exit_is_slow) {
		waitid(P_ALL, 0, NULL, WEXITED | WNOWAIT);
	}
	waited_ms += timeout;
	lseek(WAITED, 0, SEEK_SET);
	dprintf(WAITED, "%d\n", waited_ms);
	return 0;
}

long __wrap_syscall(long number, ...)
{
	va_list list;
	long a[6];

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
#ifdef SYS_clock_gettime64
	if (number == SYS_clock_gettime64 && time_is_virtual) {
#else
	if (number == SYS_clock_gettime && time_is_virtual) {
#endif
		const int64_t now[2] = {
			1000 + waited_ms / 1000, waited_ms % 1000 * 1000000,
		};

		memcpy((void *)a[1], now, sizeof(now));
		return 0;
	}
	return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* A new file. */
static int file(const char *path)
{
	return open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
}

static void write_state(const char *path, char *argv[])
{
	const int out = file(path);

	write_given(out, argv, 1);
	close(out);
}

/* --- PID 1 and its child ------------------------------------------------- */

/* What a child finds, for the tracer builds on it. */
static void write_child(int ready_fd)
{
	int out = file("/child");
	sigset_t blocked;
	char comm[16];

	prctl(PR_GET_NAME, comm);
	sigprocmask(SIG_SETMASK, NULL, &blocked);
	dprintf(out, "comm %s\n", comm);
	dprintf(out, "leads its session: %d\n", getsid(0) == getpid());
	dprintf(out, "SIGPIPE blocked: %d\n",
		sigismember(&blocked, SIGPIPE) == 1);
	dprintf(out, "SIGUSR1 blocked: %d\n",
		sigismember(&blocked, SIGUSR1) == 1);
	dprintf(out, "ready_fd above 2: %d\n", ready_fd > 2);
	close(out);
}

/* While another process traces us and does not wait for us, our parent cannot
 * reap us: as if our exit took for ever. */
static void have_slow_exit(int ready_fd)
{
	const pid_t self = getpid();
	int seized[2];
	char byte;

	pipe2(seized, O_CLOEXEC);
	if (!fork()) {
		close(ready_fd);
		if (ptrace(PTRACE_SEIZE, self, NULL, NULL))
			_exit(1);
		write(seized[1], "", 1);
		for (;;)
			pause();
	}
	close(seized[1]);
	if (read(seized[0], &byte, 1) != 1)
		pause();	/* cannot be tested */
}

static int run(char *argv[], int ready_fd)
{
	const char *mode = argv[1], *init = getenv("NAMED");
	const char *ready = getenv("READY");
	char slashes[1024];

	time_is_virtual = 0;
	close(STANDS);
	write_child(ready_fd);
	if (!strcmp(mode, "cut")) {
		write(ready_fd, "\2/bin/na", 8);
		return 0;
	}
	shim_configure(ready_fd, ready ? (uint32_t)atoi(ready) : READY_S,
		       init ? init : "");
	if (!strcmp(mode, "garbage")) {
		memset(slashes, '/', sizeof(slashes));
		write(ready_fd, slashes, sizeof(slashes));
		pause();
	}
	if (!strcmp(mode, "hang"))
		stand_still();
	if (!strcmp(mode, "close")) {
		close(ready_fd);
		pause();
	}
	if (!strcmp(mode, "crash"))
		kill(getpid(), SIGKILL);
	if (!strcmp(mode, "slow-exit"))
		have_slow_exit(ready_fd);
	else if (strcmp(mode, "leave"))
		shim_ready(ready_fd);
	return 0;
}

static int be_pid_1(char *argv[])
{
	const struct rlimit no_core = { 0, 0 };
	sigset_t set;
	int out;

	time_is_virtual = 1;
	exit_is_slow = !strcmp(argv[1], "slow-exit");
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_SETMASK, &set, NULL);
	signal(SIGTTIN, SIG_IGN);
	setrlimit(RLIMIT_CORE, &no_core);
	chdir("/cwd");
	write_state("/before", argv);
	make_pipe(STANDS);
	out = file("/waited");
	dup2(out, WAITED);
	close(out);
	dprintf(WAITED, "0\n");
	return shim_run(run, argv);
}

/* --- the real init ------------------------------------------------------- */

static int print_path(const char *path, const struct stat *st, int type,
		      struct FTW *at)
{
	(void)st, (void)type;
	if (at->level)
		printf("old%s\n", path + 1);
	return 0;
}

/* Every file below the old root, with its path. */
static void list_old_root(void)
{
	if (!fchdir(OLD_ROOT))
		nftw(".", print_path, 16, FTW_PHYS);
}

static int be_init(char *argv[])
{
	char waited[32] = "";
	char cwd[256] = "?";
	int fd, out;

	fd = open("/waited", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {		/* shim.t */
		read(fd, waited, sizeof(waited) - 1);
		close(fd);
		write_state("/after", argv);
		out = file("/init-ran");
		dprintf(out, "%s\n", argv[0]);
		dprintf(out, "waited %d ms\n", atoi(waited));
		dprintf(out, "child %d\n", waitpid(-1, NULL, WNOHANG) == -1 ?
			0 : 1);
		return 0;
	}
	printf("init %s\n", argv[0]);
	for (int i = 1; argv[i]; i++)
		printf("arg %s\n", argv[i]);
	printf("cwd %s\n", getcwd(cwd, sizeof(cwd)) ? cwd : "?");
	printf("console %d%d%d\n", !access("/proc/self/fd/0", F_OK),
	       isatty(1), isatty(2));
	for (fd = 3; fd < 256; fd++)
		if (fd != OLD_ROOT && fcntl(fd, F_GETFD) >= 0)
			printf("left open %d\n", fd);
	printf("proc %s\n", access("/proc/1/stat", F_OK) ? "no" : "yes");
	printf("run %s\n", access("/run/mark", F_OK) ? "no" : "yes");
	list_old_root();
	printf("end\n");
	return 0;
}

/* --- switch_root --------------------------------------------------------- */

/* Answers once, from a root of its own as the tracer's is, having looked
 * whether the old root is still whole. */
static void answer_as_tracer(void)
{
	struct control_door door = { .silent = -1 };
	struct pollfd clients[CONTROL_WATCHED];
	struct control_message m = { 0 };
	int ready[2];
	pid_t other;
	char byte;
	int fd;

	make_pipe(STANDS);
	pipe(ready);
	if (fork()) {
		close(STANDS + 1);
		close(ready[1]);
		read(ready[0], &byte, 1);
		close(ready[0]);
		return;
	}
	close(ready[0]);
	fd = mounts_private();
	if (!fd)
		fd = control_listen(&other);
	if (fd < 0)
		printf("tracer fails: %s\n", strerror(-fd));
	close(ready[1]);
	door.listener = fd;
	do {
		control_watch(&door, clients);
		poll(clients, CONTROL_WATCHED, -1);
		fd = control_accept(&door, &m);
	} while (fd == -EAGAIN && door.silent >= 0);
	printf("tracer asked %c, root is %s\n", m.request,
	       faccessat(OLD_ROOT, "driver", F_OK, 0) ? "empty" : "whole");
	fflush(stdout);
	control_answer(fd, 0);
	_exit(0);
}

static int enter(char *argv[])
{
	if (chdir(argv[2]) || syscall(SYS_pivot_root, ".", ".") ||
	    umount2(".", MNT_DETACH) || chdir("/")) {
		perror("enter");
		return 99;
	}
	for (int fd = 3; fd < 256; fd++)
		close(fd);	/* the shell's */
	dup2(open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC), OLD_ROOT);
	if (getenv("TRACED"))
		answer_as_tracer();
	execv(argv[3], argv + 3);
	perror(argv[3]);
	return 99;
}

int main(int argc, char *argv[])
{
	const char *slash = strrchr(argv[0], '/');
	const char *name = slash ? slash + 1 : argv[0];
	int ret;

	for (int fd = STANDS; fd <= WAITED; fd++)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	if (!strcmp(name, "switch_root")) {
		time_is_virtual = fcntl(STANDS, F_GETFD) >= 0;
		ret = switch_root_main(argv);
		list_old_root();
		return ret;
	}
	if (strcmp(name, "driver") || argc < 2)
		return be_init(argv);
	return strcmp(argv[1], "enter") ? be_pid_1(argv) : enter(argv);
}
