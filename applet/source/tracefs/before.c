/* The kernel's own trace buffer, found, read and given back: see before.h. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>
#include "base/print.h"
#include "base/readfile.h"
#include "base/system.h"
#include "source/before.h"
#include "source/proc/proc.h"

#define PATH_ROOM 96

/* A small file of tracefs: its length, or -errno. */
static ssize_t read_part(const char *root, const char *name, char *text,
			 size_t size)
{
	char path[PATH_ROOM];

	print_to(path, sizeof(path), "%s/%s", root, name);
	return readfile(path, text, size);
}

static int write_part(const char *root, const char *name, const char *text)
{
	char path[PATH_ROOM];

	print_to(path, sizeof(path), "%s/%s", root, name);
	return writefile(path, text);
}

static int is_enabled(const char *root, const char *event)
{
	char name[48], text[8];

	print_to(name, sizeof(name), "events/%s/enable", event);
	return read_part(root, name, text, sizeof(text)) > 0 && *text == '1';
}

/* "local global [mono] boot" */
static int has_clock(const char *root)
{
	char text[256];
	const ssize_t len = read_part(root, "trace_clock", text, sizeof(text));

	return len > 0 && find_text(text, (size_t)len, "[mono]") != NULL;
}

static const char *find_root(void)
{
	for (unsigned int i = 0; i < TRACEFS_ROOTS; i++)
		if (is_enabled(tracefs_roots[i], "kmem/mm_page_alloc"))
			return tracefs_roots[i];
	return NULL;
}

void before_look(struct before *b, struct session *notes)
{
	const char *root = find_root();

	if (!root)
		return;
	if (!is_enabled(root, "kmem/mm_page_free"))
		session_note(notes, "the record from before init is not used: "
			     "trace_event= lacks kmem:mm_page_free");
	else if (!has_clock(root))
		session_note(notes, "the record from before init is not used: "
			     "its times need trace_clock=mono");
	else
		b->root = root;
}

uint64_t before_arena_bytes(uint32_t cpus, uint32_t page_bytes)
{
	return (uint64_t)cpus * (sizeof(struct before_ring) + page_bytes + 64 +
				 sizeof(struct merge_entry)) + 128;
}

/* The number behind "overrun: " in a CPU's stats, or 0. */
static uint64_t stat_of(const char *text, ssize_t len, const char *key)
{
	const char *at = len > 0 ? find_text(text, (size_t)len, key) : NULL;
	struct word w;
	uint64_t value;

	if (!at)
		return 0;
	at += strlen(key);
	w = (struct word){ at, (size_t)(text + len - at) };
	return number_to(past_blanks(&w), '\n', 10, &value) ? 0 : value;
}

static void open_cpu(void *context, uint32_t cpu)
{
	struct before *b = context;
	struct before_ring *r = &b->ring[b->rings];
	char name[48], path[PATH_ROOM], text[512];
	ssize_t len;

	if (b->rings == b->capacity)
		return;
	print_to(name, sizeof(name), "per_cpu/cpu%u/stats", cpu);
	len = read_part(b->root, name, text, sizeof(text));
	r->cpu = cpu;
	r->entries = stat_of(text, len, "entries:");
	r->overrun = stat_of(text, len, "\noverrun:");
	print_to(path, sizeof(path), "%s/per_cpu/cpu%u/trace_pipe_raw",
		 b->root, cpu);
	r->fd = system_open_path(path, O_RDONLY | O_NONBLOCK);
	if (r->fd >= 0)
		b->rings++;
}

static int read_formats(struct before *b)
{
	char page[1024], event[1024];
	ssize_t len = read_part(b->root, "events/header_page", page,
				sizeof(page));
	ssize_t more = read_part(b->root, "events/header_event", event,
				 sizeof(event));

	if (len < 0 || more < 0 ||
	    ring_layout_parse(&b->formats.layout, page, (size_t)len, event,
			      (size_t)more))
		return -EINVAL;
	len = read_part(b->root, "events/initcall/initcall_start/format", page,
			sizeof(page));
	boot_initcall_parse(&b->formats, page, len < 0 ? 0 : (size_t)len, 0);
	len = read_part(b->root, "events/initcall/initcall_finish/format", page,
			sizeof(page));
	boot_initcall_parse(&b->formats, page, len < 0 ? 0 : (size_t)len, 1);
	return 0;
}

/* Without this format there are no call chains. */
static void read_stack_format(struct before *b)
{
	char text[2048];
	const ssize_t len = read_part(b->root,
				      "events/ftrace/kernel_stack/format",
				      text, sizeof(text));

	boot_stack_parse(&b->formats, text, len < 0 ? 0 : (size_t)len);
}

int before_open(struct before *b, struct arena *a,
		const struct source_offer *offer, uint32_t cpus,
		uint32_t page_bytes)
{
	uint64_t kib = 0;
	char path[PATH_ROOM];

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
	return 0;
}

void before_stop(struct before *b)
{
	write_part(b->root, "tracing_on", "0");
	proc_cpus(open_cpu, b);
}

