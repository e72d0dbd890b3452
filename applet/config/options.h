/* SPDX-License-Identifier: MIT */
/* The arguments of an applet: options of the table in parameters.c, and others. */
#ifndef MEMSTRACK_OPTIONS_H
#define MEMSTRACK_OPTIONS_H

#include "config/cmdline.h"

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

#endif
