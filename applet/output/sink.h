/*
 * Where lines go: kmsg, console, file.
 *
 * The console shows only levels below the first number of
 * /proc/sys/kernel/printk (4 with `quiet`), so `auto` writes to /dev/console
 * as well where that hides the lines. It never waits long for a console that
 * has stopped (put.h).
 *
 * Descriptors are opened before the real init starts, that of /dev included:
 * when another program empties the initramfs, the kernel detaches what is
 * mounted there from our namespace too, and no path leads to it any more.
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
	enum out_kind kind;		/* where said lines go */
	int say_stderr;			/* there instead */
	int console_stuck;		/* until the next report */
	uint32_t lines;			/* of this report */
	int64_t deadline_ms;		/* of this report, for the console */
	int first_error;		/* errno, of this report */
};

/* SINK_LOG: as configured, but to no file. SINK_OOM: the same while memory is
 * short, many lines a record. SINK_CLIENT: to file.fd, which the caller has
 * set, and which is closed. */
enum sink_target {
	SINK_CONFIGURED, SINK_CONSOLE, SINK_FILE, SINK_LOG, SINK_OOM,
	SINK_CLIENT,
};

/* Opens what c->out names; of a file, as file.h has it, the root is `root`. */
void sink_open(struct sink *s, const struct config *c, const char *root);

/* Around every report. A target that cannot be written gives way to another:
 * a file to kmsg, and kmsg to the console. sink_end() returns 0, or the first
 * error as -errno. */
int sink_begin(struct sink *s, const struct config *c, enum sink_target t);
int sink_end(struct sink *s);

/* Between the two, and of SINK_OOM: what is to follow takes a while, so lines
 * that wait for others to go with them go now. */
void sink_send(struct sink *s);

/* Between the two: does what is written go where root alone reads it? */
int sink_is_roots(const struct sink *s);

/* One line outside of a report (a warning, a heartbeat), bytes of any kind:
 * where reports go; for a file of the command line, standard error, and where
 * that file failed, both. */
void sink_say(struct sink *s, const char *text);
void sink_close(struct sink *s);

#endif
