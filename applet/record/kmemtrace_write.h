/* SPDX-License-Identifier: MIT */
/*
 * memstrack kmemtrace -w PREFIX TRACE: the objects of slab of a recorded trace ->
 * streams of kmemtrace in the relay form, PREFIX0 and so on, one for each CPU.
 */
#ifndef MEMSTRACK_KMEMTRACE_WRITE_H
#define MEMSTRACK_KMEMTRACE_WRITE_H

/* Returns the exit status, after a message if it is not 0. */
int kmemtrace_write(const char *prefix, const char *path);

#endif
