/* SPDX-License-Identifier: MIT */
/* What a report is made from, and what other rooms use of it. */
#ifndef MEMSTRACK_REPORT_REPORT_H
#define MEMSTRACK_REPORT_REPORT_H

#include <stddef.h>
#include <stdint.h>
#include "base/base.h"
#include "config/config.h"
#include "ledger/ledger.h"
#include "limits.h"

/*
 * --- report
 *
 * What a report is made of, and where its lines go.
 *
 * A report reads a ledger and never changes its counts. One exception: the
 * report when memory runs out reads names, by which the ledger learns the
 * kinds. text.c and json.c make no system call: every line goes to an `out`,
 * which output/ (kmsg, console, file) or a test implements. The same ledger,
 * session and symbols give the same bytes.
 */

struct symbols;
struct picture;

/* The order of rows: by all that was held at the machine's peak, with image and
 * vmalloc; by the row's own peak of pages; by all that is held now; by the
 * pages held now. The order of stacks: by peak in the first two, else by what
 * is held now. */
enum order { BY_AT_PEAK, BY_PEAK, BY_HELD, BY_NOW };

/* For a program that shows the account live: rows have numbers that identify
 * them later, and only one row has stacks. */
struct live_wish {
	uint32_t table;			/* enum table */
	uint32_t row;			/* UINT32_MAX: no stacks */
};

struct report {
	struct ledger *ledger;	/* its scratch is used */
	const struct session *session;
	struct symbols *symbols;
	uint32_t level;			/* 1..3 */
	uint32_t top;			/* rows a table; 0: the level decides */
	uint32_t throttle_percent;	/* 1..100 */
	uint32_t lines_max;		/* with the last line; 0: no bound */
	const char *sections;		/* printed instead, if not NULL */
	const struct picture *picture;	/* drawn instead, if not NULL */
	uint32_t without_tables;	/* 1 << enum table, for each */
	int without_stacks;
	int all_stacks;			/* names of all are collected too */
	uint32_t first_row;		/* of the other tables */
	enum order order;
	const struct live_wish *live;	/* of report_live() */
	int hide_addresses;		/* if they have no name */
	/* Reads names for the sorted addresses in symbols. report_oom() calls
	 * this function first; or, if names must wait, after the end of the
	 * report, and then prints the stacks again. */
	void (*name)(void *context);
	int names_wait;
	/* See source/proc/proc.h, slabinfo; NULL: slab caches are unknown. */
	int (*each_slab)(slab_seen *see, void *context);
	void *context;
};

/* Are stacks of this row shown? Without `live`, yes for all rows. */
static inline int live_wishes(const struct report *r, uint32_t table,
			      uint32_t row)
{
	return !r->live || (r->live->table == table && r->live->row == row);
}

struct out {
	/* One printable line, without its newline, shorter than LINE_BYTES. */
	void (*line)(struct out *o, const char *text, size_t len);
	/* The beginning of a line that is longer than LINE_BYTES; line() ends
	 * this line. NULL: no line may be longer. */
	void (*part)(struct out *o, const char *text, size_t len);
	uint32_t lines_max;		/* if the report has none; 0: none */
};

/* Collects into r->symbols the addresses that a report of this level will
 * print. */
void report_collect(const struct report *r);
void report_text(const struct report *r, struct out *o);
/* The report when memory runs out: see text.c. */
void report_oom(const struct report *r, struct out *o);
/* Collects and sorts the addresses that this report would print now, so that
 * their names can be read before it is written. */
void report_oom_collect(const struct report *r);
/* May the directories of modules change the answer? */
int report_wants_dirs(const struct report *r);
void report_json(const struct report *r, struct out *o);
/* One line: see write.c. */
void report_brief(const struct report *r, struct out *o);
/* The lines of report_json() that a client gets live (r->live): head, tasks,
 * modules, initcalls, sites of slab, end. This is quick: a row's stacks are
 * looked for only on request. Only a program of the same version reads these
 * lines (CONTROL_VERSION), in a file of its own: no option prints them, so
 * the manual does not describe them. */
void report_live(const struct report *r, struct out *o);
/* The sections as the older memstrack prints them. */
void report_sections(const struct report *r, struct out *o);
/* Only the part about objects of slab, as text or JSON. */
void report_objects(const struct report *r, enum format format, struct out *o);
/* Formats and ledgers that only a host has: host/formats/. */
void report_write_of_host(const struct report *r, enum format format,
			  struct out *o);
