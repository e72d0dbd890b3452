/* SPDX-License-Identifier: MIT */
/* The terminal: see top.h, terminal. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/system.h"
#include "base/base.h"
#include "limits.h"
#include "top/top.h"

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
