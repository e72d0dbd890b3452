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

/* /dev/kmsg behind its last record, or -1: not to be had. In a container the
 * file may be another one. */
int log_open(void);
/* Passes over what has been written since. */
void log_pass(int fd);
/* Reads on to the end. Of a task that was to be killed. */
enum oom_limit oom_log_limit(int fd, uint32_t tid);

/* A record: of which task it tells, or 0. */
uint32_t oom_record(const char *record, size_t len, enum oom_limit *limit);

#endif
