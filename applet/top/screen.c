/* SPDX-License-Identifier: MIT */
/* The terminal's screen: see top.h, screen. */
#include <string.h>
#include "base/base.h"
#include "top/top.h"

/* To place the cursor takes up to 10 bytes; so many cells that did not change
 * are written again instead. */
#define GAP 8u

static void put(struct screen *s, const char *text, size_t len)
{
	/* No room: what stands there is not known. The next picture tells. */
	if (len > sizeof(s->out) - s->out_len) {
		s->known = 0;
		return;
	}
	memcpy(s->out + s->out_len, text, len);
	s->out_len += len;
}

static void put_position(struct screen *s, unsigned int row, unsigned int col)
{
	char text[24];

	put(s, text, print_to(text, sizeof(text), "\033[%u;%uH", row + 1,
			      col + 1));
}

static void put_cells(struct screen *s, const unsigned char *cell,
		      unsigned int count)
{
	int reverse = 0;

	for (unsigned int i = 0; i < count; i++) {
		const char c = (char)(cell[i] & ~SCREEN_REVERSE);
		const int wanted = s->reverse && (cell[i] & SCREEN_REVERSE);

		if (wanted != reverse)
			put(s, wanted ? "\033[7m" : "\033[m",
			    wanted ? 4 : 3);
		reverse = wanted;
		put(s, &c, 1);
	}
	if (reverse)
		put(s, "\033[m", 3);
}

/* The cells before the blanks at the end. */
static unsigned int length(const unsigned char *cell, unsigned int cols)
{
	while (cols && cell[cols - 1] == ' ')
		cols--;
	return cols;
}

/* One run of changed cells from `at` on. Returns where the next may begin. */
static unsigned int put_run(struct screen *s, unsigned int row,
			    unsigned int at, unsigned int want_len,
			    unsigned int end)
{
	const unsigned char *want = s->want[row], *shown = s->shown[row];
	unsigned int last = at;

	for (unsigned int i = at; i < end && i - last <= GAP; i++)
		if (want[i] != shown[i])
			last = i;
	put_position(s, row, at);
	if (last < want_len) {
		put_cells(s, want + at, last + 1 - at);
		return last + 1;
	}
	if (at < want_len)
		put_cells(s, want + at, want_len - at);
	put(s, "\033[K", 3);
	return end;
}

static void put_changes(struct screen *s, unsigned int row)
{
	const unsigned int want_len = length(s->want[row], s->cols);
	unsigned int end = length(s->shown[row], s->cols), at = 0;

	if (end < want_len)
		end = want_len;
	while (at < end)
		if (s->want[row][at] == s->shown[row][at])
			at++;
		else
			at = put_run(s, row, at, want_len, end);
}

static void put_whole(struct screen *s, unsigned int row)
{
	put_position(s, row, 0);
	put(s, "\033[K", 3);
	put_cells(s, s->want[row], length(s->want[row], s->cols));
}

static void compose_plain(struct screen *s)
{
	unsigned int rows = s->rows;

	while (rows && !length(s->want[rows - 1], s->cols))
		rows--;
	for (unsigned int i = 0; i < rows; i++) {
		put_cells(s, s->want[i], length(s->want[i], s->cols));
		put(s, "\n", 1);
	}
}

/* Without sequences, one byte is the same as another for `memcmp`. */
void screen_compose(struct screen *s)
{
	const int known = s->known;

	s->out_len = s->out_at = 0;
	if (known && !memcmp(s->want, s->shown, sizeof(s->want)))
		return;
	s->known = 1;
	for (unsigned int i = 0; i < s->rows && !s->plain; i++)
		if (known)
			put_changes(s, i);
		else
			put_whole(s, i);
	if (s->plain)
		compose_plain(s);
	else
		put_position(s, s->rows - 1, 0);
	memcpy(s->shown, s->want, sizeof(s->shown));
}

void screen_clear(struct screen *s)
{
	memset(s->want, ' ', sizeof(s->want));
}

/* Lines without sequences leave the cursor on a line below them. */
void screen_resize(struct screen *s, unsigned int rows, unsigned int cols)
{
	rows -= s->plain && rows > 1;
	s->rows = rows < 1 ? 1 : rows > SCREEN_ROWS ? SCREEN_ROWS : rows;
	s->cols = cols < 1 ? 1 : cols > SCREEN_COLS ? SCREEN_COLS : cols;
	s->known = 0;
}

/* Written in the last line's last column, a character may scroll the screen. */
void screen_line(struct screen *s, unsigned int row, const char *text,
		 size_t len, int reverse)
{
	const unsigned int cols = s->cols - (row + 1 == s->rows);

	for (unsigned int i = 0; row < s->rows && i < cols; i++) {
		unsigned char c = i < len ? (unsigned char)text[i] : ' ';

		if (c < 0x20 || c > 0x7e)
			c = '?';
		s->want[row][i] = (unsigned char)(c | (reverse ?
						  SCREEN_REVERSE : 0));
	}
}

void screen_leave(struct screen *s)
{
	s->out_len = s->out_at = 0;
	if (s->plain)
		return;
	put_position(s, s->rows - 1, 0);
	put(s, "\033[K", 3);
}
