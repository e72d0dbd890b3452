/* SPDX-License-Identifier: MIT */
/*
 * faults_run DIR FAULTS PROGRAM [ARG...]: one run of PROGRAM as PID 1 of new
 * namespaces, for faults.py. DIR/root is its root; what DIR/new shows, if it is
 * there, is mounted on /new.
 *
 * FAULTS are words WHO,PHASE,NUMBER,NTH,WHAT: at the NTH system call NUMBER
 * that WHO (p: PID 1, c: its child) makes in PHASE, WHAT happens: the call
 * fails with that errno and does nothing; or "kill", "stop": the child gets the
 * signal before the call. The child's first poll() begins PHASE 1. It is held
 * until init waits for its children, and SIGTERM is sent before it goes on: so
 * the calls of a report come in the same order in every run. A child that was
 * stopped is continued when init waits, or TICK_MS later if it waits already.
 *
 * What is opened under a name that DIR/given has is that file instead: so the
 * tracer, whose /proc is its own, reads our command line, and nothing of this
 * machine is changed: not its kernel log, its console, its kptr_restrict. It
 * has no instances of tracefs for us either.
 *
 * PID 1 is told that process 2 is of process group 0, as kthreadd is, for it is
 * to take itself for the machine's.
 *
 * By seccomp's notifications, with what came in Linux 5.14: strace counts the
 * calls of all processes alike, so that no fault can be had in one alone, and
 * it cannot hand out other files. Exit status 77: no such thing here.
 *
 * Prints "call WHO PHASE NUMBER" for each, "fault FAULT" for each injected,
 * "init MS" from the exec of PROGRAM to that of another, "hang" after HANG_MS.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#define CALLS 1024
#define RESULT_FD 9
#define TELL_FD 777	/* the one descriptor that may be written unnoticed */
#define TICK_MS 20
#define HANG_MS 4000	/* from the start to init, from there to the end */

struct run {
	const char *dir;
	char *faults;
	struct stat program;
	FILE *log;
	int listener;
	pid_t pid[2];			/* PID 1, its child */
	int phase;			/* of the child */
	int execs, is_init, stopped;
	unsigned int calls[2][2][CALLS];
	struct seccomp_notif held;	/* the child's first poll(), or 0 */
	int64_t start_ms, waits_ms;
};

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ll + now.tv_nsec / 1000000;
}

static int bail(const char *what)
{
	fprintf(stderr, "faults_run: %s: %s\n", what, strerror(errno));
	return -1;
}

/* --- what becomes PID 1 --------------------------------------------------- */

static int listen_to_calls(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, args) +
			 (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, TELL_FD, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
	};
	struct sock_fprog program = {
		.len = sizeof(code) / sizeof(*code), .filter = code,
	};

	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			    SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

static int enter_root(const char *dir)
{
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) || chdir(dir) ||
	    mount("root", "root", NULL, MS_BIND, NULL))
		return -1;
	if (mount("new", "root/new", NULL, MS_BIND, NULL) && errno != ENOENT)
		return -1;
	return chdir("root") || mount(".", "/", NULL, MS_MOVE, NULL) ||
	       chroot(".") || chdir("/cwd");
}

/* Descriptors are shared with the parent until the exec. */
static int become(const char *dir, char *argv[])
{
	char *const envp[] = { "A=1", "B=x  y", "HOME=/", NULL };
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_SETMASK, &set, NULL);
	signal(SIGTTIN, SIG_IGN);
	umask(027);
	setsid();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	fd = enter_root(dir) ? bail("root") : listen_to_calls();
	if (write(TELL_FD, &fd, sizeof(fd)) != sizeof(fd) || fd < 0)
		return 77;
	execve(argv[0], argv, envp);
	return 1;
}

/* --- files given instead -------------------------------------------------- */

#define PATH_BYTES 256

static void read_path(const struct seccomp_notif *n, int argument, char *path)
{
	struct iovec to = { path, PATH_BYTES - 1 };
	struct iovec from = {
		(void *)(uintptr_t)n->data.args[argument], to.iov_len
	};

	memset(path, 0, PATH_BYTES);
	/* The string may end at the end of a page, with none behind. */
	while (from.iov_len && process_vm_readv((pid_t)n->pid, &to, 1, &from,
						1, 0) < 0)
		from.iov_len--;
}

