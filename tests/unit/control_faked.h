/* SPDX-License-Identifier: MIT */
/*
 * Both ends of the control socket once more, within a test: on that test's
 * faked_ functions, since who is at the other end, and whether a tracer is, is
 * the kernel's to say.
 *
 * A system header for the reason that proc_modules.h gives.
 */
#pragma GCC system_header

#define system_accept faked_system_accept
#define getsockopt faked_getsockopt
#define send faked_send
#define control_socket faked_control_socket
#define control_open_lock faked_control_open_lock
#define control_take_lock faked_control_take_lock
#define control_find faked_control_find
#define control_peer faked_control_peer
#define control_reach faked_control_reach
#define control_reach_again faked_control_reach_again
#define control_listen faked_control_listen
#define control_accept faked_control_accept
#define control_watch faked_control_watch
#define control_answer faked_control_answer
#define control_grant faked_control_grant
#define control_promise faked_control_promise
#define control_ask faked_control_ask
#define control_ask_live faked_control_ask_live
#define control_ask_file faked_control_ask_file
#define control_why faked_control_why
#define client_report faked_client_report
#define client_sections faked_client_sections
#define given_send faked_given_send
#define given_receive faked_given_receive
#define given_make faked_given_make
#define given_check faked_given_check
#include "control/control.c"
#include "control/listen.c"
#include "control/client.c"
#undef send
