/* SPDX-License-Identifier: MIT */
/* See config.h. */
#include <errno.h>
#include <string.h>
#include "config/config.h"

int config_has(const struct config *c, int (*is_such)(enum format f))
{
	int has = is_such(c->format);

	for (size_t i = 0; i < BESIDE_FILES && c->beside[i][0]; i++)
		has |= is_such(format_of_file(c->beside[i],
					      strlen(c->beside[i])));
	return has;
}

/* A report of text in a file X.json would mislead, unless it was asked for. */
static void take_suffix(struct config *c)
{
	const enum format f = format_of_file(c->out_path, strlen(c->out_path));

	if (c->out == OUT_FILE && f != FORMATS && !c->format_given)
		c->format = f;
}

int config_settle(struct config *c)
{
	const char *first = c->beside[0];

	take_suffix(c);
	if (!format_is_for_files(c->format) || c->out == OUT_FILE)
		return 0;
	if (c->out != OUT_AUTO ||
	    format_of_file(first, strlen(first)) != c->format)
		return -EINVAL;
	c->out = OUT_FILE;
	memcpy(c->out_path, first, PATH_BYTES);
	memmove(c->beside[0], c->beside[1], sizeof(c->beside) - PATH_BYTES);
	c->beside[BESIDE_FILES - 1][0] = 0;
	return 0;
}
