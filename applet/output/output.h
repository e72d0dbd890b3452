/* SPDX-License-Identifier: MIT */
/* Where a report goes: kernel log, console, files. */
#ifndef MEMSTRACK_OUTPUT_OUTPUT_H
#define MEMSTRACK_OUTPUT_OUTPUT_H

#include <stddef.h>
#include <stdint.h>
#include "config/config.h"
#include "limits.h"
#include "report/report.h"

/*
 * --- file
 *
 * The file that reports go to, if the output is a file.
 *
 * The file is opened when a report begins, follows no symbolic link, and has
 * mode 0600. The first report empties the file, later reports are appended. If
 * other users can read the old file, or it has a second name, a new file takes
 * the name (system_renew()). Devices and pipes are used as they are.
 *
 * A picture, or another format for files, is of use only when complete: it
 * replaces the old file when it is complete. So a program that reads the file
 * at any time finds the old or the new file, never a part. A file for
 * Prometheus has mode 0644, because node_exporter is an ordinary user.
 */

struct file {
	int fd;			/* -1: not open */
	int is_new;		/* the close gives it its name */
	int proc_fd;		/* /proc, if `root` is set */
	int dir_fd;		/* of `name`, while the file is open */
	uint32_t reports;	/* reports that were begun */
	const char *root;	/* below proc_fd; NULL: our own */
	const char *name;	/* the last part of the path */
	char path[PATH_BYTES];	/* "-": standard output */
};

/* `root` ("" or "/proc/1/root") is the root of the path: the tracer of a boot
 * lives in its own mount namespace, but the path means what PID 1 sees. */
void file_init(struct file *f, const char *root, const char *path);

/* The directory of a path, and the name in it: a descriptor to close, or
 * AT_FDCWD, or -errno. The links on the way are followed as PID 1 sees them. */
int file_dir(const struct file *f, const char *path, const char **name);

/* Would writing to `path` overwrite the input? "-" is standard output, and
 * standard input. */
int file_replaces(const char *path, const char *input);

/* Both return 0 or an errno. The caller closes the file in both cases, and
 * passes the first error of its writes, or 0. */
int file_open(struct file *f, enum format format);
int file_close(struct file *f, int error);

/* A file that gets its name when it is complete. file_new() returns a
 * descriptor or -errno. file_named() closes the file and names it if `error` is
 * 0, or else removes it; it returns the errno. */
int file_new(int dir_fd, const char *name, enum format format);
int file_named(int dir_fd, const char *name, int fd, int error);

int file_is_stdout(const struct file *f);

/*
 * --- kmsg
 *
 * /dev/kmsg, and how we live with all its limits.
 *
 * The kernel keeps ten records in five seconds of each open file, and drops
 * further records, though the write returns success.
 * /proc/sys/kernel/printk_devkmsg would lift the limit for the whole machine,
 * but we must not change that file: systemd sets it for good when the real root
 * starts, just when a report is written, and we would undo systemd's change. So
 * this file counts the records: several files are open, and when each of them
 * has taken ten records, /dev/kmsg is opened anew. If the command line locks
 * the limit to "off" (printk.devkmsg=), /dev/kmsg cannot be opened at all.
 *
 * Opening a file takes memory: 32 KiB up to Linux 6.2, 4 KiB later. When memory
 * is short, the open blocks for seconds. So while memory is short, many lines
 * share one record, which saves kernel memory too, and the files that are open
 * have room for four reports or more.
 *
 * The write of a record longer than some 976 bytes returns EINVAL. A console
 * puts a time stamp before each line of a record, and cuts the record after
 * 1024 bytes, stamps included. Source: devkmsg_open(), devkmsg_write() and
 * record_print_text() in kernel/printk/printk.c of 5.10, 6.1 and 6.12,
 * lib/ratelimit.c.
 */

/* DEFAULT_RATELIMIT_BURST of linux/ratelimit_types.h. */
#define KMSG_BURST 10u

#define KMSG_FILES 4
#define KMSG_PREFIX "memstrack: "

struct kmsg_file {
	int fd;			/* -1: not open */
	uint32_t left;		/* records that it has room for */
	int64_t again_ms;	/* when it has room for all again */
};

struct kmsg {
	struct kmsg_file file[KMSG_FILES];
	int dev_fd;		/* of the directory /dev; or -1 */
	int printk_fd;		/* /proc/sys/kernel/printk; or -1 */
	int restrict_fd;	/* dmesg_restrict there; or -1 */
	int sparing;		/* set while memory is short */
	size_t used;		/* bytes of the record that is not yet sent */
	size_t shown;		/* its bytes on a console, with stamps */
	char record[LINE_BYTES + sizeof(KMSG_PREFIX)];
};

/* Opens the files; a file that cannot be opened has a negative fd. */
void kmsg_open(struct kmsg *k);
void kmsg_close(const struct kmsg *k);

static inline int kmsg_is_open(const struct kmsg *k)
{
	return k->file[0].fd >= 0;
}

/* Adds a line of up to LINE_BYTES - 1 to the record, with the prefix and a
 * newline. 0, or -ENOBUFS: the record must be sent first. */
int kmsg_add(struct kmsg *k, const char *text, size_t len);

/* Sends the record, if there is one; after an error the record is lost. 0 or an
 * errno. */
int kmsg_send(struct kmsg *k);

/* Opens files that have taken records anew, so that they have room for records
 * when memory is short. */
void kmsg_renew(struct kmsg *k);

