/* SPDX-License-Identifier: MIT */
/*
 * Why a report is written: signals, requests, memory that runs out, the change
 * of the root, a reboot, the heartbeat.
 *
 * Triggers only tell that a report is due. They see each event (triggers_see())
 * and keep what must be remembered between two events; the loop (tracer.c) then
 * has the report written.
 */
#ifndef MEMSTRACK_TRIGGERS_H
#define MEMSTRACK_TRIGGERS_H

#include <stdint.h>
#include <sys/types.h>
#include "ledger/ledger.h"
#include "source/event.h"
#include "source/proc/oom_log.h"
#include "source/proc/zones.h"
#include "source/session.h"

struct triggers {
	int boot;		/* started as PID 1's child */
	int signal_fd;		/* -1: signals are not heard */
	int exec_by_init;	/* an exec by init, since the last look */
	int switched;		/* the change of the root was reported */
	int low;		/* reclaim failed since the last look */
	int exhausted;		/* nothing was available, and that was told */
	int meminfo_fd;
	struct oom_log log;
	struct room room;
	int asked;		/* for a reboot, since the last answer */
	uint32_t reboot_tid;	/* by whom; 0: by nobody who may */
	dev_t root_dev;		/* of PID 1 when tracing began */
	ino_t root_ino;		/* 0: not known */
	uint64_t oom_ns, low_ns;	/* no such report before this time */
	uint64_t oom_again_ns;	/* but one in a series of kills */
	uint64_t group_ns;	/* no line on such kills before this time */
	uint32_t group_kills;	/* not told of yet */
	uint32_t fallen;	/* how often memory has fallen by half */
	uint64_t heartbeat_ns;	/* the next one is due */
};

/* Before tracing starts: notes the root. Signals end the program as usual until
 * triggers_hear() is called. */
void triggers_init(struct triggers *t, int boot);
/* The files that are read when memory runs out, open; opens the kernel's log. */
void triggers_open(struct triggers *t, int meminfo_fd, int zoneinfo_fd);
int triggers_hear(struct triggers *t);	/* 0 or -errno */

/* Takes every event that the engine gives. 1: the OOM killer has chosen a
 * victim, which must be answered at once. */
int triggers_see(struct triggers *t, const struct event *e);

/* Called after a sample of free memory. 1: memory runs out, and no report has
 * told this yet. */
int triggers_memory_low(struct triggers *t, const struct ledger *l,
			const struct session *s);

/* Called after a sample of free memory. 1: it falls, and a report on it may be
 * near: at an eighth of all memory, and each time that half of this is used
 * up. */
int triggers_memory_falls(struct triggers *t, const struct ledger *l,
			  const struct session *s);

/* Was somebody killed because a memory cgroup met its limit? Any user with a
 * cgroup can cause that again and again. By the kernel's log; if that does not
 * tell, by whether the machine has enough memory. */
int triggers_kill_in_group(struct triggers *t, const struct ledger *l,
			   const struct session *s, uint32_t victim_tid);
/* The number of such kills that a line must tell now; 0: no line is due. */
uint32_t triggers_group_kills(struct triggers *t, uint64_t now_ns);

/* Memory runs out. 1: a report is due; 0: this belongs to what was reported just
 * now. */
int triggers_oom_is_due(struct triggers *t, uint64_t now_ns);
/* It ran out just now: nothing may take memory. */
int triggers_oom_was_now(const struct triggers *t, uint64_t now_ns);

int triggers_root_changed(struct triggers *t);
int triggers_heartbeat(struct triggers *t, uint64_t now_ns,
		       uint32_t every_s);

/* What a signal asks for. */
struct signal_wish {
	int number;
	const char *reason;
	enum {
		WISH_CONSOLE, WISH_FILE,	/* and tracing goes on */
		WISH_END,
	} wish;
};

/* The next of the signals that have arrived: call until NULL. Wishes after
 * which tracing goes on come before those that end it, so that each gets its
 * report. */
const struct signal_wish *triggers_signal(struct triggers *t,
					  unsigned long *arrived);

#endif
