/* SPDX-License-Identifier: MIT */
/*
 * source/proc/modules.c once more, within a test: on faked_read_number() and
 * faked_each_line() of that test, since no machine has all the modules that
 * are to be tried, and with its static functions in reach.
 *
 * A system header, so that it is no prerequisite in the Makefile's eyes, which
 * compiles every one that is a .c; the tests are made anew with each object of
 * the applet, and so with proc_modules.o.
 */
#pragma GCC system_header

#define read_number faked_read_number
#define each_line faked_each_line
#define module_ranges faked_module_ranges
#define proc_modules faked_proc_modules
#define proc_module_dirs faked_proc_module_dirs
#include "source/proc/modules.c"
#undef proc_module_dirs
#undef read_number
#undef each_line
#undef module_ranges
#undef proc_modules
