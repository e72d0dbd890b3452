/* SPDX-License-Identifier: MIT */
/*
 * Tasks by tracepoints: a task is new, has another name, executes a program,
 * exits.
 */
#ifndef MEMSTRACK_FTRACE_TASKS_H
#define MEMSTRACK_FTRACE_TASKS_H

#include "source/event.h"
#include "source/tracefs/format.h"

enum task_event {
	TASK_NEW, TASK_RENAMED, TASK_EXECUTES, TASK_EXITS, TASK_EVENTS
};

struct task_point {
	uint32_t id;			/* 0: the kernel has no such event */
	struct field tid, name, flags;	/* flags: of clone() */
};

struct ftrace_tasks {
	struct task_point point[TASK_EVENTS];
};

/* "task/task_newtask". */
const char *task_event_name(enum task_event t);

/* The text of its `format` file. 0 or -EINVAL; then the id is 0. */
int task_parse(struct task_point *p, enum task_event t, const char *text,
	       size_t len);

/* 1: an event; 0: another event's id; -EINVAL: it does not fit. The event has
 * the number of the task that runs in e->tid. */
int task_decode(const struct ftrace_tasks *tasks, uint32_t id,
		const unsigned char *raw, size_t len, struct event *e);

#endif
