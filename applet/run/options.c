/* SPDX-License-Identifier: MIT */
/* See options.h. */
#include <errno.h>
#include <string.h>
#include "base/print.h"
#include "config/cmdline.h"
#include "config/value.h"
#include "run/options.h"

/* Of the options of memstrack. No stack is shown, nothing is answered. */
static const char takes[] = "level|output|out|format|top|lines|keep|backend|"
			    "mem|pages|ring|buf-size|stacks|tasks|modules";

static void refuse_value(void *problem, const struct cmdline_word *w,
			 const char *accepted)
{
	cmdline_refusal(problem, w, accepted, "");
}

/* A run has no other account than its table. */
static int is_foreign(enum format f)
{
	return f != FORMAT_TEXT && f != FORMAT_JSON;
}

/* Options end at the first argument that is none, or at "--". */
int run_options(struct run *r, int argc, char *argv[], char *problem)
{
	const struct cmdline_warn w = { refuse_value, problem };
	static char output[] = "--output";
	int i = 1, error;

	config_defaults(&r->config);
	r->config.level = 1;
	while (i < argc && argv[i][0] == '-' && argv[i][1]) {
		error = -ENOENT;
		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		}
		if (!strcmp(argv[i], "-o"))
			argv[i] = output;
		if (!strncmp(argv[i], "--", 2) &&
		    value_keyword(takes, argv[i] + 2,
				  length_to(argv[i] + 2, '=')) >= 0)
			error = option_parse(&r->config, "", argc, argv, &i,
					     &w);
		if (error == -ENOENT)
			print_to(problem, LINE_BYTES, "%s: no such option of "
				 "run", argv[i]);
		if (error)
			return error;
	}
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
