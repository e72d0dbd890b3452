/* SPDX-License-Identifier: MIT */
/*
 * The terminal's screen: what should stand there, what stands there, and the
 * bytes that make the one into the other.
 *
 * Only changed runs of cells are written. The sequences are those that a VT100
 * has: cursor position, erase to the end of the line, reverse video where the
 * terminal has it. A terminal that has none (TERM=dumb) gets the whole picture
 * again as lines.
 */
#ifndef MEMSTRACK_SCREEN_H
#define MEMSTRACK_SCREEN_H

#include <stddef.h>

#define SCREEN_ROWS 100u
#define SCREEN_COLS 240u
#define SCREEN_REVERSE 0x80	/* in a cell, besides its character */
#define SCREEN_OUT_BYTES (2 * SCREEN_ROWS * SCREEN_COLS)

struct screen {
	unsigned int rows, cols;
	int plain;		/* no sequences; set before the size */
	int reverse;		/* the terminal has reverse video */
	int known;		/* `shown` is what stands there */
	unsigned char want[SCREEN_ROWS][SCREEN_COLS];
	unsigned char shown[SCREEN_ROWS][SCREEN_COLS];
	size_t out_len, out_at;	/* bytes to write, bytes written */
	char out[SCREEN_OUT_BYTES];
};

/* A new size, within what there is room for; nothing is known of the screen. */
void screen_resize(struct screen *s, unsigned int rows, unsigned int cols);

/* Begins a picture: all is blank. */
void screen_clear(struct screen *s);
/* What a line shows, cut at the screen's edge. */
void screen_line(struct screen *s, unsigned int row, const char *text,
		 size_t len, int reverse);

/* Puts the bytes for all that changed into `out`. Only when what was there is
 * written: what a slow line has not taken yet is never added to. */
void screen_compose(struct screen *s);

/* Leaves the cursor on a line of its own below the picture. */
void screen_leave(struct screen *s);

#endif
