/* SPDX-License-Identifier: MIT */
/* The terminal's screen: see top.h, screen. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/base.h"
#include "base/system.h"
#include "limits.h"
#include "host/top/top.h"

/* To place the cursor takes up to 10 bytes; so many cells that did not change
 * are written again instead. */
#define GAP 8u

static void put(struct screen *s, const char *text, size_t len)
{
	/* No room: what the screen shows is not known. The next screen is drawn
	 * in full. */
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

/* --- terminal: the terminal */

#define LEAVE_MS 1000

/* Those whose sequences for a second screen are xterm's. */
static int has_alternate(const char *term)
{
	static const char *const names[] = {
		"xterm", "screen", "tmux", "rxvt", "foot", "alacritty", "kitty",
	};

	for (unsigned int i = 0; i < ARRAY_LEN(names); i++)
		if (find_text(term, strlen(term), names[i]))
			return 1;
	return 0;
}

int terminal_is(int fd)
{
	struct termios settings;

	return !tcgetattr(fd, &settings);
}

void terminal_init(struct terminal *t)
{
	const char *term = system_variable("TERM");

	if (!term)
		term = "";
	*t = (struct terminal){
		.out = -1, .plain = !strcmp(term, "dumb"),
		.reverse = *term && strcmp(term, "dumb"),
		.alternate = has_alternate(term),
	};
}

static void send_text(const struct terminal *t, const char *text)
{
	terminal_write(t, text, strlen(text));
}

/* The flags of standard output belong to all who share it, so it is opened a
 * second time. Without /proc it must do as it is. */
static void open_output(struct terminal *t)
{
	if (t->out < 0)
		t->out = system_open_path("/proc/self/fd/1", O_WRONLY |
					  O_NONBLOCK | O_NOCTTY);
	if (t->out < 0)
		t->out = STDOUT_FILENO;
}

int terminal_take(struct terminal *t)
{
	struct termios raw;

	/* Already taken, the settings are ours: a SIGCONT can come at any
	 * time. */
	if (!t->taken && tcgetattr(STDIN_FILENO, &t->before))
		return -errno;
	raw = t->before;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 0;
	raw.c_cc[VTIME] = 0;
	if (tcsetattr(STDIN_FILENO, TCSANOW, &raw))
		return -errno;
	t->taken = 1;
	open_output(t);
	if (t->alternate)
		send_text(t, "\033[?1049h");
	return 0;
}

static void put_in_time(const struct terminal *t, const char *text, size_t len,
			int64_t deadline)
{
	ssize_t n;

	while (len && (n = terminal_write(t, text, len)) >= 0 &&
	       deadline_left_ms(deadline)) {
		text += n;
		len -= (size_t)n;
		if (!n)
			poll(NULL, 0, LEAVE_MS / 50);
	}
}

/* Only an output that we stopped ourselves can be started. An answer that still
 * comes would be typed into the shell. */
void terminal_give_back(struct terminal *t, const char *text, size_t len)
{
	static const char leave[] = "\033[?1049l";
	const int64_t deadline = deadline_after(LEAVE_MS);

	if (!t->taken)
		return;
	tcflow(STDIN_FILENO, TCOOFF);
	tcflow(STDIN_FILENO, TCOON);
	put_in_time(t, text, len, deadline);
	if (t->alternate)
		put_in_time(t, leave, sizeof(leave) - 1, deadline);
	if (t->asked)
		tcflush(STDIN_FILENO, TCIFLUSH);
	tcsetattr(STDIN_FILENO, TCSANOW, &t->before);
	t->taken = t->asked = 0;
}

static unsigned int from_environment(const char *name)
{
	const char *text = system_variable(name);
	uint64_t value = 0;

	if (text)
		parse_u64(text, strlen(text), 10, 1, UINT16_MAX, &value);
	return (unsigned int)value;
}

int terminal_size(unsigned int *rows, unsigned int *cols)
{
	struct winsize w;

	*rows = *cols = 0;
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &w)) {
		*rows = w.ws_row;
		*cols = w.ws_col;
	}
	if (!*rows)
		*rows = from_environment("LINES");
	if (!*cols)
		*cols = from_environment("COLUMNS");
	return *rows && *cols;
}

/* The cursor stops at the last cell. */
void terminal_ask_size(struct terminal *t)
{
	if (t->plain)
		return;
	send_text(t, "\033[999;999H\033[6n");
	t->asked = 1;
}

ssize_t terminal_write(const struct terminal *t, const char *text, size_t len)
{
	ssize_t n = write(t->out, text, len);

	return n >= 0 ? n : errno == EAGAIN || errno == EINTR ? 0 : -errno;
}
