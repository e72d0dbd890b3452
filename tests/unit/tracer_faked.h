/* SPDX-License-Identifier: MIT */
/*
 * tracer.c and oom_answer.c once more, within a test: on an engine and a
 * reporter of that test, since no machine shall run out of memory for it.
 *
 * A system header for the reason that proc_modules.h gives.
 */
#pragma GCC system_header

#include "tracer/tracer.h"

#define tracer_run faked_tracer_run
#define oom_answer faked_oom_answer
#define oom_answer_kill faked_oom_answer_kill
#define engine_begin faked_engine_begin
#define engine_next faked_engine_next
#define engine_settle faked_engine_settle
#define engine_describe faked_engine_describe
#define engine_sample_areas faked_engine_sample_areas
#define engine_sample_lists faked_engine_sample_lists
#define engine_sample_memory faked_engine_sample_memory
#define reporter_prepare_oom faked_reporter_prepare_oom
#define status_say faked_status_say
#define reporter_write_oom faked_reporter_write_oom
#include "tracer/oom_answer.c"
#include "tracer/tracer.c"
#undef tracer_run
#undef oom_answer
#undef oom_answer_kill
#undef engine_begin
#undef engine_next
#undef engine_settle
#undef engine_describe
#undef engine_sample_areas
#undef engine_sample_lists
#undef engine_sample_memory
#undef reporter_prepare_oom
#undef status_say
#undef reporter_write_oom
