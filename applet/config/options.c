/* SPDX-License-Identifier: MIT */
/* The one loop over arguments: see config.h, options. */
#include <errno.h>
#include <string.h>
#include "config/config.h"
#include "base/base.h"

/* -L VALUE and -LVALUE; but for -o, from the older memstrack. */
static const struct letter {
	char letter;
	const char *name;
	uint32_t of;		/* enum parameter_of */
} letters[] = {
	{ 'o', "output", UINT32_MAX }, { 'b', "backend", OF_TRACE },
	{ 'r', "report", OF_TRACE }, { 's', "buf-size", OF_TRACE },
	{ 't', "throttle", OF_TRACE },
};

/* The parameter that an argument begins with: of one of these applets, or NULL. */
static const struct parameter *option_find(const char *argument,
					   uint32_t applets)
{
	if (argument[0] != '-')
		return NULL;
	if (argument[1] == '-')
		return parameter_find(argument + 2, length_to(argument + 2, '='),
				      applets);
	for (const struct letter *l = letters;
	     l < letters + ARRAY_LEN(letters); l++)
		if (argument[1] == l->letter && l->of & applets)
			return parameter_find(l->name, strlen(l->name),
					      applets);
	return NULL;
}

/* `run --keep true` has no value, `run --keep 1 true` has one. */
static int is_number(const char *argument)
{
	uint64_t any;

	return !parse_size(argument, strlen(argument), 0, UINT64_MAX, &any);
}

/* If argv[*index] is an option of one of these applets (enum parameter_of),
 * parses the option and moves *index past it and its value. 0; -ENOENT:
 * argv[*index] is no such option, and *index is unchanged; -EINVAL: the value
 * is bad, and `problem` says so. */
static int option_parse(struct config *c, uint32_t applets, int argc,
			char *const argv[], int *index, char *problem)
{
	const struct parameter *p;
	struct cmdline_word word;

	if (*index >= argc)
		return -ENOENT;
	p = option_find(argv[*index], applets);
	if (!p)
		return -ENOENT;
	word.name = argv[*index];
	word.name_len = word.name[1] == '-' ? length_to(word.name, '=') : 2;
	++*index;
	word.value = word.name + word.name_len;
	if (*word.value == '=')
		word.value++;
	else if (!*word.value && *index < argc &&
		 (!parameter_is_flag(p) || is_number(argv[*index])))
		word.value = argv[(*index)++];
	else if (!*word.value && parameter_is_flag(p))
		word.value = "1";
	word.value_len = strlen(word.value);
	return parameter_set(c, p, &word, 0, problem);
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
	const int dashed = argument[0] == '-' && argument[1];

	if (is_of_old(o, argument))
		return 0;
	if (others < o->most &&
	    (!dashed || (o->command && !strcmp(argument, "--"))))
		return 1;
	print_to(problem, LINE_BYTES, dashed ?
		 "%s: no such option of %s" :
		 "%s: one argument too many for %s", argument,
		 past_last(applet, '/'));
	return -EINVAL;
}

/* Parses all options. Returns the number of operands, or -EINVAL. */
static int sort_out(const struct options *o, struct config *c, int argc,
		    char *argv[], char *problem)
{
	int i = 1, others = 0;

	while (i < argc) {
		int error = option_parse(c, o->of, argc, argv, &i, problem);
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
