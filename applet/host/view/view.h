/* SPDX-License-Identifier: MIT */
/* The kernel's own books: page_owner, allocinfo. */
#ifndef MEMSTRACK_VIEW_VIEW_H
#define MEMSTRACK_VIEW_VIEW_H

#include <stddef.h>
#include <stdint.h>
#include "base/base.h"
#include "base/system.h"
#include "config/config.h"
#include "control/control.h"
#include "ledger/ledger.h"
#include "limits.h"
#include "report/parts.h"
#include "report/report.h"
#include "source/proc/proc.h"

#define PAGE_OWNER_PATH "/sys/kernel/debug/page_owner"
#define VIEW_LINE_BYTES (8u << 10)	/* a longer line of a book is wrong */

/*
 * --- page owner
 *
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
 * and an empty line. The first line ends after the mask in 5.10, has "pid, ts"
 * from 5.11 on, also "free_ts" from 5.13 to 6.6, and tgid and the name from
 * 5.18 on. The PFN is decimal before 6.1. Since 7.2 a line "handle: 5" may
 * replace the stack.
 *
 * The files of page_owner_stacks (6.9 and later; show_stacks, show_handles)
 * have a record for each stack: its frames or its handle, and "stack_count: 5"
 * (allocations, 6.9) or "nr_base_pages: 5" (pages, from 6.10 on).
 *
 * The text is not trusted. The name of a task may contain any bytes, newlines
 * too: all text between the first line and the line of the PFN belongs to the
 * name.
 */

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
	uint64_t ts_ns;			/* 0: not known */
	uint32_t pid, tgid;		/* tgid 0: not known */
	uint32_t frames;
	uint8_t order;
	uint8_t has_pid, has_pfn, has_pages;
	uint8_t migrated;
	uint8_t is_count;		/* `pages` counts allocations */
	char comm[COMM_BYTES];		/* "": not known */
	uint64_t frame[OWNER_FRAMES_MAX];	/* as take_frame() named them */
};

struct owner_text {
	int state;			/* what is expected next */
	/* Gives a frame a number; the text is gone after the call. */
	uint64_t (*take_frame)(void *context, const struct frame *f);
	/* A record is whole. */
	void (*take_record)(void *context);
	void *context;
	struct owner_record record;
};

/* Does a line of this text begin a record? */
int owner_is_record(const char *line, size_t len);
int owner_is_stack(const char *line, size_t len);

/* A line: NULL, or what is wrong with it; then the lines up to the next record
 * are skipped. */
const char *owner_line(struct owner_text *t, const char *line, size_t len);
/* The same at the end of the text. */
const char *owner_end(struct owner_text *t);

/*
 * --- names
 *
 * Functions named in a text -> addresses, as the ledger and the report want
 * them.
 *
 * Frames in page_owner's text are names with an offset. Each function gets its
 * own range of made-up addresses: in the range of its module; or of its rule,
 * if the function decides a kind of memory (ledger/tables.h, kinds); or of all
 * other functions. So the ledger finds modules and kinds by address, as always,
 * and the report finds the names. None of these addresses is a kernel's
 * address.
 */

struct named {
	uint64_t base;			/* made */
	uint64_t size;			/* as the text has it */
	uint32_t module;		/* 0: none */
	uint32_t next;			/* in the bucket; 0: none */
	char name[SYMBOL_BYTES];
};

struct names {
	struct ledger *ledger;
	struct named *row;		/* 0: functions without room */
	struct hash hash;
	uint32_t capacity, used;
	uint32_t modules_capacity;
	uint32_t modules;		/* the last number that was given */
	uint64_t full;			/* frames without room */
	uint32_t of_rule[KIND_RULES];	/* functions so far */
	char (*module)[MODULE_NAME_BYTES];
};

uint64_t names_bytes(uint32_t functions, uint32_t modules);
/* Sends the ledger the kinds of the made-up addresses. 0 or -ENOMEM. */
int names_init(struct names *n, struct arena *a, struct ledger *l,
	       uint32_t functions, uint32_t modules);

