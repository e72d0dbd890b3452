/*
 * What `memstrack replay` is told, and the way it answers.
 */
#ifndef MEMSTRACK_REPLAY_OPTIONS_H
#define MEMSTRACK_REPLAY_OPTIONS_H

#include <stddef.h>
#include <stdint.h>
#include "boot/cmdline.h"
#include "source/trace_file.h"

struct replay_options {
	const char *path;
	struct config config;
	uint64_t check_events;		/* 0: no checks */
};

/* 0, or -EINVAL when what was wrong has been said. */
int replay_parse(struct replay_options *o, int argc, char *argv[]);

/* What the tables of a replay may take. */
#define REPLAY_ARENA_BYTES (UINT64_C(1) << 30)

/* The recorded layout, but for what the options say. 0, or -EINVAL for sizes
 * that no recorder writes. */
int replay_layout(const struct replay_options *o, const struct trace_header *h,
		  struct layout *l);

/* One line on standard error: what it is about, and why. */
__attribute__((format(printf, 2, 3)))
void replay_complain(const char *what, const char *format, ...);

/* All of it, whatever the signals: 0 or the errno. */
int replay_write(int fd, const char *text, size_t len);

#endif
