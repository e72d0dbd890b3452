/*
 * The arguments of trace, record and replay: the options of the one table in
 * config/parameters.c, and FILE.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "config/options.h"
#include "base/print.h"

static void refuse(void *ctx, const struct cmdline_word *w,
		   const char *accepted)
{
	char text[REFUSAL_BYTES];

	(void)ctx;
	cmdline_refusal(text, w, accepted, "");
	print_line(STDERR_FILENO, "memstrack: %s", text);
}

/* The older program's name of an option. */
static char *today(char *argument)
{
	static char out[] = "--out";
	const size_t len = sizeof("--output") - 1;

	if (!strcmp(argument, "-o"))
		return out;
	if (strncmp(argument, "--output", len) ||
	    (argument[len] && argument[len] != '='))
		return argument;
	argument += len - strlen(out);
	memcpy(argument, out, strlen(out));
	return argument;
}

/* An argument that is no option of the table. */
static int take_other(const char **file, const char *argument)
{
	/* Of the older program, which we have none of. */
	if (!strcmp(argument, "--notui") || !strcmp(argument, "--debug"))
		return 0;
	if (!file || *file || argument[0] == '-') {
		complain(argument, "no such option");
		return -EINVAL;
	}
	*file = argument;
	return 0;
}

int options_parse(struct config *c, const char **file, int argc, char *argv[])
{
	const struct cmdline_warn w = { refuse, NULL };

	config_defaults(c);
	c->level = 1;
	for (int i = 1; i < argc;) {
		int error;

		argv[i] = today(argv[i]);
		error = option_parse(c, argc, argv, &i, &w);
		if (error == -ENOENT)
			error = take_other(file, argv[i++]);
		if (error)
			return error;
	}
	if (c->out == OUT_AUTO) {
		c->out = OUT_FILE;
		memcpy(c->out_path, "-", 2);
	}
	if (file && !*file)
		complain(argv[0], "FILE is missing");
	else if (!c->level)
		complain("--level", "0 traces nothing");
	else
		return 0;
	return -EINVAL;
}
