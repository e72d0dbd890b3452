/* SPDX-License-Identifier: MIT */
/*
 * Can a trigger add stacks to events, and are they whole? See ftrace.h.
 *
 * The trigger "stacktrace" of an event in an instance writes into the top
 * instance, until Linux 5.17 and the stable kernels of early 2022. So it is
 * tried, with an event of our own: where its stack is missing in our ring, it
 * went to the top instance. While somebody traces there it is not tried, because
 * that entry would be found in what they record.
 *
 * The kernel leaves its own functions out of a stack by their number. Which are
 * inlined is the compiler's choice: on 32-bit ARM the stacks of a trigger lack
 * the function that allocated, too. So the same event is tried with the option
 * "stacktrace" of an instance: its stack must not be longer.
 */
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/system.h"
#include "source/ftrace/ftrace.h"
#include "source/proc/proc.h"

#define TRIED "task/task_rename"
/* To remove a trigger takes 30 ms. This one has effect once. */
#define TRIGGER "stacktrace:1"

struct trial {
	const struct ftrace *f;
	unsigned char *page;
	uint32_t frames;	/* of the longest stack found */
};

/* An event or a tracer is set in the top instance. */
static int top_is_used(void)
{
	char text[64];

	return tracefs_text("set_event", text, sizeof(text)) ||
	       tracefs_text("current_tracer", text, sizeof(text)) < 3 ||
	       !find_text(text, 3, "nop");
}

/* Renames us to the name that we have. */
static void rename_us(void)
{
	char name[16];

	if (!syscall(SYS_prctl, PR_GET_NAME, name))
		syscall(SYS_prctl, PR_SET_NAME, name);
}

static void look_at(struct trial *t, const struct ring_entry *entry)
{
	struct event e = { .chain_len = 0 };

	if (!ftrace_is_stack(t->f, entry))
		return;
	stack_decode(&t->f->stack, &t->f->layout, entry->data, entry->len,
		     CHAIN_FRAMES_MAX, &e);
	if (t->frames < e.chain_len)
		t->frames = e.chain_len;
}

static void look(void *context, uint32_t cpu)
{
	struct trial *t = context;
	const int fd = instance_open(EVENTS, cpu, "trace_pipe_raw");
	struct ring_page page;
	struct ring_entry entry;
	ssize_t len;

	if (fd < 0)
		return;
	while ((len = read(fd, t->page, t->f->page_bytes)) > 0) {
		ring_page_open(&page, &t->f->layout, t->page, (size_t)len);
		while (ring_page_next(&page, &entry) > 0)
			look_at(t, &entry);
	}
	close(fd);
}

/* The frames of the stack that comes with a renaming of us; 0: none. */
static uint32_t try(const struct ftrace *f, unsigned char *page)
{
	struct trial t = { .f = f, .page = page };

	if (!instance_switch(EVENTS, 1))
		rename_us();
	instance_switch(EVENTS, 0);
	proc_cpus(look, &t);
	return t.frames;
}

int stacks_by_trigger(struct ftrace *f, unsigned char *page)
{
	uint32_t by_trigger, by_option = 0;

	if (top_is_used() || instance_set(EVENTS, TRIED, "enable", "1") ||
	    instance_set(EVENTS, TRIED, "trigger", TRIGGER))
		return 0;
	by_trigger = try(f, page);
	if (!by_trigger)
		return 0;
	if (!instance_stacks(EVENTS, 1))
		by_option = try(f, page);
	return !instance_stacks(EVENTS, 0) && by_trigger >= by_option;
}
