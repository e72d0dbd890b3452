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
#include "config/parameters.h"
#include "limits.h"

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

#endif
