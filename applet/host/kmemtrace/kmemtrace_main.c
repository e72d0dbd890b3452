/* SPDX-License-Identifier: MIT */
/*
 * memstrack kmemtrace FILE...: reports the objects of slab in streams of
 * kmemtrace, one for each CPU. With -w: record.h, kmemtrace write.
 *
 * The CPU of a file is the last number in its name; without a number, the index
 * of the file among the arguments. If a file has errors, we print them, report
 * what can be read, and exit with status 1.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/base.h"
#include "base/system.h"
#include "config/config.h"
#include "ledger/events.h"
#include "output/output.h"
#include "record/record.h"
#include "host/kmemtrace/kmemtrace.h"
#include "report/report.h"

#define FILES_MAX 256u
#define SLAB_BYTES (256u << 20)

struct input {
	const char *path;
	struct kmem_stream stream;
	struct event next;
	int has_next;
};

struct work {
	uint32_t inputs;
	uint32_t opened;	/* of these */
	int failed;		/* the exit status */
	int timed;		/* records have times */
	uint64_t missing;	/* sequence numbers */
	uint64_t last;
	struct arena arena;
	struct symbols symbols;
	struct session session;
	struct config config;
	struct ledger ledger;
	struct input input[FILES_MAX];
};

/* The last number in a name. */
static uint32_t cpu_of(const char *path, uint32_t otherwise)
{
	const char *name = past_last(path, '/');
	size_t end, start;
	uint64_t cpu;

	end = strlen(name);
	while (end && (name[end - 1] < '0' || name[end - 1] > '9'))
		end--;
	start = end;
	while (start && name[start - 1] >= '0' && name[start - 1] <= '9')
		start--;
	if (start == end || parse_u64(name + start, end - start, 10, 0,
				      CPUS_MAX - 1, &cpu))
		return otherwise;
	return (uint32_t)cpu;
}

/* Maps a file and reads its first record. */
static void open_input(struct work *w, struct input *i)
{
	const int fd = system_open_input(i->path);
	const uint32_t cpu = cpu_of(i->path, (uint32_t)(i - w->input));
	void *bytes = NULL;
	const off_t size = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
	const char *why;
	struct stat st;

	if (size > 0)
		bytes = system_map_input((uint64_t)size, fd);
	if (fd >= 0 && !system_stat(fd, "", &st) && S_ISDIR(st.st_mode)) {
		w->failed = complain_error(i->path, EISDIR);
		close(fd);
		return;
	}
	if (size < 0 || bytes == MAP_FAILED) {
		w->failed = size < 0 && errno == ESPIPE ?
			    complain(i->path, "a pipe: only files can be read") :
			    complain_error(i->path, errno);
		close(fd);
		return;
	}
	close(fd);
	why = kmem_open(&i->stream, bytes, (size_t)size, cpu);
	if (why) {
		w->failed = complain(i->path, "byte 0: %s", why);
	} else {
		w->opened++;
		i->has_next = kmem_next(&i->stream, &i->next);
	}
	w->timed |= i->stream.form == KMEM_FIRST;
}

static int make_tables(struct work *w)
{
	const struct ram ram = { .range = { { 0, 1 } }, .count = 1 };
	struct layout l = {
		/* A report can sort as many sites as there are nodes. */
		.pages_bytes = 4096, .nodes = 1 << 16, .owners = 32, .tasks = 16,
		.modules = 16, .symbols = 64,
		.slab_bytes = w->config.slab_bytes > 1 ?
			      w->config.slab_bytes : SLAB_BYTES,
	};
	const uint64_t bytes = layout_bytes(&l, &ram) + 4096;
	void *block = system_memory(bytes);

	if (!block)
		return complain_error("tables", errno);
	arena_init(&w->arena, block, (size_t)bytes);
	if (ledger_init(&w->ledger, &w->arena, &l, &ram) ||
	    symbols_init(&w->symbols, &w->arena, l.symbols) ||
	    !w->ledger.slab.on)
		return complain("--slab", "tables that do not fit");
	return 0;
}

