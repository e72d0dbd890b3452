/* SPDX-License-Identifier: MIT */
/* The command: see run.h, child. */
#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/base.h"
#include "base/system.h"
#include "host/run/run.h"

/* A shell's exit status if the command cannot be executed, or does not exist. */
#define STATUS_NO_EXEC 126
#define STATUS_NO_FILE 127

/* The kernel's PATH_MAX. */
#define EXEC_PATH_BYTES 4096

/* Of the kernel; the C library keeps the first ones for itself. */
#define REAL_TIME_FIRST 32u

/* Signals that end a program, or that mean something to it, but are no fault of
 * the program itself. */
static struct signal_set passed_on(void)
{
	const unsigned int word_bits = 8 * sizeof(long);
	struct signal_set s = { {
		signal_bit(SIGHUP) | signal_bit(SIGINT) | signal_bit(SIGQUIT) |
		signal_bit(SIGTERM) | signal_bit(SIGUSR1) |
		signal_bit(SIGUSR2) | signal_bit(SIGALRM) |
		signal_bit(SIGVTALRM) | signal_bit(SIGPROF) |
		signal_bit(SIGXCPU) | signal_bit(SIGXFSZ) |
		signal_bit(SIGPWR) | signal_bit(SIGIO)
	} };

	for (unsigned int n = REAL_TIME_FIRST; n <= 8 * sizeof(s); n++)
		s.word[(n - 1) / word_bits] |= 1ul << ((n - 1) % word_bits);
	return s;
}

static const char *search_path(void)
{
	const char *path = system_variable("PATH");

	return path ? path : "/usr/local/bin:/bin:/usr/bin";
}

/* As execvp(), but a script needs its first line. Returns an errno. */
static int execute(char *const *argv)
{
	const char *at = search_path();
	int error = ENOENT;
	char path[EXEC_PATH_BYTES];

	if (past_last(argv[0], '/') > argv[0] || !argv[0][0]) {
		execve(argv[0], argv, environ);
		return errno;
	}
	for (;;) {
		const size_t len = length_to(at, ':');

		print_to(path, sizeof(path), "%.*s%s%s", (int)len, at,
			 len ? "/" : "", argv[0]);
		execve(path, argv, environ);
		if (errno != ENOENT && errno != ENOTDIR)
			error = errno;
		if (error != ENOENT && error != EACCES)
			return error;
		at += len;
		if (!*at++)
			return error;
	}
}

/* Without a byte, the tracer has ended before it was ready. */
static _Noreturn void become(int wait_fd, char *const *argv,
			     const struct signal_set *mask)
{
	char byte;
	ssize_t n;
	int error;

	do
		n = read(wait_fd, &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(STATUS_NO_EXEC);
	signals_restore(mask);
	error = execute(argv);
	complain_error(argv[0], error);
	_exit(error == ENOENT ? STATUS_NO_FILE : STATUS_NO_EXEC);
}

/* If SIGCHLD is ignored, as some parents leave it to us, the kernel would not
 * return a child's exit status. The child still ignores the signal. */
int child_start(struct child *c, char *const *argv)
{
	struct signal_set set = passed_on(), mask;
	int fd[2];

	*c = (struct child){ .pid = -1, .go_fd = -1, .signal_fd = -1 };
	if (syscall(SYS_pipe2, fd, O_CLOEXEC))
		return -errno;
	signals_save(&mask);
	set.word[0] |= signal_bit(SIGCHLD);
	signals_block_set(&set);
	signals_block(signal_bit(SIGPIPE));
	syscall(SYS_prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	c->pid = system_fork();
	if (!c->pid) {
		close(fd[1]);
		become(fd[0], argv, &mask);
	}
	if (c->pid < 0)
		return -errno;
	close(fd[0]);
	c->go_fd = fd[1];
	signals_default(SIGCHLD);
	c->signal_fd = signals_open_set(&set);
	return c->signal_fd < 0 ? -errno : 0;
}

void child_go(struct child *c)
{
	if (write(c->go_fd, "", 1) < 0)
		complain_error("start", errno);
	close(c->go_fd);
}

/* The kernel's own signals are not passed on: the terminal sends them to the
 * command too. But an alarm that was set before us is the command's: an exec
 * keeps it, a fork does not. */
static int is_for_child(const struct child *c, const struct signalfd_siginfo *s)
{
	return s->ssi_signo == SIGALRM ||
	       (s->ssi_code <= 0 && s->ssi_pid != (uint32_t)c->pid);
}

int child_forward(struct child *c)
{
	struct signalfd_siginfo s;
	int ended = 0;

	while (read(c->signal_fd, &s, sizeof(s)) == sizeof(s))
		if (s.ssi_signo == SIGCHLD)
			ended = 1;
		else if (c->is_gone)
			c->asked_end = 1;
		else if (is_for_child(c, &s))
			kill(c->pid, (int)s.ssi_signo);
	return ended;
}

int child_status(uint32_t status)
{
	return WIFSIGNALED((int)status) ? 128 + WTERMSIG((int)status) :
					  WEXITSTATUS((int)status);
}

int child_end_as(int status)
{
	if (WIFSIGNALED(status)) {
		syscall(SYS_prctl, PR_SET_DUMPABLE, 0, 0, 0, 0);
		signals_default(WTERMSIG(status));
		kill(getpid(), WTERMSIG(status));
		signals_restore(&(struct signal_set){ { 0 } });
	}
	return child_status((uint32_t)status);
}
