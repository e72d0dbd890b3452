/* SPDX-License-Identifier: MIT */
/*
 * System calls, files and time. ledger/, report/ and config/ do not use this
 * header.
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
 * descriptor: the kernel keeps a blocked signal even if the signal is ignored
 * (kernel/signal.c: sig_ignored()), and a shell ignores SIGINT for programs
 * that it starts with `&`. A blocked SIGPIPE does no more harm than an ignored
 * SIGPIPE.
 */

/* musl has struct statx since 1.2.5. */
#ifndef STATX_BASIC_STATS
#include <linux/stat.h>
#endif

/* Like openat(). A created file gets mode 0600. */
int system_open(int dir_fd, const char *path, int flags);
/* Like open(), with O_CLOEXEC. */
int system_open_path(const char *path, int flags);
/* Opens a file to read once, in order; "-" is standard input. */
int system_open_input(const char *path);
/* Opens the kernel's log for writing. */
int system_open_kmsg(void);
/* Opens a file for writing, follows no symbolic link, and creates a missing
 * file with mode 0600. Refuses another user's file (EPERM), because that user
 * could read the content; but accepts any character device. */
int system_create(int dir_fd, const char *path, int flags, struct stat *st);
/* Empties an ordinary file that system_create() opened. If the file has another
 * mode than 0600 or a second name, a new file takes its name instead: a process
 * that has the old file open, or knows it by another name, keeps the old
 * content and does not see the new content. *fd then is the new file's. 0, or
 * -1 and errno. */
int system_renew(int dir_fd, const char *path, int flags, int *fd);

/* The device, inode, mode, links and owner of a file. The path is relative to a
 * directory or AT_FDCWD; "" means the descriptor itself. 0, or -1 and errno. */
int system_stat(int dir_fd, const char *path, struct stat *st);
int system_stat_path(const char *path, struct stat *st);
/* The device that holds the file at such a path. On an error 0, which is not a
 * device, and errno. */
dev_t system_device(int dir_fd, const char *path);
dev_t system_device_path(const char *path);

/* Like fcntl(), with a number or the address of a struct flock. */
int system_fcntl(int fd, int command, long argument);
/* Like fchmod(), for a descriptor that was not opened with O_PATH. */
int system_chmod(int fd, mode_t mode);

struct msghdr;
/* Like socket(), sendmsg() and recvmsg(). */
int system_socket(int family, int type, int protocol);
ssize_t system_send(int socket, const struct msghdr *m, int flags);
ssize_t system_receive(int socket, struct msghdr *m, int flags);
/* Like accept4() with SOCK_NONBLOCK, without the address of the peer. */
int system_accept(int listener);

/* Like mmap() of a file from its start, for reading and writing. */
void *system_map(uint64_t bytes, int flags, int fd);
/* Like mmap() of a file from its start, for reading: not shared. */
void *system_map_input(uint64_t bytes, int fd);

/* Zeroed memory of this many bytes, which the process keeps until it exits; or
 * NULL and errno. */
void *system_memory(uint64_t bytes);

/* Raises the soft limit of open files to `wanted`, and the hard limit too if it
 * is lower. */
void system_raise_descriptors(uint64_t wanted);

/* Like fork(), but the C library does not learn of the fork: the child may only
 * make system calls. */
pid_t system_fork(void);

/* All memory that the kernel manages, and the free part of this memory. 0: not
 * known. */
uint64_t system_ram_bytes(void);
uint64_t system_free_bytes(void);

/* The value of an environment variable, or NULL. */
const char *system_variable(const char *name);

/* A set of signals is the sum of their signal_bit(). Signals above 31 need a
 * struct signal_set. */
static inline unsigned long signal_bit(int number)
{
	return 1ul << (number - 1);
}

/* The kernel's sigset_t: an array of longs, the lowest signals first. */
struct signal_set {
	unsigned long word[_NSIG / 8 / sizeof(long)];
};

/* Blocks these signals as well as those that are blocked already. */
void signals_block(unsigned long set);
void signals_block_set(const struct signal_set *set);

/* The set of blocked signals, to be restored for a program that we execute. */
void signals_save(struct signal_set *blocked);
void signals_restore(const struct signal_set *blocked);

/* Gives this signal its default action again. */
void signals_default(int number);

/* Waits for one of these signals, which must be blocked, and takes it. If
 * several have arrived, signals of faults come first, then the lowest number.
 * Returns the number, or -1. */
