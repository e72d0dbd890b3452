/* SPDX-License-Identifier: MIT */
/* System calls, signals and time: see system.h, system and clock. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "base/system.h"

uint64_t clock_ns(clockid_t clock)
{
#ifdef SYS_clock_gettime64	/* 32-bit machines: a `long` ends in 2038 */
	struct { int64_t s, ns; } now = { 0 };

	syscall(SYS_clock_gettime64, clock, &now);
#else
	struct { long s, ns; } now = { 0 };

	syscall(SYS_clock_gettime, clock, &now);
#endif
	return (uint64_t)now.s * 1000000000u + (uint64_t)now.ns;
}

int wait_ready(struct pollfd *set, uint32_t count, long ns)
{
	const int64_t wait[2] = { ns / 1000000000, ns % 1000000000 };
#ifdef SYS_ppoll_time64
	const long number = SYS_ppoll_time64;
#else
	const long number = SYS_ppoll;
#endif
	const int ready = (int)syscall(number, set, count, wait, NULL, 0);

	return ready < 0 && errno == ENOSYS ?
	       poll(set, count, (int)((ns + 999999) / 1000000)) : ready;
}

int64_t deadline_after(int timeout_ms)
{
	return (int64_t)(clock_ns(CLOCK_MONOTONIC) / 1000000u) + timeout_ms;
}

int deadline_left_ms(int64_t deadline_ms)
{
	const int64_t now_ms = deadline_after(0);
	const int64_t left = deadline_ms - now_ms;

	return now_ms && left > 0 ? (int)left : 0;
}

int deadline_wait_readable(int fd, int64_t deadline_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int n;

	do {
		n = poll(&p, 1, deadline_left_ms(deadline_ms));
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return n ? 0 : -ETIMEDOUT;
}

/*
 * --- system
 *
 * syscall() must get an int where the kernel takes an int, and a long where the
 * kernel takes a long.
 */

/* From <linux/net.h>. */
#define NET_SOCKET 1
#define NET_SENDMSG 16
#define NET_RECVMSG 17
#define NET_ACCEPT4 18

int system_open(int dir_fd, const char *path, int flags)
{
	return (int)syscall(SYS_openat, dir_fd, path,
			    flags | O_LARGEFILE, 0600);
}

int system_open_path(const char *path, int flags)
{
	return system_open(AT_FDCWD, path, flags | O_CLOEXEC);
}

int system_open_input(const char *path)
{
	return strcmp(path, "-") ? system_open_path(path, O_RDONLY) :
				   STDIN_FILENO;
}

/* The initramfs may have no /dev/kmsg. Then we make a node, open it, and remove
 * it at once. */
int system_open_kmsg(void)
{
	const char *const node = "/.memstrack-kmsg";
	const int flags = O_WRONLY | O_NOCTTY | O_NONBLOCK;
	int fd = system_open_path("/dev/kmsg", flags);

	if (fd < 0 && !mknod(node, S_IFCHR | 0600, makedev(1, 11))) {
		fd = system_open_path(node, flags);
		unlinkat(AT_FDCWD, node, 0);
	}
	return fd;
}

int system_create(int dir_fd, const char *path, int flags, struct stat *st)
{
	int fd = system_open(dir_fd, path, flags | O_WRONLY | O_CREAT |
			     O_NOFOLLOW | O_CLOEXEC);
	int error = EPERM;

	if (fd < 0)
		return fd;
	if (system_stat(fd, "", st))
		error = errno;
	else if (S_ISCHR(st->st_mode) || st->st_uid == geteuid())
		return fd;
	close(fd);
	errno = error;
	return -1;
}

int system_renew(int dir_fd, const char *path, int flags, int *fd)
{
	struct stat st;

	if (system_stat(*fd, "", &st))
		return -1;
	if ((st.st_mode & 07777) == 0600 && st.st_nlink == 1)
		return ftruncate(*fd, 0);
	if (unlinkat(dir_fd, path, 0) && errno != ENOENT)
		return -1;
	close(*fd);
	*fd = system_open(dir_fd, path, flags | O_WRONLY | O_CREAT | O_EXCL |
			  O_CLOEXEC);
	return *fd < 0 ? -1 : 0;
}

/* statx(2) has one layout on all machines, since Linux 4.11. */
int system_stat(int dir_fd, const char *path, struct stat *st)
{
	struct statx s;

	if (syscall(SYS_statx, dir_fd, path, AT_EMPTY_PATH | AT_NO_AUTOMOUNT,
		    STATX_BASIC_STATS, &s))
		return -1;
	*st = (struct stat){
		.st_dev = makedev(s.stx_dev_major, s.stx_dev_minor),
		.st_ino = s.stx_ino, .st_mode = s.stx_mode,
		.st_nlink = s.stx_nlink, .st_uid = s.stx_uid,
	};
	return 0;
}

int system_stat_path(const char *path, struct stat *st)
{
	return system_stat(AT_FDCWD, path, st);
}

dev_t system_device(int dir_fd, const char *path)
{
	struct stat st;

	return system_stat(dir_fd, path, &st) ? 0 : st.st_dev;
}

dev_t system_device_path(const char *path)
{
	return system_device(AT_FDCWD, path);
}

/* The kernel's 64-bit call reads the same struct flock as musl's. */
int system_fcntl(int fd, int command, long argument)
{
#ifdef SYS_fcntl64
	return (int)syscall(SYS_fcntl64, fd, command, argument);
#else
	return (int)syscall(SYS_fcntl, fd, command, argument);
#endif
}

/* On i386 and s390x, Linux before 4.3 has one system call for all socket
 * functions. */
static long socket_call(long number, long which, long a, long b, long c, long d)
{
	long result = syscall(number, a, b, c, d);

#ifdef SYS_socketcall
	if (result < 0 && errno == ENOSYS)
		result = syscall(SYS_socketcall, which,
				 (long[]){ a, b, c, d });
#else
	(void)which;
#endif
	return result;
}

int system_socket(int family, int type, int protocol)
{
	return (int)socket_call(SYS_socket, NET_SOCKET, family, type, protocol,
				0);
}

int system_accept(int listener)
{
	return (int)socket_call(SYS_accept4, NET_ACCEPT4, listener, 0, 0,
				SOCK_NONBLOCK);
}

ssize_t system_send(int socket, const struct msghdr *m, int flags)
{
	return socket_call(SYS_sendmsg, NET_SENDMSG, socket, (long)m, flags, 0);
}

ssize_t system_receive(int socket, struct msghdr *m, int flags)
{
	return socket_call(SYS_recvmsg, NET_RECVMSG, socket, (long)m, flags, 0);
}

int system_chmod(int fd, mode_t mode)
{
	return (int)syscall(SYS_fchmod, fd, mode);
}

/* The unit of mmap2's offset does not matter, because the offset is 0. */
static void *map(uint64_t bytes, long rights, int flags, int fd)
{
#ifdef SYS_mmap2
	const long number = SYS_mmap2;
#else
	const long number = SYS_mmap;
#endif
	if (bytes > SIZE_MAX) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	return (void *)syscall(number, NULL, (size_t)bytes, rights,
			       (long)flags, fd, 0L);
}

void *system_map(uint64_t bytes, int flags, int fd)
{
	return map(bytes, PROT_READ | PROT_WRITE, flags, fd);
}

void *system_map_input(uint64_t bytes, int fd)
{
	return map(bytes, PROT_READ, MAP_PRIVATE, fd);
}

void *system_memory(uint64_t bytes)
{
	void *block = system_map(bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	return block == MAP_FAILED ? NULL : block;
}

void system_raise_descriptors(uint64_t wanted)
{
	struct { uint64_t now, max; } limit;

	if (syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit) ||
	    limit.now >= wanted)
		return;
	limit.now = wanted;
	if (limit.max < wanted)
		limit.max = wanted;
	syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, &limit, NULL);
}

