/* SPDX-License-Identifier: MIT */
/*
 * host/top/terminal.c: its bytes, given to a small terminal, make the picture
 * that was wanted, from every picture before; and they are few where little
 * changed. The terminal knows what a VT100 knows of what we use; anything else
 * fails.
 */
#include "exact.h"
#include "tap.h"
#include "host/top/top.h"

static struct screen screen;

static struct vt {
	unsigned int rows, cols, row, col;
	int reverse, wrong;
	unsigned char cell[SCREEN_ROWS][SCREEN_COLS];
} vt;

static void vt_sequence(const char **at)
{
	char *end;
	unsigned long first = strtoul(*at, &end, 10), second = 0;

	if (*end == ';')
		second = strtoul(end + 1, &end, 10);
	*at = end + 1;
	switch (*end) {
	case 'H':
		vt.row = (unsigned int)first - 1;
		vt.col = (unsigned int)second - 1;
		vt.wrong |= vt.row >= vt.rows || vt.col >= vt.cols;
		break;
	case 'K':
		vt.wrong |= vt.reverse || vt.col >= vt.cols;
		for (unsigned int i = vt.col; i < vt.cols; i++)
			vt.cell[vt.row][i] = ' ';
		break;
	case 'm':
		vt.reverse = first == 7;
		break;
	default:
		vt.wrong = 1;
	}
}

/* A character in the last cell of the last line would scroll some terminals. */
static void vt_write(const char *at, size_t len)
{
	const char *end = at + len;

	while (at < end && !vt.wrong) {
		if (*at == '\033') {
			vt.wrong |= at[1] != '[';
			at += 2;
			vt_sequence(&at);
			continue;
		}
		vt.wrong |= *at < 0x20 || *at > 0x7e || vt.col >= vt.cols ||
			    (vt.row == vt.rows - 1 && vt.col == vt.cols - 1);
		if (!vt.wrong)
			vt.cell[vt.row][vt.col++] = (unsigned char)
				(*at++ | (vt.reverse ? SCREEN_REVERSE : 0));
	}
}

/* The terminal then shows what is wanted. */
static int composes(void)
{
	screen_compose(&screen);
	vt_write(screen.out, screen.out_len);
	for (unsigned int r = 0; r < vt.rows; r++)
		if (memcmp(vt.cell[r], screen.want[r], vt.cols))
			return 0;
	return !vt.wrong;
}

static void line(unsigned int row, const char *text, int reverse)
{
	screen_line(&screen, row, text, strlen(text), reverse);
}

static void begin(unsigned int rows, unsigned int cols)
{
	memset(&screen, 0, sizeof(screen));
	screen.reverse = 1;
	screen_resize(&screen, rows, cols);
	screen_clear(&screen);
	vt = (struct vt){ .rows = rows, .cols = cols };
	memset(vt.cell, '#', sizeof(vt.cell));
}

static void few_bytes(void)
{
	begin(24, 80);
	line(0, "memstrack top +1.00 s, free 100.0M", 0);
	line(3, " task      now    peak  change", 1);
	line(23, "q quit", 0);
	tap_ok(composes(), "a whole picture, over what stood there");
	screen_compose(&screen);
	tap_ok(!screen.out_len, "the same again: no byte");
	line(0, "memstrack top +2.00 s, free 100.0M", 0);
	tap_ok(composes() && screen.out_len < 20, "one figure: %u bytes",
	       (unsigned int)screen.out_len);
	line(3, "", 0);
	tap_ok(composes(), "a line in reverse goes");
	line(0, "x", 0);
	tap_ok(composes() && screen.out_len < 24, "a line is erased: %u bytes",
	       (unsigned int)screen.out_len);
	screen.known = 0;
	tap_ok(composes() && screen.out_len > 150, "and all is drawn again");
	screen_resize(&screen, 20, 80);
	vt.cell[19][0] = '#';
	screen_leave(&screen);
	vt_write(screen.out, screen.out_len);
	tap_ok(vt.row == 19 && !vt.col && vt.cell[19][0] == ' ' && !vt.wrong,
	       "at the end the cursor is on the last line, which is empty");
}

