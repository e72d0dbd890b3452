/* SPDX-License-Identifier: MIT */
/* Options of the table in config/parameters.c, and FILE: see options.h. */
#include <errno.h>
#include <string.h>
#include "config/options.h"
#include "base/print.h"

static void refuse(void *problem, const struct cmdline_word *w,
		   const char *accepted)
{
	cmdline_refusal(problem, w, accepted, "");
}

int options_each(const struct options *o, int argc, char *argv[])
{
	const struct cmdline_warn w = { refuse, o->problem };
	static char output[] = "--output";
	int i = 1;

	while (i < argc) {
		int error;

		if (!strcmp(argv[i], "-o"))
			argv[i] = output;
		error = option_parse(o->config, o->applet, argc, argv, &i, &w);
		if (error == -ENOENT) {
			error = o->other(o->context, argv[i], o->problem);
			if (error > 0)
				break;
			i++;
		}
		if (error)
			return error;
	}
	return i;
}

/* `context`: where the name of FILE goes; NULL: the applet has none. */
static int take_file(void *context, const char *argument, char *problem)
{
	const char **file = context;

	/* The older program had these options; here they mean nothing. */
	if (!strcmp(argument, "--notui") || !strcmp(argument, "--debug"))
		return 0;
	if (!file || *file || argument[0] == '-') {
		option_refusal(problem, argument);
		return -EINVAL;
	}
	*file = argument;
	return 0;
}

int options_parse(struct config *c, const char **file, int argc, char *argv[],
		  char *problem)
{
	const struct options o = { c, OF_TRACE, take_file, file, problem };

	config_defaults(c);
	c->level = 1;
	if (options_each(&o, argc, argv) < 0)
		return -EINVAL;
	if (config_settle(c) && c->out != OUT_AUTO) {
		print_to(problem, LINE_BYTES, "--format: this one is not for a "
			 "log");
		return -EINVAL;
	}
	if (c->out == OUT_AUTO) {
		c->out = OUT_FILE;
		memcpy(c->out_path, "-", 2);
	}
	if (file && !*file)
		print_to(problem, LINE_BYTES, "%s: FILE is missing", argv[0]);
	else if (!c->level)
		print_to(problem, LINE_BYTES, "--level: 0 traces nothing");
	else
		return 0;
	return -EINVAL;
}
