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
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include "base/mounts.h"
#include "boot/shim.h"
#include "boot/switch_root.h"
#include "control/listen.h"
#include "base/clock.h"

#define OLD_ROOT 9

extern char **environ;

/* --- what a process was given ------------------------------------------- */

static void write_fds(int out)
{
	struct stat st;

	for (int fd = 0; fd < 256; fd++)
		if (fd != out && !fstat(fd, &st))
			dprintf(out, "fd %d is %llu, flags %x %x\n", fd,
				(unsigned long long)st.st_ino,
				(unsigned int)fcntl(fd, F_GETFD),
				(unsigned int)fcntl(fd, F_GETFL));
}

static void write_signals(int out)
{
	struct sigaction action;
	sigset_t blocked;

	sigprocmask(SIG_SETMASK, NULL, &blocked);
	for (int s = 1; s < 65; s++) {
		if (sigismember(&blocked, s) == 1)
			dprintf(out, "signal %d%s is blocked\n", s,
				s == SIGUSR2 ? " (SIGUSR2)" : "");
		if (!sigaction(s, NULL, &action) &&
		    action.sa_handler == SIG_IGN)
			dprintf(out, "signal %d is ignored\n", s);
	}
}

static void write_state(const char *path, char *argv[])
{
	int out = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	mode_t mask = umask(0);
	char cwd[256] = "?";

	umask(mask);
	for (int i = 1; argv[i]; i++)
		dprintf(out, "arg %d is '%s'\n", i, argv[i]);
	for (int i = 0; environ[i]; i++)
		dprintf(out, "env is '%s'\n", environ[i]);
	write_fds(out);
	write_signals(out);
	getcwd(cwd, sizeof(cwd));
	dprintf(out, "cwd %s, session %d, group %d, mask %o\n", cwd,
		getsid(0), getpgrp(), mask);
	close(out);
}

/* --- PID 1 and its child ------------------------------------------------- */

static int64_t now_ms(void)
{
	return deadline_after(0);
}