pid_t system_fork(void)
{
#ifdef SYS_fork
	return (pid_t)syscall(SYS_fork);
#else
	return (pid_t)syscall(SYS_clone, (long)SIGCHLD, NULL, NULL, NULL, NULL);
#endif
}

uint64_t system_ram_bytes(void)
{
	struct sysinfo s;

	return sysinfo(&s) ? 0 : (uint64_t)s.totalram * s.mem_unit;
}

uint64_t system_free_bytes(void)
{
	struct sysinfo s;

	return sysinfo(&s) ? 0 : (uint64_t)s.freeram * s.mem_unit;
}

const char *system_variable(const char *name)
{
	const size_t len = strlen(name);

	for (char **e = environ; *e; e++)
		if (!strncmp(*e, name, len) && (*e)[len] == '=')
			return *e + len + 1;
	return NULL;
}

void signals_block_set(const struct signal_set *set)
{
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, set, NULL, sizeof(*set));
}

void signals_block(unsigned long set)
{
	signals_block_set(&(struct signal_set){ { set } });
}

void signals_save(struct signal_set *blocked)
{
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, blocked,
		sizeof(*blocked));
}

void signals_restore(const struct signal_set *blocked)
{
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, blocked, NULL,
		sizeof(*blocked));
}

/* All of the kernel's struct sigaction is 0: SIG_DFL, no flags. */
void signals_default(int number)
{
	const uint64_t usual[4] = { 0 };

	syscall(SYS_rt_sigaction, number, usual, NULL,
		sizeof(struct signal_set));
}

/* 32-bit kernels may have only the call whose times have 64 bits. */
static int timed_wait(const struct signal_set *wanted, const int64_t *wait)
{
#ifdef SYS_rt_sigtimedwait_time64
	const int number = (int)syscall(SYS_rt_sigtimedwait_time64, wanted, NULL,
					wait, sizeof(*wanted));

	if (number >= 0 || errno != ENOSYS)
		return number;
#endif
	return (int)syscall(SYS_rt_sigtimedwait, wanted, NULL, wait,
			    sizeof(*wanted));
}

int signals_wait(unsigned long set)
{
	const struct signal_set wanted = { { set } };
	int number;

	do {
		number = timed_wait(&wanted, NULL);
	} while (number < 0 && errno == EINTR);
	return number;
}

int signals_take(unsigned long set)
{
	const struct signal_set wanted = { { set } };
	const int64_t at_once[2] = { 0, 0 };	/* the kernel's timespec */

	return timed_wait(&wanted, at_once);
}

int signals_open_set(const struct signal_set *set)
{
	return (int)syscall(SYS_signalfd4, -1, set, sizeof(*set),
			    SFD_NONBLOCK | SFD_CLOEXEC);
}

int signals_open(unsigned long set)
{
	return signals_open_set(&(struct signal_set){ { set } });
}

unsigned long signals_arrived(int fd)
{
	struct signalfd_siginfo info;
	unsigned long set = 0;

	while (read(fd, &info, sizeof(info)) == sizeof(info))
		set |= signal_bit((int)info.ssi_signo);
	return set;
}