/* Writes sections, if r has some, or the format. */
void report_write(const struct report *r, enum format format, struct out *o);

/*
 * --- line
 *
 * One line of a report, built piece by piece in a buffer of fixed size.
 *
 * What must hold: the text is never longer than LINE_BYTES - 1, and contains
 * only printable ASCII, whatever bytes a name has. A process may give itself
 * any name, and no name may forge a report or send commands to a terminal. Text
 * that does not fit is left out.
 */

/* How an unprintable byte is written: \xNN or \u00NN. In a label of Prometheus
 * the backslash is itself escaped: \\xNN. A folded stack has no spaces and no
 * semicolons within names: they become '_' and ':'. XML is like text, with &lt;
 * and the like. */
enum escape {
	ESCAPE_TEXT, ESCAPE_JSON, ESCAPE_LABEL, ESCAPE_FOLDED, ESCAPE_XML,
};

struct session;

struct line {
	size_t len;
	uint64_t page_kib;	/* for %p */
	enum escape escape;	/* of names */
	char *text;		/* LINE_BYTES */
};

void line_char(struct line *l, char c);
/* Adds a text of this program, which is printable. */
void line_str(struct line *l, const char *s);
/* Adds a name from outside. */
void line_name(struct line *l, const char *s);
/* Adds a name up to its end byte or `size`, in at most `room` bytes, without
 * cutting an escape. */
void line_name_within(struct line *l, const char *s, size_t size, size_t room);
/* Adds spaces up to a column, at least one. */
void line_pad(struct line *l, size_t column);
/* Moves the text after `from` to the right, so that it ends at a column. At
 * least one space comes before it. */
void line_right(struct line *l, size_t from, size_t column);

/* Adds a template of ours, with one value for each mark:
 *	%u  number		%x  the same as 0x1f
 *	%p  pages, %k  KiB, %b  bytes, as 12K, 26.8M or 13.4G, rounded half up
 *	%M  pages, as 26.8MB (6861 pages)
 *	%i  signed number	%q  signed pages
 *	%t  ns, as +7.20 s	%d  ns, as 7.20 s
 *	%m  per mille, as 97.1 per cent, at least 0.0
 *	%e  tenths, as 12.3
 *	%s  an s, unless the value before it was 1: it takes no value
 *	%%  a per cent sign, which takes no value
 * UNKNOWN becomes null, as in JSON. */
void line_fill(struct line *l, const char *template, const uint64_t *value);
/* Adds a template with one mark or none. */
void line_value(struct line *l, const char *template, uint64_t value);
/* The same, so that it ends at a column. */
void line_figure(struct line *l, size_t column, const char *template,
		 uint64_t value);

/* A value that no count of either sign can have. */
#define UNKNOWN (UINT64_C(1) << 63)

static inline uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* part / all in parts of `scale`, rounded to the nearest; 0 if all is 0.
 * Numbers larger than any machine's are rounded less exactly. */
int64_t share_of(int64_t part, int64_t all, int64_t scale);

/* The KiB of so many pages; the largest number if the product is too large. */
uint64_t pages_kib(uint64_t pages, uint64_t page_kib);
/* The same for pages of the machine. */
uint64_t session_kib(const struct session *s, uint64_t pages);

/*
 * --- shown
 *
 * The parts of a report, in sequence: tables, their rows, the stacks of each
 * row.
 */

/* Kinds and initcalls have no stacks. Callers of vmalloc have no stacks and no
 * value at the peak, because areas get their names only when vmallocinfo is
 * read. From TABLE_SITES on, rows are of objects of slab. */
enum table {
	TABLE_MODULES, TABLE_TASKS, TABLE_KINDS, TABLE_INITCALLS,
	TABLE_CALLERS,
	TABLE_SITES, TABLE_OBJECTS_OF_MODULES, TABLE_CACHES, TABLES,
	TABLE_STACKS = TABLES,	/* of a row */
};

/* Are the rows of this table, which is not of stacks, of objects of slab? */
FEATURE_INLINE int is_of_objects(enum table t)
{
	return has_feature(FEATURE_SLAB) && t >= TABLE_SITES;
}

