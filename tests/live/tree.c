/* SPDX-License-Identifier: MIT */
/*
 * A tree of processes whose memory is known, for run.t.
 *
 *	tree hold MIB STATUS	touches so much, and exits
 *	tree plan FILE		all of it; FILE gets what wait4() tells of each
 *	tree short NUMBER	so many processes, each of less than 1 ms
 *	tree files DIR NUMBER KEEP	so many empty files, of which each KEEPth
 *				one stays
 *	tree threads		of which the first one ends first
 *	tree signals FILE	writes each signal that comes, until SIGTERM
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

#define MIB (1u << 20)

static void touch_of(size_t mib, size_t mapped_mib)
{
	char *p = mmap(NULL, mapped_mib * MIB, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		_exit(99);
	madvise(p, mapped_mib * MIB, MADV_NOHUGEPAGE);
	memset(p, 1, mib * MIB);
}

static void touch(size_t mib)
{
	touch_of(mib, mib);
}

static void *thread(void *unused)
{
	touch(8);
	usleep(100000);
	return unused;
}

/* The first thread ends before the others. (Not in a child of fork(): musl's
 * first thread could not end there.) */
static void threads(void)
{
	pthread_t id;

	prctl(PR_SET_NAME, "threads");
	for (int i = 0; i < 4; i++)
		pthread_create(&id, NULL, thread, NULL);
	pthread_exit(NULL);
}

static int barrier[2], ready[2], told[2];

static void together(size_t mib)
{
	char byte;

	touch(mib);
	if (write(ready[1], "", 1) < 0 || read(barrier[0], &byte, 1) < 0)
		_exit(98);
}

static void orphan(void)
{
	pid_t pid = fork();

	if (pid) {
		if (write(told[1], &pid, sizeof(pid)) != sizeof(pid))
			_exit(93);
		_exit(7);
	}
	prctl(PR_SET_NAME, "grandchild");
	touch(12);
	usleep(100000);
	_exit(5);
}

static void as(const char *name)
{
	prctl(PR_SET_NAME, name);
	if (!strncmp(name, "big", 3))
		together((size_t)atoi(name + 3));
	else if (!strcmp(name, "alone50"))
		touch(50), _exit(3);
	else if (!strcmp(name, "virtual"))
		touch_of(8, 200);
	else if (!strcmp(name, "killed"))
		touch(16), raise(SIGKILL);
	else if (!strcmp(name, "orphan"))
		orphan();
	else if (!strcmp(name, "threads"))
		execl("/proc/self/exe", "tree", "threads", (char *)0);
	else if (!strcmp(name, "execs"))
		touch(30), execl("/proc/self/exe", "tree", "hold", "4", "6",
				 (char *)0);
	_exit(0);
}

static pid_t start(const char *name)
{
	pid_t pid = fork();

	if (!pid)
		as(name);
	return pid;
}

static void finish(FILE *f, const char *name, pid_t pid)
{
	struct rusage u;
	int status;

	wait4(pid, &status, 0, &u);
	fprintf(f, "%s %d %d %ld\n", name, (int)pid,
		WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
				      WEXITSTATUS(status), u.ru_maxrss);
}

/* Until a process that is not our child has ended. */
static void wait_for(pid_t pid)
{
	struct pollfd p = { (int)syscall(SYS_pidfd_open, pid, 0), POLLIN, 0 };

	if (p.fd >= 0)
		poll(&p, 1, -1);
	else if (errno == ENOSYS)	/* before Linux 5.3 */
		sleep(1);
}

static int plan(const char *path)
{
	static const char *const names[] = {
		"alone50", "virtual", "killed", "orphan", "threads", "execs",
	};
	FILE *f = fopen(path, "w");
	char byte;
	pid_t a, b, grandchild;

	if (!f || pipe(barrier) || pipe(ready) || pipe(told))
		return 97;
	a = start("big40");
	b = start("big24");
	if (read(ready[0], &byte, 1) < 0 || read(ready[0], &byte, 1) < 0)
		return 94;
	usleep(200000);
	if (write(barrier[1], "ab", 2) != 2)
		return 96;
	finish(f, "big40", a);
	finish(f, "big24", b);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		finish(f, names[i], start(names[i]));
	fclose(f);
	if (read(told[0], &grandchild, sizeof(pid_t)) != sizeof(pid_t))
		return 92;
	wait_for(grandchild);
	return 42;
}

static int shorts(int number)
{
	for (int i = 0; i < number; i++) {
		if (!fork())
			_exit(i & 63);
		if (i % 64 == 63)
			while (waitpid(-1, NULL, WNOHANG) > 0)
				;
	}
	while (wait(NULL) > 0)
		;
	return 0;
}

/* Objects of slab; with KEEP > 1, free ones between those that stay. */
static int files(const char *dir, int number, int keep)
{
	char path[256];

	mkdir(dir, 0755);
	for (int i = 0; i < 2 * number; i++) {
		snprintf(path, sizeof(path), "%s/%d", dir, i % number);
		if (i < number)
			close(open(path, O_CREAT | O_WRONLY, 0600));
		else if (i % number % keep)
			unlink(path);
	}
	return 0;
}

static int signal_file;

static void note(int number)
{
	dprintf(signal_file, "%d\n", number);
	if (number == SIGTERM)
		_exit(9);
}

static void signals(const char *path)
{
	static const int heard[] = { SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2,
				     SIGTERM, SIGALRM, SIGVTALRM, SIGXCPU,
				     SIGPWR, SIGIO, 40, 64 };

	signal_file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
	for (size_t i = 0; i < sizeof(heard) / sizeof(heard[0]); i++)
		signal(heard[i], note);
	dprintf(signal_file, "ready\n");
	for (;;)
		pause();
}

int main(int argc, char *argv[])
{
	if (argc == 4 && !strcmp(argv[1], "hold"))
		return touch((size_t)atoi(argv[2])), atoi(argv[3]);
	if (argc == 3 && !strcmp(argv[1], "plan"))
		return plan(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "short"))
		return shorts(atoi(argv[2]));
	if (argc == 5 && !strcmp(argv[1], "files"))
		return files(argv[2], atoi(argv[3]), atoi(argv[4]));
	if (argc == 3 && !strcmp(argv[1], "signals"))
		signals(argv[2]);
	if (argc == 2 && !strcmp(argv[1], "threads"))
		threads();
	return 95;
}
