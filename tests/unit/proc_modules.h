/* SPDX-License-Identifier: MIT */
/*
 * source/proc/modules.c within a test, in place of the library's: on
 * faked_read_number() and faked_each_line() of that test, since no machine has all
 * the modules that are to be tried, and with its static functions in reach.
 */
#define read_number faked_read_number
#define each_line faked_each_line
#include "source/proc/modules.c"
#undef read_number
#undef each_line
