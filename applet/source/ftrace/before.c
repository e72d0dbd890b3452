/* SPDX-License-Identifier: MIT */
/* Finds, reads and gives back the kernel's own trace buffer: see
 * source/source.h, before. It is read like the rings of our instances. */
#include <errno.h>
#include <string.h>
#include "base/base.h"
#include "base/system.h"
#include "source/ftrace/ftrace.h"
#include "source/proc/proc.h"
#include "source/source.h"
#include "source/tracefs/tracefs.h"

static int is_enabled(const char *event)
{
	char name[48], text[8];

	print_to(name, sizeof(name), "events/%s/enable", event);
	return tracefs_text(name, text, sizeof(text)) > 0 && *text == '1';
}

/* "local global [mono] boot" */
static int has_clock(void)
{
	char text[256];
	const ssize_t len = tracefs_text("trace_clock", text, sizeof(text));

	return len > 0 && find_text(text, (size_t)len, "[mono]") != NULL;
}

/* Are only our events enabled, one "system:event" a line? Reading the record
 * also consumes the entries of other events, which somebody else may want. */
static int is_ours_alone(void)
{
	char text[2048];
	const ssize_t len = tracefs_text("set_event", text, sizeof(text));
	struct word rest = { text, len < 0 ? 0 : (size_t)len }, event, system;

	while (rest.at && rest.len) {
		word_to(&rest, '\n', &event);
		if (!word_is(word_to(&event, ':', &system), "kmem") &&
		    !word_is(&system, "module") && !word_is(&system, "initcall"))
			return 0;
		if (word_is(&system, "kmem") &&
		    !word_is(&event, "mm_page_alloc") &&
		    !word_is(&event, "mm_page_free"))
			return 0;
	}
	return len > 0;
}

/* Why the record cannot be used, or NULL. */
static const char *why_not(void)
{
	char on[8];

	if (!is_enabled("kmem/mm_page_free"))
		return "trace_event= lacks kmem:mm_page_free";
	if (!has_clock())
		return "its times need trace_clock=mono";
	if (tracefs_text("tracing_on", on, sizeof(on)) < 1 || *on != '1')
		return "it has ended";
	if (!is_ours_alone())
		return "it has other events, too";
	return NULL;
}

void before_look(struct before *b, struct session *notes)
{
	const char *why;

	if (!is_enabled("kmem/mm_page_alloc"))
		return;
	why = why_not();
	if (why)
		session_note(notes, "the record from before init is not used: "
			     "%s", why);
	b->used = !why;
}

uint64_t before_arena_bytes(uint32_t cpus, uint32_t page_bytes)
{
	return (uint64_t)cpus * (sizeof(struct ftrace_ring) + page_bytes +
				 sizeof(struct merge_entry)) +
	       sizeof(struct ftrace) + 256;
}

static void read_kib(const char *name, uint64_t *kib)
{
	char path[PATH_BYTES];

	read_number(tracefs_path(path, name), 10, kib);
}

