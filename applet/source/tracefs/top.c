/* SPDX-License-Identifier: MIT */
/* See top.h. */
#include "base/print.h"
#include "base/readfile.h"
#include "source/tracefs/top.h"

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
