/* SPDX-License-Identifier: MIT */
/* memstrack view FILE [OPTIONS]: see view.c. Returns the exit status: 0, 1 (the
 * file or the output is not whole), 2 (usage). */
#ifndef MEMSTRACK_VIEW_H
#define MEMSTRACK_VIEW_H

int view_main(int argc, char *argv[]);

#endif