/* Nothing is traced by an instance of this machine's tracefs. */
static int is_instance(const struct seccomp_notif *n)
{
	char path[PATH_BYTES];

#ifdef SYS_mkdir
	if (n->data.nr == SYS_mkdir)
		read_path(n, 0, path);
	else
#endif
	if (n->data.nr == SYS_mkdirat)
		read_path(n, 1, path);
	else
		return 0;
	return strstr(path, "/instances/") != NULL;
}

static int open_given(const struct run *r, const struct seccomp_notif *n)
{
	char path[PATH_BYTES], given[512];
	int flags = (int)n->data.args[2];
	const char *name;

	read_path(n, 1, path);
	name = strrchr(path, '/');
	name = name ? name + 1 : path;
	if (!strstr(path, "/sys/"))
		flags |= O_APPEND;	/* it stands for a log */
	snprintf(given, sizeof(given), "%s/given/%s", r->dir, name);
	return *name ? open(given, flags & ~(O_CREAT | O_NOFOLLOW |
					     O_DIRECTORY)) : -1;
}

/* --- each call ------------------------------------------------------------ */

static void answer(const struct run *r, uint64_t id, int error)
{
	struct seccomp_notif_resp answer = {
		.id = id, .error = -error,
		.flags = error ? 0 : SECCOMP_USER_NOTIF_FLAG_CONTINUE,
	};

	ioctl(r->listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

/* The process group of process 2. */
static int is_about_kthreadd(const struct seccomp_notif *n)
{
	return n->data.nr == SYS_getpgid && n->data.args[0] == 2;
}

static void go_on(const struct run *r, const struct seccomp_notif *n)
{
	struct seccomp_notif_resp zero = { .id = n->id };
	int fd = n->data.nr == SYS_openat ? open_given(r, n) : -1;
	struct seccomp_notif_addfd given = {
		.id = n->id, .srcfd = (unsigned int)fd,
		.flags = SECCOMP_ADDFD_FLAG_SEND, .newfd_flags = O_CLOEXEC,
	};

	if (is_about_kthreadd(n))
		ioctl(r->listener, SECCOMP_IOCTL_NOTIF_SEND, &zero);
	else if (fd < 0 ||
		 ioctl(r->listener, SECCOMP_IOCTL_NOTIF_ADDFD, &given) < 0)
		answer(r, n->id, 0);
	if (fd >= 0)
		close(fd);
}

static void resume(struct run *r)
{
	r->stopped = 0;
	kill(r->pid[1], SIGCONT);
}

/* The errno, 0 for no fault, -1 for a signal. */
static int fault(struct run *r, int who, int phase, int number)
{
	unsigned int nth = ++r->calls[who][phase][number % CALLS];
	char call[64], what[16] = "";
	const char *at;

	snprintf(call, sizeof(call), "%c,%d,%d,%u,", "pc"[who], phase, number,
		 nth);
	at = strstr(r->faults, call);
	if (!at || sscanf(at + strlen(call), "%15s", what) != 1)
		return 0;
	fprintf(r->log, "fault %s%s\n", call, what);
	r->stopped = !strcmp(what, "stop");
	if (!r->stopped && strcmp(what, "kill"))
		return atoi(what);
	kill(r->pid[1], r->stopped ? SIGSTOP : SIGKILL);
	return -1;
}

/* A shim that has become init: 1. */
static int look_at_exec(struct run *r)
{
	char path[64];
	struct stat exe;

	snprintf(path, sizeof(path), "/proc/%d/exe", r->pid[0]);
	r->is_init = !stat(path, &exe) && (exe.st_ino != r->program.st_ino ||
					   exe.st_dev != r->program.st_dev);
	if (r->is_init)
		fprintf(r->log, "init %lld\n",
			(long long)(now_ms() - r->start_ms));
	return r->is_init;
}

static void on_counted_call(struct run *r, const struct seccomp_notif *n)
{
	int who = (pid_t)n->pid != r->pid[0];
	int error;

	fprintf(r->log, "call %c %d %d\n", "pc"[who], who && r->phase,
		n->data.nr);
	error = fault(r, who, who && r->phase, n->data.nr);
	if (error > 0)
		answer(r, n->id, error);
	else if (!error && is_instance(n))
		answer(r, n->id, EPERM);
	else if (!error)
		go_on(r, n);
}

/* As init waits for its children, the tracer's end is asked for. */
static void ask_for_end(struct run *r)
{
	r->waits_ms = now_ms();
	if (r->stopped)
		resume(r);
	if (!r->phase)
		return;
	kill(r->pid[1], SIGTERM);
	on_counted_call(r, &r->held);
}

static int is_poll(int number)
{
#ifdef SYS_poll
	if (number == SYS_poll)
		return 1;
#endif
	return number == SYS_ppoll;
}

static void on_first_poll(struct run *r, const struct seccomp_notif *n)
{
	r->phase = 1;
	r->held = *n;
	if (r->waits_ms)
		ask_for_end(r);
}

static void on_call(struct run *r, const struct seccomp_notif *n)
{
	const int number = n->data.nr;

	if ((pid_t)n->pid != r->pid[0]) {
		r->pid[1] = (pid_t)n->pid;
		if (is_poll(number) && !r->phase)
			on_first_poll(r, n);
		else
			on_counted_call(r, n);
	} else if (!r->execs) {
		r->start_ms = now_ms();
		r->execs = number == SYS_execve;
		answer(r, n->id, 0);
	} else if (!r->is_init && !look_at_exec(r)) {
		on_counted_call(r, n);
	} else {
		answer(r, n->id, 0);
		if (number == SYS_wait4 && !r->waits_ms)
			ask_for_end(r);
	}
}

static int watch(struct run *r)
{
	struct pollfd p = { .fd = r->listener, .events = POLLIN };

	r->start_ms = now_ms();
	while (!(p.revents & POLLHUP)) {
		int64_t since_ms = r->waits_ms ? r->waits_ms : r->start_ms;
		struct seccomp_notif n = { 0 };

		if (now_ms() > since_ms + HANG_MS) {
			fprintf(r->log, "hang\n");
			break;
		}
		if (poll(&p, 1, TICK_MS) > 0) {
			if ((p.revents & POLLIN) &&
			    !ioctl(p.fd, SECCOMP_IOCTL_NOTIF_RECV, &n))
				on_call(r, &n);
		} else if (r->stopped && r->waits_ms) {
			resume(r);
		}
	}
	kill(r->pid[0], SIGKILL);
	fclose(r->log);
	return waitpid(r->pid[0], NULL, 0) < 0;
}

/* PID 1's descriptors 0 to 2, and the one for what init has to tell; ours is
 * out of the way. */
static int set_descriptors(struct run *r)
{
	int flags = O_WRONLY | O_CREAT | O_APPEND;
	int log = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, TELL_FD + 1);

	r->log = log < 0 ? NULL : fdopen(log, "w");
	if (!r->log || dup2(open("/dev/null", O_RDONLY), 0) < 0 ||
	    dup2(open("stderr", flags, 0600), 1) < 0 || dup2(1, 2) < 0 ||
	    dup2(open("result", flags, 0600), RESULT_FD) < 0)
		return -1;
	for (int fd = 3; fd < RESULT_FD; fd++)
		close(fd);
	return 0;
}

/* Raw, for its flags: new namespaces for the child, and one table of
 * descriptors for both. */
static pid_t fork_apart(void)
{
	return (pid_t)syscall(SYS_clone, (long)(CLONE_NEWPID | CLONE_NEWNS |
			      CLONE_NEWNET | CLONE_FILES | SIGCHLD), NULL,
			      NULL, NULL, NULL);
}

int main(int argc, char *argv[])
{
	struct run r = { 0 };
	int tell[2];

	if (argc < 4 || chdir(argv[1]) || stat("root/memstrack", &r.program))
		return -bail("usage: faults_run DIR FAULTS PROGRAM [ARG...]");
	r.dir = argv[1];
	r.faults = argv[2];
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (set_descriptors(&r) || pipe2(tell, O_CLOEXEC) ||
	    dup3(tell[1], TELL_FD, O_CLOEXEC) < 0)
		return -bail("descriptors");
	close(tell[1]);
	r.pid[0] = fork_apart();
	if (!r.pid[0])
		_exit(become(argv[1], argv + 3));
	if (r.pid[0] < 0 || read(tell[0], &r.listener, sizeof(r.listener)) !=
	    sizeof(r.listener) || r.listener < 0)
		return 77;
	return watch(&r);
}
