/* SPDX-License-Identifier: MIT */
/*
 * source/trace_*.c: what is written is read again, field by field; a write
 * that fails is told; bytes that end anywhere are read up to there.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <signal.h>
#include <unistd.h>
#include "record/trace.h"
#include "record/shape.h"
#include "tap.h"

#define MANY 50000

static void fill_header(struct trace_header *h)
{
	memset(h, 0, sizeof(*h));
	*h = (struct trace_header){
		.page_size = 16384, .mem_total_kib = 123456789,
		.start_ns = 42, .kernel = "6.12.0+x",
		.layout = {
			.pages_bytes = UINT64_C(1) << 33, .nodes = 1,
			.owners = 2, .tasks = 3, .modules = 4, .symbols = 5,
			.ring_bytes = 1 << 20, .slab_bytes = 1 << 19,
		},
		.ram = { .count = 2, .range = { { 16, 100 }, { 200, 7 } } },
	};
}

static void fill_session(struct session *s)
{
	memset(s, 0, sizeof(*s));
	*s = (struct session){
		.cpus_traced = 3, .cpus_online = 4, .start_ns = 42,
		.end_ns = UINT64_C(1) << 40, .mem_total_kib = 123456789,
		.own_bytes = 1 << 20, .cpu_ns = 9, .reason = "SIGTERM",
		.notes = NOTES_MAX,
	};
	for (int i = 0; i < NOTES_MAX; i++)
		memset(s->note[i], 'a' + i, NOTE_BYTES - 1);
}

/* Every field has a value of its own, so that one in another's place shows. */
static void fill_event(struct event *e, uint32_t type)
{
	memset(e, 0, sizeof(*e));
	e->type = type;
	e->time_ns = 0x1122334455667788 + type;
	e->tid = 0x01020304;
	e->tgid = 0x05060708;
	e->flags = EVENT_EXEC | EVENT_IRQ | EVENT_SAMPLED;
	switch (type) {
	case EVENT_ALLOC: case EVENT_AREA_ALLOC:
		e->chain_len = CHAIN_FRAMES_MAX;
		for (unsigned int i = 0; i < CHAIN_FRAMES_MAX; i++)
			e->chain[i] = (unsigned long)0x8123456789abcdef + i;
		if (type == EVENT_AREA_ALLOC) {
			e->base = 0xf4000000;
			break;
		}
		/* fallthrough */
	case EVENT_FREE:
		e->pfn = 0x0123456789abcdef;
		e->order = 9;
		break;
	case EVENT_FORK: case EVENT_TASK:
		e->parent_tid = 0x11121314;
		e->parent_tgid = 0x15161718;
		break;
	case EVENT_LOAD_EXIT:
		e->result = -8;
		break;
	case EVENT_MODULE_RANGE:
		e->base = 0xf1000000;
		e->size = 0x12345;
		break;
	case EVENT_MEMORY:
		e->free_pages = UINT64_C(1) << 40 | 5;
		break;
	case EVENT_LOST:
		e->lost = UINT64_MAX;
		break;
	case EVENT_BULK:
		e->pages = UINT64_C(1) << 42 | 7;
		break;
	case EVENT_AREA_FREE:
		e->base = 0xf2000000;
		break;
	case EVENT_AREA_SEEN:
		e->base = 0xf3000000;
		e->pages = UINT64_C(1) << 43 | 8;
		break;
	case EVENT_FIGURE:
		e->size = UINT64_C(1) << 44 | 9;
		break;
	case EVENT_OBJECT_ALLOC:
		e->size = UINT64_C(1) << 45 | 10;
		e->allocated_bytes = UINT64_C(1) << 46 | 11;
		e->chain_len = 2;
		e->chain[0] = 0xf5000000;
		e->chain[1] = 0xf6000000;
		/* fallthrough */
	case EVENT_OBJECT_FREE:
		e->base = 0xf7000000;
		e->site = 0xf8000000;
		e->cpu = 0x21222324;
		break;
	case EVENT_CACHE_SEEN:
		e->size = UINT64_C(1) << 47 | 12;
		e->objects = UINT64_C(1) << 48 | 13;
		e->pages = UINT64_C(1) << 49 | 14;
		break;
	}
	if (type == EVENT_TASK)
		e->rss_pages = UINT64_C(1) << 41 | 6;
	if (type == EVENT_COMM || type == EVENT_TASK ||
	    type == EVENT_MODULE_LOAD || type == EVENT_MODULE_FREE ||
	    type == EVENT_MODULE_RANGE || type == EVENT_AREA_SEEN ||
	    type == EVENT_FIGURE || type == EVENT_SOURCE ||
	    type == EVENT_OBJECT_ALLOC || type == EVENT_OBJECT_FREE ||
	    type == EVENT_CACHE_SEEN)
		memset(e->name, 0xe4, MODULE_NAME_BYTES - 1);
}

