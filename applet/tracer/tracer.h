/*
 * The tracer: poll -> drain -> merge -> ledger, and when to report.
 *
 * Policy is here: which failure ends tracing (no page events, no memory) and
 * which is a note in the report (no module events, no control socket). All
 * memory is taken in tracer_open(); tracer_run() allocates nothing, starts no
 * process and needs none.
 */
#ifndef MEMSTRACK_TRACER_H
#define MEMSTRACK_TRACER_H

#include <poll.h>
#include <sys/types.h>
#include "config/config.h"
#include "ledger/ledger.h"
#include "report/report.h"
#include "output/sink.h"
#include "report/symbols.h"
#include "source/perf/perf.h"
#include "source/proc/proc.h"
#include "record/trace.h"

struct control_message;

struct tracer {
	struct event_out events;	/* first: a tracer takes events */
	const struct config *config;
	struct sink *sink;
	struct pollfd *poll;		/* the rings, signals, control_fd */
	int control_fd;			/* -1: none */
	int switched;			/* the change of root was reported */
	int exec_by_init;		/* seen in this drain */
	int sampled;			/* vmalloc is, for want of probes */
	int low;			/* reclaim failed in this drain */
	uint32_t reboot_tid;		/* who asks for it; 0: nobody */
	int kallsyms_fd, zoneinfo_fd;	/* kept open: that takes memory */
	uint64_t chains, bare;		/* allocations with frames, without */
	uint64_t heartbeat_ns;		/* next one is due */
	uint64_t stalls;		/* of the rings, told to the ledger */
	uint64_t told_lost;		/* by the rings so far */
	uint64_t oom_ns, low_ns;	/* no other report of these before */
	struct ledger ledger;
	uint64_t areas_ns;		/* next sample of vmalloc is due */
	int boot;			/* started as PID 1's child */
	int restricted;			/* addresses are, by kptr_restrict */
	dev_t root_dev;			/* of PID 1 when tracing began */
	ino_t root_ino;
	uint64_t min_pages;		/* the zones' watermarks */
	struct trace_writer writer;	/* fd -1: nothing is recorded */
	struct symbols symbols;
	struct arena arena;
	struct perf perf;
	struct session session;
	struct tracefs points;
};

/* Everything up to the first event. record_fd: -1, or where the trace goes.
 * 0, or an exit status after one line through the sink. */
int tracer_open(struct tracer *t, const struct config *c, struct sink *sink,
		int boot, int record_fd);

/* Until a signal, a request or the change of root ends it. Exit status. */
int tracer_run(struct tracer *t);

/* One line through the sink. */
__attribute__((format(printf, 2, 3)))
void tracer_say(struct tracer *t, const char *format, ...);

/* Get a CPU when a ring fills, by SCHED_FIFO's lowest priority: a tracer that
 * waits behind the load it watches loses its events. Not while it writes: a
 * serial console would keep the machine's only CPU for seconds. */
void tracer_hurry(int hurry);

/* What could not be seen: printed in the report's head. */
__attribute__((format(printf, 2, 3)))
void tracer_note(struct tracer *t, const char *format, ...);

/* What of the tracepoints could not be opened; and whether vmalloc is to be
 * sampled for want of probes, of which `error` is the reason. */
void tracer_note_missing(struct tracer *t);
int tracer_note_areas(struct tracer *t, int error);

/* The arena with all tables in it, sized for this many rings. 0, or -errno
 * after one line through the sink. */
int tracer_take_memory(struct tracer *t, uint32_t cpus);
uint64_t tracer_own_bytes(const struct tracer *t);

/* A sample of free memory, applied and recorded as of this time, or of the
 * last event's if that is later. */
void tracer_sample(struct tracer *t, uint64_t time_ns, uint32_t flags);

/* Everything in the rings that is stamped before the horizon, applied. A victim
 * of the OOM killer is answered at once, a reboot noted. */
void tracer_drain(struct tracer *t, uint64_t horizon_ns);

/* What the rings lost and threw away. `final`: they may not have told of all,
 * and are asked, which interrupts every CPU. */
void tracer_count_losses(struct tracer *t, uint64_t time_ns, int final);

/* What may change: settings of the kernel, CPUs. */
void tracer_read_settings(struct tracer *t);

/* A report: the account up to now, and that written. 0, or -errno. */
void tracer_take_stock(struct tracer *t, const char *reason);
int tracer_write(struct tracer *t, enum sink_target target);
/* These sections of it to a client, whose descriptor is closed, and to the
 * log. */
void tracer_write_sections(struct tracer *t, const struct control_message *m,
			   int client);
int tracer_report(struct tracer *t, const char *reason,
		  enum sink_target target);

/* Free memory, what is traced, who holds most of it: one line. */
void tracer_say_status(struct tracer *t, uint64_t now_ns, const char *what);

/* Memory runs out: a report, or soon after one, a line. victim_tid 0: nobody is
 * killed yet. */
void tracer_oom(struct tracer *t, uint32_t victim_tid);

/* The names of all addresses that any report of this trace may print, as many
 * at a time as the table has room for, into the recorded trace. */
void tracer_record_symbols(struct tracer *t);

/* Rings and probes: gone. */
void tracer_close(struct tracer *t);

#endif