enum shown_kind {
	SHOWN_TABLE,		/* the table begins */
	SHOWN_ROW,
	SHOWN_STACK,		/* of the row before it */
	SHOWN_OTHER_STACKS,	/* stacks of this row, not shown */
	SHOWN_FAILED_LOADS,	/* many modules in one row: see parts.h, select */
	SHOWN_GROUP,		/* all tasks of one name; its largest one is
				 * the next row */
	SHOWN_SAME_NAME,	/* the other ones, behind that row */
	SHOWN_OTHER_ROWS,	/* of the table */
};

/* The columns of all tables: see section table. */
enum table_column {
	PAGES_NOW, PAGES_PEAK, PAGES_AT_PEAK,
	/* Only modules have these, besides the counts above; tasks have
	 * vmalloc, if it is known whose it is. */
	PAGES_IMAGE, PAGES_VMALLOC, PAGES_IMAGE_PEAK, PAGES_VMALLOC_PEAK,
	/* Of modules and tasks: pages, image and vmalloc together. */
	PAGES_HELD, PAGES_HELD_PEAK, PAGES_HELD_AT_PEAK,
	/* Of PAGES_HELD, by kind, if kinds are known: text has these, so that
	 * they add up to the table of kinds. */
	PAGES_KIND_IMAGE, PAGES_KIND_VMALLOC,
	PAGE_COUNTS,
	PAGES_IN_TASKS = PAGES_IMAGE,
	PAGES_IN_JSON = PAGES_KIND_IMAGE,
	/* Of objects of slab. */
	SUMS_ALLOCS = PAGE_COUNTS, SUMS_FREES, SUMS_REQUESTED, SUMS_ALLOCATED,
	SUMS_LIVE, SUMS_NOW, SUMS_PEAK, SUMS_AT_PEAK, SUMS_CROSS, SUMS_SETTLED,
	SUMS_OLDEST, SUMS_WASTE,
	COLUMNS,
	SUMS_IN_JSON = SUMS_WASTE,
};

#define NO_LEAF UINT32_MAX

struct shown {
	enum shown_kind kind;
	enum table table;
	uint32_t row;		/* of the table; enum page_kind for kinds */
	uint32_t leaf;		/* of a stack: NO_LEAF: pages without one; a
				 * root: of this module, no room for frames */
	uint32_t index, count;	/* stack `index`, from 1, of `count`; or
				 * `count` others, failed loads or tasks, or
				 * loads of the row's module */
	uint64_t value[COLUMNS];	/* UNKNOWN: the row has none */
	uint64_t leak;		/* of modules: row_leak() */
	uint64_t peak;		/* of other rows: of `row`, if it is higher than
				 * that of the last row shown; else 0 */
	int of_group;		/* the largest of a group */
};

/*
 * --- table
 *
 * The model of every table: text, JSON and the sections of the older program
 * render it here, Prometheus' format and top for a host.
 *
 *	table	what it is called, and which columns text and JSON show of it
 *	column	its name in JSON, its unit, its heading in text
 *	row	a number: row_values() has its value in each column,
 *		row_name() (section names) its name
 *	order	which row comes before which: ranking (section rank)
 *	shown	which rows a report of this level shows: select_walk() (parts.h)
 *
 * So a column is added in `table_columns`, in row_values() and in the lists of its
 * tables.
 */

struct column_model {
	char key[20];		/* "": not in JSON */
	char unit;		/* a mark of section line */
	char heading[8];	/* "": not in text; a ~ in front stands if records
				 * were lost */
};

struct table_model {
	const char *type;		/* in JSON */
	const char *title;		/* in text; of sampled tables: */
	const char *sampled_title;
	const char *others;		/* the row of those that are not shown */
	/* JSON has the columns from `first` up to `always`, and those up to
	 * `until` that the row has. */
	uint8_t first, always, until;
	uint8_t columns, column[8];	/* of text, in their order */
};

extern const struct column_model table_columns[COLUMNS];
extern const struct table_model table_models[TABLES + 1];

/* The value of a row in each column; UNKNOWN for those that its table does not
 * have. */
void row_values(const struct report *r, enum table t, uint32_t row,
		uint64_t value[COLUMNS]);

/*
 * --- figure list
 *
 * The figures of a report, in one list for text and JSON: the balance, the
 * advice, what was traced, what it cost, what was not seen, what was not kept
 * or must not be believed, and how much of the report was written.
 *
 * A JSON record takes a range of figures; marks show where a range begins. A
 * line of text names each figure that it prints.
 */

