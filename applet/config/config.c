/* SPDX-License-Identifier: MIT */
/* See config.h. */
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
