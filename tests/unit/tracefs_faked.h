/* SPDX-License-Identifier: MIT */
/*
 * source/tracefs/tracepoints.c within a test, on faked_readfile() of that test:
 * no machine is all the kernels whose events are to be chosen from. All that
 * the applet's object defines is here, so that one is not linked.
 *
 * A system header for the reason that proc_modules.h gives.
 */
#pragma GCC system_header

#define readfile faked_readfile
#include "source/tracefs/tracepoints.c"
#undef readfile
