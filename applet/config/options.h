/* SPDX-License-Identifier: MIT */
/* The arguments of trace, record and replay: see options.c. */
#ifndef MEMSTRACK_OPTIONS_H
#define MEMSTRACK_OPTIONS_H

#include "config/cmdline.h"

/* Takes options in any order and, if `file` is not NULL, one FILE among them,
 * which must be there. The default level is 1, and the report goes to standard
 * output. 0, or -EINVAL: then `problem`, of LINE_BYTES, says what is wrong. */
int options_parse(struct config *c, const char **file, int argc, char *argv[],
		  char *problem);

#endif
