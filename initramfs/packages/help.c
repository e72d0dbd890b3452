/* SPDX-License-Identifier: MIT */
/*
 * The text of --help, for ./completion, made on and for the machine that builds,
 * whichever machine the binary is for: from the same functions and the same
 * table. What the other applets need is left undefined and never linked
 * (--gc-sections).
 */
#define main applet_main
#include "main.c"
#undef main

int main(void)
{
	print_help();
	return 0;
}
