/* SPDX-License-Identifier: MIT */
/*
 * What the parts of a report share: the model of what is shown (select,
 * figures, balance, saves, verdict), and its renderers (text, JSON, pictures).
 */
#ifndef MEMSTRACK_REPORT_PARTS_H
#define MEMSTRACK_REPORT_PARTS_H

#include "config/config.h"
#include "ledger/ledger.h"
#include "report/report.h"

/*
 * --- group
 *
 * Rows that belong together: tasks of one name, and modules whose names begin
 * alike or whose files are in one directory.
 *
 * If no row stands out, a group of rows may: five workers, forty modules of one
 * maker. Modules belong together if their names begin with the same
 * letters, at least two of them, up to the first digit or with the first '_':
 * mlx4_core and mlx5_ib are mlx*, ib_core and ib_cm are ib_*. If fewer letters
 * come first, only loads of one module belong together. Failed loads have no
 * name.
 *
 * By directory, modules belong together that have the first two in common:
 * drivers/infiniband. Directories are known only of modules that are in
 * modules.dep, and only if a group of modules may stand out (section verdict).
 */

struct group {
	enum table table;
	uint32_t rows;		/* that hold pages; 0: there is no group */
	uint32_t row;		/* one of them */
	uint32_t letters;	/* that their names share; 0: all modules */
	uint32_t dir;		/* bytes of the directory that they share
				 * instead; 0: none */
	uint32_t from_row, from;	/* most are from this one's directory:
					 * bytes of it; 0: not known */
	uint64_t pages;		/* with images and vmalloc */
	uint64_t image_pages, vmalloc_pages;
};

/* The group that holds most now, or held most at the peak; and all rows with a
 * name together. Uses the ledger's scratch. */
void group_get(const struct report *r, enum table t, int at_peak,
	       struct group *most, struct group *all);
/* Finds the group of modules of one directory that holds most. */
void group_of_dir(const struct report *r, int at_peak, struct group *most);
/* Finds the deepest directory that more than half of a group come from. */
void group_find_from(const struct ledger *l, struct group *g, int at_peak);
/* May both be in one row, because they have one name? */
int group_same_name(const struct ledger *l, enum table t, uint32_t a,
		    uint32_t b);
/* Makes one item (report.h, rank) of three or more tasks with one name, and of
 * the loads of a module that are over. */
void group_by_name(struct ranking *k);
/* Does this row hold pages for others: zram, which keeps pages of programs, or
 * kswapd, which gave these pages to zram? Such a row is in no group, and no
 * culprit. */
int row_serves(const struct ledger *l, enum table t, uint32_t row);
int group_has(const struct ledger *l, const struct group *g, uint32_t row);
/* "plnt*", "worker", "drivers/nvme"; nothing for all modules. */
void group_write(struct line *line, const struct ledger *l,
		 const struct group *g);
/* The directory that most modules of the group come from. */
void group_write_from(struct line *line, const struct ledger *l,
		      const struct group *g);

/* --- json head: the first lines of the report for programs: see json_head.c */

void json_head(struct sheet *s);
/* Its first line alone. */
void json_head_line(struct sheet *s);
/* Near the end, where readers of earlier versions look for it. */
void json_advice(struct sheet *s);

/* --- json rows: the tables of the report for programs, with their stacks */

void json_rows(struct sheet *s);
/* Writes one item of section select; the context is a sheet. */
void json_show(void *context, const struct shown *shown);
/* Adds the columns of the table, and whether they are sampled. */
void json_columns(struct sheet *s, const struct shown *shown, enum table t);

/*
 * --- kind names
 *
 * Kinds of memory in a report (ledger/tables.h, kinds): their names, and of
 * which kinds the pages of one row are.
 */

/* Are pages without a stack surely first touches of anonymous memory? Not if a
 * table was full, or if the kernel gives no stacks at all. */
int stackless_is_anonymous(const struct ledger *l);

const char *kind_name(uint32_t kind);

/* Are figures of kinds known? Sampled kinds always are. */
static inline int kinds_are_known(const struct ledger *l)
{
	return l->kinds.known || is_sampled(l);
}

