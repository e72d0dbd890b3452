/*
 * Bytes to a descriptor that may not take them.
 *
 * A console may be a serial line whose other end said stop, standard output a
 * pipe that nobody reads: a descriptor that does not block is given up when it
 * has taken nothing for a second, or when the deadline has passed.
 */
#ifndef MEMSTRACK_PUT_H
#define MEMSTRACK_PUT_H

#include <stddef.h>
#include <stdint.h>

/* One line in one write, its "%.*s" in `format` with some 20 bytes around it:
 * 0, or an errno, ETIMEDOUT where it was given up. deadline_ms 0: none. */
int put_line(int fd, const char *format, const char *text, size_t len,
	     int64_t deadline_ms);

/* Wait, a second at most, until a tty has sent what it took. */
void put_drain(int fd);

#endif