/* Up to seven cells that did not change cost less than to place the cursor once
 * more. */
static void gaps(void)
{
	static const struct {
		const char *text, *bytes;
	} t[] = {
		{ "xaaaaaaaxaaaaaa", "\033[1;1Hxaaaaaaax\033[24;1H" },
		{ "xaaaaaaaaxaaaaa", "\033[1;1Hx\033[1;10Hx\033[24;1H" },
		{ "axaaaaaaaaaaaay", "\033[1;2Hx\033[1;15Hy\033[24;1H" },
		{ "aaaaaaaxaaaaaa", "\033[1;8Hxaaaaaa\033[K\033[24;1H" },
		{ "axaaaa", "\033[1;2Hxaaaa\033[K\033[24;1H" },
	};

	for (unsigned int i = 0; i < sizeof(t) / sizeof(*t); i++) {
		begin(24, 80);
		line(0, "aaaaaaaaaaaaaaa", 0);
		composes();
		line(0, t[i].text, 0);
		tap_ok(composes() && screen.out_len == strlen(t[i].bytes) &&
		       !memcmp(screen.out, t[i].bytes, screen.out_len),
		       "only what changed, in one run or two: %s", t[i].text);
	}
}

static void hostile(void)
{
	begin(4, 20);
	line(0, "a\033[2J\a\xff\x9b", 0);
	tap_ok(composes() && !memcmp(vt.cell[0], "a?[2J???  ", 10),
	       "bytes that are no text are question marks");
	screen_line(&screen, 99, "x", 1, 0);
	line(3, "01234567890123456789", 0);
	tap_ok(composes() && vt.cell[3][18] == '8' && vt.cell[3][19] == ' ',
	       "the last cell is left alone; a row too many is none");
	screen_resize(&screen, 0, 0);
	tap_ok(screen.rows == 1 && screen.cols == 1, "no size is one cell");
	screen_resize(&screen, 60000, 60000);
	tap_ok(screen.rows == SCREEN_ROWS && screen.cols == SCREEN_COLS,
	       "a huge one is bounded");
	begin(1, 1);
	line(0, "abc", 1);
	tap_ok(composes(), "one cell");
}

static void plain(void)
{
	begin(4, 20);
	screen.plain = 1;
	screen.reverse = 0;
	line(0, "head", 1);
	line(2, "row", 0);
	screen_compose(&screen);
	tap_ok(screen.out_len > 9 && !memchr(screen.out, 033, screen.out_len) &&
	       !memcmp(screen.out + screen.out_len - 4, "row\n", 4),
	       "without sequences: lines");
	screen_leave(&screen);
	tap_ok(!screen.out_len, "at the end nothing");
	screen_resize(&screen, 4, 20);
	tap_ok(screen.rows == 3, "and one is left for the cursor");
}

/* Any picture after any other. */
static void pictures(void)
{
	static const char cells[] = "ab     ";
	struct random seed = { 7 };
	int good = 1;

	begin(12, 50);
	for (int n = 0; n < 3000 && good; n++) {
		char text[64];
		unsigned int row = random_below(&seed, 12);
		size_t len = random_below(&seed, 60);

		for (size_t i = 0; i < len; i++)
			text[i] = cells[random_below(&seed, 7)];
		screen_line(&screen, row, text, len,
			    random_below(&seed, 4) == 0);
		good = composes();
	}
	tap_ok(good, "3000 pictures, each from the one before");
	begin(SCREEN_ROWS, SCREEN_COLS);
	for (unsigned int n = 0; n < 4; n++) {
		for (unsigned int i = 0; i < sizeof(screen.want); i++)
			screen.want[i / SCREEN_COLS][i % SCREEN_COLS] =
				(unsigned char)('a' + n + ((i + n) % 2 ?
						SCREEN_REVERSE : 0));
		screen_compose(&screen);
		good &= screen.out_len <= sizeof(screen.out);
	}
	tap_ok(good && !screen.known,
	       "more changes than there is room for: drawn anew next time");
}

int main(void)
{
	few_bytes();
	gaps();
	hostile();
	plain();
	pictures();
	return tap_plan_done();
}
