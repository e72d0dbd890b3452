/* SPDX-License-Identifier: MIT */
/*
 * What the user asks for: struct config, and where its values come from: the
 * kernel's command line, options, and the older memstrack's section lists.
 */
#ifndef MEMSTRACK_CONFIG_CONFIG_H
#define MEMSTRACK_CONFIG_CONFIG_H

#include <stddef.h>
#include <stdint.h>
#include "base/base.h"
#include "limits.h"

/*
 * --- formats
 *
 * The formats of a report: their names, and the suffixes of files.
 *
 * A format that a configuration lacks (base.h, features) keeps its number and
 * its name, so that whoever asks for the format reads why there is none.
 */

/* Formats behind FORMAT_LINE are for a file, not for a log. */
enum format {
	FORMAT_TEXT, FORMAT_JSON, FORMAT_LINE,
	FORMAT_FOLDED_PEAK, FORMAT_FOLDED_TASKS, FORMAT_FOLDED,
	FORMAT_PROMETHEUS, FORMAT_SVG, FORMAT_CHROME,
	FORMATS,
};

/* For --format=, in the order of the numbers. */
#define FORMAT_NAMES "text|json|line|folded-peak|folded-tasks|folded|" \
	"prometheus|svg|chrome"

/* Does this configuration have the format? If not, what a refusal says: "not"
 * and this text. */
int format_is_here(enum format f);
extern const char not_here[];

static inline int format_is_for_files(enum format f)
{
	return f > FORMAT_LINE;
}

/* Does this format show each stack that holds pages, at any level? */
FEATURE_INLINE int format_has_all_stacks(enum format f)
{
	return has_feature(FEATURE_FOLDED) && f >= FORMAT_FOLDED_PEAK &&
	       f <= FORMAT_FOLDED;
}

/* Is a file of this format for programs of other users? */
static inline int format_is_public(enum format f)
{
	return f == FORMAT_PROMETHEUS;
}

/* A picture over time needs a history (ledger/history.h). */
static inline int format_is_picture(enum format f)
{
	return f == FORMAT_SVG || f == FORMAT_CHROME;
}

/* The name of a format, *len bytes long. */
const char *format_name(enum format f, size_t *len);

/* The format that the suffix of a file name stands for; FORMATS: none. */
enum format format_of_file(const char *name, size_t len);

/*
 * --- config
 *
 * What the user wants: the values of all parameters.
 */

/* Behind BACKEND_AUTO, in the order of enum source_number. The last one is no
 * source: the older program's name for what `view` does. */
enum backend { BACKEND_AUTO, BACKEND_PERF, BACKEND_FTRACE, BACKEND_SAMPLED,
	       BACKEND_PAGEOWNER };
enum out_kind { OUT_AUTO, OUT_KMSG, OUT_CONSOLE, OUT_FILE };
enum oom { OOM_REPORT, OOM_LINE, OOM_OFF };
enum diff_by { DIFF_BY_PEAK, DIFF_BY_NOW };

struct config {
	uint32_t level;			/* 0..3; 0: do not trace */
	enum backend backend;
	enum out_kind out;
	enum format format;
	uint32_t format_given;		/* by the user: no suffix changes it */
	uint32_t top;			/* rows in a table; 0: depends on the
					 * level; UINT32_MAX: all */
	uint32_t throttle_percent;	/* 1..100: rows up to this share of the
					 * table's pages */
	uint32_t lines;			/* of a report; 0: see limits.h */
	enum oom oom;
	uint32_t heartbeat_s;		/* 0: none */
	uint32_t keep;			/* continue after switch-root */
	uint32_t wait_s;		/* switch_root waits for the report */
	uint32_t ready_s;		/* PID 1 waits for the tracer */
	uint32_t frames;		/* of a chain; 0: see limits.h */
	uint32_t mem_bytes;		/* 0: MemTotal / 128, see limits.h */
	/* The size of each table; 0: the table's share of mem. In rows; but
	 * rings in bytes, of all CPUs together, and the page table in bytes. */
	uint32_t pages_bytes, stacks, tasks, modules, ring_bytes;
	uint32_t ring_mib;		/* of each CPU, instead; 0: not given */
	/* Bytes for the objects of slab; 0: slab is not traced; 1: a share of
	 * memory, see limits.h. */
	uint32_t slab_bytes;
	uint32_t slab_chains;
	/* Of diff: the figure that is compared; changes below min_bytes are not
	 * shown; growth above fail_bytes is a failure (UINT32_MAX:
	 * never). */
	enum diff_by by;
	uint32_t min_bytes, fail_bytes;
	uint32_t once, interval_s;	/* of top */
	/* Paths, each of one applet; "": not given. */
	union {
		struct {
			char check[PATH_BYTES];	/* of report: a path or
						 * "page_owner" */
			char book[PATH_BYTES];	/* of BACKEND_PAGEOWNER */
			char sections[PATH_BYTES];	/* see section sections */
			char init[PATH_BYTES];	/* "": the kernel's own list of
						 * programs */
		};
		struct {			/* of estimate */
			char initrd[PATH_BYTES], packed[PATH_BYTES];
			char kernel[PATH_BYTES], luks[PATH_BYTES];
		};
	};
	char out_path[PATH_BYTES];	/* OUT_FILE */
	/* Files beside the report, each in the format of its suffix; "" behind
	 * the last file. */
	char beside[BESIDE_FILES][PATH_BYTES];
};

