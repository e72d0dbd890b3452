/* SPDX-License-Identifier: MIT */
/*
 * source/tracefs/tracepoints.c once more, within a test: on faked_readfile() of that test,
 * since no machine is all the kernels whose events are to be chosen from.
 *
 * A system header for the reason that proc_modules.h gives.
 */
#pragma GCC system_header

#define readfile faked_readfile
#define tracefs_roots faked_tracefs_roots
#define tracepoint_name faked_tracepoint_name
#define tracepoint_needed faked_tracepoint_needed
#define point_parse faked_point_parse
#define anon_parse faked_anon_parse
#define tracefs_read faked_tracefs_read
#define point_find faked_point_find
#define tracefs_without_slab faked_tracefs_without_slab
#define point_decode faked_point_decode
#include "source/tracefs/tracepoints.c"
#undef readfile
#undef tracefs_roots
#undef tracepoint_name
#undef tracepoint_needed
#undef point_parse
#undef anon_parse
#undef tracefs_read
#undef point_find
#undef tracefs_without_slab
#undef point_decode
