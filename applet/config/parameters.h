/*
 * The one table of parameters: of the kernel command line, the options, --help
 * and (by tests/unit/help.t) the man page.
 */
#ifndef MEMSTRACK_PARAMETERS_H
#define MEMSTRACK_PARAMETERS_H

#include <stddef.h>
#include "config/config.h"

/* NAME as the user wrote it ("rd.memstrack.top" or "--top"). */
struct cmdline_word {
	const char *name, *value;	/* not ended; value NULL: no "=" */
	size_t name_len, value_len;
};

void config_defaults(struct config *c);

struct parameter;

/* NULL: there is none of this name. */
const struct parameter *parameter_find(const char *name, size_t len);

/* Its bare name means 1. */
int parameter_is_switch(const struct parameter *p);
/* Not of the boot alone. */
int parameter_is_option(const struct parameter *p);

/* NULL, or what would have been accepted; then *c is unchanged. `boot`: a path
 * begins at the root. */
const char *parameter_set(struct config *c, const struct parameter *p,
			  const struct cmdline_word *w, int boot);

/* One line of help an option: "  --top=N            rows a table …". NULL
 * past the last. buf holds LINE_BYTES. */
const char *option_help(unsigned int index, char *buf);

#endif
