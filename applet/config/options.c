/* SPDX-License-Identifier: MIT */
/* The one loop over arguments: see config.h, options. */
#include <errno.h>
#include <string.h>
#include "config/config.h"
#include "base/base.h"

static void describe(void *problem, const struct cmdline_word *w,
		     const char *accepted)
{
	cmdline_refusal(problem, w, accepted, "");
}

/* Options of the older memstrack that are accepted and ignored. */
static int is_of_old(const struct options *o, const char *argument)
{
	return o->of == OF_TRACE && (!strcmp(argument, "--notui") ||
				     !strcmp(argument, "--debug"));
}

/* Judges an argument that is not an option in the table. 1: an operand; 0: to
 * be ignored; -EINVAL: refused. */
static int judge(const struct options *o, const char *applet,
		 const char *argument, uint32_t others, char *problem)
{
	if (is_of_old(o, argument))
		return 0;
	if (others < o->most && (argument[0] != '-' || !argument[1] ||
				 (o->command && !strcmp(argument, "--"))))
		return 1;
	option_refusal(problem, argument, past_last(applet, '/'));
	return -EINVAL;
}

/* Parses all options. Returns the number of operands, or -EINVAL. */
static int sort_out(const struct options *o, struct config *c, int argc,
		    char *argv[], char *problem)
{
	const struct cmdline_warn w = { describe, problem };
	static char output[] = "--output";
	int i = 1, others = 0;

	while (i < argc) {
		int error;

		if (!strcmp(argv[i], "-o"))
			argv[i] = output;
		error = option_parse(c, o->of, argc, argv, &i, &w);
		if (error == -EINVAL)
			return error;
		if (!error)
			continue;
		error = judge(o, argv[0], argv[i], (uint32_t)others, problem);
		if (error < 0)
			return error;
		if (error && o->command)
			break;
		if (error)
			argv[++others] = argv[i];
		i++;
	}
	i += i < argc && !strcmp(argv[i], "--");
	while (i < argc)
		argv[++others] = argv[i++];
	argv[others + 1] = NULL;
	return others;
}

/* Checks options that are valid one by one against each other. NULL, or what is
 * wrong. */
static const char *settle(const struct options *o, struct config *c)
{
	if (config_settle(c) && c->out != OUT_AUTO)
		return "--format: this one is not for a log";
	if (o->plain && (c->format > FORMAT_JSON || c->beside[0][0]))
		return "--format: only text or json, in one file";
	if (!c->level)
		return "--level: 0 traces nothing";
	if (c->out == OUT_AUTO && !o->command) {
		c->out = OUT_FILE;
		memcpy(c->out_path, "-", 2);
	}
	return NULL;
}

int options_take(const struct options *o, struct config *c, int argc,
		 char *argv[], int (*refuse)(const char *problem))
{
	char problem[LINE_BYTES];
	const char *why;
	int others;

	config_defaults(c);
	c->level = 1;
	others = sort_out(o, c, argc, argv, problem);
	why = others < 0 ? problem : settle(o, c);
	if (!why && (uint32_t)others >= o->least)
		return others;
	if (!why) {
		print_to(problem, LINE_BYTES, "%s: %s", argv[0], o->missing);
		why = problem;
	}
	refuse(why);
	return -EINVAL;
}