enum figure {
	FIGURE_BALANCE,
	FIGURE_FALL = FIGURE_BALANCE, FIGURE_TRACED, FIGURE_AREAS,
	FIGURE_BULK, FIGURE_CMA, FIGURE_BEFORE, FIGURE_NO_ROOM, FIGURE_PCP,
	FIGURE_REST,
	FIGURE_PERMILLE,

	FIGURE_ADVICE,
	FIGURE_RAM_PEAK_KIB = FIGURE_ADVICE, FIGURE_LOWEST_KIB, FIGURE_USED_KIB,
	FIGURE_HARD_KIB, FIGURE_HARD_NS, FIGURE_SOFT_KIB, FIGURE_KEPT_KIB,
	FIGURE_UNPACKING_KIB, FIGURE_ROOTFS_KIB, FIGURE_TMPFS_KIB,
	FIGURE_SCALED_KIB, FIGURE_NEED_KIB, FIGURE_ADVICE_KIB,

	FIGURE_HEAD,
	FIGURE_LEVEL = FIGURE_HEAD, FIGURE_START_NS, FIGURE_END_NS,
	FIGURE_PAGE_SIZE, FIGURE_MEM_TOTAL_KIB, FIGURE_RAM_KIB,
	FIGURE_FREE_START_KIB, FIGURE_FREE_NOW_KIB, FIGURE_FREE_LOWEST_KIB,
	FIGURE_FREE_LOWEST_NS, FIGURE_NOW_PAGES, FIGURE_PEAK_PAGES,
	FIGURE_PEAK_NS, FIGURE_ALLOCS, FIGURE_FREES, FIGURE_BEFORE_FREES,
	FIGURE_SEEN, FIGURE_APPLIED, FIGURE_IGNORED, FIGURE_REJECTED,
	FIGURE_LOST, FIGURE_OWN_BYTES, FIGURE_CPU_NS,

	FIGURE_OWN,
	FIGURE_PAGES_BYTES = FIGURE_OWN, FIGURE_STACKS_BYTES,
	FIGURE_TASKS_BYTES, FIGURE_MODULES_BYTES, FIGURE_RING_BYTES,
	FIGURE_STACKS_ROWS, FIGURE_OWNERS_ROWS, FIGURE_TASKS_ROWS,
	FIGURE_MODULES_ROWS, FIGURE_SYMBOLS_ROWS, FIGURE_CPUS_TRACED,
	FIGURE_CPUS_ONLINE,

	FIGURE_COUNTERS,
	FIGURE_LOST_RECORDS = FIGURE_COUNTERS, FIGURE_LATE,
	FIGURE_SETTLED_PAGES, FIGURE_MISSED_FREES, FIGURE_UNTRACKED_PAGES,
	FIGURE_OUTSIDE_RAM, FIGURE_BAD_RECORDS, FIGURE_FAILED_ALLOCS,
	FIGURE_TASKS_FULL, FIGURE_TASKS_RECYCLED, FIGURE_TASKS_RECYCLED_PEAK,
	FIGURE_MODULES_FULL, FIGURE_MODULES_RECYCLED,
	FIGURE_MODULES_RECYCLED_PEAK, FIGURE_RANGES_FULL, FIGURE_FUNCTIONS_FULL,
	FIGURE_AREAS_FULL,
	FIGURE_STACKS_FULL, FIGURE_OWNERS_FULL, FIGURE_OWNERS_RECYCLED,
	FIGURE_OWNERS_RECYCLED_PEAK, FIGURE_ANON_PAGES, FIGURE_BEFORE_PAGES,

	FIGURE_WRITTEN,
	FIGURE_LINES = FIGURE_WRITTEN, FIGURE_CUT, FIGURE_FRAMES,
	FIGURE_UNNAMED,

	FIGURES,
};

/*
 * --- figures
 *
 * The figures of a report: their values and their names.
 */

/* Sets all figures. Those of free memory and the balance are UNKNOWN until free
 * memory was sampled; those that count written lines are 0. */
void figures_get(const struct report *r, uint64_t value[FIGURES]);

/* The name in JSON; the names of the next figures follow, behind spaces. */
const char *figure_name(enum figure f);

/*
 * --- sheet
 *
 * What text and JSON share: the current line, its destination, and the figures,
 * which include the number of lines written so far.
 */