/* The figures of one kind, traced or sampled. */
static inline const struct count *kind_count(const struct ledger *l,
					     uint32_t kind)
{
	return is_sampled(l) ? &l->samples.kind[kind] : &l->kinds.row[kind];
}

/* The pages that a module or task holds now, by kind. The kinds at a module's
 * peak are known too, but its kernel stacks in vmalloc count as vmalloc. */
void kinds_of_row(const struct ledger *l, enum table t, uint32_t row,
		  int at_peak, uint64_t pages[KINDS]);

/* The largest first. */
void kinds_sort(const uint64_t pages[KINDS], unsigned char order[KINDS]);

/* Adds "tmpfs 38.0M, slab 1.2M": so many of the largest kinds, less if fewer
 * have pages. Returns how many it added. */
#define LARGEST_KINDS 2
int kinds_write(struct line *l, const uint64_t pages[KINDS], int most);

/* What a module that is gone, or was never loaded, still holds of its own:
 * memory that it shares with the rest of the kernel is no leak. In pages, and
 * in objects of slab, if they are traced, that its own code allocated. Until
 * kinds are known, all its pages count. */
uint64_t row_leak(const struct ledger *l, uint32_t row);
uint64_t row_leak_objects(const struct ledger *l, uint32_t row);

/*
 * --- moment
 *
 * Points of the timeline, one line each: the time, how much was free and held,
 * who held most of it, and which modules were loaded since the last point.
 */

/* The moment of the peak; nothing if it was not sampled. */
void moment_peak(struct sheet *s);
void moment_timeline(struct sheet *s);

/* A list of modules, by their unmovable pages. */
void moment_unmovable(struct sheet *s, const struct moment *m);

/*
 * --- picture
 *
 * What a picture of the boot shows, as figures: facts, points in time, bands of
 * three charts, and the spans of loads and lives.
 *
 * It is a model of its own, without a pointer into a ledger or a report. It is
 * made from a ledger here, or read from a report in JSON, which has all of it
 * (host/view/picture.c), and both are drawn to the same bytes by the same code.
 *
 * The points are those of the timeline, the instant at which most memory was
 * used, and the end. At each of them the bands of a chart are exact, and they
 * add up to its total: what a band does not know (ledger/history.h) is in the
 * last band, "others". Pictures draw straight lines between points.
 *
 * Kinds are of the same pages that modules hold, and tasks, so they are three
 * charts and are never added up. Where no task is charged with areas, the areas
 * are a band of their own among the tasks. In a sampled ledger (ledger/history.h,
 * samples) the totals are sums of images and of resident sets.
 */

#define PICTURE_POINTS (TIMELINE_POINTS + 2)

/* Numbers; the keys are their names in JSON, in this order. UNKNOWN is null. */
enum fact {
	FACT_PAGE_BYTES, FACT_RAM_KIB, FACT_START_NS, FACT_END_NS,
	FACT_FROM_NS, FACT_UNTIL_NS,	/* all of the picture */
	FACT_FREE_START_KIB, FACT_FREE_LOWEST_KIB, FACT_FREE_LOWEST_NS,
	FACT_PEAK_NS, FACT_HELD_PAGES,	/* at the peak */
	FACT_HARD_KIB, FACT_HARD_NS,	/* UNKNOWN: no sample told */
	FACT_COMPLETE, FACT_SAMPLED, FACT_LOST, FACT_POINTS, FACT_SPANS, FACTS,
};
#define FACT_KEYS "page_bytes ram_kib start_ns end_ns from_ns until_ns " \
	"free_start_kib free_lowest_kib free_lowest_ns peak_ns held_pages " \
	"unreclaimable_kib unreclaimable_ns complete sampled lost points spans"

enum point_value {
	POINT_TIME_NS, POINT_FREE_KIB, POINT_TRACED, POINT_AREAS,
	POINT_RAM_KIB, POINT_HARD_KIB, POINT_LIVE_BYTES, POINT_VALUES,
};
#define POINT_KEYS "time_ns free_kib traced_pages areas_pages ram_kib " \
	"unreclaimable_kib live_bytes"

