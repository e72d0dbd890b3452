/* SPDX-License-Identifier: MIT */
/* The arguments of an applet that has options of the table. */
#ifndef MEMSTRACK_OPTIONS_H
#define MEMSTRACK_OPTIONS_H

#include "config/cmdline.h"

/* How an applet takes its arguments. */
struct options {
	struct config *config;
	enum parameter_of applet;
	/* An argument that is not an option of the applet: 0; 1: the options
	 * end before it; -EINVAL: `problem` says what is wrong. */
	int (*other)(void *context, const char *argument, char *problem);
	void *context;
	char *problem;		/* LINE_BYTES */
};

/* Takes options until `other` ends them. Returns the number of the argument
 * that is next, or -EINVAL: `problem` says what is wrong. */
int options_each(const struct options *o, int argc, char *argv[]);

/* Takes options in any order and, if `file` is not NULL, one FILE among them,
 * which must be there. The default level is 1, and the report goes to standard
 * output. 0, or -EINVAL: then `problem`, of LINE_BYTES, says what is wrong. */
int options_parse(struct config *c, const char **file, int argc, char *argv[],
		  char *problem);

#endif