/* Added to the last line, with FIGURE_CUT. */
#define MORE_NOT_WRITTEN ", %u more not written: raise rd.memstrack.lines"

/* Columns of a report's text. Only an answer's first line, and a line without a
 * place to break it, may be longer. */
#define TEXT_COLUMNS 100u
#define NAME_COLUMN 24u		/* the first figure of a row ends 8 columns on */
#define FIGURE_COLUMNS 8u

/* Stacks of modules that a table of tasks can refer to; at level 3, to all. */
#define REFERRED_MAX 64u

struct sheet {
	struct line line;	/* its escape: text or JSON */
	const struct report *r;
	const struct ledger *ledger;	/* of the report */
	struct out *out;
	int last;		/* the last line, which always fits */
	uint32_t columns;	/* longer lines are broken; 0: none is */
	/* Leaves of the stacks of modules that were shown; or all were. */
	int all_leaves;
	uint32_t shown_leaves, shown_leaf[REFERRED_MAX];
	uint64_t value[FIGURES];
	char text[LINE_BYTES];
};

FEATURE_INLINE int sheet_is_json(const struct sheet *s)
{
	return has_feature(FEATURE_JSON) && s->line.escape == ESCAPE_JSON;
}

/* Begins a sheet whose figures are 0: for what is no report of a ledger. */
void sheet_begin(struct sheet *s, const struct report *r, struct out *o,
		 enum escape e);
/* Writes a whole report onto a sheet, with `write`. */
void sheet_report(const struct report *r, struct out *o, enum escape e,
		  void (*write)(struct sheet *s));

/* True when lines_max permits only the last line. */
int sheet_is_full(const struct sheet *s);
/* Sends the line if lines_max permits, and begins the next line. A line that is
 * too long is broken after a comma, a semicolon, or spaces, else before a word. */
void sheet_emit(struct sheet *s);
/* Adds this template and sends the line. */
void sheet_line(struct sheet *s, const char *template, const uint64_t *value);

/* A template with one enum figure for each mark. */
void sheet_figures(struct sheet *s, const char *template, ...);
/* Adds ", in NAME" if hooks said what the boot did at this time. */
void sheet_phase(struct sheet *s, uint64_t time_ns);

/* Writes "stack 1 of 3", and returns whether the stack has frames. */
int sheet_stack(struct sheet *s, const struct shown *k);
/* Writes one frame and counts it. */
void sheet_frame(struct sheet *s, uint64_t addr);
/* Writes a caller of vmalloc without its module. It counts as a frame if its
 * address is known. */
void sheet_caller(struct sheet *s, const struct caller *c);
/* Writes a site of objects of slab; in JSON as a member. */
void sheet_site(struct sheet *s, uint32_t row);
/* Writes a cache of slab, "kmalloc-64"; in JSON as a member. */
void sheet_cache(struct sheet *s, uint32_t row);
/* Is it for objects of kmalloc that are larger than any cache's? */
int slab_has_own_pages(const struct slab_cache *c, uint64_t page_bytes);

/*
 * --- json line
 *
 * One JSON object a line: its beginning, its members, its end.
 *
 * Names are bounded so that everything else always fits, even the largest
 * numbers. A name's bytes outside of printable ASCII are \u00NN.
 */

/* Room for every byte of a module's name escaped. */
#define JSON_NAME_ROOM 340u

/* {"type":"head" */
void line_object(struct line *l, const char *type);
/* ,"key": of the first word; returns the next one. */
const char *line_key(struct line *l, const char *keys);
/* ,"key":"text" with at most `size` bytes of the text, in at most `room`. */
void line_text(struct line *l, const char *key, const char *text, size_t size,
	       size_t room);
/* ,"key":value for each word of `keys`, with a mark of section line. */
void line_numbers(struct line *l, const char *mark, const char *keys,
		  const uint64_t *value);
/* Adds `before`, a name, and a quote. */
void line_quoted(struct line *l, const char *before, const char *text);

/* The same on a sheet; json_end() ends the line and sends it. */
void json_begin(struct sheet *s, const char *type);
void json_end(struct sheet *s);
void json_string(struct sheet *s, const char *key, const char *text,
		 size_t room);
