/* SPDX-License-Identifier: MIT */
/*
 * The real init of faults.t: writes down to descriptor 9 all that it was
 * given, then waits for its children, as inits do, and says how they ended.
 *
 * Nothing here depends on the run but what a fault may have changed, so that
 * the text of two runs can be compared byte by byte.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define OUT 9

extern char **environ;

static void write_descriptors(void)
{
	struct stat st;

	for (int fd = 0; fd < 256; fd++)
		if (!fstat(fd, &st))
			dprintf(OUT, "fd %d is %llu, flags %x %x\n", fd,
				(unsigned long long)st.st_rdev,
				(unsigned int)fcntl(fd, F_GETFD),
				(unsigned int)fcntl(fd, F_GETFL));
}

static void write_signals(void)
{
	struct sigaction action;
	sigset_t blocked, pending;

	sigprocmask(SIG_SETMASK, NULL, &blocked);
	sigpending(&pending);
	for (int s = 1; s < 65; s++) {
		if (sigismember(&blocked, s) == 1)
			dprintf(OUT, "signal %d is blocked\n", s);
		if (sigismember(&pending, s) == 1)
			dprintf(OUT, "signal %d is pending\n", s);
		if (!sigaction(s, NULL, &action) &&
		    action.sa_handler != SIG_DFL)
			dprintf(OUT, "signal %d is ignored\n", s);
	}
}

static void write_root(void)
{
	struct dirent **entry;
	int n = scandir("/", &entry, NULL, alphasort);

	for (int i = 0; i < n; i++)
		dprintf(OUT, "root has %s\n", entry[i]->d_name);
}

static void write_process(void)
{
	mode_t mask = umask(0);
	char cwd[256] = "?";
	struct rlimit r;

	getcwd(cwd, sizeof(cwd));
	dprintf(OUT, "pid %d, cwd %s, session %d, group %d, mask %o\n",
		getpid(), cwd, getsid(0), getpgrp(), mask);
	dprintf(OUT, "nice %d, policy %d\n", getpriority(PRIO_PROCESS, 0),
		(int)syscall(SYS_sched_getscheduler, 0));
	for (int i = 0; i < RLIMIT_NLIMITS; i++)
		if (!getrlimit(i, &r))
			dprintf(OUT, "limit %d is %llx %llx\n", i,
				(unsigned long long)r.rlim_cur,
				(unsigned long long)r.rlim_max);
}

int main(int argc, char *argv[])
{
	int status;
	pid_t pid;

	for (int i = 0; i < argc; i++)
		dprintf(OUT, "arg %d is '%s'\n", i, argv[i]);
	for (int i = 0; environ[i]; i++)
		dprintf(OUT, "env is '%s'\n", environ[i]);
	write_descriptors();
	write_signals();
	write_process();
	write_root();
	dprintf(OUT, "--\n");
	while ((pid = waitpid(-1, &status, 0)) > 0)
		dprintf(OUT, "child %d\n", WIFSIGNALED(status) ?
			-WTERMSIG(status) : WEXITSTATUS(status));
	dprintf(OUT, "end\n");
	return 0;
}
