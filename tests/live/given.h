/* SPDX-License-Identifier: MIT */
/*
 * All that a process was given, in text, for the inits of shim.t and faults.t:
 * two texts are compared byte by byte. Files are told by their inodes where
 * they are the same in both; else by their devices.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

extern char **environ;

static void write_descriptors(int out, int same_files)
{
	struct stat st;

	for (int fd = 0; fd < 256; fd++)
		if (fd != out && !fstat(fd, &st))
			dprintf(out, "fd %d is %llu, flags %x %x\n", fd,
				(unsigned long long)(same_files ? st.st_ino :
						     st.st_rdev),
				(unsigned int)fcntl(fd, F_GETFD),
				(unsigned int)fcntl(fd, F_GETFL));
}

static void write_signals(int out)
{
	struct sigaction action;
	sigset_t blocked, pending;

	sigprocmask(SIG_SETMASK, NULL, &blocked);
	sigpending(&pending);
	for (int s = 1; s < 65; s++) {
		if (sigismember(&blocked, s) == 1)
			dprintf(out, "signal %d is blocked\n", s);
		if (sigismember(&pending, s) == 1)
			dprintf(out, "signal %d is pending\n", s);
		if (!sigaction(s, NULL, &action) &&
		    action.sa_handler != SIG_DFL)
			dprintf(out, "signal %d is ignored\n", s);
	}
}

static void write_given(int out, char *argv[], int same_files)
{
	const mode_t mask = umask(0);
	char cwd[256] = "?";
	struct rlimit r;

	umask(mask);
	for (int i = 1; argv[i]; i++)
		dprintf(out, "arg %d is '%s'\n", i, argv[i]);
	for (int i = 0; environ[i]; i++)
		dprintf(out, "env is '%s'\n", environ[i]);
	write_descriptors(out, same_files);
	write_signals(out);
	getcwd(cwd, sizeof(cwd));
	dprintf(out, "pid %d, cwd %s, session %d, group %d, mask %o\n",
		getpid(), cwd, getsid(0), getpgrp(), mask);
	dprintf(out, "nice %d, policy %d\n", getpriority(PRIO_PROCESS, 0),
		(int)syscall(SYS_sched_getscheduler, 0));
	for (int i = 0; i < RLIMIT_NLIMITS; i++)
		if (!getrlimit(i, &r))
			dprintf(out, "limit %d is %llx %llx\n", i,
				(unsigned long long)r.rlim_cur,
				(unsigned long long)r.rlim_max);
}
