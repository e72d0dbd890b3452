/* SPDX-License-Identifier: MIT */
/*
 * Parameters: text -> struct config.
 *
 * One table serves the kernel command line (rd.memstrack.NAME=VALUE, where
 * rd.memstrack=N alone sets the level), the options of the applets
 * (--NAME=VALUE, --NAME VALUE), --help, and the man page, which a test compares
 * with the table. Sizes take K, M, G. If a parameter is repeated, the last
 * wins.
 */
#ifndef MEMSTRACK_CMDLINE_H
#define MEMSTRACK_CMDLINE_H

#include <stddef.h>
#include "config/parameters.h"
#include "limits.h"

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

#endif
