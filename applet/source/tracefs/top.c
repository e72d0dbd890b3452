/* SPDX-License-Identifier: MIT */
/* See tracefs.h, top. */
#include "base/base.h"
#include "base/system.h"
#include "source/tracefs/tracefs.h"

ssize_t top_read(const char *root, const char *name, char *text, size_t size)
{
	char path[TOP_PATH_ROOM];

	print_to(path, sizeof(path), "%s/%s", root, name);
	return readfile(path, text, size);
}

int top_write(const char *root, const char *name, const char *text)
{
	char path[TOP_PATH_ROOM];

	print_to(path, sizeof(path), "%s/%s", root, name);
	return writefile(path, text);
}
