/* SPDX-License-Identifier: MIT */
/*
 * What the parts of `memstrack top` share: the picture that the tracer gave, what
 * the user looks at, and the terminal.
 */
#ifndef MEMSTRACK_TOP_STATE_H
#define MEMSTRACK_TOP_STATE_H

#include <stdint.h>
#include "base/arena.h"
#include "top/asker.h"
#include "top/terminal.h"

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
	struct top_picture picture;
	struct screen screen;
	_Alignas(64) char names[NAMES_MAX * sizeof(struct symbol) + 64];
};

/* Shows pictures until a key or a signal ends that, and gives the terminal back.
 * Returns the exit status. The first picture is there. */
int top_live(struct top *t);

/* Prints all rows as text. Returns the exit status. */
int top_once(struct top *t);

#endif
