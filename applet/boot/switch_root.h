/* SPDX-License-Identifier: MIT */
/* memstrack switch_root [-c CONSOLE] NEWROOT INIT [ARGS…]: see switch_root.c.
 * Returns only on failure: the exit status. */
#ifndef MEMSTRACK_SWITCH_ROOT_H
#define MEMSTRACK_SWITCH_ROOT_H

int switch_root_main(char *argv[]);

#endif