/* The address of a frame; sends the ledger the frame's module if it is new. A
 * frame that is printed as an address keeps this address. */
uint64_t names_address(struct names *n, const struct frame *f);

/* Names every wanted address that was made. */
void names_tell(const struct names *n, struct symbols *s);

/*
 * --- books
 *
 * The kernel's book of pages (page_owner) -> a ledger -> its report.
 *
 * Every record is entered as it comes: a machine has millions of them. The
 * tables have a fixed size; what finds no room is in "(other)" or with its
 * module alone, and is counted, as when pages are traced.
 */

struct view_books {
	struct arena arena;
	struct names names;
	struct symbols symbols;
	struct owner_text text;
	struct session session;
	struct ledger ledger;
};

/* The memory that the tables take, and its division: `block`, which is zero. 0
 * or -errno. */
uint64_t books_bytes(const struct config *c);
int books_begin(struct view_books *b, const struct config *c, void *block,
		const char *source);

/* One line: NULL, or what is wrong with it. */
const char *books_line(struct view_books *b, const char *line, size_t len);
/* The same at the end of the text. */
const char *books_end(struct view_books *b);

/* The report of all that was entered, with its names: for report_write(). */
void books_report(struct view_books *b, const struct config *c,
		  struct report *r);

/*
 * --- check
 *
 * memstrack report --check=BOOK: see check.c. Returns the exit status: 0; 1,
 * pages differ without a cause, or something could not be read; 2, usage.
 */

int check_main(const struct config *c);

/*
 * --- verdict
 *
 * Page by page: who holds it, by our table and by the kernel's page_owner.
 *
 * Neither side shows one instant: the kernel writes page_owner while memory is
 * allocated and freed. So page_owner's text is read before and after our table
 * is asked for, and only a record that is the same in both texts, to the
 * nanosecond of its allocation, is compared. A page that we hold and that is in
 * neither text may be an allocation that was freed before the second reading.
 * So such pages are looked at again, in rounds: only a page that we still hold
 * for the same owner, and that is again in no text, is a difference.
 *
 * page_owner lists the first page of a block with its order; our table has no
 * orders. A block is the same on both sides if we hold all of its pages for one
 * owner.
 *
 * Every page has one verdict. page_owner knows some pages that have no event,
 * and we know some owners that page_owner does not: those differences are no
 * error, and the report names their cause.
 */

#define VERDICT_ROUNDS 3

enum page_verdict {
	SAME,
	/* Not held by us. */
	BEFORE_TRACING, IN_BULK, MIGRATED, OUTSIDE_RAM, UNDATED, NO_ROOM,
	/* Held by both; one side does not know the owner. */
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
	uint32_t our_tgid, tgid;	/* UINT32_MAX: not known */
	char comm[COMM_BYTES];
	char our_module[MODULE_NAME_BYTES], module[MODULE_NAME_BYTES];
};
#define DIFFERENCES_KEPT 64u

/* What the frames of a record show. */
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
	/* Set by the caller, with RAM in range[]: zeroed memory for the pages of
	 * RAM, one range behind the other. */
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
	/* The page that dates page_owner's clock, and its time. */
	uint64_t clock_pfn, clock_ns;
	/* What was found in this round. */
	uint32_t round;
	int after;			/* the second text */
	uint64_t our_pages, their_pages, records;
	uint64_t wrong_lines;		/* of the text that has most, of all */
	uint64_t wrong_here;		/* of this text */
	uint32_t differences;		/* with those that have no room */
	struct stack_facts stack;
	struct owner_text text;
	uint64_t pages[VERDICTS];
	struct pages_range range[RAM_RANGES_MAX];
	struct difference difference[DIFFERENCES_KEPT];
};

void judge_begin_round(struct judge *j);
/* A line of the text, and its end: NULL, or what is wrong with it. */
const char *judge_line(struct judge *j, const char *line, size_t len);
const char *judge_end_text(struct judge *j);
/* A line that was not given to it, because it is too long. */
void judge_wrong_line(struct judge *j);
/* Part of our table. 0, or -EINVAL: it cannot be. */
int judge_run(struct judge *j, const struct pages_run *run);
/* After all of these: the pages that only we hold. */
void judge_end_round(struct judge *j);

