/* SPDX-License-Identifier: MIT */
/*
 * Writes to a descriptor that may not take the bytes.
 *
 * A console may be a serial line whose other end has said stop; standard output
 * may be a pipe that nobody reads. So a descriptor that does not block is given
 * up when it has taken nothing for a second, or when the deadline has passed.
 */
#ifndef MEMSTRACK_PUT_H
#define MEMSTRACK_PUT_H

#include <stddef.h>
#include <stdint.h>

/* Writes one line at once. `format` has one "%.*s" for the text, and some 20
 * bytes around it. 0, or an errno; ETIMEDOUT: given up. deadline_ms 0: no
 * deadline. */
int put_line(int fd, const char *format, const char *text, size_t len,
	     int64_t deadline_ms);

/* Waits, a second at most, until a tty has sent all that it took. */
void put_drain(int fd);

#endif