static int same_event(const struct event *a, const struct event *b)
{
	return a->type == b->type && a->time_ns == b->time_ns &&
	       a->tid == b->tid && a->tgid == b->tgid &&
	       a->flags == b->flags && a->order == b->order &&
	       a->parent_tid == b->parent_tid &&
	       a->parent_tgid == b->parent_tgid && a->pfn == b->pfn &&
	       a->result == b->result && a->base == b->base &&
	       a->size == b->size && a->pages == b->pages &&
	       a->site == b->site && a->cpu == b->cpu &&
	       a->allocated_bytes == b->allocated_bytes &&
	       a->objects == b->objects && a->free_pages == b->free_pages &&
	       a->rss_pages == b->rss_pages && a->lost == b->lost &&
	       !strcmp(a->name, b->name) && a->chain_len == b->chain_len &&
	       !memcmp(a->chain, b->chain, a->chain_len * sizeof(a->chain[0]));
}

static int same_header(const struct trace_header *a,
		       const struct trace_header *b)
{
	return a->page_size == b->page_size && a->start_ns == b->start_ns &&
	       a->mem_total_kib == b->mem_total_kib &&
	       !strcmp(a->kernel, b->kernel) &&
	       !memcmp(&a->layout, &b->layout, sizeof(a->layout)) &&
	       a->ram.count == b->ram.count &&
	       !memcmp(a->ram.range, b->ram.range,
		       a->ram.count * sizeof(a->ram.range[0]));
}

static int same_session(const struct session *a, const struct session *b)
{
	for (uint32_t i = 0; i < a->notes; i++)
		if (strcmp(a->note[i], b->note[i]))
			return 0;
	return a->cpus_traced == b->cpus_traced && a->notes == b->notes &&
	       a->cpus_online == b->cpus_online && a->end_ns == b->end_ns &&
	       a->start_ns == b->start_ns && a->cpu_ns == b->cpu_ns &&
	       a->mem_total_kib == b->mem_total_kib &&
	       a->own_bytes == b->own_bytes && !strcmp(a->reason, b->reason);
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
	static unsigned char buffer[TRACE_BUFFER_BYTES];
	const struct trace_symbol symbol = {
		.addr = 0xc1000010, .start = 0xc1000000, .name = "schedule",
		.len = 8,
	};
	struct trace_writer w;
	struct trace_header h;
	struct session s;
	struct event e;
	int error;

	fill_header(&h);
	fill_session(&s);
	error = trace_create(&w, fd, buffer, &h);
	for (uint32_t type = EVENT_ALLOC; type < TRACE_EVENT_TYPES; type++) {
		fill_event(&e, type);
		trace_write(&w, &e);
	}
	trace_write_symbol(&w, &symbol);
	return error ? error : trace_finish(&w, &s);
}

static void test_round_trip(void)
{
	static unsigned char buffer[TRACE_BUFFER_BYTES];
	int fd = new_file();
	struct trace_header h, want_h;
	struct session s = { 0 }, want_s;
	struct trace_symbol symbol;
	struct trace_reader r;

	tap_ok(!write_sample(fd), "a trace is written");
	lseek(fd, 0, SEEK_SET);
	tap_ok(!trace_open(&r, fd, buffer, &h), "and opened");
	fill_header(&want_h);
	tap_ok(same_header(&h, &want_h), "its header is the same");
	for (uint32_t type = EVENT_ALLOC; type < TRACE_EVENT_TYPES; type++) {
		struct event e = { 0 }, want;

		fill_event(&want, type);
		tap_ok(trace_next(&r, &e, &symbol, &s) == TRACE_EVENT &&
		       same_event(&e, &want),
		       "an event of type %u is the same", type);
	}
	tap_ok(trace_next(&r, NULL, &symbol, &s) == TRACE_SYMBOL &&
	       symbol.addr == 0xc1000010 &&
	       symbol.start == 0xc1000000 && symbol.len == 8 &&
	       !memcmp(symbol.name, "schedule", 8), "a symbol is the same");
	fill_session(&want_s);
	tap_ok(trace_next(&r, NULL, &symbol, &s) == TRACE_END &&
	       same_session(&s, &want_s),
	       "the end is the same");
	tap_ok(trace_next(&r, NULL, &symbol, &s) == 0 && !r.unknown,
	       "nothing follows");
	close(fd);
}

