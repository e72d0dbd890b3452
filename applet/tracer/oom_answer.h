/* SPDX-License-Identifier: MIT */
/*
 * What the tracer does when memory runs out: a report, or one line where there
 * was a report just before, or where only a cgroup met its limit. Nothing
 * here takes memory.
 */
#ifndef MEMSTRACK_OOM_ANSWER_H
#define MEMSTRACK_OOM_ANSWER_H

#include <stdint.h>
#include "tracer/parts.h"

/* Memory is low. */
void oom_answer_low(struct tracer *t);
/* The OOM killer chose this task; 0: not known which. */
void oom_answer_kill(struct tracer *t, uint32_t victim_tid);

#endif
