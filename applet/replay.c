/*
 * memstrack replay: a recorded trace -> the report that the live tracer would
 * have printed, on any machine.
 *
 * The file is not trusted: its table sizes are bounded before the one block
 * of memory is mapped, and a file that is cut off or corrupted gives the
 * report of what came before, a message that says where, and exit status 1.
 * Tables have the recorded sizes, so that what overflowed there overflows
 * here; --mem divides anew, --pages --stacks --tasks --modules set one each.
 *
 * --check[=EVENTS] takes every sum twice (ledger/check.c), every so many
 * events and at the end.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "ledger/ledger.h"
#include "print.h"
#include "replay.h"
#include "replay_options.h"
#include "report/report.h"
#include "report/symbols.h"
#include "source/trace_file.h"

#define ARENA_SLACK_BYTES 4096u		/* pieces are rounded to cache lines */

struct printer {
	struct out out;			/* first: a printer is an out */
	size_t used;
	int error;			/* first errno */
	char text[4096];
};

struct replay {
	struct replay_options options;
	uint64_t events;
	struct trace_reader reader;
	struct trace_header header;
	struct session session;
	struct arena arena;
	struct ledger ledger;
	struct symbols symbols;
	struct event event;
	struct report report;
	int collected, unbalanced;
};

static void print_flush(struct printer *p)
{
	if (!p->error)
		p->error = replay_write(STDOUT_FILENO, p->text, p->used);
	p->used = 0;
}

static void print_line(struct out *o, const char *text, size_t len)
{
	struct printer *p = (struct printer *)o;

	if (len >= sizeof(p->text))
		len = sizeof(p->text) - 1;
	if (sizeof(p->text) - p->used <= len)
		print_flush(p);
	memcpy(p->text + p->used, text, len);
	p->used += len;
	p->text[p->used++] = '\n';
}

/* 0, or a text that says what cannot be. */
static const char *make_tables(struct replay *r)
{
	struct layout *used = &r->session.layout, mapped;
	uint64_t bytes;
	void *block;

	if (replay_layout(&r->options, &r->header, used))
		return "table sizes that cannot be";
	mapped = *used;
	mapped.ring_bytes = 0;
	bytes = layout_bytes(&mapped, &r->header.ram) + ARENA_SLACK_BYTES;
	if (bytes > REPLAY_ARENA_BYTES)
		return "tables of more than 1G";
	block = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (block == MAP_FAILED)
		return error_text(errno);
	arena_init(&r->arena, block, (size_t)bytes);
	if (ledger_init(&r->ledger, &r->arena, used, &r->header.ram) ||
	    symbols_init(&r->symbols, &r->arena, used->symbols))
		return "tables that do not fit";
	arena_seal(&r->arena);
	return NULL;
}

static const char *what_was_wrong(const struct replay *r, int error)
{
	return error == -EINVAL ? r->reader.problem : error_text(-error);
}

/* What the end record would have said. */
static void guess_end(struct replay *r, int error)
{
	const struct trace_header *h = &r->header;
	struct session s = {
		.page_size = h->page_size, .layout = r->session.layout,
		.start_ns = h->start_ns, .end_ns = r->ledger.last_ns,
		.mem_total_kib = h->mem_total_kib,
		.reason = "truncated trace", .notes = 1,
	};

	memcpy(s.kernel, h->kernel, sizeof(s.kernel));
	print_to(s.note[0], sizeof(s.note[0]),
		 "the trace cannot be read from byte %llu on: %s",
		 (unsigned long long)r->reader.offset,
		 what_was_wrong(r, error));
	r->session = s;
}

/* Told once: what follows a wrong sum is wrong too. */
static void check(struct replay *r)
{
	const char *wrong = r->unbalanced ? NULL : ledger_check(&r->ledger);

	if (!wrong)
		return;
	r->unbalanced = 1;
	replay_complain(r->options.path, "after event %llu: %s",
			(unsigned long long)r->events, wrong);
}

static void apply_event(struct replay *r)
{
	ledger_apply(&r->ledger, &r->event);
	r->events++;
	if (r->options.check_events &&
	    r->events % r->options.check_events == 0)
		check(r);
}

/* The addresses whose names are wanted come before the names, as they do
 * live: so the same ones find room. */
static void collect(struct replay *r)
{
	const struct config *c = &r->options.config;

	if (r->collected)
		return;
	r->collected = 1;
	r->report = (struct report){
		.ledger = &r->ledger, .session = &r->session,
		.symbols = &r->symbols, .level = c->level, .top = c->top,
		.throttle_percent = c->throttle_percent,
	};
	report_collect(&r->report);
}

/* All items of the file: 0, or -errno where they ended too early. */
static int feed(struct replay *r)
{
	struct trace_symbol symbol;
	enum trace_item item;
	int got;

	for (;;) {
		got = trace_next(&r->reader, &item, &r->event, &symbol,
				 &r->session);
		if (got <= 0)
			return got;
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
	struct printer p = { .out.line = print_line };

	collect(r);
	symbols_sort(&r->symbols);
	if (r->options.config.format == FORMAT_JSON)
		report_json(&r->report, &p.out);
	else
		report_text(&r->report, &p.out);
	print_flush(&p);
	if (p.error)
		replay_complain("standard output", "%s", error_text(p.error));
	return p.error ? 1 : 0;
}

static void complain_of_file(const struct replay *r, int error)
{
	replay_complain(r->options.path, "byte %llu: %s",
			(unsigned long long)r->reader.offset,
			what_was_wrong(r, error));
}

static int replay(struct replay *r, int fd, unsigned char *buffer)
{
	int error = trace_open(&r->reader, fd, buffer, &r->header);
	const char *why;

	if (error) {
		complain_of_file(r, error);
		return 1;
	}
	r->session.page_size = r->header.page_size;
	memcpy(r->session.kernel, r->header.kernel, RELEASE_BYTES);
	why = make_tables(r);
	if (why) {
		replay_complain(r->options.path, "%s", why);
		return 1;
	}
	error = feed(r);
	if (error) {
		complain_of_file(r, error);
		if (!r->reader.ended)
			guess_end(r, error);
	}
	if (r->reader.unknown)
		replay_complain(r->options.path, "%llu records skipped: "
				"of types not known",
				(unsigned long long)r->reader.unknown);
	if (r->options.check_events)
		check(r);
	return print_report(r) || error || r->unbalanced ? 1 : 0;
}

int replay_main(int argc, char *argv[])
{
	unsigned char buffer[TRACE_BUFFER_BYTES];
	struct replay r = { 0 };
	int fd, status;

	if (replay_parse(&r.options, argc, argv))
		return 2;
	/* A reader that goes away is an error of write(2), told as such. */
	signal(SIGPIPE, SIG_IGN);
	fd = open(r.options.path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		replay_complain(r.options.path, "%s", error_text(errno));
		return 1;
	}
	status = replay(&r, fd, buffer);
	close(fd);
	return status;
}
