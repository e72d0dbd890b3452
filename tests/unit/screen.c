/* SPDX-License-Identifier: MIT */
/*
 * host/top/terminal.c: its bytes, given to a small terminal, make the picture
 * that was wanted, from every picture before; and they are few where little
 * changed (cases/screen). The terminal knows what a VT100 knows of what we use;
 * anything else fails.
 */
#include "cases.h"
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

/* "WORD N[ TEXT]": what is drawn, or asked of the terminal; then the bytes. */
static void step(const char *text, char *out)
{
	unsigned int n = 0, cols = 0;
	char word[16] = "";
	int at = 0;

	must(sscanf(text, " %15s %n%u %u", word, &at, &n, &cols) >= 1);
	text = at ? strchr(text + at, ' ') : NULL;
	text = text ? text + 1 : "";
	if (!strcmp(word, "new")) {
		begin(n, cols);
	} else if (!strcmp(word, "plain")) {
		begin(n, cols);
		screen.plain = 1;
		screen.reverse = 0;
	} else if (!strcmp(word, "line")) {
		line(n, text, 0);
	} else if (!strcmp(word, "reverse")) {
		line(n, text, 1);
	} else if (!strcmp(word, "anew")) {
		screen.known = 0;
	} else if (!strcmp(word, "size")) {
		screen_resize(&screen, n, cols);
		append(out, "%u %u", screen.rows, screen.cols);
	} else if (!strcmp(word, "leave")) {
		screen_leave(&screen);
	} else if (screen.plain) {
		screen_compose(&screen);
	} else if (!composes()) {
		append(out, "another picture: ");
	}
	if (!strcmp(word, "draw"))
		append(out, "%u bytes", (unsigned int)screen.out_len);
	if (!strcmp(word, "bytes") || !strcmp(word, "leave"))
		append(out, "%.*s", (int)screen.out_len, screen.out);
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
	each_step("screen", NULL, step);
	pictures();
	return tap_plan_done();
}
