/* SPDX-License-Identifier: MIT */
/* memstrack diff BEFORE AFTER: see diff.c. */
#ifndef MEMSTRACK_DIFF_H
#define MEMSTRACK_DIFF_H

/* Returns the exit status: 0; 1: something grew by more than --fail; 2: usage, or
 * a file is not whole, or the output cannot be written. */
int diff_main(int argc, char *argv[]);

#endif
