/* SPDX-License-Identifier: MIT */
/*
 * The text of page_owner: lines -> records.
 *
 * /sys/kernel/debug/page_owner has a record for each allocation that is held
 * (mm/page_owner.c, print_page_owner()):
 *
 *	Page allocated via order 0, mask 0x0(), pid 1, tgid 1 (init), ts 5 ns
 *	PFN 0x1000 type Unmovable Block 8 type Unmovable Flags 0x0()
 *	 function+0x1a/0x30 [module]
 *	Page has been migrated, last migrate reason: compaction
 *	Slab cache page
 *	Charged to memcg NAME
 *
 * and an empty line. The first line ends behind the mask in 5.10; has "pid, ts"
 * from 5.11 on, "free_ts" besides from 5.13 to 6.6, tgid and the name from 5.18
 * on. The PFN is decimal before 6.1. Since 7.2 a line "handle: 5" may stand in
 * place of the stack.
 *
 * The files of page_owner_stacks (6.9 and later; show_stacks, show_handles)
 * have a record for each stack: its frames or its handle, and "stack_count: 5"
 * (allocations, 6.9) or "nr_base_pages: 5" (pages, from 6.10 on).
 *
 * The text is not trusted. The name of a task may contain any bytes, newlines
 * too: whatever stands between the first line and the one of the PFN belongs to
 * the name.
 */
#ifndef MEMSTRACK_PAGE_OWNER_H
#define MEMSTRACK_PAGE_OWNER_H

#include <stddef.h>
#include <stdint.h>
#include "limits.h"

/* The kernel keeps 16 frames of page_owner, 64 of a stack at most. */
#define OWNER_FRAMES_MAX CHAIN_FRAMES_MAX

/* A frame apart. Without a name it is an address; of a handle, its number. */
struct frame {
	const char *name, *module;	/* not ended; module NULL: none */
	size_t name_len, module_len;
	uint64_t offset, size;		/* in the function; its length */
};

struct owner_record {
	uint64_t pfn, pages;
	uint64_t ts_ns;			/* 0: not told */
	uint32_t pid, tgid;		/* tgid 0: not told */
	uint32_t frames;
	uint8_t order;
	uint8_t has_pid, has_pfn, has_pages;
	uint8_t migrated;
	uint8_t is_count;		/* `pages` counts allocations */
	uint8_t more_frames;		/* than there is room for */
	char comm[COMM_BYTES];		/* "": not told */
	uint64_t frame[OWNER_FRAMES_MAX];	/* as take_frame() named them */
};

struct owner_text {
	struct owner_record record;
	int state;			/* what is expected next */
	const char *problem;
	int again;			/* the bad line begins a record: it was not
					 * taken, and must come again */
	/* Gives a frame a number; the text is gone after the call. */
	uint64_t (*take_frame)(void *context, const struct frame *f);
	void *context;
};

/* 0, or -EINVAL: this is no frame. */
int frame_parse(const char *line, size_t len, struct frame *f);

/* Does a line of this text begin a record? */
int owner_is_record(const char *line, size_t len);
int owner_is_stack(const char *line, size_t len);

enum owner_said {
	OWNER_MORE,		/* the record goes on */
	OWNER_RECORD,		/* a record is whole: t->record */
	OWNER_BAD,		/* this line is wrong: t->problem */
};

/* After OWNER_BAD the lines up to the next record are passed over. */
enum owner_said owner_line(struct owner_text *t, const char *line, size_t len);
/* At the end of the text. OWNER_MORE: all records were whole. */
enum owner_said owner_end(struct owner_text *t);

#endif
