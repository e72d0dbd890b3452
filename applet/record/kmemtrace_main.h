/* SPDX-License-Identifier: MIT */
/* The applet for streams of kmemtrace: see kmemtrace_main.c. */
#ifndef MEMSTRACK_KMEMTRACE_MAIN_H
#define MEMSTRACK_KMEMTRACE_MAIN_H

int kmemtrace_main(int argc, char *argv[]);

#endif
