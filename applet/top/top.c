/* SPDX-License-Identifier: MIT */
/*
 * memstrack top: the account of the tracer that runs, live, on any terminal.
 *
 * Every few seconds the tracer writes its rows into a file of ours
 * (tracer/tracer.h, live), and what changed of them goes to the terminal
 * (live.c). Where standard output is no terminal, all rows are printed once, as
 * text (once.c).
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/system.h"
#include "base/base.h"
#include "config/config.h"
#include "top/top.h"

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
