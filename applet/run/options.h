/* SPDX-License-Identifier: MIT */
/* The arguments of a run. */
#ifndef MEMSTRACK_RUN_OPTIONS_H
#define MEMSTRACK_RUN_OPTIONS_H

#include "run/parts.h"

/* Options end at the first argument that is none, or at "--"; then comes the
 * command. 0, or -EINVAL: then `problem`, of LINE_BYTES, says what is wrong. */
int run_options(struct run *r, int argc, char *argv[], char *problem);

#endif
