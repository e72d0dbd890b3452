/* SPDX-License-Identifier: MIT */
/*
 * The live picture. Nothing here waits: keys, signals, the answer and the terminal
 * are polled together, and a terminal that takes bytes slowly gets the newest
 * picture when it has taken the last one. However it ends, the terminal is given
 * back first.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include "base/base.h"
#include "base/system.h"
#include "config/config.h"
#include "host/top/top.h"

/* The rest of a key's sequence comes within this time, also at 1200 baud. */
#define SEQUENCE_MS 60
/* All other signals end the program, but for those that mean something to us. A
 * fault of our own ends it even if its signal is blocked. */
#define IGNORED (signal_bit(SIGCHLD) | signal_bit(SIGURG) | \
		 signal_bit(SIGPIPE) | signal_bit(SIGTTIN) | \
		 signal_bit(SIGTTOU))

static void note(struct top *t, const char *message)
{
	print_to(t->view.message, sizeof(t->view.message), "%s", message);
	t->dirty = 1;
}

static void ask(struct top *t)
{
	const int error = asker_ask(&t->asker, &t->view);

	t->next_ns = clock_ns(CLOCK_MONOTONIC) +
		     (uint64_t)t->interval_s * SECOND_NS;
	if (error && error != -EAGAIN)
		note(t, asker_why(error));
}

static void take_answer(struct top *t)
{
	const int asked_for = asker_asked_for(&t->asker, &t->view);
	const int error = asker_take(&t->asker, &t->view, &t->picture);

	if (t->asker.fd >= 0)
		return;
	t->dirty = 1;
	if (error == -EAGAIN)
		ask(t);
	else if (error)
		note(t, asker_why(error));
	else
		view_order(&t->view, &t->picture);
	/* Meanwhile the user went on to another row. */
	if (!error && !asked_for) {
		t->picture.stacks.used = 0;
		ask(t);
	}
}

static void resize(struct top *t)
{
	unsigned int rows, cols;

	if (!terminal_size(&rows, &cols))
		terminal_ask_size(&t->terminal);
	screen_resize(&t->screen, rows ? rows : DEFAULT_ROWS,
		      cols ? cols : DEFAULT_COLS);
	t->dirty = 1;
}

static void redraw(struct top *t)
{
	t->screen.known = 0;
	t->dirty = 1;
}

static void take_key(struct top *t, enum key key)
{
	if (key == KEY_NONE)
		return;
	t->dirty = 1;
	if (key == KEY_QUIT) {
		t->ended = 1;
	} else if (key == KEY_REDRAW) {
		redraw(t);
	} else if (key == KEY_SIZE) {
		t->terminal.asked = 0;
		if (t->keys.rows != t->screen.rows ||
		    t->keys.cols != t->screen.cols)
			screen_resize(&t->screen, t->keys.rows, t->keys.cols);
	} else if (view_key(&t->view, &t->picture, key)) {
		if (t->view.in_stacks)
			t->picture.stacks.used = 0;
		ask(t);
	}
}

/* Nothing to read is the end only if the terminal has gone. */
static void take_bytes(struct top *t, int gone)
{
	unsigned char bytes[64];
	const ssize_t n = read(STDIN_FILENO, bytes, sizeof(bytes));

	if ((!n && gone) || (n < 0 && errno != EAGAIN && errno != EINTR)) {
		t->ended = 1;
		t->status = 1;
	}
	for (ssize_t i = 0; i < n; i++)
		take_key(t, keys_byte(&t->keys, bytes[i]));
}

/* By the signal itself, which is blocked: SIGSTOP would also stop a program
 * that no shell could continue. There the kernel discards SIGTSTP. */
static void stop_as_asked(void)
{
	struct signal_set blocked, open;

	signals_save(&blocked);
	open = blocked;
	open.word[0] &= ~signal_bit(SIGTSTP);
	kill(getpid(), SIGTSTP);
	signals_restore(&open);
	signals_restore(&blocked);
}

static void leave(struct top *t)
{
	struct screen *s = &t->screen;

	screen_leave(s);
	terminal_give_back(&t->terminal, s->out, s->out_len);
	s->out_at = s->out_len;
}

/* Stopped as the shell's job: until it goes on, the terminal is the shell's. */
static void stop(struct top *t)
{
	leave(t);
	stop_as_asked();
	if (terminal_take(&t->terminal))
		t->ended = 1;
	resize(t);
}

static void take_signals(struct top *t)
{
	struct signalfd_siginfo s;

	while (!t->ended && read(t->signal_fd, &s, sizeof(s)) == sizeof(s)) {
		const int n = (int)s.ssi_signo;

		if (n == SIGTSTP) {
			stop(t);
		} else if (n == SIGCONT || n == SIGWINCH) {
			if (n == SIGCONT)
				terminal_take(&t->terminal);
			resize(t);
		} else {
			t->ended = 1;
			t->status = n == SIGINT ? 0 : 128 + n;
		}
	}
}