/* Many times the buffer, so that records straddle its end in every way. */
static void test_many(void)
{
	static unsigned char buffer[TRACE_BUFFER_BYTES];
	int fd = new_file(), wrong = 0;
	struct trace_writer w;
	struct trace_header h;
	struct session s;
	struct trace_reader r;
	struct trace_symbol symbol;
	struct event e;

	fill_header(&h);
	fill_session(&s);
	wrong += trace_create(&w, fd, buffer, &h) != 0;
	for (uint32_t i = 0; i < MANY; i++) {
		fill_event(&e, EVENT_ALLOC);
		e.chain_len = i % (CHAIN_FRAMES_MAX + 1);
		e.pfn = i;
		trace_write(&w, &e);
	}
	wrong += trace_finish(&w, &s) != 0;
	tap_ok(!wrong && w.written_bytes ==
	       (uint64_t)lseek(fd, 0, SEEK_END), "its bytes are counted");
	lseek(fd, 0, SEEK_SET);
	wrong += trace_open(&r, fd, buffer, &h) != 0;
	for (uint32_t i = 0; i < MANY && !wrong; i++)
		wrong += trace_next(&r, &e, &symbol, &s) != TRACE_EVENT ||
			 e.pfn != i ||
			 e.chain_len != i % (CHAIN_FRAMES_MAX + 1);
	tap_ok(!wrong, "%u events, longer than the buffer", MANY);
	tap_ok(r.offset + r.record_bytes < w.written_bytes &&
	       trace_next(&r, &e, &symbol, &s) == TRACE_END &&
	       r.offset + r.record_bytes == w.written_bytes,
	       "the offset is that in the file");
	close(fd);
}

static void test_limits(void)
{
	static unsigned char buffer[TRACE_BUFFER_BYTES];
	int fd = new_file();
	struct trace_writer w;
	struct trace_header h;
	struct trace_reader r;
	struct trace_symbol symbol;
	struct session s;
	struct event e;

	fill_header(&h);
	trace_create(&w, fd, buffer, &h);
	fill_event(&e, EVENT_ALLOC);
	e.order = 256;
	e.chain_len = UINT32_MAX;
	trace_write(&w, &e);
	e.type = TRACE_EVENT_TYPES;
	trace_write(&w, &e);
	w.fd = -1;
	trace_write(&w, &e);
	tap_ok(trace_finish(&w, &s) == 0, "no file: nothing is recorded");
	w.fd = fd;
	fill_session(&s);
	tap_ok(trace_finish(&w, &s) == 0, "finished");
	lseek(fd, 0, SEEK_SET);
	trace_open(&r, fd, buffer, &h);
	tap_ok(trace_next(&r, &e, &symbol, &s) == TRACE_EVENT &&
	       e.order == 255 && e.chain_len == CHAIN_FRAMES_MAX,
	       "an order or chain too large stays too large, or is cut");
	tap_ok(trace_next(&r, &e, &symbol, &s) == TRACE_END,
	       "a type without a shape is not written");
	close(fd);
}

static void test_failed_writes(void)
{
	static unsigned char buffer[TRACE_BUFFER_BYTES];
	struct rlimit old, small = { 200000, 200000 };
	int full = open("/dev/full", O_WRONLY), fd = new_file(), error;
	struct trace_writer w;
	struct trace_header h;
	struct session s;
	struct event e;
	off_t size;

	fill_header(&h);
	fill_session(&s);
	if (full >= 0)
		tap_ok(trace_create(&w, full, buffer, &h) == -ENOSPC,
		       "no space for the header is told at once");
	tap_ok(trace_create(&w, -1, buffer, &h) == -EBADF, "a bad file too");
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	small.rlim_max = old.rlim_max;
	setrlimit(RLIMIT_FSIZE, &small);
	error = trace_create(&w, fd, buffer, &h);
	fill_event(&e, EVENT_ALLOC);
	for (uint32_t i = 0; i < 5000; i++)
		trace_write(&w, &e);
	setrlimit(RLIMIT_FSIZE, &old);
	tap_ok(!error && w.error == EFBIG, "a write that fails is kept");
	size = lseek(fd, 0, SEEK_END);
	tap_ok(trace_finish(&w, &s) == -EFBIG &&
	       lseek(fd, 0, SEEK_END) == size,
	       "nothing is written after it, the end tells it");
	close(fd);
}

/* Bytes in memory, so that a sanitizer sees a read past them. */
static void test_cut(void)
{
	int fd = new_file(), wrong = 0;
	struct trace_header h;
	struct trace_reader r;
	struct trace_symbol symbol;
	struct session s = { 0 };
	struct event e;
	size_t size;

	write_sample(fd);
	size = (size_t)lseek(fd, 0, SEEK_END);
	for (size_t cut = 0; cut < size; cut++) {
		unsigned char *bytes = malloc(cut + (cut == 0));
		int got;

		if (!bytes || pread(fd, bytes, cut, 0) != (ssize_t)cut)
			tap_skip("no memory");
		got = trace_open_bytes(&r, bytes, cut, &h);
		if (!got)
			do
				got = trace_next(&r, &e, &symbol, &s);
			while (got > 0);
		wrong += got != -EINVAL || !r.problem || r.offset > cut ||
			 r.ended;
		free(bytes);
	}
	tap_ok(size > 1000 && !wrong, "cut at each of %zu bytes", size);
	close(fd);
}

int main(void)
{
	test_round_trip();
	test_many();
	test_limits();
	test_failed_writes();
	test_cut();
	return tap_plan_done();
}
