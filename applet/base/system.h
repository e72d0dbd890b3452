/*
 * System calls made directly, where the C library's function of that purpose
 * brings along what serves threads, cancellation points and kernels of long
 * ago: 3 KiB in all.
 *
 * Signals need no handler here. They are blocked, and who wants them reads
 * them from a descriptor: a blocked signal is kept even where it is ignored
 * (kernel/signal.c: sig_ignored()), as a shell leaves SIGINT for what it
 * starts with `&`. A blocked SIGPIPE is as good as an ignored one.
 */
#ifndef MEMSTRACK_SYSTEM_H
#define MEMSTRACK_SYSTEM_H

#include <sys/stat.h>
#include <sys/types.h>

/* As openat(); a file that is made is its owner's alone. */
int system_open(int dir_fd, const char *path, int flags);
/* As open(), O_CLOEXEC. */
int system_open_path(const char *path, int flags);
/* The kernel's log, for writing. */
int system_open_kmsg(void);
/* To be written, 0600 where it is made anew, through no symbolic link; another
 * user's is refused (EPERM), but for a device, for he may read it. */
int system_create(int dir_fd, const char *path, int flags, struct stat *st);
/* An ordinary file that was opened so begins anew: emptied where it is its
 * owner's alone and has one name; else a new one takes the name, so that who has
 * the old one open, or by another name, keeps what it held. *fd is then the new
 * one's. 0, or -1 and errno. */
int system_renew(int dir_fd, const char *path, int flags, int *fd);

/* The file at a path, relative to a directory or AT_FDCWD; with the path "",
 * the descriptor itself. 0, or -1 and errno. */
int system_stat(int dir_fd, const char *path, struct stat *st);
int system_stat_path(const char *path, struct stat *st);
/* The device that the same is on; 0, which none is, and errno. */
dev_t system_device(int dir_fd, const char *path);
dev_t system_device_path(const char *path);

/* As mmap() from the start of a file, to read and write. */
void *system_map(size_t bytes, int flags, int fd);

/* For a child that becomes no other program. As fork(). */
pid_t system_fork(void);

/* A set of signals holds signal_bit() of each. None is above 31. */
static inline unsigned long signal_bit(int number)
{
	return 1ul << (number - 1);
}

/* From now on, beside those that are. */
void signals_block(unsigned long set);

/* For one of these, blocked, which is taken. */
void signals_wait(unsigned long set);

/* A nonblocking descriptor of signals, which should be blocked; or -1. */
int signals_open(unsigned long set);

/* The set of those that have arrived since, each taken once. */
unsigned long signals_arrived(int fd);

#endif
