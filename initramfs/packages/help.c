/* SPDX-License-Identifier: MIT */
/*
 * The text of --help, for ./completion, made on and for the machine that builds,
 * whichever machine the binary is for: from the same functions and the same
 * table. What the applets call is left undefined and never called.
 */
#define main applet_main
#include "main.c"
#undef main

/* Of an applet, or of all; and the applets' names. */
int main(int argc, char *argv[])
{
	if (argc > 1 && !strcmp(argv[1], "applets")) {
		for (size_t i = 0; i < ARRAY_LEN(applets); i++)
			if (is_here(&applets[i]))
				print_line(1, "%s", applets[i].name);
	} else {
		print_help(argc > 1 ? applet_of(argv[1]) : NULL);
	}
	return 0;
}
