/* SPDX-License-Identifier: MIT */
/*
 * record/write.c and read.c: what is written is read again, field by field; a
 * write that fails is told. Which fields there are, tests/replay/cases.t compares
 * with an encoder of its own; bytes that end anywhere: replay/damaged.t.
 */
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <signal.h>
#include "record/record.h"
#include "tap.h"

#define MANY 50000

static const struct trace_header header = {
	.page_size = 16384, .mem_total_kib = 123456789, .start_ns = 42,
	.kernel = "6.12.0+x",
	.layout = {
		.pages_bytes = UINT64_C(1) << 33, .nodes = 1, .owners = 2,
		.tasks = 3, .modules = 4, .symbols = 5, .ring_bytes = 1 << 20,
		.slab_bytes = 1 << 19,
	},
	.ram = { .count = 2, .range = { { 16, 100 }, { 200, 7 } } },
};

static struct session session = {
	.cpus_traced = 3, .cpus_online = 4, .start_ns = 42,
	.end_ns = UINT64_C(1) << 40, .mem_total_kib = 123456789,
	.own_bytes = 1 << 20, .cpu_ns = 9, .reason = "SIGTERM",
	.cmdline = "rd.memstrack=1 quiet", .layout.history = 1,
	.notes = NOTES_MAX,
};

static const struct trace_symbol symbol = {
	.addr = 0xc1000010, .start = 0xc1000000, .name = "schedule", .len = 8,
};

static struct trace_memory memory;
static unsigned char buffer[TRACE_BUFFER_BYTES];
static struct trace_writer w;
static struct trace_reader r;

/* Each field has a value of its own, so that one in another's place shows. */
static void fill_event(struct event *e, uint32_t type)
{
	unsigned char *bytes = (unsigned char *)e;

	for (size_t i = 0; i < sizeof(*e); i++)
		bytes[i] = (unsigned char)(i * 7 + i / 8 + type);
	e->type = type;
	e->flags = EVENT_EXEC | EVENT_IRQ | EVENT_SAMPLED;
	e->order = 9;
	e->base &= ULONG_MAX;
	e->size &= ULONG_MAX;
	e->site &= ULONG_MAX;
	memset(e->name, 0xe4, sizeof(e->name) - 1);
	e->name[sizeof(e->name) - 1] = '\0';
	e->chain_len = CHAIN_FRAMES_MAX;
	for (unsigned int i = 0; i < CHAIN_FRAMES_MAX; i++)
		e->chain[i] &= ULONG_MAX;
}

/* What a record keeps of an event; all else is 0. */
static void keep(struct event *kept, const struct event *e)
{
	const uint8_t *shape = trace_shapes[e->type];
	const struct trace_field *f;
	const int has_pfn = e->type == EVENT_ALLOC || e->type == EVENT_FREE;

	memset(kept, 0, sizeof(*kept));
	kept->type = e->type;
	kept->time_ns = e->time_ns;
	kept->flags = e->flags;
	kept->tid = e->tid;
	kept->tgid = e->tgid;
	kept->order = has_pfn ? e->order : 0;
	for (; (f = trace_field_of(*shape)); shape++)
		memcpy((char *)kept + f->offset, (const char *)e + f->offset,
		       trace_field_bytes(f, 8));
	if (*shape == TRACE_NAME || *shape == TRACE_NAME_CHAIN)
		memcpy(kept->name, e->name, sizeof(e->name));
	if (*shape == TRACE_CHAIN || *shape == TRACE_NAME_CHAIN) {
		kept->chain_len = e->chain_len;
		memcpy(kept->chain, e->chain, sizeof(e->chain));
	}
}

/* What was read last; before the first record all of it is 0. */
static struct {
	struct trace_header header;
	struct event event;
	struct trace_symbol symbol;
	struct session session;
} got;

static int next(void)
{
	return trace_next(&r, &got.event, &got.symbol, &got.session);
}

/* Reads the file from its start. */
static int read_again(int fd)
{
	memset(&got, 0, sizeof(got));
	lseek(fd, 0, SEEK_SET);
	return trace_open(&r, fd, buffer, 0, &got.header);
}

/* A file without a name; 0: it is at its start. */
static int new_file(void)
{
	int fd = memfd_create("trace", 0);

	if (fd < 0)
		tap_skip("no memfd_create");
	return fd;
}

/* One event of each type, one symbol, the end. */
static int write_sample(int fd)
{
	struct event e;
	int error = trace_create(&w, fd, &memory, &header);

	trace_write_picture(&w, &session);
	for (uint32_t type = EVENT_ALLOC; type < TRACE_EVENT_TYPES; type++) {
		fill_event(&e, type);
		trace_write(&w, &e);
	}
	trace_write_symbol(&w, &symbol);
	return error ? error : trace_finish(&w, &session);
}