enum { CHART_KINDS, CHART_MODULES, CHART_TASKS, CHARTS };

/* The first band is what belongs to no module, or no task, if that is known:
 * rows or areas; the last band is "others". In between are the largest bands,
 * in order of size. */
#define BANDS_NAMED 7u
#define BANDS_MAX (BANDS_NAMED + 2)

struct picture_point {
	uint64_t value[POINT_VALUES];
	uint32_t pages[CHARTS][BANDS_MAX];
};

/* A name with its own bytes. */
struct picture_name {
	char name[MODULE_NAME_BYTES];
	uint64_t pid;			/* UNKNOWN: not of a task */
	uint64_t row;			/* of the table; UNKNOWN: none now */
	uint64_t pages;			/* of the largest; not of bands */
};

struct chart {
	uint32_t bands;
	uint32_t fixed;			/* bands in front of the named ones */
	struct picture_name band[BANDS_MAX];
};

/* A module's load or a process's life. Without a known end, the end is that of
 * the picture if it still goes on; else it is the beginning. */
enum span_value {
	SPAN_ROW, SPAN_PID, SPAN_PPID, SPAN_BEGIN_NS, SPAN_END_NS,
	SPAN_PEAK, SPAN_HELD_PEAK, SPAN_VALUES,
};
#define SPAN_KEYS "row pid ppid begin_ns end_ns peak_pages held_peak_pages"
#define STATE_BYTES 8

struct picture_span {
	uint64_t value[SPAN_VALUES];
	char name[MODULE_NAME_BYTES], state[STATE_BYTES];
};

enum picture_text { TEXT_KERNEL, TEXT_REASON, TEXT_CMDLINE, PICTURE_TEXTS };

struct picture {
	uint32_t kills, points;		/* points 0: free memory was not
					 * sampled */
	uint32_t peak;			/* the point of the peak */
	int without_history;
	/* Spans are many, so they come one by one: number i of the table, for i
	 * below spans[table]. 0: this number is none. */
	uint32_t spans[TABLE_TASKS + 1];
	int (*get_span)(const struct picture *p, enum table t, uint32_t i,
			struct picture_span *s);
	const void *from;		/* get_span()'s own */
	uint64_t fact[FACTS];
	uint64_t kill_ns[KILLS_MAX];
	struct phases phases;
	char text[PICTURE_TEXTS][CMDLINE_KEPT_BYTES];
	struct picture_name largest[TABLE_TASKS + 1];	/* at the peak, by
							 * table */
	struct chart chart[CHARTS];
	struct picture_point point[PICTURE_POINTS];
};

/* The name in JSON. */
extern const char *const picture_text_names[PICTURE_TEXTS];
enum table chart_table(uint32_t chart);

/* The picture of the report's ledger; `value` are the figures of the report. */
void picture_get(const struct report *r, const uint64_t value[FIGURES],
		 struct picture *p);
/* The picture that the report has, or the one in *made. */
const struct picture *picture_of(const struct sheet *s, struct picture *made);
/* All of it, if the ledger has a history. */
void json_picture(struct sheet *s);

/* Of KiB. */
uint64_t picture_pages(const struct picture *p, uint64_t kib);

/* The time within the picture. */
uint64_t picture_time(const struct picture *p, uint64_t time_ns);

/*
 * --- ram
 *
 * Where all of RAM is, as rows that add up to what is installed.
 *
 * What the firmware, the kernel and memblock took, and what was used before
 * tracing, is as of the start of tracing (ledger/history.h, ram rows). What was
 * freed of these since then is a row of its own, below 0, because nobody knows
 * which of them it belonged to. What is traced and what is free is as of the
 * report. The rest is unknown; if the rest is below 0, that much was counted
 * twice.
 */

/* Rows that a report adds. */
#define RAM_ADDED 16u

struct ram_part {
	const char *name;
	enum ram_group group;
	int within;		/* another part contains it */
	int64_t kib;
};

