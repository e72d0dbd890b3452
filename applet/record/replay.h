/* SPDX-License-Identifier: MIT */
/* memstrack replay FILE [OPTIONS]: see replay.c. Returns the exit status: 0, 1
 * (the file or the output is not whole), 2 (usage). */
#ifndef MEMSTRACK_REPLAY_H
#define MEMSTRACK_REPLAY_H

#include <stddef.h>

struct out;

int replay_main(int argc, char *argv[]);

/* Writes the report of a recording to `o`, as JSON of level 3. `buffer`, of
 * TRACE_BUFFER_BYTES, has the first `filled` bytes of the file already; `path`
 * is for messages. 0; or 1: the file is not whole, what could be read was
 * reported. */
int replay_json(const char *path, int fd, unsigned char *buffer, size_t filled,
		struct out *o);

#endif
