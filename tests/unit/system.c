/* SPDX-License-Identifier: MIT */
/*
 * base/system.c: what its calls give is what the C library's give; signals are
 * heard whether they are ignored or not, and only those asked for.
 */
#include <fcntl.h>
#include <signal.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "base/system.h"
#include "tap.h"

static void test_stat(void)
{
	const int exe = open("/proc/self/exe", O_RDONLY);
	const int self = open("/proc/self", O_RDONLY | O_DIRECTORY);
	const struct {
		int dir_fd;
		const char *path;
		int flags;
	} t[] = {
		{ AT_FDCWD, "/", 0 }, { AT_FDCWD, ".", 0 },
		{ AT_FDCWD, "/proc/self/exe", 0 }, { AT_FDCWD, "/dev/null", 0 },
		{ self, "fd", 0 }, { exe, "", AT_EMPTY_PATH },
	};
	struct stat got, want;

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		memset(&got, 0, sizeof(got));
		tap_ok(!system_stat(t[i].dir_fd, t[i].path, &got) &&
		       !fstatat(t[i].dir_fd, t[i].path, &want, t[i].flags) &&
		       got.st_dev == want.st_dev && got.st_ino == want.st_ino &&
		       got.st_mode == want.st_mode, "stat of '%s'", t[i].path);
	}
	tap_ok(system_stat(AT_FDCWD, "/no/such", &got) == -1 &&
	       errno == ENOENT, "no file: ENOENT");
	tap_ok(system_stat(-1, "", &got) == -1 && errno == EBADF,
	       "no descriptor: EBADF");
	close(exe);
	close(self);
}

static void test_open_and_map(void)
{
	char path[] = "/tmp/memstrack-system.XXXXXX", *both;
	const int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC;
	int made = mkstemp(path), fd;
	struct stat st;

	must(made >= 0 && !unlink(path));
	umask(0);
	fd = system_open(AT_FDCWD, path, flags);
	tap_ok(fd >= 0 && !fstat(fd, &st) && (st.st_mode & 07777) == 0600 &&
	       fcntl(fd, F_GETFD) == FD_CLOEXEC, "a file made, its owner's alone");
	tap_ok(system_open(AT_FDCWD, path, flags) == -1 && errno == EEXIST,
	       "made once");
	unlink(path);
	must(write(fd, "one, two!", 9) == 9);
	both = system_map(9, MAP_SHARED, fd);
	tap_ok(both != MAP_FAILED && !memcmp(both, "one, two!", 9),
	       "a file in memory");
	both[0] = 'T';
	tap_ok(pread(fd, path, 1, 0) == 1 && path[0] == 'T', "both ways");
	munmap(both, 9);
	both = system_map(100000, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	tap_ok(both != MAP_FAILED && !both[0] && !both[99999], "no file");
	munmap(both, 100000);
	tap_ok(system_map(9, MAP_SHARED, -1) == MAP_FAILED && errno == EBADF,
	       "no descriptor: EBADF");
	close(fd);
	close(made);
}

static ino_t inode(int fd)
{
	struct stat st;

	return fstat(fd, &st) ? 0 : st.st_ino;
}

static void test_renew(void)
{
	char path[] = "/tmp/memstrack-system.XXXXXX";
	int fd = mkstemp(path);
	ino_t first = inode(fd);
	struct stat st;

	must(fd >= 0 && write(fd, "text", 4) == 4);
	tap_ok(!system_renew(AT_FDCWD, path, 0, &fd) && inode(fd) == first &&
	       !fstat(fd, &st) && !st.st_size, "a file of ours is emptied");
	fchmod(fd, 0640);
	tap_ok(!system_renew(AT_FDCWD, path, 0, &fd) && !stat(path, &st) &&
	       (st.st_mode & 07777) == 0600 && inode(fd) == st.st_ino &&
	       fcntl(fd, F_GETFD) == FD_CLOEXEC, "another one is another");
	unlink(path);
	tap_ok(!system_renew(AT_FDCWD, path, 0, &fd) && !stat(path, &st),
	       "one that has lost its name gets it anew");
	fchmod(fd, 0640);
	unlink(path);
	must(!mkdir(path, 0700));
	tap_ok(system_renew(AT_FDCWD, path, 0, &fd) && errno == EISDIR,
	       "what cannot be removed is refused");
	rmdir(path);
	close(fd);
}

static void test_fork(void)
{
	pid_t pid = system_fork();
	int status = 0;

	if (!pid)
		_exit(42);
	tap_ok(waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	       WEXITSTATUS(status) == 42, "a child, to be waited for");
}

static void test_signals(void)
{
	const unsigned long both = signal_bit(SIGUSR1) | signal_bit(SIGTERM);
	const int sent[] = { SIGPIPE, SIGUSR1, SIGTERM, SIGUSR1 };
	sigset_t now;
	int fd;

	signal(SIGTERM, SIG_IGN);
	signals_block(signal_bit(SIGPIPE));
	signals_block(both);
	sigprocmask(SIG_SETMASK, NULL, &now);
	tap_ok(sigismember(&now, SIGPIPE) == 1 &&
	       sigismember(&now, SIGUSR1) == 1 &&
	       sigismember(&now, SIGTERM) == 1 && !sigismember(&now, SIGHUP),
	       "blocked, beside those that are");
	fd = signals_open(both);
	tap_ok(fd >= 0 && fcntl(fd, F_GETFD) == FD_CLOEXEC, "a descriptor");
	tap_ok(signals_arrived(fd) == 0, "none came, and that is no wait");
	for (size_t i = 0; i < sizeof(sent) / sizeof(sent[0]); i++)
		kill(getpid(), sent[i]);
	tap_ok(signals_arrived(fd) == both && signals_arrived(fd) == 0,
	       "two came, one though ignored, and each is told once");
	tap_ok(signals_arrived(-1) == 0, "no descriptor, no signals");
	close(fd);
	kill(getpid(), SIGUSR1);
	kill(getpid(), SIGTERM);
	signals_wait(signal_bit(SIGTERM));
	sigpending(&now);
	tap_ok(!sigismember(&now, SIGTERM) && sigismember(&now, SIGUSR1) == 1,
	       "one is waited for and taken, no other");
}

/* Before all of a 32-bit kernel's calls have times of 64 bits, and after, some
 * are not there. */
static void test_wait(void)
{
	struct sock_filter no_ppoll[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),	/* the number */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ppoll, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { 4, no_ppoll };
	const uint64_t from_ns = clock_ns(CLOCK_MONOTONIC);
	uint64_t ns;
	int status;

	wait_ready(NULL, 0, 20000000);
	ns = clock_ns(CLOCK_MONOTONIC);
	tap_ok(ns - from_ns >= 20000000, "a wait of 20 ms");
	if (!fork()) {
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		must(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
		wait_ready(NULL, 0, 20000000);
		_exit(clock_ns(CLOCK_MONOTONIC) - ns < 20000000);
	}
	wait(&status);
	tap_ok(!status, "also if the kernel has no such call");
}

int main(void)
{
	test_stat();
	test_open_and_map();
	test_renew();
	test_fork();
	test_signals();
	test_wait();
	return tap_plan_done();
}
