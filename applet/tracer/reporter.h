/* SPDX-License-Identifier: MIT */
/*
 * What is reported, and where to: the engine's account, with names, goes
 * through the sink.
 *
 * A report when memory runs out uses only what is held already: it opens no
 * file and waits for nobody.
 */
#ifndef MEMSTRACK_REPORTER_H
#define MEMSTRACK_REPORTER_H

#include "config/config.h"
#include "control/control.h"
#include "output/sink.h"
#include "tracer/engine.h"
#include "tracer/kallsyms.h"
#include "tracer/priority.h"

struct reporter {
	struct engine *engine;
	const struct config *config;
	struct sink *sink;
	const struct priority *priority;
	struct kallsyms kallsyms;
	int restricted;		/* addresses are hidden from ordinary users */
};

/* Takes its table from the engine's arena. 0 or -errno. */
int reporter_init(struct reporter *r, struct engine *g,
		  const struct priority *priority);
void reporter_read_settings(struct reporter *r);

/* What follows a report. If it may be a reboot, the report is written at
 * real-time priority. If it is one, a report to a file also goes to the log,
 * because the file may not outlive the reboot. */
enum what_follows {
	WORK_FOLLOWS,
	REBOOT_MAY_FOLLOW,
	REBOOT_FOLLOWS,
};

/* Writes the account as the engine has described it. 0 or -errno. */
int reporter_write(struct reporter *r, enum sink_target target,
		   enum what_follows follows);
/* Writes these sections to a client, whose descriptor is then closed, and to
 * the log. */
void reporter_write_sections(struct reporter *r, const char *sections,
			     uint32_t throttle_percent, int client);
/* Writes the rows that a client wants into its file, which has so many bytes.
 * This opens no file, asks no other CPU, and takes no memory. 0 or -errno. */
int reporter_write_live(struct reporter *r, const struct control_live *wanted,
			int file, uint64_t bytes);
/* The short report when memory runs out; it uses only memory held already. */
void reporter_write_oom(struct reporter *r);
/* Called when memory falls: the names that this report would print now will be
 * read in slices. */
void reporter_prepare_oom(struct reporter *r);

#endif
