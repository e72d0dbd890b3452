/* SPDX-License-Identifier: MIT */
/*
 * Tracepoints of tasks: see ftrace.h, tasks.
 *
 * task_newtask comes before the new task runs, in the context of its parent.
 * clone_flags says whether the new task is a thread. The new task has its
 * parent's name. An exec names the task after the last part of the file's path;
 * task_rename with the same name comes just before.
 */
#include <errno.h>
#include <string.h>
#include "source/ftrace/ftrace.h"

/* CLONE_THREAD of clone(2). */
#define IS_THREAD UINT64_C(0x10000)

static const struct task_spec {
	const char *event, *tid, *name, *flags;
} specs[TASK_EVENTS] = {
	[TASK_NEW] = {
		"task/task_newtask", "pid", "comm", "clone_flags",
	},
	[TASK_RENAMED] = { "task/task_rename", "pid", "newcomm", NULL },
	[TASK_EXECUTES] = { "sched/sched_process_exec", "pid", "filename", NULL },
	[TASK_EXITS] = { "sched/sched_process_exit", "pid", NULL, NULL },
};

const char *task_event_name(enum task_event t)
{
	return specs[t].event;
}

int task_parse(struct task_point *p, enum task_event t, const char *text,
	       size_t len)
{
	const struct task_spec *s = &specs[t];

	*p = (struct task_point){ 0 };
	if (!format_id(text, len, &p->id) && p->id &&
	    !format_field(text, len, s->tid, &p->tid) &&
	    (!s->name || !format_field(text, len, s->name, &p->name)) &&
	    (!s->flags || !format_field(text, len, s->flags, &p->flags)))
		return 0;
	p->id = 0;
	return -EINVAL;
}

/* Replaces a path by its last part, in place. */
static void take_name(char *name)
{
	const char *at = name;

	for (const char *c = name; *c; c++)
		if (*c == '/')
			at = c + 1;
	memmove(name, at, strlen(at) + 1);
}

static int decode_new(const struct task_point *p, const unsigned char *raw,
		      size_t len, uint32_t tid, struct event *e)
{
	uint64_t flags;

	if (field_u64(&p->flags, raw, len, &flags))
		return -EINVAL;
	e->type = EVENT_FORK;
	e->parent_tid = e->tid;
	e->parent_tgid = 0;
	e->tid = tid;
	e->flags = flags & IS_THREAD ? EVENT_THREAD : 0;
	e->tgid = flags & IS_THREAD ? 0 : tid;
	return 1;
}

/* The path of a program may be longer than a name in struct event. */
static int decode_name(const struct task_point *p, const unsigned char *raw,
		       size_t len, uint32_t tid, struct event *e)
{
	char path[PATH_BYTES];

	if (field_string(&p->name, raw, len, path, sizeof(path)))
		return -EINVAL;
	if (e->flags & EVENT_EXEC)
		take_name(path);
	memset(e->name, 0, COMM_BYTES);
	memcpy(e->name, path, strnlen(path, COMM_BYTES - 1));
	e->type = EVENT_COMM;
	e->tid = tid;
	return 1;
}

int task_decode(const struct ftrace_tasks *tasks, uint32_t id,
		const unsigned char *raw, size_t len, struct event *e)
{
	const struct task_point *p = tasks->point;
	uint64_t tid;

	while (p < tasks->point + TASK_EVENTS && p->id != id)
		p++;
	if (!id || p == tasks->point + TASK_EVENTS)
		return 0;
	if (field_u64(&p->tid, raw, len, &tid))
		return -EINVAL;
	e->flags = 0;
	switch ((enum task_event)(p - tasks->point)) {
	case TASK_NEW:
		return decode_new(p, raw, len, (uint32_t)tid, e);
	case TASK_EXECUTES:
		e->flags = EVENT_EXEC;
		/* fallthrough */
	case TASK_RENAMED:
		return decode_name(p, raw, len, (uint32_t)tid, e);
	default:
		e->type = EVENT_EXIT;
		e->tid = (uint32_t)tid;
		return 1;
	}
}