/* Does is_such() hold for the format of the report, or of a file beside it? 0
 * or 1. */
int config_has(const struct config *c, int (*is_such)(enum format f));

/* Is a picture wanted, or a report that carries one: in JSON, in a file? */
int config_wants_history(const struct config *c);

/* Call this after all values are set. If no format was given, the suffix of the
 * report's own file decides. If the format is for files alone and the report
 * has no file, the first file beside it becomes the report's file, if the
 * suffix fits. -EINVAL: there is no file for the format. */
int config_settle(struct config *c);

/*
 * --- where
 *
 * The value of out=: WHERE[,FILE...]. WHERE is a word or a file; each further
 * file is written beside the report, in the format of its suffix (section
 * formats).
 */

/* Both return NULL, or the text of what would have been accepted. `path` holds
 * PATH_BYTES. */
const char *path_set(char *path, const char *value, size_t len, int from_root,
		     const char *accepts);
/* On an error *c may have changed. `boot`: a path must start with a slash. */
const char *where_set(struct config *c, const char *value, size_t len, int boot,
		      const char *accepts);

/* --- value: the index of the value among the words "text|json", or -EINVAL */

int value_keyword(const char *words, const char *value, size_t len);

/*
 * --- parameters
 *
 * The one table of parameters serves the kernel command line
 * (rd.memstrack.NAME=VALUE, where rd.memstrack=N alone sets the level), the
 * options of the applets (--NAME=VALUE, --NAME VALUE), --help, and the man
 * pages, which tests/house/help.t compares with the table. Sizes take K, M, G.
 * In names a dash and an underscore are the same. If a parameter is repeated,
 * the last value wins.
 */

/* NAME as the user wrote it ("rd.memstrack.top" or "--top"). */
struct cmdline_word {
	const char *name, *value;	/* no end byte; value NULL: no "=" */
	size_t name_len, value_len;
};

void config_defaults(struct config *c);

/* The applets that have a parameter. */
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
	OF_ESTIMATE = 512,
};

struct parameter;

/* That of one of these applets; NULL: none has the name. */
const struct parameter *parameter_find(const char *name, size_t len,
				       uint32_t applets);

/* On the kernel command line the name without a value means 1. */
int parameter_is_switch(const struct parameter *p);
/* The option without "=" means 1, unless the next argument is a number. */
int parameter_is_flag(const struct parameter *p);

/* 0; or -EINVAL: *c is unchanged, and `problem` says what is wrong. `boot`: a
 * path must start with a slash. */
#define REFUSAL_BYTES (LINE_BYTES - 64)
int parameter_set(struct config *c, const struct parameter *p,
		  const struct cmdline_word *w, int boot,
		  char problem[REFUSAL_BYTES]);

/* Writes "NAME: VALUE: not ACCEPTED"; with a unit, ": VALUE" and the unit; and at
 * boot "; it is ignored". Returns -EINVAL. */
int word_refusal(char problem[REFUSAL_BYTES], const struct cmdline_word *w,
		 const char *accepted, const char *unit, int boot);

/* The help line of one option, " --top=N rows of each table …", with a heading
 * before the first option that sizes a table; "" if none of these applets has
 * the option. NULL after the last option. buf holds LINE_BYTES. */
const char *option_help(unsigned int index, uint32_t applets, char *buf);

/*
 * --- cmdline
 *
 * Parameters: text -> struct config.
 */

/* Reads the kernel's command line: the words that begin with rd.memstrack and
 * stand before a word "--". Quotes are read as the kernel reads them. A bad
 * value changes nothing, and is a problem for warn(). A bad level without a good
 * one counts as 1: a user who gives a level wants to trace. Returns the number
 * of problems. */
int cmdline_parse(struct config *c, const char *text, size_t len,
		  void (*warn)(void *context, const char *problem),
		  void *context);

/* The length of the text up to its last whole word: the text may be cut within
 * a word. */
size_t cmdline_whole(const char *text, size_t len);

/*
 * --- options
 *
 * The arguments of an applet: options (parameters.c) and operands.
 */

/* What an applet accepts. */
struct options {
	enum parameter_of of;
	uint32_t least, most;	/* number of operands */
	const char *missing;	/* if there are fewer: "FILE is missing" */
	/* Options end at the first operand, or at "--". */
	int command;
	int plain;		/* one report, as text or JSON */
};

/* Parses the options, in any order, into *c. Defaults: level 1, and the report
 * to standard output, unless the operands are a command, which has standard
 * output for itself. The operands move to argv[1] and behind, and NULL ends
 * them. Returns their number, or -EINVAL: `refuse` was called with what is
 * wrong. */
int options_take(const struct options *o, struct config *c, int argc,
		 char *argv[], int (*refuse)(const char *problem));

/*
 * --- sections
 *
 * Sections of a report in the format of the older memstrack. --report=LIST
 * names them as TYPE[:ARGUMENT]…[,TYPE…].
 */

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
	uint32_t top;		/* rows, and stacks of a row; 0: not given */
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