/* The number of pages with an unexplained difference. */
uint64_t judge_unexplained(const struct judge *j);

/* --- check write: what the comparison of pages found, as text or JSON */

struct check_facts {
	const struct judge *judge;
	const struct config *config;
	const char *book;
	uint64_t page_size;
	uint64_t now_ns;		/* of the tracer's answer */
	uint64_t lost;			/* records, by the tracer */
	uint64_t longest_ns;		/* of an answer of the tracer's */
	int has_clock;			/* page_owner's clock is known */
};

/* Writes struct check_facts: an account_write of output/output.h. */
void check_write(void *facts, enum format format, struct out *o);

/*
 * --- tags
 *
 * Allocation sites and their modules, summed up from /proc/allocinfo.
 *
 * A code line may have several tags (inlined functions, macros): they are one
 * site. Sites that hold nothing and never did are only counted. All tables have
 * a fixed size; what finds no room is one site "(other)", and is counted.
 */

/* A distribution's kernel has some 5,000 sites that ever allocated memory;
 * their names take some 70 bytes each. */
#define SITES_MAX (1u << 15)
#define SITE_MODULES_MAX (1u << 12)
#define SITE_TEXT_BYTES (4u << 20)
#define SITE_OTHERS 0u		/* the first row; of modules: no module */

struct site_sums {
	int64_t bytes, calls;
};

/* A site, or a module with all its sites. */
struct view_site {
	struct site_sums sums;
	uint32_t name;			/* of the function; in the texts */
	uint32_t sites;			/* of a module */
	uint32_t place;			/* of a site; in the texts */
	uint32_t module;		/* of a site */
	uint32_t next;			/* in the bucket; 0: none */
	int inaccurate;
};

struct view_sites {
	const struct config *config;	/* for tags_write() */
	struct view_site *row, *module;
	uint32_t *order;		/* rows to be sorted */
	char *texts;
	struct hash hash;
	uint32_t used, modules, texts_used;
	uint32_t last_module;		/* a module's sites stand together */
	struct site_sums sums;
	uint64_t sites;			/* lines */
	uint64_t wrong_lines, full, inaccurate, negative, pairs;
	char version[16];		/* "": no head */
	struct arena arena;
};

uint64_t tags_bytes(void);
/* `block` has this many bytes, which are zero. 0 or -ENOMEM. */
int tags_begin(struct view_sites *v, const struct config *c, void *block);
/* NULL, or what is wrong with the line. */
const char *tags_line(struct view_sites *v, const char *line, size_t len);

/* Writes struct view_sites: an account_write of output/output.h. */
void tags_write(void *sites, enum format f, struct out *o);

/*
 * --- report picture
 *
 * A report in JSON -> the picture that it carries (report/parts.h, picture).
 *
 * The file is not trusted: whatever it says, what is drawn has numbers within
 * their bounds. A report that lacks a part of its picture has none.
 */

struct view_picture {
	struct picture picture;
	int begun, ended;
	uint32_t spans;
	uint8_t table[VIEW_SPANS_MAX];	/* of each span */
	struct picture_span span[VIEW_SPANS_MAX];
};

/* Is this the first line of a report in JSON? */
int report_begins(const char *line, size_t len);

void picture_begin(struct view_picture *v);
/* One line: NULL, or what is wrong with it. */
const char *picture_line(struct view_picture *v, const char *line, size_t len);
/* The same at the end of the text. NULL: the picture can be drawn. */
const char *picture_end(const struct view_picture *v);

/*
 * --- view
 *
 * memstrack view FILE [OPTIONS]: see view.c. Returns the exit status: 0, 1 (the
 * file or the output is not whole), 2 (usage).
 */

int view_main(int argc, char *argv[]);
/* The same of a file, as the options say; the exit status. */
int view_file(const struct config *c, const char *path);

#endif