/* A string of JSON_NAME_ROOM. */
void json_name(struct sheet *s, const char *key, const char *name);
/* The name of a row. */
void json_row_name(struct sheet *s, const char *key, enum table t, uint32_t row);
void json_number(struct sheet *s, const char *key, uint64_t value);
void json_signed(struct sheet *s, const char *key, int64_t value);
/* One value for each word of `keys`. */
void json_numbers(struct sheet *s, const char *keys, const uint64_t *value);
/* The figures of [first, until), with their own names. */
void json_put_figures(struct sheet *s, unsigned int first, unsigned int until);
/* A line that holds only figures. */
void json_figures(struct sheet *s, const char *type, unsigned int first,
		  unsigned int until);
/* The last line. */
void json_finish(struct sheet *s);

/*
 * --- rank
 *
 * The order of a report, and the best of many rows or stacks in little room.
 *
 * The caller offers every candidate. The best `most` of them are kept, or as
 * many as there is room for, and then sorted. A heap finds the best N in the
 * room of N. qsort is not used: glibc's may call malloc, and musl's takes no
 * context before 1.2.3. No recursion, O(n log n).
 */

struct ranking {
	const struct ledger *ledger;
	enum table table;
	int stacks;		/* stacks of a row; else rows of the table */
	int by_name;		/* rows of one name stand together */
	/* Groups of rows, from here backwards: two words each, the largest row
	 * and the pages of all. A group is one item. */
	uint32_t *groups_end;
	uint32_t groups;
	enum order order;
	uint32_t *item;
	uint32_t capacity;
	uint32_t kept, offered;
	/* Does `a` come before `b`? NULL: by the order of the table. */
	int (*before)(const struct ranking *k, uint32_t a, uint32_t b);
};

void ranking_offer(struct ranking *k, uint32_t item);
void ranking_sort(struct ranking *k);

/* The pages that a row holds; UNKNOWN for counts that its table does not
 * have. */
void row_pages(const struct ledger *l, enum table t, uint32_t row,
	       uint64_t pages[PAGE_COUNTS]);
/* All rows of a table; and the sum of their pages (ledger_check() checks it),
 * UNKNOWN for counts that the table does not have, or that cannot be added
 * up. */
uint32_t table_rows(const struct ledger *l, enum table t);
void table_pages(const struct ledger *l, enum table t,
		 uint64_t pages[PAGE_COUNTS]);
/* All that a row holds, now or at the machine's peak, with image and vmalloc. */
uint32_t row_holds(const struct ledger *l, enum table t, uint32_t row,
		  int at_peak);
/* The most that the row held at one instant; 0: the row never held a page. */
uint32_t row_peak(const struct ledger *l, enum table t, uint32_t row);
/* Does the row belong in its table: did it ever hold something? */
int row_is_used(const struct ledger *l, enum table t, uint32_t row);
/* What a row has in the column that decides the order. */
uint32_t row_shown(const struct ranking *k, uint32_t row);
/* The pages of a stack, now and at its peak. A stack of a module is a leaf of
 * its tree; a stack of a task is one of its owners. */
void stack_pages(const struct ranking *k, uint32_t item,
		 uint64_t pages[PAGES_AT_PEAK]);

#define ITEM_GROUP (UINT32_C(1) << 31)

static inline uint32_t *item_group(const struct ranking *k, uint32_t item)
{
	return k->groups_end - 2 * ((item & ~ITEM_GROUP) + 1);
}

/* The row of an item; for a group, its largest row. */
static inline uint32_t item_row(const struct ranking *k, uint32_t item)
{
	return item & ITEM_GROUP ? *item_group(k, item) : item;
}

/*
 * --- symbols
 *
 * Addresses -> names, for the addresses that will be printed.
 *
 * Collect the addresses, sort them, read /proc/kallsyms once. kallsyms is not
 * sorted, has modules last and some 200,000 lines, so each line costs one
 * binary search. In a replay the names come from the trace instead.
 *
 * The addresses of a call chain are return addresses: an address may be the
 * first byte after a function whose last instruction is a call that never
 * returns. So the name is that of the greatest text symbol strictly below the
 * address; the kernel's own %pB prints the same.
 *
 * Live:   clear, report_collect, sort, begin, every line, finish, report_text.
 * Replay: clear, report_collect, set for each name of the trace, sort,
 *         report_text. Addresses are collected first, so that names of other
 *         addresses do not take their room.
 */

