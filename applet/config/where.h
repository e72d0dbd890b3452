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

/* After all values are set. The suffix of the report's own file stands for a
 * format, too. A format for files takes the file that is named with its suffix. -EINVAL: there is none for it, and no other file; a log then gets
 * text. */
int config_settle(struct config *c);

#endif
