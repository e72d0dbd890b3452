/* SPDX-License-Identifier: MIT */
/*
 * The tables of a replay have the recorded sizes, so that a table that
 * overflowed in the tracer overflows in the replay. --mem divides another
 * budget; --pages, --stacks, --tasks and --modules each set the size of one
 * table. The file is not trusted.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/base.h"
#include "base/system.h"
#include "config/config.h"
#include "ledger/events.h"
#include "ledger/ledger.h"
#include "output/output.h"
#include "record/record.h"
#include "report/report.h"

/* The most that a file may claim: products of larger numbers would not fit 32
 * bits. */
#define ROWS_MOST (1u << 24)
#define SYMBOLS_MOST (1u << 20)	/* more than --mem=1G gives */
#define PAGES_LEAST_BYTES 4096u

/* NULL, or a text that says which sizes are impossible. */
static const char *problem_of(const struct layout *l)
{
	if (l->nodes <= l->modules)
		return "tables with no more stacks than modules";
	return l->pages_bytes >= PAGES_LEAST_BYTES &&
	       l->pages_bytes <= REPLAY_ARENA_BYTES &&
	       l->nodes <= ROWS_MOST && l->modules > MODULES_FIXED &&
	       l->owners <= ROWS_MOST && l->owners > l->tasks &&
	       l->tasks > TASKS_FIXED &&
	       l->slab_bytes <= REPLAY_ARENA_BYTES &&
	       l->symbols <= SYMBOLS_MOST ?
	       NULL : "tables too large or too small";
}

/* Changes the recorded layout to the sizes in the options. NULL; or a text that
 * says which sizes are impossible. */
static const char *replay_layout(const struct config *c, struct trace_header *h)
{
	const struct layout want = {
		.pages_bytes = c->pages_bytes, .ring_bytes = c->ring_bytes,
		.nodes = c->stacks, .tasks = c->tasks, .modules = c->modules,
	};
	struct layout *l = &h->layout;
	const uint64_t slab = c->slab_bytes > 1 ? c->slab_bytes :
			      l->slab_bytes;

	if (c->mem_bytes) {
		if (layout_divide(l, &want, &h->ram, c->mem_bytes,
				  NULL) == -ENOMEM)
			return "tables larger than --mem";
	} else {
		if (want.pages_bytes)
			l->pages_bytes = want.pages_bytes;
		if (want.nodes)
			l->nodes = want.nodes;
		if (want.modules)
			l->modules = want.modules;
		if (want.tasks) {
			l->owners += want.tasks - l->tasks;
			l->tasks = want.tasks;
		}
	}
	/* Not a part of --mem, as in the tracer. */
	l->slab_bytes = slab;
	return problem_of(l);
}

/*
 * --- replay
 *
 * memstrack replay: a recorded trace -> the report that the live tracer would
 * have printed, on any machine.
 *
 * Table sizes are checked before the one block of memory is mapped. For a file
 * that is cut off or corrupted, replay prints the report of the events before
 * the damage and a message with the place of the damage, and exits with
 * status 1.
 *
 * Built with MEMSTRACK_CHECK, like the sanitized programs, replay checks all
 * sums (ledger/check.c) after each event, or after every CHECK_EVENTS events
 * (an environment variable).
 */

#define ARENA_SLACK_BYTES 4096u		/* pieces are rounded to cache lines */
/* If the recorded page table was a hash, the replay may use a flat table of
 * this size, for 64 GiB of RAM in pages of 4 KiB. */
#define FLAT_BYTES (64u << 20)

struct replay {
	struct report report;
	struct symbols symbols;
	const char *path;
	struct out *out;	/* for JSON; NULL: as the options say */
	int collected, failed;	/* failed: the exit status */
	uint64_t events;
	struct trace_reader reader;
	struct arena arena;
	struct config config;
	struct trace_header header;
	struct session session;
	struct ledger ledger;
	struct event event;
};

/* NULL, or a text that says what is wrong. */
static const char *make_tables(struct replay *r)
{
	const char *why = replay_layout(&r->config, &r->header);
	struct layout used;
	uint64_t bytes;
	void *block;

	if (why)
		return why;
	used = r->header.layout;
	used.flat_bytes = FLAT_BYTES;
	used.history = 1;	/* memory is not scarce here */
	/* The trace has the names of all stacks, for which the tracer may have
	 * had no room. */
	if (config_has(&r->config, format_has_all_stacks))
		used.symbols += used.nodes;
	bytes = layout_bytes(&used, &r->header.ram) - used.ring_bytes +
		ARENA_SLACK_BYTES;
	if (bytes > REPLAY_ARENA_BYTES)
		return "tables of more than 1G";
	block = system_map((size_t)bytes, MAP_PRIVATE | MAP_ANONYMOUS |
			   MAP_POPULATE, -1);
	if (block == MAP_FAILED)
		return error_text(errno);
	arena_init(&r->arena, block, (size_t)bytes);
	if (ledger_init(&r->ledger, &r->arena, &used, &r->header.ram) ||
	    symbols_init(&r->symbols, &r->arena, used.symbols))
		return "tables that do not fit";
	arena_seal(&r->arena);
	return NULL;
}

static const char *what_was_wrong(const struct replay *r, int error)
{
	return error == -EINVAL ? r->reader.problem : error_text(error);
}

/* Copies the header's fields of the session. */
static void begin_session(struct replay *r)
{
	const struct trace_header *h = &r->header;
	struct session *s = &r->session;

	s->page_size = h->page_size;
	s->start_ns = h->start_ns;
	s->mem_total_kib = h->mem_total_kib;
	s->layout = h->layout;
	memcpy(s->kernel, h->kernel, sizeof(s->kernel));
}

