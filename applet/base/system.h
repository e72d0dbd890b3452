/* SPDX-License-Identifier: MIT */
/*
 * System calls, files and time. ledger/, report/ and config/ do not use it.
 */
#ifndef MEMSTRACK_BASE_SYSTEM_H
#define MEMSTRACK_BASE_SYSTEM_H

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include "base/base.h"

/*
 * --- system
 *
 * System calls made directly. The C library's functions for the same purpose
 * bring 3 KiB of code for threads, cancellation points and very old kernels.
 *
 * No signal handler is needed here. Signals are blocked and read from a
 * descriptor: the kernel keeps a blocked signal even if it is ignored
 * (kernel/signal.c: sig_ignored()), and a shell ignores SIGINT for programs
 * that it starts with `&`. A blocked SIGPIPE does no more harm than an ignored
 * one.
 */

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

/*
 * --- clock
 *
 * Time: the clocks, and how much time poll() in a loop has left.
 *
 * A wait that starts anew after every EINTR or short read may last forever. A
 * wait until a deadline does not. Deadlines are in milliseconds, as poll()
 * takes them.
 */

/* CLOCK_MONOTONIC or CLOCK_PROCESS_CPUTIME_ID. This makes the system call
 * itself: it happens a few times a second, and the C library's vDSO code would
 * cost a kilobyte. */
uint64_t clock_ns(clockid_t clock);

struct pollfd;
/* As ppoll() for so many ns, which are less than two seconds. 32-bit kernels
 * may have only the call whose times have 64 bits, or only the older one;
 * without either, it waits in whole milliseconds. */
int wait_ready(struct pollfd *set, uint32_t count, long ns);

int64_t deadline_after(int timeout_ms);

/* Fits an int, because callers pass an int to deadline_after(). 0 also if the
 * clock cannot be read: then nothing waits, rather than for as long as the
 * machine is up. */
int deadline_left_ms(int64_t deadline_ms);

/* Waits until fd can be read or its other end is gone. Returns 0, -ETIMEDOUT,
 * or -errno of poll. With a deadline in the past it asks once and does not
 * wait. */
int deadline_wait_readable(int fd, int64_t deadline_ms);

/*
 * --- readfile
 *
 * Small files of /proc and /sys, read whole or in pieces, without allocation.
 */

/* Returns the bytes read, or -errno. An end byte follows them, so at most size
 * - 1 fit. -EFBIG: the file is larger; buf holds its beginning and an end
 * byte. */
ssize_t readfile(const char *path, char *buf, size_t size);

/* Lines of an open file, one after the other. */
struct lines {
	int fd;
	size_t at, filled;
	int skip;		/* the next bytes are the rest of a cut line */
	char buf[4096];
};

/* Starts at the beginning of an open file. */
void lines_begin(struct lines *l, int fd);

/* The next line, with an end byte in place of its newline; NULL at the end of
 * the file. A line longer than the buffer is cut. */
char *lines_next(struct lines *l, size_t *len);

/* Calls `take` for every line of a file. Returns 0, or -errno of the open. */
typedef void take_line(void *context, char *line, size_t len);
int each_line(const char *path, take_line *take, void *context);
/* The same for an open file, from its beginning; does nothing when fd is -1.
 * After the first such read the kernel has allocated all memory that a read of
 * this file needs. */
void each_line_again(int fd, take_line *take, void *context);

/* A part of a line, without an end byte. */
struct word {
	const char *at;
	size_t len;
};

/* *w becomes the text before the first `stop`, *rest the text behind it.
 * Without a `stop`, *w becomes all of the text and rest->at NULL. Returns w. */
struct word *word_to(struct word *rest, char stop, struct word *w);

/* The same up to the next blank; blanks before the word are skipped. */
struct word *next_word(struct word *rest, struct word *w);
struct word *past_blanks(struct word *rest);

int word_is(const struct word *w, const char *text);
int word_begins(const struct word *w, const char *text);

/* Takes a text away from the front. 0, or -EINVAL: the word does not begin with
 * it. */
int word_skip(struct word *rest, const char *text);
/* Takes everything away up to the end of the first place of a text. 0, or
 * -EINVAL: the text is not there. */
int word_seek(struct word *rest, const char *text);

/* The whole word must be a number. Returns 0, or an error of base.h, number. */
int word_number(const struct word *w, unsigned int base, uint64_t *value);

/* The same for the text before the first `stop`. */
int number_to(struct word *rest, char stop, unsigned int base,
	      uint64_t *value);

/* Takes a number away from the front, decimal or behind 0x. */
int word_take_number(struct word *rest, uint64_t *value);

/* Copies the word, cut to `size`, with an end byte. */
void word_copy(const struct word *w, char *text, size_t size);