int signals_wait(unsigned long set);
/* The same without waiting; -1: no signal has arrived. */
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
 * Time: the clocks, and how much time is left for poll() in a loop.
 *
 * A wait that starts anew after every EINTR or short read may last forever; a
 * wait until a deadline ends. Deadlines are in milliseconds, the unit of
 * poll().
 */

/* CLOCK_MONOTONIC or CLOCK_PROCESS_CPUTIME_ID, by a system call: the clock is
 * read a few times a second, and the C library's vDSO code would cost a
 * kilobyte. */
uint64_t clock_ns(clockid_t clock);

struct pollfd;
/* Like ppoll() for `ns` nanoseconds, less than two seconds. A 32-bit kernel may
 * lack the call with 64-bit times that this build uses; then the wait is in
 * whole milliseconds. */
int wait_ready(struct pollfd *set, uint32_t count, long ns);

int64_t deadline_after(int timeout_ms);

/* Fits an int, because callers pass an int to deadline_after(). 0 also if the
 * clock cannot be read: the caller then does not wait, instead of waiting for
 * as long as the machine has been up. */
int deadline_left_ms(int64_t deadline_ms);

/* Waits until fd can be read or its other end is closed. Returns 0, -ETIMEDOUT,
 * or -errno of poll. With a deadline in the past, polls once without
 * waiting. */
int deadline_wait_readable(int fd, int64_t deadline_ms);

/*
 * --- readfile
 *
 * Small files of /proc and /sys, read whole or in pieces, without allocation.
 */

/* Returns the number of bytes read, or -errno. An end byte follows, so at most
 * size - 1 bytes fit. -EFBIG: the file is larger; buf holds its beginning and
 * an end byte. */
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
/* The same for an open file, from its beginning; does nothing if fd is -1. The
 * first read makes the kernel allocate all memory that reading this file
 * needs. */
void each_line_again(int fd, take_line *take, void *context);

/* A part of a line, without an end byte. */
struct word {
	const char *at;
	size_t len;
};

/* *w becomes the text before the first `stop`, *rest the text behind `stop`.
 * Without a `stop`, *w becomes the whole text and rest->at NULL. Returns w. */
struct word *word_to(struct word *rest, char stop, struct word *w);

/* The same up to the next blank; skips blanks before the word. */
struct word *next_word(struct word *rest, struct word *w);
struct word *past_blanks(struct word *rest);
/* The same for so many words, in w[]; behind the last word all are empty. */
void next_words(struct word *rest, struct word *w, uint32_t count);

int word_is(const struct word *w, const char *text);
int word_begins(const struct word *w, const char *text);

/* Removes `text` from the front. 0, or -EINVAL: the word does not begin with
 * `text`. */
int word_skip(struct word *rest, const char *text);
/* Removes everything up to the end of the first occurrence of `text`. 0, or
 * -EINVAL: `text` does not occur. */
int word_seek(struct word *rest, const char *text);

/* The whole word must be a number. Returns 0, or an error of base.h, number. */
int word_number(const struct word *w, unsigned int base, uint64_t *value);

/* The same for the text before the first `stop`. */
int number_to(struct word *rest, char stop, unsigned int base,
	      uint64_t *value);

/* Removes a number from the front, decimal or with 0x, and returns it in
 * *value. 0, or an error of base.h, number. */
int word_take_number(struct word *rest, uint64_t *value);

/* Copies the word, cut to `size`, with an end byte. */
void word_copy(const struct word *w, char *text, size_t size);

/* A number, alone on the first line of a file; in base 16, with or without 0x.
 * Returns 0 or -errno; on an error *value keeps its old value. */
int read_number(const char *path, unsigned int base, uint64_t *value);

/* Writes a whole small file. Returns 0 or -errno. */
int writefile(const char *path, const char *text);

/*
 * --- text
 *
 * The lines of a file of any size, with their numbers.
 *
 * Unlike readfile(), text_next() reports an error of a read, a line that is too
 * long and an end without a newline: the file is not trusted, and each of these
 * means that some figures are missing. One read asks for TEXT_READ_BYTES:
 * page_owner returns one record a read, of up to a page, and fails (ENOMEM) if
 * the record does not fit.
 */

#define TEXT_READ_BYTES (64u << 10)	/* the largest page of any kernel */

struct text {
	int fd;
	int error;		/* -errno of a read, or 0 */
	int is_long, is_cut;	/* the line was too long; has no newline */
	uint64_t line;		/* number of the line, from 1 */
	size_t longest;		/* of a line: at most TEXT_READ_BYTES */
	size_t at, filled;	/* of `buf` */
	char buf[2 * TEXT_READ_BYTES];
};

