/* SPDX-License-Identifier: MIT */
/*
 * Entries of the kernel's own trace buffer -> events.
 *
 * With trace_options=stacktrace the call chain of an event is an entry of its
 * own behind it (entry.h): it belongs to the last event of its task in the same
 * context.
 */
#ifndef MEMSTRACK_BOOT_ENTRIES_H
#define MEMSTRACK_BOOT_ENTRIES_H

#include "source/tracefs/entry.h"
#include "source/tracefs/tracepoints.h"

struct boot_formats {
	const struct tracefs *points;
	struct ring_layout layout;
	uint32_t start_id, finish_id;	/* of initcalls; 0: no such event */
	struct field start, finish;	/* their function */
	struct stack_format stack;	/* id 0: there are no chains */
	/* The tracing function at the inner end of each chain, which is left
	 * out; 0 bytes: not known. */
	uint64_t tracer, tracer_bytes;
};

/* The texts of initcall/initcall_start and _finish, which may be empty. */
void boot_initcall_parse(struct boot_formats *f, const char *text, size_t len,
			 int finish);

/* 1: *e is an event, without a chain, in this context; 0: an entry of another
 * kind; -EINVAL: it does not fit its format. */
int boot_decode(const struct boot_formats *f, const struct ring_entry *entry,
		struct event *e, uint64_t *context);

/* Looks in the rest of a page, which may be the next one, for the chain of an
 * event. 1: found, or there is none; 0: it may follow in the next page. */
int boot_find_chain(const struct boot_formats *f, struct ring_page rest,
		    uint64_t context, struct event *e);

#endif
