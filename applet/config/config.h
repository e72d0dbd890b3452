/* SPDX-License-Identifier: MIT */
/*
 * What the user asks for: struct config, and its ways in: the kernel's command
 * line, options, the older program's words.
 */
#ifndef MEMSTRACK_CONFIG_CONFIG_H
#define MEMSTRACK_CONFIG_CONFIG_H

#include <stddef.h>
#include <stdint.h>
#include "limits.h"

/*
 * --- formats
 *
 * The formats of a report: their names, and the suffixes of files.
 *
 * A format that is left out of a build (APPLETS in the Makefile) has no number
 * here, so its name is refused like any other wrong word.
 */

/* Those behind FORMAT_LINE are for a file, not for a log. */
enum format {
	FORMAT_TEXT, FORMAT_JSON, FORMAT_LINE,
#ifndef WITHOUT_FOLDED
	FORMAT_FOLDED_PEAK, FORMAT_FOLDED_TASKS, FORMAT_FOLDED,
#endif
#ifndef WITHOUT_PROMETHEUS
	FORMAT_PROMETHEUS,
#endif
#ifndef WITHOUT_SVG
	FORMAT_SVG,
#endif
#ifndef WITHOUT_CHROME
	FORMAT_CHROME,
#endif
	FORMATS,
};

#ifdef WITHOUT_FOLDED
#define NAMES_FOLDED ""
#else
#define NAMES_FOLDED "|folded-peak|folded-tasks|folded"
#endif
#ifdef WITHOUT_PROMETHEUS
#define NAMES_PROMETHEUS ""
#else
#define NAMES_PROMETHEUS "|prometheus"
#endif

#ifdef WITHOUT_SVG
#define NAMES_SVG ""
#else
#define NAMES_SVG "|svg"
#endif
#ifdef WITHOUT_CHROME
#define NAMES_CHROME ""
#else
#define NAMES_CHROME "|chrome"
#endif

/* For --format=, in the order of the numbers. */
#define FORMAT_NAMES "text|json|line" NAMES_FOLDED NAMES_PROMETHEUS NAMES_SVG \
	NAMES_CHROME

static inline int format_is_for_files(enum format f)
{
	return f > FORMAT_LINE;
}

/* Does it show each stack that is held, whatever the level? */
static inline int format_has_all_stacks(enum format f)
{
#ifdef WITHOUT_FOLDED
	return f == FORMATS;
#else
	return f >= FORMAT_FOLDED_PEAK && f <= FORMAT_FOLDED;
#endif
}

/* Is such a file for programs of other users? */
static inline int format_is_public(enum format f)
{
#ifdef WITHOUT_PROMETHEUS
	return f == FORMATS;
#else
	return f == FORMAT_PROMETHEUS;
#endif
}

/* A picture over time: it needs a history (ledger/history.h). */
static inline int format_needs_history(enum format f)
{
#ifndef WITHOUT_SVG
	if (f == FORMAT_SVG)
		return 1;
#endif
#ifndef WITHOUT_CHROME
	if (f == FORMAT_CHROME)
		return 1;
#endif
	return f == FORMATS + 1;	/* no other one */
}

/* Its name, of *len bytes. */
const char *format_name(enum format f, size_t *len);

/* The format that the end of a file's name stands for; FORMATS: none. */
enum format format_of_file(const char *name, size_t len);

/*
 * --- config
 *
 * What the user wants: the values of all parameters.
 */

/* All but auto: in the order of enum source_number. */
enum backend { BACKEND_AUTO, BACKEND_PERF, BACKEND_FTRACE, BACKEND_SAMPLED };
enum out_kind { OUT_AUTO, OUT_KMSG, OUT_CONSOLE, OUT_FILE };
enum oom { OOM_REPORT, OOM_LINE, OOM_OFF };
enum diff_by { DIFF_BY_PEAK, DIFF_BY_NOW };

