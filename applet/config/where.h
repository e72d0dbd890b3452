/* SPDX-License-Identifier: MIT */
/*
 * The value of out=: WHERE[,FILE...], of which WHERE is a word or a file, and
 * each further file is written beside the report, in the format that its suffix
 * stands for (config/formats.h).
 */
#ifndef MEMSTRACK_WHERE_H
#define MEMSTRACK_WHERE_H

#include <stddef.h>
#include "config/config.h"

/* Both: NULL, or the text of what would have been accepted. `path` holds
 * PATH_BYTES. */
const char *path_set(char *path, const char *value, size_t len, int from_root,
		     const char *accepts);
/* On an error *c may have changed. `boot`: a path must begin at the root. */
const char *where_set(struct config *c, const char *value, size_t len, int boot,
		      const char *accepts);

#endif