struct ram_account {
	struct ram_part part[RAM_ROWS_MAX + RAM_ADDED];
	uint32_t parts;			/* by group, the largest first */
	int64_t installed_kib, group_kib[RAM_GROUPS];
};

/* `value`: figures of the report. 0: nothing is known of RAM. */
int ram_account(const struct report *r, const uint64_t *value,
		struct ram_account *a);

/* What the kernel itself takes; UNKNOWN: nothing is known of RAM. */
uint64_t ram_kernel_kib(const struct report *r, const uint64_t *value);

/* Lines of a report, if RAM is known. Text has a line for each group with its
 * largest rows, and the small rows together, except at level 3. JSON has a line
 * for each row. */
void ram_text(struct sheet *s);
void ram_json(struct sheet *s);

/*
 * --- saves
 *
 * The largest savings of the memory that the advice calls needed: figures that
 * were measured, each with what to change. A saving is the fall of the need,
 * and only as far as no other moment (report.h, advice) then needs more.
 *
 *	module		what it held for itself at the peak: no files, no pages
 *			of programs, because these would be elsewhere then. No
 *			module that is in use (source/proc/proc.h, in use)
 *	modules		the same of the group of modules that stands out
 *			(section verdict); then no row names one of them alone
 *	initramfs	the files of rootfs, with their inodes and names; twice
 *			the files if the advice is for rootfs; and the
 *			compressed image while it is unpacked. This is the most
 *			that a smaller one can save
 *	nr_cpus		per-CPU memory of all CPUs but one. At least so much is
 *			saved: slab, stacks of threads and irqs of each CPU come
 *			on top. On x86 the table of per-CPU objects of memory
 *			cgroups then has 4.2 MiB, since a unit is 2 MiB divided
 *			by the CPUs (mm/percpu.c: pcpu_build_alloc_info), two
 *			bytes of table for each byte; now it has a half or less.
 *			So only five CPUs or more get this row: with fewer CPUs
 *			less may be saved, or nothing. Measured on 6.1, 6.12 and
 *			7.2 with 2 to 16 CPUs
 *	swiotlb		bounce buffers but for the smallest table
 *	crashkernel	what is reserved for a dump; the most that a smaller
 *			one can save
 *	hugepages	huge pages that nobody used at any look, the most that
 *			fewer of them can save. They are taken before the
 *			initramfs is unpacked, but after rootfs has its limit
 *	numa=off	what describes the nodes, but for one; at least so much:
 *			caches and threads of each node come on top
 *	kfence		its pool
 *	cgroup.memory=nokmem	the table of per-CPU objects (nr_cpus, above)
 *	initramfs_options=	what rootfs needs less for the same files if it
 *			may hold 90 % instead of half
 *	udev.children-max=	what workers of udev held at the peak, but for
 *			the largest of them. Kinds of memory are only known of
 *			now, so of each this is what it held but for what is no
 *			anonymous memory and no page table now: the most that
 *			can be saved
 *	tasks		the same of the group of tasks that stands out
 *	cma=		memory of CMA that was free at every look: only movable
 *			pages may use it
 */

struct group;
struct verdict;

#define SAVES_MAX 3

enum saves_what {
	SAVES_MODULE, SAVES_INITRAMFS, SAVES_CPUS, SAVES_SWIOTLB,
	SAVES_CRASHKERNEL, SAVES_HUGE, SAVES_NODES, SAVES_KFENCE, SAVES_CMA,
	SAVES_KMEM, SAVES_ROOTFS, SAVES_WORKERS, SAVES_MODULES, SAVES_TASKS,
};

struct saving {
	enum saves_what what;
	uint32_t row;		/* of the module; of swiotlb, the slots left */
	uint64_t kib, of_kib;	/* saved, of what is held now */
};

/* The largest first, none below a 50th of the advised memory, or 1 MiB if that
 * is less. Returns their number; 0 if there is no advice. The groups are those
 * of *v. */
unsigned int saves_get(const struct report *r, const struct verdict *v,
		       const uint64_t value[FIGURES],
		       struct saving best[SAVES_MAX]);
/* May this module of the group be left out? */
int saves_module(const struct ledger *l, const struct group *g, uint32_t row);

