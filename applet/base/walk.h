/* SPDX-License-Identifier: MIT */
/*
 * A walk through all files of one file system, in pieces: for each file its
 * path, its size and the memory or disk space that it takes.
 *
 * No recursion and no allocation. No descriptor stays open between two pieces,
 * so the walk keeps nothing busy. What others add or remove meanwhile may be
 * missed, or told twice. Directories that are nested too deep, or whose path is
 * too long, are left out.
 */
#ifndef MEMSTRACK_WALK_H
#define MEMSTRACK_WALK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define WALK_DEPTH 16
#define WALK_PATH_BYTES 256

struct walked {
	const char *path;	/* from the top, with a slash in front */
	uint64_t size_bytes;
	uint64_t used_bytes;
	uint64_t inode;
	uint32_t links;		/* names: the file is told once for each */
	int is_file;		/* an ordinary file */
};

struct walk {
	dev_t device;
	uint32_t files;		/* told so far, of any type */
	int depth;		/* of the directory in `path`; -1: at the end */
	size_t top_bytes, bytes;	/* of the path */
	int64_t at[WALK_DEPTH];	/* where to go on in each directory */
	char path[WALK_PATH_BYTES];
};

void walk_begin(struct walk *w, const char *top);

/* Tells the next files, `most` or a few more. 0: these were the last. */
int walk_on(struct walk *w, uint32_t most,
	    void (*take)(void *context, const struct walked *f), void *context);

#endif