/* Without the format of a stack there are no call chains. */
int before_open(struct before *b, struct arena *a,
		const struct source_offer *offer, uint32_t cpus,
		uint32_t page_bytes)
{
	struct ftrace *f = arena_take(a, 1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	f->source.points = &f->points;
	f->source.frames = CHAIN_FRAMES_MAX;
	f->capacity = cpus;
	f->page_bytes = page_bytes;
	if (ftrace_take_rings(f, a, cpus))
		return -ENOMEM;
	if (ftrace_read_layout(f))
		return -EINVAL;
	ftrace_read_stack(f);
	tracefs_read_boot(&f->points, &offer->points);
	read_kib("per_cpu/cpu0/buffer_size_kb", &b->buffer_kib);
	read_kib("buffer_total_size_kb", &b->buffers_kib);
	b->reader = f;
	return 0;
}

/* --- read */

/* The statistics of a CPU's buffer: the number behind a key such as
 * "overrun:", or 0. */
static ssize_t read_stats(uint32_t cpu, char *text, size_t size)
{
	char name[48];

	print_to(name, sizeof(name), "per_cpu/cpu%u/stats", cpu);
	return tracefs_text(name, text, size);
}

static uint64_t stat_of(const char *text, ssize_t len, const char *key)
{
	struct word w = { text, len > 0 ? (size_t)len : 0 };
	uint64_t value;

	return word_seek(&w, key) ||
	       number_to(past_blanks(&w), '\n', 10, &value) ? 0 : value;
}

static void open_cpu(void *context, uint32_t cpu)
{
	struct before *b = context;
	struct ftrace *f = b->reader;
	struct ftrace_ring *r = &f->ring[f->rings];
	char name[48], path[PATH_BYTES], text[512];
	ssize_t len;

	if (f->rings == f->capacity)
		return;
	len = read_stats(cpu, text, sizeof(text));
	print_to(name, sizeof(name), "per_cpu/cpu%u/trace_pipe_raw", cpu);
	*r = (struct ftrace_ring){
		.cpu = cpu, .page = r->page, .pages = 1, .stats_fd = -1,
		.lost = stat_of(text, len, "\noverrun:"),
		.fd = system_open_path(tracefs_path(path, name),
				       O_RDONLY | O_NONBLOCK),
	};
	b->dropped += stat_of(text, len, "\ndropped events:") +
		      stat_of(text, len, "\ncommit overrun:");
	f->rings += r->fd >= 0;
}

void before_stop(struct before *b)
{
	tracefs_set("tracing_on", "0");
	proc_cpus(open_cpu, b);
}

/* If newer entries have overwritten older entries of a CPU, the record is
 * complete from that CPU's first entry on. Earlier entries of other CPUs are of
 * no use, because the frees of their pages may be missing. */
void before_begin(struct before *b)
{
	struct ftrace *f = b->reader;

	f->tracer = b->tracer;
	f->tracer_bytes = b->tracer_bytes;
	ftrace_begin(&f->source, UINT64_MAX);
	for (uint32_t i = 0; i < f->rings; i++) {
		const struct ftrace_ring *r = &f->ring[i];

		b->overrun += r->lost;
		if (r->lost && r->has_next && r->next.time_ns > b->from_ns)
			b->from_ns = r->next.time_ns;
	}
}

int before_next(struct before *b, struct event *e)
{
	struct source *s = &b->reader->source;
	int found;

	while ((found = ftrace_next(s, e))) {
		if (e->type == EVENT_REJECTED)
			s->stalls++;
		else if (e->time_ns < b->from_ns)
			b->overrun++;
		else
			break;
	}
	b->bad = s->stalls;
	b->given += (uint64_t)found;
	e->result = 0;		/* of an initcall: not read */
	return found;
}

uint64_t before_unread(const struct before *b)
{
	const struct ftrace *f = b->reader;
	uint64_t sum = 0;
	char text[512];

	for (uint32_t i = 0; i < f->rings; i++)
		if (f->ring[i].has_next)
			sum += stat_of(text, read_stats(f->ring[i].cpu, text,
							sizeof(text)),
				       "entries:") + 1;
	return sum;
}

void before_close(struct before *b)
{
	ftrace_close_rings(b->reader, 0);
}

/* --- give back */

/* Disables our events. Returns 1 if no events of somebody else are enabled. */
static int disable(void)
{
	static const char *const events[] = {
		"kmem/mm_page_alloc", "kmem/mm_page_free", "module", "initcall",
	};
	char name[48];

	for (unsigned int i = 0; i < ARRAY_LEN(events); i++) {
		print_to(name, sizeof(name), "events/%s/enable", events[i]);
		tracefs_set(name, "0");
	}
	return !tracefs_text("set_event", name, sizeof(name));
}

/* "123 comm" */
static void take_name(void *context, char *line, size_t len)
{
	struct emitter *r = context;
	struct word rest = { line, len };
	uint64_t tid;

	if (number_to(&rest, ' ', 10, &tid) || tid > INT32_MAX || !rest.len)
		return;
	r->event.tid = (uint32_t)tid;
	word_copy(&rest, r->event.name, COMM_BYTES);
	r->out->event(r->out, &r->event);
}

void before_names(struct event_out *out, uint64_t time_ns)
{
	char path[PATH_BYTES];

	proc_emit_lines(tracefs_path(path, "saved_cmdlines"), take_name, out,
			EVENT_COMM, time_ns);
}

/* The size that the buffer of each CPU keeps. */
#define KEPT_KIB 8u

static void shrink(struct before *b, uint64_t step_kib)
{
	char text[24];

	b->buffer_kib = b->buffer_kib > step_kib + KEPT_KIB ?
			b->buffer_kib - step_kib : KEPT_KIB;
	print_to(text, sizeof(text), "%llu",
		 (unsigned long long)b->buffer_kib);
	if (tracefs_set("buffer_size_kb", text))
		b->buffer_kib = KEPT_KIB;
}

int before_give_back(struct before *b, uint64_t step_kib)
{
	int others = 0;

	if (!b->used)
		return 0;
	if (!b->disabled)
		others = !disable();
	b->disabled = 1;
	if (!others && b->buffer_kib > KEPT_KIB) {
		shrink(b, step_kib);
		return 1;
	}
	if (!others) {
		tracefs_set("options/stacktrace", "0");
		tracefs_set("trace_clock", "local");
	}
	tracefs_set("tracing_on", "1");
	b->used = 0;
	return 0;
}