/* Lines of a report. */
void saves_text(struct sheet *s, const struct verdict *verdict);
void saves_json(struct sheet *s);
/* What holds most of the initramfs. */
void initramfs_json(struct sheet *s);

/*
 * --- select
 *
 * What a report shows: tables, rows and stacks.
 *
 * text.c, json.c and report_collect() follow one walk, so that all three have
 * the same rows and stacks. Text follows the walk twice: all tables come first,
 * then the stacks. Rows that never held a page are not shown. The
 * order is by peak, the largest first; then by name, pid, row. From level 2 on,
 * the stacks of a row follow it in each walk.
 *
 *	             rows of a table      stacks of a row
 *	level 1      5 (callers: 3)       none
 *	level 2      10                   3
 *	level 3      all                  all
 *
 * Loads that failed before the kernel reported the module's name are of little
 * interest, and udev makes dozens of them: it loads a module once for each
 * device that asks for the module. Below level 3 these loads are one row behind
 * the others, unless one load holds more than 64K or a hundredth of what was
 * traced.
 *
 * Three or more tasks of one name are two rows below level 3: the largest task,
 * and one row for the others, unless `top` asks for rows. Loads of one module
 * that have ended and leak nothing are one row then, with the largest peak of
 * one load and the stacks of this load.
 *
 * Initcalls are shown at level 1 only if one of them took 64K or more.
 *
 * A module that is gone and still holds pages is shown at every level. When
 * memory runs out (BY_HELD), only the rows that hold most now are shown. `top`
 * replaces 10, 3 and all, and bounds the number of stacks. `throttle` ends a
 * table when the rows shown together have this share of at_peak (peaks
 * themselves cannot be added up); in the order BY_HELD, this share of what is
 * held. The ledger's scratch gives the room for sorting; rows that find no room
 * count as not shown.
 *
 * Of objects of slab, level 1 shows five sites and five modules, level 2 ten of
 * each and of the caches.
 */

/* All tables but those of objects of slab. */
void select_walk(const struct report *r,
		 void (*show)(void *context, const struct shown *shown),
		 void *context);
/* One table. */
void select_table(const struct report *r, enum table t,
		  void (*show)(void *context, const struct shown *shown),
		  void *context);

/*
 * --- select stacks
 *
 * One walk over what a report shows (section select), and its part for the
 * stacks of a row.
 */

struct stack_walk {
	const struct report *r;
	void (*show)(void *context, const struct shown *shown);
	void *context;
	uint32_t rows_max[TABLES], stacks_max;
	int folds;		/* failed loads */
	int folds_names;	/* tasks of one name */
};

/* `items`: room to sort the stacks of this row. */
void walk_stacks(const struct stack_walk *w, const struct shown *row,
		 uint32_t *items, uint32_t room);

/*
 * --- slab
 *
 * The objects of slab in a report, if they are traced: besides their tables
 * (section table) the totals, the balance, impossible figures, and modules that
 * are gone while their objects live.
 */

void slab_write(struct sheet *s);
/* Two lines, for the report when memory runs out. */
void slab_text_briefly(struct sheet *s);

/* --- text: the parts of the report for people that a host uses too */

/* Writes all tables; and the stacks of their rows, from level 2 on. */
void text_tables(struct sheet *s);
void text_stacks(struct sheet *s);
/* Writes the notes on names, and the last line. */
void text_finish(struct sheet *s);

/*
 * --- text account
 *
 * The last part of the report for people: see text_account.c.
 */

/* Does the account agree with the kernel's (section balance)? Also when memory
 * runs out. */
void text_balance(struct sheet *s);
/* The same, and all that follows it in a complete report. */
void text_account(struct sheet *s);
/* The line of what was used when tracing began: how much, and the largest of
 * the kernel's own figures. */
void text_before(struct sheet *s);

/* --- text head: the head of the report for people: see text_head.c */

void text_head(struct sheet *s);
/* What is incomplete. */
void text_warnings(struct sheet *s);

/* --- troubles: what went wrong, as lines of a report: see troubles.c */

