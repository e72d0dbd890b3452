/*
 * Parameters: text -> struct config.
 *
 * One table serves the kernel command line (rd.memstrack.NAME=VALUE, where
 * rd.memstrack=N alone sets the level), the options of the trace and record
 * and replay applets (--NAME=VALUE, --NAME VALUE), --help and the man page,
 * which a test compares with it. Sizes take K, M, G. Repeated: the last wins.
 */
#ifndef MEMSTRACK_CMDLINE_H
#define MEMSTRACK_CMDLINE_H

#include <stddef.h>
#include <stdint.h>
#include "limits.h"
#include "base/number.h"

enum backend { BACKEND_AUTO, BACKEND_PERF };
enum out_kind { OUT_AUTO, OUT_KMSG, OUT_CONSOLE, OUT_FILE };
enum format { FORMAT_TEXT, FORMAT_JSON };
enum oom { OOM_REPORT, OOM_LINE, OOM_OFF };

struct config {
	uint32_t level;			/* 0..3; 0: do not trace */
	enum backend backend;
	enum out_kind out;
	enum format format;
	uint32_t top;			/* rows a table; 0: as the level says */
	uint32_t throttle_percent;	/* 1..100: rows until these hold so much */
	uint32_t lines;			/* of a report; 0: see limits.h */
	enum oom oom;
	uint32_t heartbeat_s;		/* 0: none */
	uint32_t keep;			/* go on after switch-root */
	uint32_t mem_bytes;		/* 0: MemTotal / 128, see limits.h */
	/* One table each, 0: its share of mem. Rows, ring: bytes of all CPUs,
	 * pages: bytes of the page table. */
	uint32_t pages_bytes, stacks, tasks, modules, ring_bytes;
	char sections[PATH_BYTES];	/* "": none; see below */
	char init[PATH_BYTES];		/* "": the kernel's own list */
	char out_path[PATH_BYTES];	/* OUT_FILE */
};

/* A section of a report in the shape of the older memstrack, as --report=LIST
 * names them: TYPE[:ARGUMENT]…[,TYPE…]. */
enum section_type {
	SECTION_MODULE_SUMMARY, SECTION_MODULE_TOP,
	SECTION_TASK_SUMMARY, SECTION_TASK_TOP, SECTION_TASK_TOP_JSON,
	SECTION_SLAB,
};

struct section {
	const char *name;	/* not ended */
	size_t name_len;
	enum section_type type;
	int by_peak;		/* sorted so, not by what is held now */
	uint32_t top;		/* rows, and stacks of each; 0: not given */
	uint32_t throttle_percent;	/* 0: not given */
};

/* NAME as the user wrote it ("rd.memstrack.top" or "--top"). */
struct cmdline_word {
	const char *name, *value;	/* not ended; value NULL: no "=" */
	size_t name_len, value_len;
};

/* Told of every value that could not be read, once each, and what it is not:
 * "1 to 10000", "a parameter". */
struct cmdline_warn {
	void (*warn)(void *ctx, const struct cmdline_word *w,
		     const char *accepted);
	void *ctx;
};

/* "NAME: VALUE: not ACCEPTED", and what follows of it. text holds
 * REFUSAL_BYTES. */
#define REFUSAL_BYTES (LINE_BYTES - 64)
void cmdline_refusal(char *text, const struct cmdline_word *w,
		     const char *accepted, const char *then);

void config_defaults(struct config *c);

/* The kernel's command line. Words that are not rd.memstrack… are none of
 * ours; quotes are read as the kernel reads them, and nothing after a word
 * "--" is ours. A bad value warns and leaves what stood; a bad level without
 * a good one is 1, for whoever gives one wants to trace. Returns the number of
 * warnings. */
int cmdline_parse(struct config *c, const char *text, size_t len,
		  const struct cmdline_warn *w);

/* How much of a text that was cut off is whole words. */
size_t cmdline_whole(const char *text, size_t len);

/* argv[*index] is an option: parse it and move *index past it and its value.
 * 0; -ENOENT: not an option of ours (nothing moved); -EINVAL: warned. */
int option_parse(struct config *c, int argc, char *const argv[], int *index,
		 const struct cmdline_warn *w);

/* What --report accepts: the names of sections, "module_summary|…". */
const char *section_types(void);

/* The next of a list, which moves on: NULL, or what would have been accepted.
 * Behind the last, *list is NULL. The names are those of the table in
 * parameters.c, in the order of the types. */
const char *section_next(const char **list, struct section *s);

/* All of a list: NULL, or what would have been accepted. */
const char *sections_check(const char *list);

/* One line of help an option: "  --top=N            rows a table …". NULL
 * past the last. buf holds LINE_BYTES. */
const char *option_help(unsigned int index, char *buf);

#endif