/* Other events may be enabled too, for somebody else: returns whether none
 * is. */
static int disable(const struct before *b)
{
	static const char *const events[] = {
		"kmem/mm_page_alloc", "kmem/mm_page_free", "module", "initcall",
	};
	char name[48];

	for (unsigned int i = 0; i < ARRAY_LEN(events); i++) {
		print_to(name, sizeof(name), "events/%s/enable", events[i]);
		write_part(b->root, name, "0");
	}
	return !read_part(b->root, "set_event", name, sizeof(name));
}

/* 1: a page was read; 0: there is none. */
static int read_page(struct before *b, struct before_ring *r)
{
	ssize_t len = -1;

	if (r->fd >= 0)
		len = read(r->fd, r->bytes, b->page_bytes);
	if (len <= 0) {
		if (r->fd >= 0)
			close(r->fd);
		r->fd = -1;
		return 0;
	}
	b->bad += ring_page_open(&r->page, &b->formats.layout, r->bytes,
				 (size_t)len) != 0;
	return 1;
}

/* The event is whole but for its chain. If the page has no more events, the
 * chain may be in the next page. */
static void add_chain(struct before *b, struct before_ring *r, uint64_t context)
{
	if (boot_find_chain(&b->formats, r->page, context, &r->next))
		return;
	if (r->page.at == r->page.end && read_page(b, r))
		boot_find_chain(&b->formats, r->page, context, &r->next);
}

/* Finds the next event of a CPU; 0: there are no more. */
static int advance(struct before *b, struct before_ring *r)
{
	struct ring_entry entry;
	uint64_t context;

	for (;;) {
		int found = ring_page_next(&r->page, &entry);

		if (!found && !read_page(b, r))
			return 0;
		if (found > 0)
			found = boot_decode(&b->formats, &entry, &r->next,
					    &context);
		b->bad += found < 0;
		if (found <= 0)
			continue;
		if (r->next.type == EVENT_ALLOC)
			add_chain(b, r, context);
		return 1;
	}
}

/* Where newer entries have replaced old ones, the record is whole from its
 * first entry on: before that, other CPUs' entries are of no use, because a
 * page's free may be missing. */
void before_begin(struct before *b)
{
	b->merge.count = 0;
	for (uint32_t i = 0; i < b->rings; i++) {
		struct before_ring *r = &b->ring[i];

		if (!advance(b, r))
			continue;
		merge_add(&b->merge, i, r->next.time_ns);
		if (r->overrun && r->next.time_ns > b->from_ns)
			b->from_ns = r->next.time_ns;
	}
	merge_order(&b->merge);
}

int before_next(struct before *b, struct event *e)
{
	while (b->merge.count) {
		struct before_ring *r = &b->ring[b->merge.heap[0].ring];

		memcpy(e, &r->next, offsetof(struct event, chain) +
		       r->next.chain_len * sizeof(*e->chain));
		if (advance(b, r))
			merge_again(&b->merge, r->next.time_ns);
		else
			merge_drop(&b->merge);
		if (e->time_ns >= b->from_ns) {
			b->given++;
			return 1;
		}
		b->skipped++;
	}
	return 0;
}

uint64_t before_overrun(const struct before *b)
{
	uint64_t sum = b->skipped;

	for (uint32_t i = 0; i < b->rings; i++)
		sum += b->ring[i].overrun;
	return sum;
}

uint64_t before_unread(const struct before *b)
{
	char name[48], text[512];
	uint64_t sum = 0;

	for (uint32_t i = 0; i < b->rings; i++) {
		ssize_t len;

		if (b->ring[i].fd < 0)
			continue;
		print_to(name, sizeof(name), "per_cpu/cpu%u/stats",
			 b->ring[i].cpu);
		len = read_part(b->root, name, text, sizeof(text));
		sum += stat_of(text, len, "entries:") + 1;
	}
	return sum;
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
	char path[PATH_ROOM];

	print_to(path, sizeof(path), "%s/saved_cmdlines", b->root);
	each_line(path, take_name, &n);
}

void before_close(struct before *b)
{
	for (uint32_t i = 0; i < b->rings; i++)
		if (b->ring[i].fd >= 0)
			close(b->ring[i].fd);
	b->rings = 0;
}

/* What is left of the buffers of each CPU. */
#define KEPT_KIB 8u

static void shrink(struct before *b, uint64_t step_kib)
{
	char text[24];

	b->buffer_kib = b->buffer_kib > step_kib + KEPT_KIB ?
			b->buffer_kib - step_kib : KEPT_KIB;
	print_to(text, sizeof(text), "%llu",
		 (unsigned long long)b->buffer_kib);
	if (write_part(b->root, "buffer_size_kb", text))
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
		write_part(b->root, "options/stacktrace", "0");
		write_part(b->root, "trace_clock", "local");
	}
	write_part(b->root, "tracing_on", "1");
	b->root = NULL;
	return 0;
}
