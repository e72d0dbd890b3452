/* SPDX-License-Identifier: MIT */
/* See options.h. */
#include <errno.h>
#include <string.h>
#include "base/print.h"
#include "config/options.h"
#include "run/options.h"

/* A run has no other account than its table. */
static int is_foreign(enum format f)
{
	return f != FORMAT_TEXT && f != FORMAT_JSON;
}

/* Options end at the first argument that is none, or at "--". */
static int end(void *context, const char *argument, char *problem)
{
	(void)context;
	if (!strcmp(argument, "--") || argument[0] != '-' || !argument[1])
		return 1;
	print_to(problem, LINE_BYTES, "%s: no such option of run", argument);
	return -EINVAL;
}

int run_options(struct run *r, int argc, char *argv[], char *problem)
{
	const struct options o = { &r->config, OF_RUN, end, NULL, problem };
	int i, error;

	config_defaults(&r->config);
	r->config.level = 1;
	i = options_each(&o, argc, argv);
	if (i < 0)
		return i;
	i += i < argc && !strcmp(argv[i], "--");
	config_settle(&r->config);
	error = -EINVAL;
	if (!r->config.level)
		print_to(problem, LINE_BYTES, "--level: 0 reports nothing");
	else if (config_has(&r->config, is_foreign))
		print_to(problem, LINE_BYTES, "run: formats are text and json");
	else if (i == argc)
		print_to(problem, LINE_BYTES, "run: COMMAND is missing");
	else
		error = 0;
	r->command = argv + i;
	return error;
}
