/* SPDX-License-Identifier: MIT */
/* Small files of tracefs' top instance. */
#ifndef MEMSTRACK_TOP_H
#define MEMSTRACK_TOP_H

#include <sys/types.h>

/* Of the path of any of them. */
#define TOP_PATH_ROOM 96

/* The length of what was read, or -errno. */
ssize_t top_read(const char *root, const char *name, char *text, size_t size);
/* 0 or -errno. */
int top_write(const char *root, const char *name, const char *text);

#endif
