/* SPDX-License-Identifier: MIT */
/*
 * memstrack top: the account of the tracer that runs, live, on any terminal.
 *
 * Every few seconds the tracer writes its rows into a file of ours
 * (tracer/live.h), and what changed of them goes to the terminal (live.c). Where
 * standard output is no terminal, all rows are printed once, as text (once.c).
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/print.h"
#include "base/system.h"
#include "config/value.h"
#include "top/state.h"
#include "top/top.h"

#define INTERVALS "1 to 3600"
#define INTERVAL_S 2u

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
	return t->once ? top_once(t) : top_live(t);
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
	struct top *t = system_memory(sizeof(*t));

	if (!t)
		return complain_error("top", errno);
	if (parse(t, argc, argv, problem))
		return refuse_usage(problem);
	terminal_init(&t->terminal);
	if (!terminal_is(STDOUT_FILENO))
		t->once = 1;
	if (!t->once && !terminal_is(STDIN_FILENO))
		return complain("top", "standard input is no terminal: "
				"use --once");
	return run_top(t);
}