#define SYMBOL_BYTES 48		/* longer names are cut */

struct symbol {
	uint64_t addr;		/* asked for */
	uint64_t start;		/* of the function; 0: no name */
	char name[SYMBOL_BYTES];	/* "name" or "name [module]" */
};

struct symbols {
	struct symbol *row;	/* a hash until sorted, then [0, used) */
	uint32_t slots;		/* number of rows */
	uint32_t capacity, used;	/* rows to be used at most: 7 of 8 */
	int sorted;
	int partial;		/* names are being read: none is valid yet */
};

int symbols_init(struct symbols *s, struct arena *a, uint32_t rows);
void symbols_clear(struct symbols *s);

/* Unsorted and repeated addresses are fine until symbols_sort(). One that finds no
 * room has no name. */
void symbols_add(struct symbols *s, uint64_t addr);
void symbols_sort(struct symbols *s);

/* Splits one line of /proc/kallsyms, any bytes, without its newline: a function
 * starts at *start; its name, and "\t[module]" if there is one, are the *len
 * bytes at *name. Not 0: the line is no function. */
int symbol_parse(const char *line, size_t *len, uint64_t *start,
		 const char **name);

/* Lines will follow. Until symbols_finish() no name is found, because a better
 * one may follow. */
void symbols_begin(struct symbols *s);
/* Takes one line of /proc/kallsyms; only after sort. */
void symbols_line(struct symbols *s, const char *line, size_t len);
/* After the last line: addresses of the same function share its name. */
void symbols_finish(struct symbols *s);

/* Sets a name that is known from a trace, in any order, before sort. The
 * address is added if it was not added before and there is room. */
void symbols_set(struct symbols *s, uint64_t addr, uint64_t start,
		 const char *name, size_t len);

/* The row of an address, or NULL; also NULL before symbols_sort(). */
const struct symbol *symbols_find(const struct symbols *s, uint64_t addr);

/*
 * --- names
 *
 * Rows and addresses -> names.
 */

struct symbol;

/* "module", "task", "stack": the table's name in JSON (section table). */
const char *table_name(enum table t);
/* The name with its own bytes, of any value. */
const char *row_name(const struct ledger *l, enum table t, uint32_t row);
/* The same for the module or task that had the row at this time; "(gone)" if
 * another module or task has the row now. */
const char *row_name_at(const struct ledger *l, enum table t, uint32_t row,
			uint64_t time_ns);
/* Fixed rows of this program: "(no module)", "(other)", "(irq)". Rows of
 * other tables are never fixed. */
int row_is_fixed(enum table t, uint32_t row);
/* "fixed" for fixed rows, else the state of the task or module: "live",
 * "exited", "loading", "failed", "gone". */
const char *row_state(const struct ledger *l, enum table t, uint32_t row);

/* May this symbol name an address in this module ("": in none)? */
int symbol_is_of(const struct symbol *s, uint64_t addr, const char *module);
/* The name of a row; of a task with its number: "udevd[88]". */
void row_write(struct line *l, const struct ledger *g, enum table t,
	       uint32_t row);
/* " [module]" */
void module_write(struct line *l, const struct ledger *g, uint32_t row);
/* "symbol+0xoff [module]"; "(init)+0xoff [module]" for init text, whose symbols
 * the kernel drops; "(gone)+0xoff [module]" for code of a removed module, if
 * other code has taken its place; or the address. Returns whether it had a
 * name. */
int frame_write(struct line *l, const struct report *r, uint64_t addr);
/* "symbol"; "(init)" if it is a module's, whose symbols the kernel drops; or
 * the address. */
void initcall_write(struct line *l, const struct report *r, uint32_t row);
/* The same as frame_write() without its module. */
int code_write(struct line *l, const struct report *r, uint64_t addr);

/*
 * --- advice
 *
 * How much memory is enough, for a machine or a crash kernel.
 *
 * Two moments need the most memory: the peak of the traced memory; and the
 * unpacking of the initramfs, while the compressed initrd is still in memory
 * beside its content. There are also limits: if rootfs is a tmpfs, it holds at
 * most half of the memory that is not reserved when the kernel starts, whether
 * by the initramfs or by files that were written later; other tmpfs have such
 * limits too. The advice is for the one of these four that needs most.
 *
 * Pages on per-CPU lists are free, but MemFree does not count them. Their
 * number is known when tracing begins and now, but not at the lowest free
 * memory. So the smaller of the two known numbers is used. On a machine of 16
 * GiB these pages are 15 MiB.
 *
 * Page structs and hash tables grow with memory, so they are counted for the
 * advised size, not for the size of this machine. So are the page structs of
 * memory that was offline, or came while we traced; such memory itself counts
 * as far as it was used.
 */