/* A new picture begins only when the last one has been taken by the terminal. */
static void write_screen(struct top *t)
{
	struct screen *s = &t->screen;
	ssize_t n;

	if (s->out_at == s->out_len && t->dirty) {
		naming_look(&t->naming, &t->picture, t->view.table,
			    t->view.in_stacks);
		view_draw(&t->view, &t->picture, &t->naming, s);
		screen_compose(s);
		t->dirty = 0;
	}
	if (s->out_at == s->out_len)
		return;
	n = terminal_write(&t->terminal, s->out + s->out_at,
			   s->out_len - s->out_at);
	if (n < 0) {
		t->ended = 1;
		t->status = 1;
	} else {
		s->out_at += (size_t)n;
	}
}

static int wait_ms(const struct top *t, uint64_t now_ns)
{
	if (keys_wait(&t->keys))
		return SEQUENCE_MS;
	if (t->view.paused)
		return -1;
	return now_ns >= t->next_ns ? 0 :
	       (int)((t->next_ns - now_ns) / 1000000) + 1;
}

/* An answer that is still awaited when the next one is due: the tracer writes a
 * report to a slow console, or has stopped. */
static void ask_in_time(struct top *t, uint64_t now_ns)
{
	if (t->view.paused || now_ns < t->next_ns)
		return;
	if (t->asker.fd >= 0)
		note(t, "waiting for the tracer");
	else
		t->view.message[0] = '\0';
	ask(t);
}

static void run(struct top *t)
{
	struct pollfd set[] = {
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = t->signal_fd, .events = POLLIN },
		{ .fd = -1, .events = POLLIN },
		{ .fd = -1, .events = POLLOUT },
	};

	while (!t->ended) {
		const int writes = t->dirty ||
				   t->screen.out_at < t->screen.out_len;
		int ready;

		set[2].fd = t->asker.fd;
		set[3].fd = writes ? t->terminal.out : -1;
		ready = poll(set, ARRAY_LEN(set),
			     wait_ms(t, clock_ns(CLOCK_MONOTONIC)));
		if (!ready && keys_wait(&t->keys))
			take_key(t, keys_pause(&t->keys));
		if (ready > 0 && set[1].revents)
			take_signals(t);
		if (ready > 0 && set[0].revents && !t->ended)
			take_bytes(t, set[0].revents & POLLHUP);
		if (ready > 0 && set[2].revents && set[2].fd == t->asker.fd)
			take_answer(t);
		ask_in_time(t, clock_ns(CLOCK_MONOTONIC));
		if (!t->ended)
			write_screen(t);
	}
}

/* Shows pictures until a key or a signal ends that, and gives the terminal
 * back. Returns the exit status. The first picture is there. */
static int top_live(struct top *t)
{
	struct signal_set set;
	int error;

	memset(&set, 0xff, sizeof(set));
	set.word[0] &= ~IGNORED;
	signals_block_set(&set);
	t->signal_fd = signals_open_set(&set);
	if (t->signal_fd < 0)
		return complain("top", "no signals: %s", error_text(errno));
	error = terminal_take(&t->terminal);
	if (error)
		return complain("top", "the terminal: %s", error_text(error));
	t->screen.plain = t->terminal.plain;
	t->screen.reverse = t->terminal.reverse;
	resize(t);
	write_screen(t);
	run(t);
	leave(t);
	return t->status;
}

/*
 * --- top
 *
 * memstrack top: the account of the tracer that runs, live, on any terminal.
 *
 * Every few seconds the tracer writes its rows into a file that we gave it
 * (tracer/tracer.h, live), and what changed of them goes to the terminal. Where
 * standard output is no terminal, all rows are printed once, as text (view.c).
 */

/* The first picture comes before the terminal is touched. */
static int first_picture(struct top *t)
{
	const int64_t deadline = deadline_after(REPORT_TIMEOUT_MS);
	int error;

	do {
		error = asker_ask(&t->asker, &t->view);
		if (!error)
			error = deadline_wait_readable(t->asker.fd, deadline);
		if (!error)
			error = asker_take(&t->asker, &t->view, &t->picture);
		asker_give_up(&t->asker);
	} while (error == -EAGAIN && deadline_left_ms(deadline));
	t->next_ns = clock_ns(CLOCK_MONOTONIC) +
		     (uint64_t)t->interval_s * SECOND_NS;
	return error;
}

static int run_top(struct top *t)
{
	int error;

	t->view.number = UINT32_MAX;
	arena_init(&t->arena, t->names, sizeof(t->names));
	error = symbols_init(&t->naming, &t->arena, NAMES_MAX);
	if (!error)
		error = asker_init(&t->asker);
	if (!error)
		error = first_picture(t);
	if (error)
		return complain("top", "%s", asker_why(error));
	view_order(&t->view, &t->picture);
	return t->once ? top_once(t) : top_live(t);
}

int top_main(int argc, char *argv[])
{
	const struct options o = { .of = OF_TOP };
	struct top *t = system_memory(sizeof(*t));
	struct config c;

	if (!t)
		return complain_error("top", errno);
	if (options_take(&o, &c, argc, argv, refuse_usage) < 0)
		return EXIT_USAGE;
	t->once = (int)c.once;
	t->interval_s = c.interval_s;
	terminal_init(&t->terminal);
	if (!terminal_is(STDOUT_FILENO))
		t->once = 1;
	if (!t->once && !terminal_is(STDIN_FILENO))
		return complain("top", "standard input is no terminal: "
				"use --once");
	return run_top(t);
}
