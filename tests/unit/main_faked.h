/* SPDX-License-Identifier: MIT */
/*
 * main.c once more, within a test: with a kernel's command line of that test,
 * and what is said kept there.
 *
 * A system header for the reason that proc_modules.h gives.
 */
#pragma GCC system_header

#define main faked_main
#define readfile faked_readfile
#define sink_say faked_sink_say
#include "main.c"
#undef main
#undef readfile
#undef sink_say
