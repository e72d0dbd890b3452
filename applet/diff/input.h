/* SPDX-License-Identifier: MIT */
/* A file, or standard input, into a report: see input.c. */
#ifndef MEMSTRACK_DIFF_INPUT_H
#define MEMSTRACK_DIFF_INPUT_H

#include "diff/taken.h"

/* Reads k->path; "-" is standard input. `buffer` has TRACE_BUFFER_BYTES. 0: there
 * is a report in it, whole or not (then a message told so); or 1 after a message:
 * there is none. */
int input_read(struct taken *k, unsigned char *buffer);

#endif
