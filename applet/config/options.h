/* What trace, record and replay are told: see options.c. */
#ifndef MEMSTRACK_OPTIONS_H
#define MEMSTRACK_OPTIONS_H

#include "config/cmdline.h"

/* Options in any order, and, where `file` is not NULL, one FILE among them,
 * which must be there. The level is 1 unless told, and the report goes to
 * standard output. 0, or -EINVAL: then `problem`, of LINE_BYTES, says what is
 * wrong. */
int options_parse(struct config *c, const char **file, int argc, char *argv[],
		  char *problem);

#endif
