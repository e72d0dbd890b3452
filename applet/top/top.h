/* SPDX-License-Identifier: MIT */
/* memstrack top: see top.c. */
#ifndef MEMSTRACK_TOP_H
#define MEMSTRACK_TOP_H

/* Returns the exit status. */
int top_main(int argc, char *argv[]);

#endif