/* Makes up the session of a trace without a complete end record. Ignores a
 * partial end record. */
static void guess_end(struct replay *r, int error)
{
	struct session *s = &r->session;
	const uint32_t history = s->layout.history;

	memset(s, 0, offsetof(struct session, cmdline));
	memset(s->note, 0, sizeof(s->note));
	begin_session(r);
	s->layout.history = history;
	s->end_ns = r->ledger.last_ns;
	s->notes = 1;
	s->cut = 1;
	memcpy(s->reason, "truncated trace", 16);
	print_to(s->note[0], sizeof(s->note[0]),
		 "the trace cannot be read from byte %llu on: %s",
		 (unsigned long long)r->reader.offset,
		 what_was_wrong(r, error));
}

#ifdef MEMSTRACK_CHECK
/* The sanitized build checks all sums after every `each` events. It prints only
 * the first wrong sum: later sums are wrong too. */
static void check(struct replay *r)
{
	const char *text = getenv("CHECK_EVENTS"), *wrong = NULL;
	uint64_t each = 1;

	if (text)
		parse_u64(text, strlen(text), 10, 1, UINT64_MAX, &each);
	if (!r->failed && r->events % each == 0)
		wrong = ledger_check(&r->ledger);
	if (!wrong)
		return;
	r->failed = complain(r->path, "after event %llu: %s",
			     (unsigned long long)r->events, wrong);
}
#endif

static void apply_event(struct replay *r)
{
	ledger_apply(&r->ledger, &r->event);
	r->events++;
#ifdef MEMSTRACK_CHECK
	check(r);
#endif
}

/* Collects the addresses to be printed before their names come, like the live
 * tracer, so that the same names have room. */
static void collect(struct replay *r)
{
	struct report *report = &r->report;

	if (r->collected)
		return;
	r->collected = 1;
	report->ledger = &r->ledger;
	report->session = &r->session;
	report->symbols = &r->symbols;
	report->level = r->config.level;
	report->top = r->config.top;
	report->throttle_percent = r->config.throttle_percent;
	if (r->config.beside[0][0])
		report_collect(report);
	report->sections = r->config.sections;
	report->all_stacks = config_has(&r->config, format_has_all_stacks);
	report_collect(report);
}

/* Reads all items of the file. 0, or -errno if the file ends too early. */
static int feed(struct replay *r)
{
	struct trace_symbol symbol;

	for (;;) {
		int item = trace_next(&r->reader, &r->event, &symbol,
				      &r->session);

		if (item <= 0)
			return item;
		if (item == TRACE_EVENT) {
			apply_event(r);
		} else if (item == TRACE_SYMBOL) {
			collect(r);
			symbols_set(&r->symbols, symbol.addr, symbol.start,
				    symbol.name, symbol.len);
		}
	}
}

static int print_report(struct replay *r)
{
	struct sink sink;
	int error, failed;

	r->report.lines_max = r->config.lines;
	collect(r);
	symbols_sort(&r->symbols);
	if (r->out) {
		report_json(&r->report, r->out);
		return 0;
	}
	error = sink_report(&sink, &r->config, &r->report);
	r->report.sections = "";
	r->report.lines_max = 0;
	/* This prints its own errors. */
	failed = beside_write(&r->config, &r->report, &sink);
	if (error)
		complain_error("the report", error);
	return error || failed;
}

static int complain_of_file(const struct replay *r, int error)
{
	return complain(r->path, "byte %llu: %s",
			(unsigned long long)r->reader.offset,
			what_was_wrong(r, error));
}

static int replay(struct replay *r, int fd, unsigned char *buffer,
		  size_t filled)
{
	int error = trace_open(&r->reader, fd, buffer, filled,
			       &r->header);
	const char *why;

	if (error)
		return complain_of_file(r, error);
	why = make_tables(r);
	if (why)
		return complain(r->path, "%s", why);
	begin_session(r);
	error = feed(r);
	if (error) {
		r->failed = complain_of_file(r, error);
		if (!r->reader.ended)
			guess_end(r, error);
	}
	if (r->reader.unknown) {
		r->session.cut = 1;
		complain(r->path, "%llu records of unknown types skipped",
			 (unsigned long long)r->reader.unknown);
		session_note(&r->session, "%llu records of the trace had "
			     "unknown types and were skipped",
			     (unsigned long long)r->reader.unknown);
	}
	return print_report(r) | r->failed;
}

int replay_main(int argc, char *argv[])
{
	unsigned char buffer[TRACE_BUFFER_BYTES];
	struct replay r = { 0 };
	const struct options o = {
		.of = OF_REPLAY, .least = 1, .most = 1,
		.missing = "FILE is missing",
	};
	int fd;

	if (options_take(&o, &r.config, argc, argv, refuse_usage) < 0)
		return EXIT_USAGE;
	r.path = argv[1];
	if (sink_replaces(&r.config, r.path))
		return 1;
	fd = system_open_input(r.path);
	if (fd < 0)
		return complain_error(r.path, errno);
	return replay(&r, fd, buffer, 0);
}

int replay_json(const char *path, int fd, unsigned char *buffer, size_t filled,
		struct out *o)
{
	struct replay r = { .path = path, .out = o };
	int status;

	config_defaults(&r.config);
	r.config.level = 3;
	status = replay(&r, fd, buffer, filled);
	if (r.arena.base)
		munmap(r.arena.base, r.arena.size_bytes);
	return status;
}
