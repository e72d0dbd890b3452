/* SPDX-License-Identifier: MIT */
/*
 * The arguments of trace, record and replay: FILE and the options of the table
 * in config/parameters.c.
 */
#include <errno.h>
#include <string.h>
#include "config/options.h"
#include "base/print.h"

static void refuse(void *problem, const struct cmdline_word *w,
		   const char *accepted)
{
	cmdline_refusal(problem, w, accepted, "");
}

/* An argument that is not an option of the table. */
static int take_other(const char **file, const char *argument, char *problem)
{
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
	const struct cmdline_warn w = { refuse, problem };

	config_defaults(c);
	c->level = 1;
	for (int i = 1; i < argc;) {
		static char output[] = "--output";
		int error;

		if (!strcmp(argv[i], "-o"))
			argv[i] = output;
		error = option_parse(c, "", argc, argv, &i, &w);
		if (error == -ENOENT)
			error = take_other(file, argv[i++], problem);
		if (error)
			return error;
	}
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