struct config {
	uint32_t level;			/* 0..3; 0: do not trace */
	enum backend backend;
	enum out_kind out;
	enum format format;
	uint32_t format_given;		/* no suffix changes it */
	uint32_t top;			/* rows in a table; 0: depends on the
					 * level */
	uint32_t throttle_percent;	/* 1..100: rows until they hold this
					 * share */
	uint32_t lines;			/* of a report; 0: see limits.h */
	enum oom oom;
	uint32_t heartbeat_s;		/* 0: none */
	uint32_t keep;			/* continue after switch-root */
	uint32_t wait_s;		/* switch_root waits for the report */
	uint32_t ready_s;		/* PID 1 waits for the tracer */
	uint32_t frames;		/* of a chain; 0: see limits.h */
	uint32_t mem_bytes;		/* 0: MemTotal / 128, see limits.h */
	/* One for each table; 0: the table's share of mem. In rows; ring: bytes
	 * of all CPUs together, pages: bytes of the page table. */
	uint32_t pages_bytes, stacks, tasks, modules, ring_bytes;
	/* Room for the objects of slab; 0: they are not traced; 1: a share of
	 * memory, see limits.h. */
	uint32_t slab_bytes;
	uint32_t slab_chains;
	/* Of diff: what is compared; smaller changes are not shown; one that is
	 * larger is a failure (UINT32_MAX: none is). */
	enum diff_by by;
	uint32_t min_bytes, fail_bytes;
	uint32_t once, interval_s;	/* of top */
	char check[PATH_BYTES];		/* of report: a path or "page_owner";
					 * "": no check */
	char sections[PATH_BYTES];	/* "": none; see section sections */
	char init[PATH_BYTES];		/* "": the kernel's own list of
					 * programs */
	char out_path[PATH_BYTES];	/* OUT_FILE */
	/* Files beside the report, each in the format of its suffix; ""
	 * behind the last. */
	char beside[BESIDE_FILES][PATH_BYTES];
};

/* Has the report, or a file beside it, such a format? 0 or 1. */
int config_has(const struct config *c, int (*is_such)(enum format f));

/* After all values are set. Without a format, the suffix of the report's own
 * file stands for one. A format for files takes the file that is named with its
 * suffix.
 * -EINVAL: there is none for it, and no other file; a log then gets text. */
int config_settle(struct config *c);

/*
 * --- where
 *
 * The value of out=: WHERE[,FILE...], of which WHERE is a word or a file, and
 * each further file is written beside the report, in the format that its suffix
 * stands for (section formats).
 */

/* Both: NULL, or the text of what would have been accepted. `path` holds
 * PATH_BYTES. */
const char *path_set(char *path, const char *value, size_t len, int from_root,
		     const char *accepts);
/* On an error *c may have changed. `boot`: a path must begin at the root. */
const char *where_set(struct config *c, const char *value, size_t len, int boot,
		      const char *accepts);

/*
 * --- value
 *
 * Values, checked by the text that says what is accepted: "1 to 10000", "4K to
 * 1G", "text|json". The same text is printed when a value is refused.
 */

/* A number within bounds such as "1 to 100". If the upper bound ends with K, M
 * or G, the value may end with one too. 0, or an error of base/base.h, number.
 * */
int value_within(const char *bounds, const char *value, size_t len,
		 uint32_t *number);

/* The place of the value among the words "text|json", or -EINVAL. */
int value_keyword(const char *words, const char *value, size_t len);

/*
 * --- parameters
 *
 * The one table of parameters. It serves the kernel command line, the options,
 * --help and the man page, which tests/house/help.t compares with it.
 */

/* NAME as the user wrote it ("rd.memstrack.top" or "--top"). */
struct cmdline_word {
	const char *name, *value;	/* no end byte; value NULL: no "=" */
	size_t name_len, value_len;
};

void config_defaults(struct config *c);

/* Who has a parameter. */
enum parameter_of {
	OF_BOOT = 1,		/* the kernel's command line */
	OF_TRACE = 2,		/* trace and record */
	OF_REPLAY = 4,
	OF_KMEMTRACE = 8,
	OF_VIEW = 16,
	OF_CHECK = 32,		/* report --check */
	OF_DIFF = 64,
	OF_RUN = 128,
	OF_TOP = 256,
};

struct parameter;

/* NULL: no parameter has this name. */
const struct parameter *parameter_find(const char *name, size_t len);

/* The name without a value means 1. */
int parameter_is_switch(const struct parameter *p);
/* The option without "=" means 1, unless the next argument is a number. */
int parameter_is_flag(const struct parameter *p);
/* Do any of these applets have it? */
int parameter_is_of(const struct parameter *p, uint32_t applets);

/* NULL, or the text of what would have been accepted; then *c is unchanged.
 * `boot`: a path must begin at the root. */
