/* SPDX-License-Identifier: MIT */
/*
 * The one table of parameters. It serves the kernel command line, the options,
 * --help and the man page, which tests/house/help.t compares with it.
 */
#ifndef MEMSTRACK_PARAMETERS_H
#define MEMSTRACK_PARAMETERS_H

#include <stddef.h>
#include "config/config.h"

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

#endif