void troubles_text(struct sheet *s);
void troubles_json(struct sheet *s);

/*
 * --- verdict
 *
 * The answer: who holds the memory, and what kind of memory it is, at the
 * moment that counts. That is now when memory runs out, else the instant at
 * which the most was used.
 *
 * A module or a task is named as the culprit if, at that moment, it held at
 * least a quarter of all pages allocated since tracing began and still held,
 * and at least a 50th of memory. A group of modules or tasks (section group) is
 * named under the same conditions if no row stands out, or if the group held
 * twice as much as the row that does: first groups of one name, then of one
 * directory. If modules form no such group, all modules are one group if they
 * held half. Otherwise nobody stands out, and a report that named somebody
 * would mislead. Sampled tasks are in no group, because each of them counts the
 * pages that they share.
 */

struct verdict {
	struct moment at;		/* the largest are first */
	uint64_t held_pages;
	int little;			/* less than a 50th of memory */
	int module_stands_out, task_stands_out;
	int wants_dirs;			/* a group of modules may stand out */
	int complete;			/* no event is missing */
	struct group group[TABLE_TASKS + 1];	/* by table; of no rows: none
						 * stands out */
	uint64_t kind[KINDS];		/* pages: of the group of modules or the
					 * module that stands out, else of
					 * all */
	unsigned char order[KINDS];	/* the largest kind first */
};

/* Is this the report when memory runs out? */
static inline int is_oom(const struct report *r)
{
	return r->order == BY_HELD;
}

/* More would have been used. */
int is_at_least(const struct report *r, const uint64_t value[FIGURES]);
/* Was low memory reported, and no kill followed? */
int is_taken_back(const struct report *r);

void verdict_get(const struct report *r, struct verdict *v);

/* The largest stacks of these modules, and their callers that hold most in areas,
 * as many as there is room for. A report collects the names of their functions
 * before it knows the kinds. */
#define VERDICT_STACKS 4
void verdict_largest(const struct report *r, const struct verdict *v,
		     struct largest leaf[VERDICT_STACKS],
		     struct largest caller[VERDICT_STACKS]);

/* Of these the largest that is of the largest kind: a leaf, or the row of a
 * caller. 0: it is the other one, or there is none. */
struct most { uint32_t leaf, caller; };
struct most verdict_most(const struct report *r, const struct verdict *v);

/*
 * --- text rows
 *
 * The tables of the report for people: their headings and rows, with numbers
 * right-aligned under the headings.
 */

/* Sends the heading of a table, which follows what the line already has. */
void text_table(struct sheet *s, const struct shown *t);
/* Writes one item of section select, in one or more lines; the context is a
 * sheet. */
void text_show(void *context, const struct shown *shown);

/*
 * --- text verdict
 *
 * The first lines of a report for people: see text_verdict.c.
 */

void text_verdict(struct sheet *s);
/* The line of the kinds once more, when the kinds are known. */
void text_kind(struct sheet *s);

/* --- frames: those of a call chain, and which are left out: see frames.c */

/* Leaves out the functions of ftrace with which a chain may begin: no report
 * prints them. */
void trim_probe(struct sheet *s, uint32_t *first);

/* Of a chain that begins at *first, an inner node or leaf: sets the first frame
 * that is printed, and *end, the node behind the last one. At least one frame
 * is left. The sheet's line is the same before and after. */
void trim_chain(struct sheet *s, uint32_t *first, uint32_t *end);

/* Sends the lines of a chain, innermost frame first. */
void text_frames(struct sheet *s, uint32_t leaf);
/* Ends the line with "frames": innermost first. Frames that do not fit follow
 * in lines of their own. NO_LEAF: no frames. */
void json_frames(struct sheet *s, uint32_t leaf);

/*
 * --- part
 *
 * A section of the older program, as a report of ours with the same content.
 */

/* Reads the next section of the list at *at, and makes *part a report that
 * shows what this section does: all rows, unless the section bounds them. 0:
 * there is none. */
int part_next(const struct report *r, const char **at, struct section *n,
	      struct report *part);

#endif
