/* SPDX-License-Identifier: MIT */
/*
 * Pictures from the tracer, one at a time. Asking does not wait: the answer's
 * descriptor is polled beside the keyboard.
 */
#ifndef MEMSTRACK_ASKER_H
#define MEMSTRACK_ASKER_H

#include "control/ask.h"
#include "top/view.h"

/* The answer has room for 256 rows of each of four tables. */
#define ANSWER_BYTES (512u << 10)

struct asker {
	int file;		/* given to the tracer */
	const char *text;	/* its content */
	int fd;			/* an answer will come; -1: none is awaited */
	struct control_way way;
	struct control_live wanted;	/* what was asked */
};

/* 0 or -errno. */
int asker_init(struct asker *a);

/* Asks for what the view shows, unless an answer is awaited. 0 or -errno. */
int asker_ask(struct asker *a, const struct view *v);
/* Is the row whose stacks are shown the one that was asked for? */
int asker_asked_for(const struct asker *a, const struct view *v);
/* The answer can be read: takes it. 0 or -errno. */
int asker_take(struct asker *a, const struct view *v, struct top_picture *p);
void asker_give_up(struct asker *a);

/* The words for such an error. */
const char *asker_why(int error);

#endif
