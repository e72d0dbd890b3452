/* SPDX-License-Identifier: MIT */
/* What a tracer consists of: see tracer.h. */
#ifndef MEMSTRACK_PARTS_H
#define MEMSTRACK_PARTS_H

#include <poll.h>
#include "control/listen.h"
#include "tracer/engine.h"
#include "tracer/heal.h"
#include "tracer/priority.h"
#include "tracer/reporter.h"
#include "tracer/triggers.h"

struct tracer {
	const struct config *config;
	struct sink *sink;
	struct engine engine;
	struct triggers triggers;
	struct reporter reporter;
	struct priority priority;
	struct heal heal;
	struct pollfd *poll;	/* the rings, signals, door */
	uint32_t done_later;	/* of what waits until PID 1 goes on */
	struct control_door door;
};

#endif
