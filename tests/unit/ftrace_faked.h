/* SPDX-License-Identifier: MIT */
/*
 * The files of source/ftrace/ that make instances, once more, within a test: on
 * the system calls of that test, since the tracefs of the machine is not for
 * tests. They stand for those of the library, of which none is linked.
 *
 * A system header for the reason that proc_modules.h gives.
 */
#pragma GCC system_header

#define mkdir faked_mkdir
#define unlinkat faked_unlinkat
#define writefile faked_writefile
#define readfile faked_readfile
#define each_line faked_each_line
#define system_open_path faked_open
#define system_stat_path faked_stat
#define proc_cpus faked_cpus
#define proc_cpus_again faked_cpus_again
#include "source/ftrace/instance.c"
#include "source/ftrace/arrange.c"
#include "source/ftrace/cpu.c"
#include "source/ftrace/open.c"
