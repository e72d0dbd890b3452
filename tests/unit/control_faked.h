/*
 * control.c once more, within a test: on faked_syscall() of that test, since
 * who is at the other end, and whether a tracer is, is the kernel's to say.
 *
 * A system header for the reason that proc_modules.h gives.
 */
#pragma GCC system_header

#define syscall faked_syscall
#define control_listen faked_control_listen
#define control_accept faked_control_accept
#define control_answer faked_control_answer
#define control_grant faked_control_grant
#define control_ask faked_control_ask
#include "control/control.c"
#undef syscall
#undef control_listen
#undef control_accept
#undef control_answer
#undef control_grant
#undef control_ask
