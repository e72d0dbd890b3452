/* SPDX-License-Identifier: MIT */
/*
 * The terminal: its settings, changed and given back; its size; its bytes.
 *
 * Output never waits: a terminal that has stopped (^S, a serial line without a
 * reader) must not keep a signal from ending the program.
 */
#ifndef MEMSTRACK_TERMINAL_H
#define MEMSTRACK_TERMINAL_H

#include <stddef.h>
#include <sys/types.h>
#include <termios.h>

struct terminal {
	int out;		/* a descriptor of its own, nonblocking */
	int taken;		/* the settings are ours */
	int plain;		/* TERM=dumb: no sequences */
	int reverse;		/* it has reverse video */
	int alternate;		/* and a second screen */
	int asked;		/* for its size; it has not answered */
	struct termios before;
};

/* Whether the descriptor is a terminal. */
int terminal_is(int fd);

/* What TERM tells. Changes nothing. */
void terminal_init(struct terminal *t);

/* Takes the terminal: bytes come as they are typed, without echo. 0 or -errno. */
int terminal_take(struct terminal *t);
/* Writes this and gives the terminal back as it was. One that ^S has stopped
 * goes on; for a slow one we wait a second at most. */
void terminal_give_back(struct terminal *t, const char *text, size_t len);

/* Its size, from the kernel, or from COLUMNS and LINES. 0: neither knows. */
int terminal_size(unsigned int *rows, unsigned int *cols);
/* Asks the terminal itself; the answer comes as KEY_SIZE. */
void terminal_ask_size(struct terminal *t);

/* The bytes that it took, which may be 0; or -errno. */
ssize_t terminal_write(const struct terminal *t, const char *text, size_t len);

#endif
