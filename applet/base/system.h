/* SPDX-License-Identifier: MIT */
/*
 * System calls made directly. The C library's functions for the same purpose
 * bring 3 KiB of code for threads, cancellation points and very old kernels.
 *
 * No signal handler is needed here. Signals are blocked and read from a
 * descriptor: the kernel keeps a blocked signal even if it is ignored
 * (kernel/signal.c: sig_ignored()), and a shell ignores SIGINT for programs
 * that it starts with `&`. A blocked SIGPIPE does no more harm than an ignored
 * one.
 */
#ifndef MEMSTRACK_SYSTEM_H
#define MEMSTRACK_SYSTEM_H

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
/* musl has struct statx since 1.2.5. */
#ifndef STATX_BASIC_STATS
#include <linux/stat.h>
#endif

/* As openat(). A file that is created gets mode 0600. */
int system_open(int dir_fd, const char *path, int flags);
/* As open(), with O_CLOEXEC. */
int system_open_path(const char *path, int flags);
/* A file to read, once and in order; "-" is standard input. */
int system_open_input(const char *path);
/* Opens the kernel's log for writing. */
int system_open_kmsg(void);
/* Opens a file for writing, follows no symbolic link, and creates the file with
 * mode 0600 if there is none. Another user's file is refused (EPERM), because
 * that user could read it; a character device is not. */
int system_create(int dir_fd, const char *path, int flags, struct stat *st);
/* Empties an ordinary file that system_create() opened. If it has another mode
 * than 0600 or a second name, a new file takes its name instead: a process
 * that has the old file open, or knows it by another name, keeps the old
 * content and does not see the new. *fd then is the new file's. 0, or -1 and
 * errno. */
int system_renew(int dir_fd, const char *path, int flags, int *fd);

/* The device, inode, mode, links and owner of the file at a path relative to a
 * directory or AT_FDCWD. The path "" means the descriptor itself. 0, or -1 and
 * errno. */
int system_stat(int dir_fd, const char *path, struct stat *st);
int system_stat_path(const char *path, struct stat *st);
/* The device that holds such a file. On an error 0, which is no device, and
 * errno. */
dev_t system_device(int dir_fd, const char *path);
dev_t system_device_path(const char *path);

/* As fcntl(), with a number or the address of a struct flock. */
int system_fcntl(int fd, int command, long argument);
/* As fchmod(), for a descriptor that was not opened with O_PATH. */
int system_chmod(int fd, mode_t mode);

struct msghdr;
/* As socket(), sendmsg() and recvmsg(). */
int system_socket(int family, int type, int protocol);
ssize_t system_send(int socket, const struct msghdr *m, int flags);
ssize_t system_receive(int socket, struct msghdr *m, int flags);
/* As accept4() with SOCK_NONBLOCK, without the address of the peer. */
int system_accept(int listener);

/* As mmap() of a file from its start, for reading and writing. */
void *system_map(uint64_t bytes, int flags, int fd);
/* As mmap() of a file from its start, for reading: not shared. */
void *system_map_input(uint64_t bytes, int fd);

/* So many bytes, all 0, until we end; or NULL and errno. */
void *system_memory(uint64_t bytes);

/* Raises the limit of open files, and the highest one allowed if need be. */
void system_raise_descriptors(uint64_t wanted);

/* As fork(). The C library does not know of it: the child makes system calls
 * only. */
pid_t system_fork(void);

/* All memory that the kernel manages, and how much of this memory is free. 0:
 * not known. */
uint64_t system_ram_bytes(void);
uint64_t system_free_bytes(void);

/* The value of a variable of the environment, or NULL. */
const char *system_variable(const char *name);

/* A set of signals is the sum of their signal_bit(). No signal is above 31, but
 * in a struct signal_set. */
static inline unsigned long signal_bit(int number)
{
	return 1ul << (number - 1);
}

/* The kernel's sigset_t: an array of longs, the lowest signals first. */
struct signal_set {
	unsigned long word[_NSIG / 8 / sizeof(long)];
};

/* Blocks these signals too. */
void signals_block(unsigned long set);
void signals_block_set(const struct signal_set *set);

/* All signals that are blocked: for a program that we execute later. */
void signals_save(struct signal_set *blocked);
void signals_restore(const struct signal_set *blocked);

/* From now on this signal has its usual effect. */
void signals_default(int number);

/* Waits for one of these signals, which are blocked, and takes it. Of several
 * the lowest, but for those of faults, which come first. Returns its number, or
 * -1. */
int signals_wait(unsigned long set);
/* The same without a wait; -1: none has arrived. */
int signals_take(unsigned long set);

/* A nonblocking descriptor for these signals, which should be blocked; or
 * -1. */
int signals_open(unsigned long set);
int signals_open_set(const struct signal_set *set);

/* The set of signals that have arrived since the last call; each is taken
 * once. */
unsigned long signals_arrived(int fd);

#endif