/* A number, with or without 0x, alone on the first line of a file. Returns 0 or
 * -errno; on an error *value keeps its old value. */
int read_number(const char *path, unsigned int base, uint64_t *value);

/* Writes a whole small file. Returns 0 or -errno. */
int writefile(const char *path, const char *text);

/*
 * --- parsed
 *
 * One JSON object out of a line of text that nobody vouches for.
 *
 * Nothing is copied: a member's name and value are parts of the line. Objects
 * within the object, and lists of others than strings, are passed over. No
 * recursion, and no more brackets open at a time than PARSED_DEPTH_MAX.
 */

/* Members that are kept, of an object; the longest of ours, `head`, has 27. */
#define PARSED_MEMBERS_MAX 64u
#define PARSED_DEPTH_MAX 8u

/* No number that is read is farther from 0, so that units and sums fit. */
#define PARSED_NUMBER_MAX (INT64_C(1) << 60)

enum parsed_kind { PARSED_NUMBER, PARSED_STRING, PARSED_LIST, PARSED_OTHER };

struct parsed {
	struct parsed_member {
		struct word name, value;	/* without quotes or brackets,
						 * escapes kept */
		enum parsed_kind kind;
	} member[PARSED_MEMBERS_MAX];
	uint32_t members;
};

/* The length of the object that begins with text[0]; 0: none, or a broken
 * one. */
size_t parsed_object(struct parsed *o, const char *text, size_t len);

/* NULL: no such member, or it is of another kind. */
const struct word *parsed_word(const struct parsed *o, const char *name,
			       enum parsed_kind kind);
const struct word *parsed_string(const struct parsed *o, const char *name);

/* 1, or 0 if there is no such member, or it is no whole number; *value is then
 * as it was. */
int parsed_number(const struct parsed *o, const char *name, int64_t *value);

/* The next string of a list of strings: 0 at its end. */
int parsed_next(struct word *list, struct word *string);

/* The bytes of a string that came from parsed_string(), and how many they are;
 * what does not fit is left out. An escape that cannot be stays as it is, and
 * so does one of a byte 0 or of more than a byte. */
size_t parsed_unescape(const struct word *w, char *text, size_t room);

/*
 * --- entries
 *
 * The names in an open directory, one after the other, without allocation.
 */

struct entries {
	int fd;
	int error;		/* 0 or -errno, after the last name */
	uint32_t at, filled;
	uint64_t inode;		/* of the last name */
	int64_t next;		/* position behind the last name, for lseek() */
	char buf[1024];
};

/* Begins at the position of the descriptor. */
void entries_begin(struct entries *e, int fd);

/* NULL at the end and after an error. The name is valid until the next call. */
const char *entries_next(struct entries *e);

/* --- mounts: a mount namespace of a process's own: see mounts.c */

/* Gives this process a root of its own with /proc, /sys, /sys/kernel/tracing,
 * /sys/kernel/debug, /dev/kmsg, /dev/console, /dev/null, and nothing else; PID
 * 1's root is under /proc/1/root. What cannot be mounted or made is left out;
 * the code that needs it reports that. The working directory becomes "/". 0, or
 * -errno; other processes see no change. */
int mounts_private(void);

/* The same in two steps: enter an empty root, and mount a filesystem in it, on
 * a directory that is made if it is missing. 0, or -errno. */
int mounts_leave(void);
int mounts_add(const char *dir, const char *type);

/*
 * --- walk
 *
 * A walk through all files of one file system, in pieces: for each file its
 * path, its size and the memory or disk space that it takes.
 *
 * No recursion and no allocation. No descriptor stays open between two pieces,
 * so the walk keeps nothing busy. What others add or remove meanwhile may be
 * missed, or told twice. Directories that are nested too deep, or whose path is
 * too long, are left out.
 */

#define WALK_DEPTH 16
#define WALK_PATH_BYTES 256

struct walked {
	const char *path;	/* from the top, with a slash in front */
	uint64_t size_bytes;
	uint64_t used_bytes;
	uint64_t inode;
	uint32_t links;		/* names: the file is told once for each */
	int is_file;		/* an ordinary file */
};

struct walk {
	dev_t device;
	uint32_t files;		/* told so far, of any type */
	int depth;		/* of the directory in `path`; -1: at the end */
	size_t top_bytes, bytes;	/* of the path */
	int64_t at[WALK_DEPTH];	/* where to go on in each directory */
	char path[WALK_PATH_BYTES];
};

void walk_begin(struct walk *w, const char *top);

/* Tells the next files, `most` or a few more. 0: these were the last. */
int walk_on(struct walk *w, uint32_t most,
	    void (*take)(void *context, const struct walked *f), void *context);

#endif