enum advice_for { FOR_PEAK, FOR_UNPACKING, FOR_ROOTFS, FOR_TMPFS,
		  ADVICE_MOMENTS };

/* Sets [FIGURE_ADVICE, FIGURE_HEAD), in KiB. They follow from the balance in
 * `value` and from the lowest free memory, sampled or computed. Figures from
 * the kernel's log are UNKNOWN if the log was not read. The unpacking is
 * UNKNOWN too if tracing began after it. The advice is UNKNOWN if it is not
 * reliable: records were lost and nobody knows of how many pages, or what is
 * not explained is more than 5 % of what was used. */
void advice_get(const struct report *r, uint64_t value[FIGURES]);

/* RAM, which is what the kernel manages, and MemTotal, which excludes the
 * kernel's image and what it reserved, when the machine had grown by so many
 * pages (0: when tracing began). RAM that is online is either free or in use, and
 * is the total that reports print; it is MemTotal if nothing is known of RAM. */
uint64_t ram_kib(const struct ledger *l, const struct session *s,
		 int64_t grown);
uint64_t mem_total_kib(const struct ledger *l, const struct session *s,
		       int64_t grown);
/* Page structs of RAM that was offline then, or came later. */
uint64_t advice_came_structs_kib(const struct ledger *l);

/* A figure from before tracing, in KiB; 0 if it is not known. */
uint64_t baseline_kib(const struct ledger *l, const char *name);
/* The part of the contiguous memory free now that was free at the worst moment
 * too: anonymous memory and tmpfs may use this memory, and do when other memory
 * is short. */
uint64_t advice_idle_cma_kib(const struct report *r);
/* Is this figure no memory in use? */
int is_limit(const char *name);
/* Was there no inode for files of the initramfs? */
int lacks_inodes(const struct ledger *l);
/* Does the need of rootfs come from the number of its files, not their size? */
int rootfs_needs_inodes(const struct ledger *l, const uint64_t value[FIGURES]);

/* The memory of which rootfs may hold this much: its limit is a part of what is
 * not reserved, half by default. UNKNOWN: the limit does not grow with
 * memory. */
uint64_t rootfs_needs_kib(const struct ledger *l, const struct session *s,
			  uint64_t content_kib);
int rootfs_is_half(const struct ledger *l);

/* Memory that could not be reclaimed when as much was used as at this point of
 * the timeline; UNKNOWN: no sample knows. The maximum is FIGURE_HARD_KIB. */
uint64_t advice_hard_kib(const struct report *r, const struct moment *m);

/* Why there is no advice. */
const char *no_advice(const struct ledger *l);
/* After records were lost: so much more, at most, may be needed than advised.
 * The kernel's own count of pages that it gave out tells how many belong to
 * lost records. */
uint64_t advice_more_kib(const struct report *r,
			 const uint64_t value[FIGURES]);

/* The need of this one, including free memory that it cannot use: limits have
 * no such part. UNKNOWN if it is not known. */
uint64_t advice_needed(const uint64_t value[FIGURES], enum advice_for moment);

/* The one of these that needs most, of those that are known. */
enum advice_for advice_for(const uint64_t value[FIGURES]);

/*
 * --- unpack
 *
 * An initramfs that was not unpacked to its end: the kernel's message, how much
 * rootfs holds and may hold, and how much memory would not be enough.
 *
 * The size of the whole content is not known: the kernel stops at the first
 * error, and frees the image. Known are the size of what did come out, and what
 * the file lacks that was being written. If rootfs was full, the content is no
 * smaller than both together, and rootfs may hold a part of the memory that is
 * not reserved when the kernel starts (section advice). So less memory than
 * these need is not enough.
 */

/* Did the unpacking fail? */
static inline int unpack_failed(const struct ledger *l)
{
	return l->unpack.error[0] != '\0';
}

/* "initramfs unpacking failed: write error; …" */
void unpack_write(struct line *line, const struct ledger *l,
		  const struct session *s);

#endif