/* What a child finds, for the tracer builds on it. */
static void write_child(int ready_fd)
{
	int out = open("/child", O_WRONLY | O_CREAT | O_TRUNC, 0600);
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

static void write_mounts(void)
{
	int out = open("/child", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	int err = mounts_private();
	static const char *const paths[] = {
		"/proc/self/stat", "/proc/1/root/driver", "/sys/kernel",
		"/sys/kernel/tracing/events/kmem/mm_page_alloc/format",
		"/dev/kmsg", "/dev/console", "/dev/null", "/driver",
	};

	dprintf(out, "mounts_private %d\n", err);
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		dprintf(out, "%s: %s\n", paths[i],
			access(paths[i], F_OK) ? "no" : "yes");
	close(out);
}

/* Whether PID 1 asks for a report. */
static void be_asked(int ready_fd)
{
	const struct timespec most = { 10, 0 };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	shim_ready(ready_fd);
	if (sigtimedwait(&set, NULL, &most) == SIGUSR1)
		close(open("/asked", O_WRONLY | O_CREAT, 0600));
	_exit(0);
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
		if (!ptrace(PTRACE_SEIZE, self, NULL, NULL))
			write(seized[1], "", 1);
		close(seized[1]);
		sleep(10);
		_exit(0);
	}
	close(seized[1]);
	if (read(seized[0], &byte, 1) != 1)
		pause();	/* cannot be tested */
}

static int run(char *argv[], int ready_fd)
{
	const char *mode = argv[1], *init = getenv("NAMED");
	char slashes[1024];

	write_child(ready_fd);
	if (!strcmp(mode, "cut")) {
		write(ready_fd, "/bin/na", 7);
		return 0;
	}
	shim_tell_init(ready_fd, init ? init : "");
	if (!strcmp(mode, "mounts"))
		write_mounts();
	if (!strcmp(mode, "garbage")) {
		memset(slashes, '/', sizeof(slashes));
		write(ready_fd, slashes, sizeof(slashes));
		pause();
	}
	if (!strcmp(mode, "hang"))
		for (;;)
			pause();
	if (!strcmp(mode, "close")) {
		close(ready_fd);
		sleep(10);
	}
	if (!strcmp(mode, "slow-exit")) {
		have_slow_exit(ready_fd);
		return 0;
	}
	if (!strcmp(mode, "asked"))
		be_asked(ready_fd);
	if (!strcmp(mode, "crash"))
		kill(getpid(), SIGKILL);
	if (!strcmp(mode, "leave"))
		return 0;
	shim_ready(ready_fd);
	return 0;
}

static void refuse_fork(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
#ifdef SYS_fork
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fork, 1, 0),
#endif
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAGAIN),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {
		.len = sizeof(code) / sizeof(*code), .filter = code,
	};

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int be_pid_1(char *argv[])
{
	struct rlimit files;
	struct rlimit no_core = { 0, 0 };
	sigset_t set;
	int out, err;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_SETMASK, &set, NULL);
	signal(SIGTTIN, SIG_IGN);
	setrlimit(RLIMIT_CORE, &no_core);
	chdir("/cwd");
	write_state("/before", argv);
	if (!strcmp(argv[1], "no-fork"))
		refuse_fork();
	out = open("/start", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	dprintf(out, "%lld", (long long)now_ms());
	close(out);
	if (!strcmp(argv[1], "no-pipe")) {
		getrlimit(RLIMIT_NOFILE, &files);
		files.rlim_cur = 0;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	err = shim_run(run, argv);
	if (!strcmp(argv[1], "asked"))
		wait(NULL);
	out = open("/returned", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	dprintf(out, "%d\n", err);
	return 0;
}

/* --- the real init ------------------------------------------------------- */

/* Every file below fd, with its path. Closes fd. */
static void list(int out, int fd, const char *prefix)
{
	DIR *dir = fdopendir(fd);
	struct dirent *e;
	char path[2048];
	int sub;

	while (dir && (e = readdir(dir))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		snprintf(path, sizeof(path), "%s/%s", prefix, e->d_name);
		dprintf(out, "%s\n", path);
		sub = openat(fd, e->d_name, O_RDONLY | O_DIRECTORY |
			     O_NOFOLLOW);
		if (sub >= 0)
			list(out, sub, path);
	}
	closedir(dir);
}

static void list_root(int out, int root, const char *prefix)
{
	int fd = openat(root, ".", O_RDONLY | O_DIRECTORY);

	if (fd >= 0)
		list(out, fd, prefix);
}

static int be_init(char *argv[])
{
	char start[32] = "0";
	char cwd[256] = "?";
	struct rlimit files;
	int fd, out;

	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;	/* after no-pipe */
	setrlimit(RLIMIT_NOFILE, &files);
	fd = open("/start", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {		/* shim.t */
		read(fd, start, sizeof(start) - 1);
		close(fd);
		write_state("/after", argv);
		out = open("/init-ran", O_WRONLY | O_CREAT | O_TRUNC, 0600);
		dprintf(out, "%s\n", argv[0]);
		dprintf(out, "bounded %d\n", now_ms() - atoll(start) < 2500);
		dprintf(out, "child %d\n", waitpid(-1, NULL, WNOHANG) == -1 ?
			0 : 1);
		dprintf(out, "made in our root %d%d%d\n",
			!access("/proc", F_OK), !access("/sys", F_OK),
			!access("/dev/null", F_OK));
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
	fflush(stdout);
	list_root(1, OLD_ROOT, "old");
	printf("end\n");
	return 0;
}

/* --- switch_root --------------------------------------------------------- */

/* How it answers: "at once", or with a promise of some seconds, within which it
 * is "done" or it "dies", or within which it is "stuck". */
static void answer(int fd, const char *how)
{
	if (!strcmp(how, "done") || !strcmp(how, "dies")) {
		control_promise(fd, 15);
		poll(NULL, 0, 700);
	} else if (!strcmp(how, "stuck")) {
		control_promise(fd, 1);
		poll(NULL, 0, 15000);
	}
	printf("tracer %s\n", how);
	fflush(stdout);
	if (strcmp(how, "dies"))
		control_answer(fd, 0);
}

/* Answers once, from a root of its own as the tracer's is, having looked
 * whether the old root is still whole. */
static void answer_as_tracer(const char *how)
{
	struct control_door door = { .silent = -1 };
	struct pollfd clients[CONTROL_WATCHED];
	struct control_message m = { 0 };
	int ready[2];
	pid_t other;
	char byte;
	int fd;

	pipe(ready);
	if (fork()) {
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
		poll(clients, CONTROL_WATCHED, 20000);
		fd = control_accept(&door, &m);
	} while (fd == -EAGAIN && door.silent >= 0);
	printf("tracer asked %c, root is %s\n", m.request,
	       faccessat(OLD_ROOT, "driver", F_OK, 0) ? "empty" : "whole");
	fflush(stdout);
	answer(fd, how);
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
		answer_as_tracer(getenv("TRACED"));
	execv(argv[3], argv + 3);
	perror(argv[3]);
	return 99;
}

int main(int argc, char *argv[])
{
	const char *slash = strrchr(argv[0], '/');
	const char *name = slash ? slash + 1 : argv[0];
	int ret;

	if (!strcmp(name, "switch_root")) {
		ret = switch_root_main(argv);
		list_root(1, OLD_ROOT, "old");
		return ret;
	}
	if (strcmp(name, "driver") || argc < 2)
		return be_init(argv);
	return strcmp(argv[1], "enter") ? be_pid_1(argv) : enter(argv);
}