void text_begin(struct text *t, int fd, size_t longest);

/* Reads up to `most` bytes behind those that are not taken yet. 0: there are no
 * more. */
int text_fill(struct text *t, size_t most);

/* The next line without its newline, which may have a carriage return before
 * it; NULL at the end of the file or at an error. Of a line that is too long,
 * the beginning. */
const char *text_next(struct text *t, size_t *len);

/*
 * --- parsed
 *
 * One JSON object from an untrusted line of text.
 *
 * Nothing is copied: a member's name and value are parts of the line. Nested
 * objects are skipped, and only lists of strings can be read. No recursion, and
 * at most PARSED_DEPTH_MAX brackets open at a time.
 */

/* Members of an object that are kept; our largest object, `head`, has 27. */
#define PARSED_MEMBERS_MAX 64u
#define PARSED_DEPTH_MAX 8u

/* Numbers are cut to this distance from 0, so that units and sums fit. */
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

/* The length of the object that begins with text[0]; 0: no object, or a broken
 * one. */
size_t parsed_object(struct parsed *o, const char *text, size_t len);

/* The value of a member. NULL: no such member, or a member of another kind.
 * `name` ends at its end byte or at a blank: it may be the first of several. */
const struct word *parsed_word(const struct parsed *o, const char *name,
			       enum parsed_kind kind);
const struct word *parsed_string(const struct parsed *o, const char *name);

/* 1; or 0 if there is no such member or its value is not a whole number: then
 * *value keeps its old value. */
int parsed_number(const struct parsed *o, const char *name, int64_t *value);

/* One value for each of the names: a number of up to 64 bits; or PARSED_NONE:
 * null, or, then -EINVAL is returned, anything else. */
#define PARSED_NONE (UINT64_C(1) << 63)
int parsed_values(const struct parsed *o, const char *names, uint64_t *value);

/* Behind the first of several names. */
static inline const char *next_name(const char *names)
{
	names += length_to(names, ' ');
	return *names ? names + 1 : names;
}

/* Takes the next string of a list of strings. 0 at the end of the list. */
int parsed_next(struct word *list, struct word *string);

/* Decodes a string of parsed_string() into `text`, cut to `room`. Returns the
 * number of bytes. An invalid escape is copied unchanged, and so is an escape
 * of byte 0 or of a character above 255. */
size_t parsed_unescape(const struct word *w, char *text, size_t room);
/* Copies a string without escapes, cut to `size`, with an end byte. 0, and "":
 * there is none. */
int parsed_text(const struct parsed *o, const char *name, char *text,
		size_t size);

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

/* --- mounts: a process's own mount namespace: see mounts.c */

/* Gives this process its own root directory with /proc, /sys,
 * /sys/kernel/tracing, /sys/kernel/debug, /dev/kmsg, /dev/console, /dev/null,
 * and nothing else; PID 1's root is under /proc/1/root. What cannot be mounted
 * or made is left out; the code that needs it reports the error. The working
 * directory becomes "/". 0, or -errno; other processes see no change. */
int mounts_private(void);

/* The same in two steps: enter an empty root; and mount a filesystem in this
 * root, on a directory that is made if it is missing. 0, or -errno. */
int mounts_leave(void);
int mounts_add(const char *dir, const char *type);

/*
 * --- walk
 *
 * A walk through all files of one file system, in pieces: for each file its
 * path, its size and the memory or disk space that it takes.
 *
 * No recursion and no allocation. No descriptor stays open between two pieces,
 * so the walk keeps nothing busy. Files that others add or remove meanwhile may
 * be missed, or visited twice. Directories that are nested too deep, or whose
 * path is too long, are left out.
 */

#define WALK_DEPTH 16
#define WALK_PATH_BYTES 256

struct walked {
	const char *path;	/* from the top, with a slash in front */
	uint64_t size_bytes;
	uint64_t used_bytes;
	uint64_t inode;
	uint32_t links;		/* names: each name is one visit */
	int is_file;		/* an ordinary file */
};

struct walk {
	dev_t device;
	uint32_t files;		/* visited so far, of any type */
	int depth;		/* of the directory in `path`; -1: at the end */
	size_t top_bytes, bytes;	/* of the path */
	int64_t at[WALK_DEPTH];	/* where to go on in each directory */
	char path[WALK_PATH_BYTES];
};

void walk_begin(struct walk *w, const char *top);

/* Gives the next files to `take`, `most` or a few more. 0: these were the
 * last. */
int walk_on(struct walk *w, uint32_t most,
	    void (*take)(void *context, const struct walked *f), void *context);

#endif
