/* SPDX-License-Identifier: MIT */
/*
 * The files of source/ftrace/ that make instances, once more, within a test: on
 * the system calls of that test, since the tracefs of the machine is not for
 * tests.
 *
 * A system header for the reason that proc_modules.h gives.
 */
#pragma GCC system_header

#include "source/ftrace/ftrace.h"

#define mkdir faked_mkdir
#define unlinkat faked_unlinkat
#define writefile faked_writefile
#define readfile faked_readfile
#define system_open_path faked_open
#define system_stat_path faked_stat
#define proc_cpus faked_cpus
#define proc_cpus_again faked_cpus_again
#define ftrace_follow faked_ftrace_follow
#define each_line faked_each_line
#define instances_fit faked_instances_fit
#define instances_usable faked_instances_usable
#define instance_make faked_instance_make
#define instance_resize faked_instance_resize
#define instance_open faked_instance_open
#define instance_switch faked_instance_switch
#define instance_stacks faked_instance_stacks
#define instance_set faked_instance_set
#define tracefs_text faked_tracefs_text
#define stacks_by_trigger faked_stacks_by_trigger
#define arrange faked_arrange
#define ftrace_open_cpu faked_ftrace_open_cpu
#define ftrace_close_rings faked_ftrace_close_rings
#define arrange_more faked_arrange_more
#define ftrace_clean faked_ftrace_clean
#define ftrace_source faked_ftrace_source
extern const struct source_kind ftrace_source;
#include "source/ftrace/instance.c"
#include "source/ftrace/stacks.c"
#include "source/ftrace/arrange.c"
#include "source/ftrace/cpu.c"
#include "source/ftrace/follow.c"
#include "source/ftrace/open.c"
#undef mkdir
#undef unlinkat
#undef writefile
#undef readfile
#undef system_open_path
#undef system_stat_path
#undef each_line
#undef instances_fit
#undef proc_cpus
#undef proc_cpus_again
#undef ftrace_follow
