/*
 * Where lines go: kmsg, console, file, with all their limits.
 *
 * Descriptors are opened before the real init starts; a report only writes.
 * kmsg keeps ten lines in five seconds of one open file unless
 * /proc/sys/kernel/printk_devkmsg is "on" (suppressed lines still return
 * success), so it is set for the time of writing and put back; where it is
 * locked, the writer paces itself. A record past some 976 bytes is EINVAL.
 * With `quiet` the console shows only levels below 4, so `auto` then writes to
 * /dev/console as well.
 */
#ifndef MEMSTRACK_SINK_H
#define MEMSTRACK_SINK_H

#include "report.h"
#include "../boot/cmdline.h"

struct sink {
	struct out out;			/* first: a sink is an out */
	int kmsg_fd, console_fd, file_fd;	/* -1: not open */
	int devkmsg_fd;			/* printk_devkmsg; -1: cannot be set */
	int printk_fd;			/* /proc/sys/kernel/printk; -1 */
	int to_kmsg, to_console, to_file;	/* of this report */
	int paced;
	char devkmsg_before[16];
	uint64_t lines, errors;		/* of this report */
	int first_error;		/* errno */
	char file_path[PATH_BYTES * 2];	/* "" or as the opener sees it */
};

enum sink_target { SINK_CONFIGURED, SINK_CONSOLE, SINK_FILE };

/* Opens what c->out names. `root` ("" or "/proc/1/root") goes before a file's
 * path: the tracer of a boot lives in its own mount namespace, and the file is
 * meant as PID 1 sees it. A file is opened when a report begins, O_NOFOLLOW,
 * 0600. 0, or -errno when nothing at all can be written to. */
int sink_open(struct sink *s, const struct config *c, const char *root);

/* Around every report. sink_end() returns 0, or the first error as -errno. */
int sink_begin(struct sink *s, const struct config *c, enum sink_target t);
int sink_end(struct sink *s);

/* One line outside of a report (a warning, a heartbeat). */
void sink_say(struct sink *s, const char *text);
void sink_close(struct sink *s);

#endif
