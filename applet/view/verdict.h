/* SPDX-License-Identifier: MIT */
/*
 * Page by page: who we say holds it, and who the kernel's page_owner says.
 *
 * Neither side is a picture of one instant: the kernel writes page_owner while
 * memory is allocated and freed. So its text is read before and after our table
 * is asked for, and only a record that is the same in both, to the nanosecond
 * of its allocation, is compared. A page that we hold and that is in neither
 * text may be an allocation that was freed before the second one. So this is
 * looked at again, in rounds: only what we still hold for the same owner, and
 * is in no text again, is a difference.
 *
 * page_owner lists the first page of a block with its order; our table has no
 * orders. A block is the same on both sides if we hold all of its pages for one
 * owner.
 *
 * Every page has one verdict. page_owner knows some pages that no event tells
 * of, and we know some owners that it does not: those differences have a cause,
 * which is told, and are no error.
 */
#ifndef MEMSTRACK_VERDICT_H
#define MEMSTRACK_VERDICT_H

#include "control/page_table.h"
#include "view/page_owner.h"

#define VERDICT_ROUNDS 3

enum page_verdict {
	SAME,
	/* Not held by us. */
	BEFORE_TRACING, IN_BULK, MIGRATED, OUTSIDE_RAM, UNDATED, NO_ROOM,
	/* Held by both; one of them does not tell the owner. */
	IN_INTERRUPT, TASK_GONE, THREAD_ONLY, WITHOUT_TASKS,
	LOADING, NO_CHAIN, BOOK_NO_CHAIN, CODE_GONE, DEEP_STACK,
	NO_MODULE_ROW,
	/* Between the two texts. */
	THEIRS_CHANGED, OURS_CHANGED,
	/* Nothing explains these. */
	NOT_OURS, NOT_THEIRS, OTHER_ORDER, OTHER_TASK, OTHER_MODULE,
	VERDICTS
};

#define UNEXPLAINED NOT_OURS		/* from here on */

struct verdict_name {
	const char *json, *text;
};
extern const struct verdict_name verdict_names[VERDICTS];

/* One of a page frame number. */
struct judged_page {
	uint32_t stamp;		/* of the first text's record, at its first
				 * page; 0: none */
	uint32_t owner;		/* ours: row + 1; 0: none */
	uint32_t lone;		/* owner in a round before, if no text had the
				 * page then; UINT32_MAX: it was not the same
				 * in all rounds */
	uint32_t seen;		/* SEEN_... */
};
#define SEEN_BEFORE 1u
#define SEEN_AFTER 2u

struct difference {
	enum page_verdict verdict;
	uint64_t pfn, pages;
	uint32_t our_tgid, tgid;	/* UINT32_MAX: not told */
	char comm[COMM_BYTES];
	char our_module[MODULE_NAME_BYTES], module[MODULE_NAME_BYTES];
};
#define DIFFERENCES_KEPT 64u

/* What the frames of a record tell. */
struct stack_facts {
	char module[MODULE_NAME_BYTES];	/* the innermost one; "": none */
	uint32_t stamp;
	uint8_t in_bulk;		/* through the function of bulks, or of
					 * contiguous memory */
	uint8_t replaced;		/* by the stack that page_owner gives to
					 * pages of its own stacks, and to those
					 * whose stack found no room */
	uint8_t nameless;		/* a frame within all of the module's is
					 * an address */
};

struct judge {
	/* Set by the caller: RAM, and zeroed memory for its pages, one range
	 * behind the other. */
	struct pages_range range[RAM_RANGES_MAX];
	uint32_t ranges;
	struct judged_page *page;
	struct pages_owner *owner;
	char (*module)[MODULE_NAME_BYTES];
	uint32_t owners, modules;
	uint64_t start_ns;		/* of tracing, by page_owner's clock */
	uint64_t untracked_pages;
	/* The processes that check and that trace: each time they talk, they
	 * take memory for a moment, maybe the same. */
	uint32_t checks[2];
	/* The page that tells page_owner's clock, and its time. */
	uint64_t clock_pfn, clock_ns;
	/* What was found in this round. */
	uint32_t round;
	int after;			/* the second text */
	uint64_t pages[VERDICTS];
	uint64_t our_pages, their_pages, records;
	uint64_t wrong_lines;		/* of the text that has most, of all */
	uint64_t wrong_here;		/* of this text */
	uint32_t differences;		/* with those that have no room */
	struct difference difference[DIFFERENCES_KEPT];
	struct owner_text text;
	struct stack_facts stack;
};

void judge_begin_round(struct judge *j);
/* A line of the text, and its end: NULL, or what is wrong with it. */
const char *judge_line(struct judge *j, const char *line, size_t len);
const char *judge_end_text(struct judge *j);
/* A line that was not given to it, because it is too long. */
void judge_wrong_line(struct judge *j);
/* Part of our table. 0, or -EINVAL: it cannot be. */
int judge_run(struct judge *j, const struct pages_run *run);
/* Behind all of these: the pages that only we hold. */
void judge_end_round(struct judge *j);

/* The pages whose difference nothing explains. */
uint64_t judge_unexplained(const struct judge *j);

#endif
