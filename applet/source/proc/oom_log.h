/* SPDX-License-Identifier: MIT */
/*
 * Why the OOM killer killed, by the kernel's log: no event tells whose limit was
 * met.
 *
 * Before it marks its victim the kernel writes (since 5.0; ten such reports in
 * five seconds at most)
 * "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,
 * oom_memcg=/box,task_memcg=/box,task=eater,pid=88,uid=0".
 */
#ifndef MEMSTRACK_OOM_LOG_H
#define MEMSTRACK_OOM_LOG_H

#include <stddef.h>
#include <stdint.h>

enum oom_limit {
	LIMIT_UNKNOWN,
	LIMIT_MACHINE,	/* or some of its nodes */
	LIMIT_GROUP,	/* a memory cgroup's */
};

/* The last kills that the log has told. */
#define OOM_TOLD 16u
struct oom_log {
	int fd;			/* log_open() of kernel_log.h */
	uint32_t told;		/* so far */
	struct { uint32_t tid; enum oom_limit limit; } kill[OOM_TOLD];
};

/* Reads on to the end, now and then, so that little is to be read at a kill. */
void oom_log_read(struct oom_log *o);
/* The same; of a task that was to be killed, once. */
enum oom_limit oom_log_limit(struct oom_log *o, uint32_t tid);

/* A record: of which task it tells, or 0. */
uint32_t oom_record(const char *record, size_t len, enum oom_limit *limit);

#endif
