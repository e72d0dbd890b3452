/* SPDX-License-Identifier: MIT */
/* Pictures from the tracer: see top.h, asker. */
#include <errno.h>
#include <unistd.h>
#include "base/system.h"
#include "control/control.h"
#include "report/report.h"
#include "host/top/top.h"

int asker_init(struct asker *a)
{
	a->fd = -1;
	a->file = given_make(ANSWER_BYTES, &a->text);
	return a->file < 0 ? a->file : 0;
}

static struct control_message wish_of(const struct asker *a,
				      const struct view *v)
{
	return (struct control_message){
		.request = CONTROL_LIVE, .version = CONTROL_VERSION,
		.file = a->file,
		.order = v->sort == SORT_PEAK ? BY_PEAK : BY_NOW,
		.rows = PICTURE_ROWS,
		.table = (unsigned char)top_table(v->table),
		.has_row = v->in_stacks != 0,
		.row = v->in_stacks ? v->number : 0,
	};
}

int asker_asked_for(const struct asker *a, const struct view *v)
{
	const struct control_message w = wish_of(a, v);

	return !w.has_row || (a->wanted.has_row && w.row == a->wanted.row &&
			      w.table == a->wanted.table);
}

int asker_ask(struct asker *a, const struct view *v)
{
	if (a->fd >= 0)
		return 0;
	a->wanted = wish_of(a, v);
	a->fd = control_send(&a->way, &a->wanted,
			     deadline_after(REACH_TIMEOUT_MS));
	return a->fd < 0 ? a->fd : 0;
}

void asker_give_up(struct asker *a)
{
	if (a->fd >= 0)
		close(a->fd);
	a->fd = -1;
}

int asker_take(struct asker *a, const struct view *v, struct top_picture *p)
{
	unsigned char answer = 0;
	const ssize_t n = read(a->fd, &answer, 1);

	if (n < 0 && errno == EAGAIN)
		return 0;
	asker_give_up(a);
	if (n != 1)
		return -ECONNREFUSED;
	if (answer)
		return -(int)answer;
	return picture_take(p, a->text, ANSWER_BYTES, v->paused);
}

const char *asker_why(int error)
{
	switch (error) {
	case -EINVAL:
	case -EPROTO:
		return "the tracer that runs is of another version than this "
		       "program";
	case -ENOSYS:
		return "the kernel has no memfd (CONFIG_TMPFS)";
	case -ENOMEM:
		return "no memory for a picture";
	default:
		return control_why(error);
	}
}
