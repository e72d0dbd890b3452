/* SPDX-License-Identifier: MIT */
/* Finds, opens and gives back the kernel's own trace buffer: see
 * source/source.h, before. */
#include <errno.h>
#include <string.h>
#include "base/base.h"
#include "base/system.h"
#include "source/source.h"
#include "source/tracefs/tracefs.h"

static int is_enabled(const char *root, const char *event)
{
	char name[48], text[8];

	print_to(name, sizeof(name), "events/%s/enable", event);
	return top_read(root, name, text, sizeof(text)) > 0 && *text == '1';
}

/* "local global [mono] boot" */
static int has_clock(const char *root)
{
	char text[256];
	const ssize_t len = top_read(root, "trace_clock", text, sizeof(text));

	return len > 0 && find_text(text, (size_t)len, "[mono]") != NULL;
}

static const char *find_root(void)
{
	for (unsigned int i = 0; i < TRACEFS_ROOTS; i++)
		if (is_enabled(tracefs_roots[i], "kmem/mm_page_alloc"))
			return tracefs_roots[i];
	return NULL;
}

/* Are only our events enabled, one "system:event" a line? Reading the record
 * also consumes the entries of other events, which somebody else may want. */
static int is_ours_alone(const char *root)
{
	char text[2048];
	const ssize_t len = top_read(root, "set_event", text, sizeof(text));
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
static const char *why_not(const char *root)
{
	char on[8];

	if (!is_enabled(root, "kmem/mm_page_free"))
		return "trace_event= lacks kmem:mm_page_free";
	if (!has_clock(root))
		return "its times need trace_clock=mono";
	if (top_read(root, "tracing_on", on, sizeof(on)) < 1 || *on != '1')
		return "it has ended";
	if (!is_ours_alone(root))
		return "it has other events, too";
	return NULL;
}

void before_look(struct before *b, struct session *notes)
{
	const char *root = find_root();

	const char *why;

	if (!root)
		return;
	why = why_not(root);
	if (why)
		session_note(notes, "the record from before init is not used: "
			     "%s", why);
	else
		b->root = root;
}

uint64_t before_arena_bytes(uint32_t cpus, uint32_t page_bytes)
{
	return (uint64_t)cpus * (sizeof(struct before_ring) + page_bytes + 64 +
				 sizeof(struct merge_entry)) + 128;
}

static int read_formats(struct before *b)
{
	char page[1024], event[1024];
	ssize_t len = top_read(b->root, "events/header_page", page,
			       sizeof(page));
	ssize_t more = top_read(b->root, "events/header_event", event,
				sizeof(event));

	if (len < 0 || more < 0 ||
	    ring_layout_parse(&b->formats.layout, page, (size_t)len, event,
			      (size_t)more))
		return -EINVAL;
	len = top_read(b->root, "events/initcall/initcall_start/format", page,
		       sizeof(page));
	boot_initcall_parse(&b->formats, page, len < 0 ? 0 : (size_t)len, 0);
	len = top_read(b->root, "events/initcall/initcall_finish/format", page,
		       sizeof(page));
	boot_initcall_parse(&b->formats, page, len < 0 ? 0 : (size_t)len, 1);
	return 0;
}

/* Without this format there are no call chains. */
static void read_stack_format(struct before *b)
{
	char text[2048];
	const ssize_t len = top_read(b->root,
				     "events/ftrace/kernel_stack/format", text,
				     sizeof(text));

	stack_parse(&b->formats.stack, text, len < 0 ? 0 : (size_t)len);
}

int before_open(struct before *b, struct arena *a,
		const struct source_offer *offer, uint32_t cpus,
		uint32_t page_bytes)
{
	uint64_t kib = 0;
	char path[TOP_PATH_ROOM];

	b->formats.points = &offer->points;
	b->page_bytes = page_bytes;
	b->capacity = cpus;
	b->ring = arena_take(a, cpus, sizeof(*b->ring));
	b->merge.heap = arena_take(a, cpus, sizeof(*b->merge.heap));
	for (uint32_t i = 0; i < cpus && !a->failed; i++)
		b->ring[i].bytes = arena_take(a, 1, page_bytes);
	if (a->failed)
		return a->failed;
	if (read_formats(b))
		return -EINVAL;
	read_stack_format(b);
	print_to(path, sizeof(path), "%s/per_cpu/cpu0/buffer_size_kb", b->root);
	read_number(path, 10, &kib);
	b->buffer_kib = kib;
	print_to(path, sizeof(path), "%s/buffer_total_size_kb", b->root);
	read_number(path, 10, &b->buffers_kib);
	return 0;
}

/* Disables our events. Returns 1 if no events of somebody else are enabled. */
static int disable(const struct before *b)
{
	static const char *const events[] = {
		"kmem/mm_page_alloc", "kmem/mm_page_free", "module", "initcall",
	};
	char name[48];

	for (unsigned int i = 0; i < ARRAY_LEN(events); i++) {
		print_to(name, sizeof(name), "events/%s/enable", events[i]);
		top_write(b->root, name, "0");
	}
	return !top_read(b->root, "set_event", name, sizeof(name));
}

struct names {
	struct event_out *out;
	uint64_t time_ns;
};

/* "123 comm" */
static void take_name(void *context, char *line, size_t len)
{
	const struct names *n = context;
	struct word rest = { line, len };
	struct event e;
	uint64_t tid;

	event_begin(&e, EVENT_COMM, n->time_ns);
	if (number_to(&rest, ' ', 10, &tid) || tid > INT32_MAX || !rest.len)
		return;
	e.tid = (uint32_t)tid;
	word_copy(&rest, e.name, COMM_BYTES);
	n->out->event(n->out, &e);
}

void before_names(const struct before *b, struct event_out *out,
		  uint64_t time_ns)
{
	struct names n = { out, time_ns };
	char path[TOP_PATH_ROOM];

	print_to(path, sizeof(path), "%s/saved_cmdlines", b->root);
	each_line(path, take_name, &n);
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
	if (top_write(b->root, "buffer_size_kb", text))
		b->buffer_kib = KEPT_KIB;
}

int before_give_back(struct before *b, uint64_t step_kib)
{
	int others = 0;

	if (!b->root)
		return 0;
	if (!b->disabled)
		others = !disable(b);
	b->disabled = 1;
	if (!others && b->buffer_kib > KEPT_KIB) {
		shrink(b, step_kib);
		return 1;
	}
	if (!others) {
		top_write(b->root, "options/stacktrace", "0");
		top_write(b->root, "trace_clock", "local");
	}
	top_write(b->root, "tracing_on", "1");
	b->root = NULL;
	return 0;
}