static void test_round_trip(void)
{
	int fd = new_file();

	tap_ok(!write_sample(fd), "a trace is written");
	tap_ok(!read_again(fd), "and opened");
	tap_ok(!memcmp(&got.header, &header, sizeof(header)),
	       "its header is the same");
	for (uint32_t type = EVENT_ALLOC; type < TRACE_EVENT_TYPES; type++) {
		struct event full, want;

		memset(&got.event, 0, sizeof(got.event));
		fill_event(&full, type);
		keep(&want, &full);
		tap_ok(next() == TRACE_EVENT &&
		       !memcmp(&got.event, &want, sizeof(want)),
		       "an event of type %u is the same", type);
	}
	tap_ok(next() == TRACE_SYMBOL && got.symbol.addr == symbol.addr &&
	       got.symbol.start == symbol.start &&
	       got.symbol.len == symbol.len &&
	       !memcmp(got.symbol.name, symbol.name, symbol.len),
	       "a symbol is the same");
	tap_ok(next() == TRACE_END &&
	       !memcmp(&got.session, &session, sizeof(session)),
	       "the end is the same");
	tap_ok(next() == 0 && !r.unknown, "nothing follows");
	close(fd);
}

/* Many times the buffer, so that records straddle its end in every way. */
static void test_many(void)
{
	int fd = new_file(), wrong = trace_create(&w, fd, &memory, &header) != 0;
	struct event e;
	uint64_t bytes;

	fill_event(&e, EVENT_ALLOC);
	for (uint32_t i = 0; i < MANY; i++) {
		e.chain_len = i % (CHAIN_FRAMES_MAX + 1);
		e.pfn = i;
		trace_write(&w, &e);
	}
	wrong += trace_finish(&w, &session) != 0;
	bytes = (uint64_t)lseek(fd, 0, SEEK_END);
	wrong += read_again(fd) != 0;
	for (uint32_t i = 0; i < MANY && !wrong; i++)
		wrong += next() != TRACE_EVENT || got.event.pfn != i ||
			 got.event.chain_len != i % (CHAIN_FRAMES_MAX + 1);
	tap_ok(!wrong, "%u events, longer than the buffer", MANY);
	tap_ok(r.offset + r.record_bytes < bytes &&
	       next() == TRACE_END &&
	       r.offset + r.record_bytes == bytes,
	       "the offset is that in the file");
	close(fd);
}

static void test_limits(void)
{
	int fd = new_file();
	struct event e;

	trace_create(&w, fd, &memory, &header);
	fill_event(&e, EVENT_ALLOC);
	e.order = 256;
	e.chain_len = UINT32_MAX;
	trace_write(&w, &e);
	e.type = TRACE_EVENT_TYPES;
	trace_write(&w, &e);
	w.fd = -1;
	trace_write(&w, &e);
	tap_ok(trace_finish(&w, &session) == 0, "no file: nothing is recorded");
	w.fd = fd;
	tap_ok(trace_finish(&w, &session) == 0, "finished");
	read_again(fd);
	tap_ok(next() == TRACE_EVENT && got.event.order == 255 &&
	       got.event.chain_len == CHAIN_FRAMES_MAX,
	       "an order or chain too large stays too large, or is cut");
	tap_ok(next() == TRACE_END, "a type without a shape is not written");
	close(fd);
}

static void test_failed_writes(void)
{
	struct rlimit limit;
	int full = open("/dev/full", O_WRONLY), fd = new_file(), error;
	rlim_t old;
	struct event e;
	off_t size;

	if (full >= 0)
		tap_ok(trace_create(&w, full, &memory, &header) == -ENOSPC,
		       "no space for the header is told at once");
	tap_ok(trace_create(&w, -1, &memory, &header) == -EBADF,
	       "a bad file too");
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &limit);
	old = limit.rlim_cur;
	limit.rlim_cur = 200000;
	setrlimit(RLIMIT_FSIZE, &limit);
	error = trace_create(&w, fd, &memory, &header);
	fill_event(&e, EVENT_ALLOC);
	for (uint32_t i = 0; i < 5000; i++)
		trace_write(&w, &e);
	limit.rlim_cur = old;
	setrlimit(RLIMIT_FSIZE, &limit);
	tap_ok(!error && w.error == EFBIG, "a write that fails is kept");
	size = lseek(fd, 0, SEEK_END);
	tap_ok(trace_finish(&w, &session) == -EFBIG &&
	       lseek(fd, 0, SEEK_END) == size,
	       "nothing is written after it, the end tells it");
	close(fd);
}

int main(void)
{
	for (int i = 0; i < NOTES_MAX; i++)
		memset(session.note[i], 'a' + i, NOTE_BYTES - 1);
	test_round_trip();
	test_many();
	test_limits();
	test_failed_writes();
	return tap_plan_done();
}