static struct input *oldest(struct work *w)
{
	struct input *best = NULL;

	for (struct input *i = w->input; i < w->input + w->inputs; i++)
		if (i->has_next &&
		    (!best || i->next.time_ns < best->next.time_ns))
			best = i;
	return best;
}

/* A sequence number that no file has belongs to a lost event: the buffer was
 * full. */
static void note_gap(struct work *w, const struct input *i)
{
	const uint64_t now = i->next.time_ns;
	struct event lost;

	if (i->stream.form == KMEM_RELAY && w->last && now > w->last + 1) {
		event_begin(&lost, EVENT_LOST, now);
		lost.lost = now - w->last - 1;
		w->missing += lost.lost;
		ledger_apply(&w->ledger, &lost);
	}
	if (now > w->last)
		w->last = now;
}

static void complain_of_stream(struct work *w, const struct input *i)
{
	const struct kmem_stream *s = &i->stream;

	if (s->illegal)
		w->failed = complain(i->path, "%llu illegal records, the last "
				     "one at byte %llu", (unsigned long long)
				     s->illegal,
				     (unsigned long long)s->illegal_at);
	if (s->disorder)
		w->failed = complain(i->path, "%llu records out of order",
				     (unsigned long long)s->disorder);
	if (s->cut_bytes)
		w->failed = complain(i->path, "byte %llu: cut off in the middle "
				     "of a record", (unsigned long long)
				     (s->end - s->begin) - s->cut_bytes);
}

static void write_objects(void *report, enum format f, struct out *o)
{
	report_objects(report, f, o);
}

static int print_report(struct work *w)
{
	struct report report = {
		.ledger = &w->ledger, .session = &w->session,
		.symbols = &w->symbols, .level = w->config.level,
		.top = w->config.top, .lines_max = w->config.lines,
		.throttle_percent = 100,
	};
	struct sink sink;
	int error;

	w->session.page_size = 4096;
	/* Sequence numbers are not times. */
	w->session.end_ns = w->timed ? w->ledger.last_ns : 0;
	error = sink_write(&sink, &w->config, write_objects, &report);
	return error ? complain_error("the report", error) : 0;
}

static int read_streams(struct work *w)
{
	struct input *i;

	for (i = w->input; i < w->input + w->inputs; i++) {
		if (sink_replaces(&w->config, i->path))
			return 1;
		open_input(w, i);
	}
	if (!w->opened || make_tables(w))
		return 1;
	while ((i = oldest(w))) {
		note_gap(w, i);
		ledger_apply(&w->ledger, &i->next);
		i->has_next = kmem_next(&i->stream, &i->next);
	}
	for (i = w->input; i < w->input + w->inputs; i++)
		complain_of_stream(w, i);
	if (w->ledger.total.rejected)
		w->failed = complain("the streams", "%llu records that cannot "
				     "be true", (unsigned long long)
				     w->ledger.total.rejected);
	if (w->missing)
		w->failed = complain("the streams", "%llu sequence numbers are "
				     "in no file: events were lost",
				     (unsigned long long)w->missing);
	return print_report(w) | w->failed;
}

int kmemtrace_main(int argc, char *argv[])
{
	const struct options o = {
		.of = OF_KMEMTRACE, .least = 1, .most = FILES_MAX,
		.missing = "FILE is missing", .plain = 1,
	};
	struct work *w;
	int inputs;

	if (argc > 1 && !strcmp(argv[1], "-w"))
		return argc == 4 ? kmemtrace_write(argv[2], argv[3]) :
		       refuse_usage("kmemtrace -w: PREFIX and FILE are needed");
	w = system_memory(sizeof(*w));
	if (!w)
		return complain_error("memory", errno);
	inputs = options_take(&o, &w->config, argc, argv, refuse_usage);
	if (inputs < 0)
		return EXIT_USAGE;
	for (w->inputs = 0; w->inputs < (uint32_t)inputs; w->inputs++)
		w->input[w->inputs].path = argv[w->inputs + 1];
	return read_streams(w);
}
