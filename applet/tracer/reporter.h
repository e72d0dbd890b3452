/*
 * What is reported, and where to: the engine's account, with names, through the
 * sink.
 *
 * A report when memory runs out is made of what is held already: no file is
 * opened and nobody is waited for.
 */
#ifndef MEMSTRACK_REPORTER_H
#define MEMSTRACK_REPORTER_H

#include "base/readfile.h"
#include "config/config.h"
#include "output/sink.h"
#include "report/symbols.h"
#include "tracer/engine.h"
#include "tracer/priority.h"

struct reporter {
	struct engine *engine;
	const struct config *config;
	struct sink *sink;
	const struct priority *priority;
	struct symbols symbols;
	int kallsyms_fd;	/* kept open: opening takes memory */
	int restricted;		/* addresses are hidden from ordinary users */
	int reading;		/* names, for the report when memory runs out */
	struct lines names;	/* of kallsyms_fd, while reading */
};

/* Its table from the engine's arena. 0 or -errno. */
int reporter_init(struct reporter *r, struct engine *g,
		  const struct priority *priority);
/* What a report reads when memory runs out is opened now. */
void reporter_open(struct reporter *r);
void reporter_read_settings(struct reporter *r);

/* The account as the engine has described it. `last`: a reboot follows, so it is
 * written with all haste, and a file's report also to the log, since the file
 * may not outlive the reboot. 0 or -errno. */
int reporter_write(struct reporter *r, enum sink_target target, int last);
/* These sections of it to a client, whose descriptor is closed, and to the
 * log. */
void reporter_write_sections(struct reporter *r, const char *sections,
			     uint32_t throttle_percent, int client);
/* When memory runs out: short, and from memory that is held already. */
void reporter_write_oom(struct reporter *r);
/* Memory falls: that report would now print certain names, which are read in
 * slices. 1: there is one more to be read, soon. */
void reporter_prepare_oom(struct reporter *r);
int reporter_read_names(struct reporter *r);

/* Free memory, what is traced, who holds most of it: one line. */
void reporter_say_status(const struct reporter *r, uint64_t now_ns,
			 const char *what);

/* The names of all addresses that any report of this trace may print, as many
 * at a time as the table has room for, into the recorded trace. */
void reporter_record_symbols(struct reporter *r);

#endif