/* Does the console hide what goes to kmsg? Yes if this is not known: to print a
 * line twice is better than not at all. */
int kmsg_hidden(const struct kmsg *k);

/* Can only root read the kernel log? No if this is not known. */
int kmsg_is_roots(const struct kmsg *k);

/*
 * --- sink
 *
 * Where lines go: kmsg, console, file.
 *
 * The console shows only levels below the first number of
 * /proc/sys/kernel/printk (4 with `quiet`). If that hides our lines, `auto`
 * writes to /dev/console as well. The sink never waits long for a console that
 * has stopped (section put).
 *
 * Descriptors are opened before the real init starts, the directory /dev
 * included: when another program empties the initramfs, the kernel detaches the
 * mounts there from our namespace too, and no path leads to them any more.
 */

struct sink {
	struct out out;			/* first: a sink is an out */
	int console_fd;			/* -1: not open */
	int to_kmsg, to_console, to_file;	/* of this report */
	int only_file;			/* its format is not for a log */
	enum out_kind kind;		/* where lines of sink_say() go */
	int say_stderr;			/* to stderr instead */
	int console_stuck;		/* until the next report */
	uint32_t lines;			/* of this report */
	int64_t deadline_ms;		/* of this report, for the console */
	int first_error;		/* errno, of this report */
	struct file file;
	struct kmsg kmsg;
};

/* SINK_LOG: as configured, but not to a file. SINK_OOM: the same while memory
 * is short, with many lines in a record. SINK_CLIENT: to file.fd, which the
 * caller has set; sink_end() closes it. */
enum sink_target {
	SINK_CONFIGURED, SINK_CONSOLE, SINK_FILE, SINK_LOG, SINK_OOM,
	SINK_CLIENT,
};

/* Opens what c->out names. `root` is the root of a file's path (section
 * file). */
void sink_open(struct sink *s, const struct config *c, const char *root);

/* Would a report replace this file? If so, prints a complaint. */
int sink_replaces(const struct config *c, const char *path);

/* Called before and after every report. If a target cannot be written, another
 * target takes its place: kmsg for a file, unless the format is for files; the
 * console for kmsg. sink_end() returns 0, or the first error as -errno. */
int sink_begin(struct sink *s, const struct config *c, enum sink_target t);
int sink_end(struct sink *s);

/* Writes an account in a format. */
typedef void account_write(void *account, enum format f, struct out *o);
/* Opens the sink, and writes all of an account there. 0 or -errno. */
int sink_write(struct sink *s, const struct config *c, account_write *write,
	       void *account);
/* The same of a struct report. */
int sink_report(struct sink *s, const struct config *c, struct report *r);

/* Between these two, in a SINK_OOM report: the next lines will take a while, so
 * lines that wait for more lines of their record are sent now. */
void sink_send(struct sink *s);

/* Between these two: can only root read what the sink writes? */
int sink_is_roots(const struct sink *s);

/* Writes one line outside of a report (a warning, a heartbeat), bytes of any
 * kind, to the place where reports go. If reports go to a file named by an
 * option, the line goes to standard error; if that file failed, to the log
 * too. */
__attribute__((format(printf, 2, 3)))
void sink_say(struct sink *s, const char *format, ...);
void sink_close(struct sink *s);

/*
 * --- beside
 *
 * Files that are written beside a report: the same account, each in the format
 * that its suffix names. Each replaces the file of that name as a whole
 * (section file).
 */

/* Writes c->beside[], below the root that the sink was opened with. sink_say()
 * reports errors. 0, or the last error as -errno. */
int beside_write(const struct config *c, struct report *r, struct sink *s);

/* The same for an account that is no struct report. */
typedef void account_write(void *account, enum format f, struct out *o);
int beside_write_as(const struct config *c, account_write *write,
		    void *account, struct sink *s);

/*
 * --- put
 *
 * Writes to a descriptor that may not take the bytes.
 *
 * A console may be a serial line whose other end has sent XOFF; standard output
 * may be a pipe that nobody reads. So a nonblocking descriptor is given up when
 * it has taken nothing for a second, or when the deadline has passed.
 */

/* Writes one line at once. `format` has one "%.*s" for the text, and some 20
 * bytes around it. 0, or an errno; ETIMEDOUT: given up. deadline_ms 0: no
 * deadline. */
int put_line(int fd, const char *format, const char *text, size_t len,
	     int64_t deadline_ms);

/* Waits, a second at most, until a tty has sent all that it took. */
void put_drain(int fd);

/*
 * --- snapshot
 *
 * Lines into a file of fixed size, at once and from its start: the account as
 * it is now, for one client (control/control.h, given).
 *
 * A byte 0 ends the text. If a line does not fit, it and all later lines are
 * left out, so a client that finds no last line knows that the text was cut.
 */

struct snapshot {
	struct out out;		/* first */
	int fd;
	int error;
	int cut;
	uint64_t at, bytes;	/* of the file */
	size_t used;
	char part[4096];	/* written when it is full */
};

void snapshot_begin(struct snapshot *s, int fd, uint64_t bytes);
int snapshot_end(struct snapshot *s);	/* 0 or -errno */

/* Appends bytes that are not a line, fewer than `part` holds. The caller knows
 * that they fit the file. After an error they are dropped. */
void snapshot_put(struct snapshot *s, const void *bytes, size_t len);
/* Writes what is left in `part`. 0, or the first error as -errno. */
int snapshot_write(struct snapshot *s);

#endif