const char *parameter_set(struct config *c, const struct parameter *p,
			  const struct cmdline_word *w, int boot);

/* The line of help for one option, " --top=N rows of each table …", with a
 * heading before it if one is due; "" if none of these applets has it. NULL
 * after the last. buf holds LINE_BYTES. */
const char *option_help(unsigned int index, uint32_t applets, char *buf);

/*
 * --- cmdline
 *
 * Parameters: text -> struct config.
 *
 * One table serves the kernel command line (rd.memstrack.NAME=VALUE, where
 * rd.memstrack=N alone sets the level), the options of the applets
 * (--NAME=VALUE, --NAME VALUE), --help, and the man page, which a test compares
 * with the table. Sizes take K, M, G. If a parameter is repeated, the last
 * wins.
 */

/* Called once for every value that could not be read, with the text of what
 * would have been accepted: "1 to 10000", "a parameter". */
struct cmdline_warn {
	void (*warn)(void *ctx, const struct cmdline_word *w,
		     const char *accepted);
	void *ctx;
};

/* "NAME: VALUE: not ACCEPTED" and the text `then`. `text` holds
 * REFUSAL_BYTES. */
#define REFUSAL_BYTES (LINE_BYTES - 64)
void cmdline_refusal(char *text, const struct cmdline_word *w,
		     const char *accepted, const char *then);

/* Reads the kernel's command line. Only words that begin with rd.memstrack, and
 * stand before a word "--", are ours; quotes are read as the kernel reads them.
 * A bad value causes a warning and changes nothing. A bad level without a good
 * one counts as 1: a user who gives a level wants to trace. Returns the number
 * of warnings. */
int cmdline_parse(struct config *c, const char *text, size_t len,
		  const struct cmdline_warn *w);

/* The length of the whole words in a text that may be cut within its last
 * word. */
size_t cmdline_whole(const char *text, size_t len);

/* If argv[*index] is an option of one of these applets (enum parameter_of):
 * parses it and moves *index past it and its value. 0; -ENOENT: it is not,
 * nothing moved; -EINVAL: a warning was given. */
int option_parse(struct config *c, uint32_t applets, int argc,
		 char *const argv[], int *index, const struct cmdline_warn *w);

/* Why the applet of this name does not take the argument. `text` holds
 * LINE_BYTES. */
void option_refusal(char *text, const char *argument, const char *applet);

/*
 * --- options
 *
 * The arguments of an applet: options of the table in parameters.c, and others.
 */

/* What an applet takes. */
struct options {
	enum parameter_of of;
	uint32_t least, most;	/* other arguments */
	const char *missing;	/* if there are fewer: "FILE is missing" */
	/* All from the first other argument, or from behind "--", are others. */
	int command;
	int plain;		/* one report, of text or JSON */
};

/* Takes the options, in any order, into *c, whose defaults are those of the
 * applet argv[0]: level 1, and the report to standard output, but where a
 * command has it. The other arguments move to argv[1] and behind, and NULL ends
 * them. Their number, or -EINVAL: `refuse` was called with what is wrong. */
int options_take(const struct options *o, struct config *c, int argc,
		 char *argv[], int (*refuse)(const char *problem));

/*
 * --- sections
 *
 * Lists of sections: the values that --report=LIST takes.
 */

/* A section of a report in the format of the older memstrack. --report=LIST
 * names sections as TYPE[:ARGUMENT]…[,TYPE…]. */
enum section_type {
	SECTION_MODULE_SUMMARY, SECTION_MODULE_TOP,
	SECTION_TASK_SUMMARY, SECTION_TASK_TOP, SECTION_TASK_TOP_JSON,
	SECTION_SLAB,
};

struct section {
	const char *name;	/* no end byte */
	size_t name_len;
	enum section_type type;
	int by_peak;		/* sorted by peak, not by pages held now */
	uint32_t top;		/* rows, and stacks a row; 0: not given */
	uint32_t throttle_percent;	/* 0: not given */
};

/* The names of the types, in the order of the enum. */
#define SECTION_TYPES "module_summary|module_top|task_summary|task_top|" \
	"task_top_json|proc_slab_static"

/* Reads the next section and moves *list behind it. NULL, or the text of what
 * would have been accepted. After the last section *list is NULL. */
const char *section_next(const char **list, struct section *s);

/* Reads the whole list: NULL, or the text of what would have been accepted. */
const char *sections_check(const char *list);

#endif
