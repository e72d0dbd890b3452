/* SPDX-License-Identifier: MIT */
/*
 * Where lines go: kmsg, console, file.
 *
 * The console shows only levels below the first number of
 * /proc/sys/kernel/printk (4 with `quiet`). If that hides our lines, `auto`
 * writes to /dev/console as well. It never waits long for a console that has
 * stopped (put.h).
 *
 * Descriptors are opened before the real init starts, and so is /dev: when
 * another program empties the initramfs, the kernel detaches the mounts there
 * from our namespace too, and no path leads to them any more.
 */
#ifndef MEMSTRACK_SINK_H
#define MEMSTRACK_SINK_H

#include "output/file.h"
#include "output/kmsg.h"
#include "report/report.h"
#include "config/config.h"

struct sink {
	struct out out;			/* first: a sink is an out */
	struct kmsg kmsg;
	struct file file;
	int console_fd;			/* -1: not open */
	int to_kmsg, to_console, to_file;	/* of this report */
	int only_file;			/* its format is not for a log */
	enum out_kind kind;		/* where lines of sink_say() go */
	int say_stderr;			/* they go to stderr instead */
	int console_stuck;		/* until the next report */
	uint32_t lines;			/* of this report */
	int64_t deadline_ms;		/* of this report, for the console */
	int first_error;		/* errno, of this report */
};

/* SINK_LOG: as configured, but not to a file. SINK_OOM: the same while memory
 * is short, with many lines in a record. SINK_CLIENT: to file.fd, which the
 * caller has set, and which is then closed. */
enum sink_target {
	SINK_CONFIGURED, SINK_CONSOLE, SINK_FILE, SINK_LOG, SINK_OOM,
	SINK_CLIENT,
};

/* Opens what c->out names. `root` goes before the path of a file (file.h). */
void sink_open(struct sink *s, const struct config *c, const char *root);

/* Would a report replace this file? If so, it is complained of. */
int sink_replaces(const struct config *c, const char *path);

/* Called before and after every report. If a target cannot be written, another
 * takes its place: kmsg for a file, unless the format is for files; the console
 * for kmsg. sink_end() returns 0, or the first error as -errno. */
int sink_begin(struct sink *s, const struct config *c, enum sink_target t);
int sink_end(struct sink *s);

/* Between these two, in a SINK_OOM report: the next lines will take a while, so
 * lines that wait to share a record are sent now. */
void sink_send(struct sink *s);

/* Between these two: can only root read what is written? */
int sink_is_roots(const struct sink *s);

/* Writes one line outside of a report (a warning, a heartbeat), bytes of any
 * kind. It goes where reports go. If reports go to a file named by an option,
 * the line goes to standard error; if that file failed, to both. */
void sink_say(struct sink *s, const char *text);
void sink_close(struct sink *s);

#endif
