/* SPDX-License-Identifier: MIT */
/*
 * A cgroup (version 2) for the command, and what the kernel counted in it.
 * Source: Documentation/admin-guide/cgroup-v2.rst. memory.peak exists since
 * Linux 5.19, memory.events.local since 5.2.
 *
 * The cgroup is made where memory is counted and where we may make it: in our
 * own cgroup; or, as a cgroup with processes may not divide memory, beside it.
 * Beside it our own cgroup's limits would no longer hold, so then it must have
 * none. Nothing else of the machine is changed, and the cgroup is removed at the
 * end; processes that are left in it go back to where the command began.
 */
#ifndef MEMSTRACK_RUN_CGROUP_H
#define MEMSTRACK_RUN_CGROUP_H

#include <stdint.h>
#include <sys/types.h>
#include "limits.h"
#include "source/session.h"

#define CGROUP_PATH_BYTES (PATH_BYTES * 2)

struct cgroup {
	int made;
	uint64_t peak_kib;	/* memory.peak; UNKNOWN */
	/* memory.events: times that our limit, or one above it, was reached;
	 * and processes that the kernel killed. */
	uint64_t max_events, oom_kills;
	uint64_t limit_kib;	/* that was reached when memory ran out */
	char limit_path[CGROUP_PATH_BYTES];	/* whose; "": none */
	char why[NOTE_BYTES];	/* none was made, or something is missing */
	/* Private. */
	uint64_t ooms[RUN_CGROUPS];	/* of each cgroup above, before */
	size_t mount_len;
	char old_path[CGROUP_PATH_BYTES];
	char path[CGROUP_PATH_BYTES];
};

/* Makes it and moves a process into it. */
void cgroup_begin(struct cgroup *g, pid_t pid);
/* Reads what it counted, and removes it. */
void cgroup_end(struct cgroup *g);

/* A number of a file with lines such as "oom_kill 3", or 0. */
uint64_t cgroup_count(const char *text, size_t len, const char *name);

#endif
