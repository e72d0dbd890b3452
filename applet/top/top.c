/* SPDX-License-Identifier: MIT */
/*
 * memstrack top: the account of the tracer that runs, live, on any terminal.
 *
 * Every few seconds the tracer writes its rows into a file of ours
 * (tracer/live.h), and what changed of them goes to the terminal. Nothing here
 * waits: keys, signals, the answer and the terminal are polled together, and a
 * terminal that takes bytes slowly gets the newest picture when it has taken the
 * last one. However the program ends, the terminal is given back first.
 *
 * Where standard output is no terminal, all rows are printed once, as text.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/arena.h"
#include "base/clock.h"
#include "base/print.h"
#include "base/system.h"
#include "config/value.h"
#include "top/asker.h"
#include "top/terminal.h"
#include "top/top.h"

#define INTERVALS "1 to 3600"
#define INTERVAL_S 2u
/* The rest of a key's sequence comes within this time, also at 1200 baud. */
#define SEQUENCE_MS 60
#define ENDS (signal_bit(SIGINT) | signal_bit(SIGTERM) | signal_bit(SIGHUP) | \
	      signal_bit(SIGQUIT))
#define OTHERS (signal_bit(SIGWINCH) | signal_bit(SIGTSTP) | \
		signal_bit(SIGCONT))
#define DEFAULT_ROWS 24u
#define DEFAULT_COLS 80u
#define SECOND_NS 1000000000u

struct top {
	uint32_t interval_s;
	int once;
	int ended;		/* a key or a signal ends the program */
	int status;
	int signal_fd;
	int dirty;		/* the screen is not what should be shown */
	uint64_t next_ns;	/* the next picture is due */
	struct asker asker;
	struct terminal terminal;
	struct keys keys;
	struct view view;
	struct naming naming;
	struct arena arena;
	struct picture picture;
	struct screen screen;
	_Alignas(64) char names[NAMES_MAX * sizeof(struct symbol) + 64];
};

static void tell(struct top *t, const char *message)
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
		tell(t, asker_why(error));
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
		tell(t, asker_why(error));
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

/* Stopped as the shell's job: until it goes on, the terminal is the shell's. */
static void stop(struct top *t)
{
	screen_leave(&t->screen);
	terminal_write(&t->terminal, t->screen.out, t->screen.out_len);
	t->screen.out_at = t->screen.out_len;
	terminal_give_back(&t->terminal);
	stop_as_asked();
	if (terminal_take(&t->terminal))
		t->ended = 1;
	resize(t);
}

static void take_signals(struct top *t)
{
	const unsigned long set = signals_arrived(t->signal_fd);

	for (int n = 1; n <= SIGTERM; n++)
		if (set & ENDS & signal_bit(n)) {
			t->ended = 1;
			t->status = n == SIGINT ? 0 : 128 + n;
		}
	if (t->ended)
		return;
	if (set & signal_bit(SIGTSTP)) {
		stop(t);
	} else if (set & signal_bit(SIGCONT)) {
		terminal_take(&t->terminal);
		resize(t);
	} else if (set & signal_bit(SIGWINCH)) {
		resize(t);
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
		tell(t, "waiting for the tracer");
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

static int show_live(struct top *t)
{
	int error;

	signals_block(ENDS | OTHERS);
	t->signal_fd = signals_open(ENDS | OTHERS);
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
	screen_leave(&t->screen);
	terminal_write(&t->terminal, t->screen.out, t->screen.out_len);
	terminal_give_back(&t->terminal);
	return t->status;
}

static int put_line(struct line *l)
{
	const ssize_t n = print_line(STDOUT_FILENO, "%.*s", (int)l->len,
				     l->text);

	l->len = 0;
	return n < 0 ? -errno : 0;
}

static int print_table(struct top *t, struct line *l, enum top_table table,
		       unsigned int cols)
{
	const struct top_rows *rows = &t->picture.table[table];
	int error;

	t->view.table = table;
	view_order(&t->view, &t->picture);
	naming_look(&t->naming, &t->picture, table, 0);
	columns_heading(l, table, cols);
	error = put_line(l);
	for (uint32_t i = 0; i < rows->used && !error; i++) {
		line_char(l, ' ');
		columns_row(l, &t->naming, table,
			    &rows->row[t->view.order[i]], cols);
		error = put_line(l);
	}
	if (rows->others && !error) {
		line_fill(l, " ... and %u more rows", &rows->others);
		error = put_line(l);
	}
	return error;
}

static int print_once(struct top *t)
{
	char text[LINE_BYTES];
	struct line l = {
		.page_kib = t->picture.page_bytes >> 10, .text = text,
	};
	unsigned int rows, cols;
	int error;

	terminal_size(&rows, &cols);
	if (cols > SCREEN_COLS)
		cols = SCREEN_COLS;
	columns_title(&l, &t->picture);
	error = put_line(&l);
	columns_traced(&l, &t->picture);
	if (!error)
		error = put_line(&l);
	for (unsigned int i = 0; i < TOP_TABLES && !error; i++)
		if (t->picture.table[i].used)
			error = print_table(t, &l, (enum top_table)i,
					    cols ? cols : DEFAULT_COLS);
	return error ? complain("top", "standard output: %s",
				error_text(error)) : 0;
}

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
	error = naming_init(&t->naming, &t->arena);
	if (!error)
		error = asker_init(&t->asker);
	if (!error)
		error = first_picture(t);
	if (error)
		return complain("top", "%s", asker_why(error));
	view_order(&t->view, &t->picture);
	return t->once ? print_once(t) : show_live(t);
}

/* "--NAME=VALUE", or "--NAME" and the next argument: its value, "" if there is
 * none; NULL: another option. */
static const char *value_of(char *argv[], int *i, const char *name)
{
	const size_t len = strlen(name);

	if (strncmp(argv[*i], name, len))
		return NULL;
	if (argv[*i][len] == '=')
		return argv[*i] + len + 1;
	if (argv[*i][len])
		return NULL;
	return argv[*i + 1] ? argv[++*i] : "";
}

static int parse(struct top *t, int argc, char *argv[], char *problem)
{
	static const char interval[] = "--interval";

	t->interval_s = INTERVAL_S;
	for (int i = 1; i < argc; i++) {
		const char *value = value_of(argv, &i, interval);

		if (!strcmp(argv[i], "--once")) {
			t->once = 1;
		} else if (value && value_within(INTERVALS, value,
						 strlen(value),
						 &t->interval_s)) {
			print_to(problem, LINE_BYTES, *value ?
				 "%s: %.*s: not " INTERVALS :
				 "%s: %.*sneeds a value: " INTERVALS, interval,
				 PATH_BYTES, value);
			return -EINVAL;
		} else if (!value) {
			print_to(problem, LINE_BYTES, "%.*s: no such option",
				 PATH_BYTES, argv[i]);
			return -EINVAL;
		}
	}
	return 0;
}

int top_main(int argc, char *argv[])
{
	char problem[LINE_BYTES];
	struct top *t = system_map(sizeof(*t), MAP_PRIVATE | MAP_ANONYMOUS, -1);

	if (t == MAP_FAILED)
		return complain("top", "%s", error_text(errno));
	if (parse(t, argc, argv, problem))
		return refuse_usage(problem);
	terminal_init(&t->terminal);
	if (!isatty(STDOUT_FILENO))
		t->once = 1;
	if (!t->once && !isatty(STDIN_FILENO))
		return complain("top", "standard input is no terminal: keys "
				"cannot be read (--once prints one picture)");
	return run_top(t);
}
