/* SPDX-License-Identifier: MIT */
/*
 * record/read.c, the ledger and report/ on any bytes as a recorded trace: none
 * is read beyond the last, each event comes from a record of its own and can be
 * applied, and after all of them every sum that must agree does (ledger_check).
 * The tables are small, whatever the header says, so that they fill.
 *
 * The report on these books is of any level, of any number of rows: names of all
 * bytes, addresses, figures and notes of all values. Every line is printable
 * ASCII and shorter than LINE_BYTES, so that no name forges one; every line of
 * JSON is an object; the rows and what is not shown of them hold what the head
 * says; the last line counts them all; and a report changes nothing: the second
 * is the first. Formats for other tools: the bytes of folded stacks are what is
 * held.
 *
 * Three bytes tell level, rows and throttle; the rest is the trace.
 *
 * host/kmemtrace/kmemtrace.c on any bytes as a stream. Reading ends, each event is one of
 * an object, and what is not read as a record is counted. Written again, an event
 * of the relay form is read as the same.
 */
#include "fuzz.h"
#include "ledger/events.h"
#include "report/report.h"
#include "record/record.h"
#include "host/formats/formats.h"
#include "host/kmemtrace/kmemtrace.h"

#define LEDGER_BYTES (3u << 17)
#define SLAB_BYTES (1u << 17)	/* some hundred objects */
#define EVENTS_MAX 4096		/* an order of 20 takes a million steps */
#define STEPS_MAX (1u << 22)

/* A report, and what its rows of modules and of tasks add up to. */
struct tally {
	struct book book;		/* first */
	uint64_t hash, now[2];
	int64_t head_now;
};

struct scene {
	struct ledger ledger;
	struct session session;
	struct symbols symbols;
	struct report report;
	int collected;
	uint64_t events, steps, offset;
};

static void add_up(struct tally *t, const char *text, size_t len)
{
	static const char *const of[] = { "module", "task" };
	static const char *const rest[] = {
		",\"of\":\"module\"", ",\"of\":\"task\"",
	};
	const int64_t now = json_get(text, len, "now_pages");

	if (json_is(text, len, "head"))
		t->head_now = now;
	for (int i = 0; i < 2; i++)
		if (json_is(text, len, of[i]) ||
		    (json_is(text, len, "rest") &&
		     !memcmp(text + 14, rest[i], strlen(rest[i]))))
			t->now[i] += (uint64_t)now;
}

static void take(struct out *o, const char *text, size_t len)
{
	static const char last[] = "memstrack " MEMSTRACK_VERSION
				   ": end of report, ";
	struct tally *t = (struct tally *)o;
	char line[LINE_BYTES];

	must(len < LINE_BYTES);
	memcpy(line, text, len);
	line[len] = '\0';
	book_line(o, line, len);
	for (size_t i = 0; i < len; i++)
		t->hash = t->hash * 31 + (unsigned char)text[i];
	if (t->book.json) {
		add_up(t, line, len);
	} else if (!strncmp(line, last, sizeof(last) - 1)) {
		t->book.ended = 1;
		must(strtol(line + sizeof(last) - 1, NULL, 10) ==
		     t->book.lines);
	} else {
		t->book.lines++;
	}
}

static uint64_t print(const struct scene *s, int json)
{
	struct tally t = { .book = { .out.line = take, .json = json } };

	if (json)
		report_json(&s->report, &t.book.out);
	else
		report_text(&s->report, &t.book.out);
	must(t.book.ended);
	if (json && !s->ledger.samples.on)	/* samples do not add up */
		must(t.head_now == (int64_t)s->ledger.traced.now &&
		     t.now[0] == s->ledger.traced.now && t.now[1] == t.now[0]);
	return t.hash;
}

/* For other programs. What is opened is closed; of folded stacks, each line is
 * frames, a space, and bytes, and all bytes are what is held. */
struct tool {
	struct out out;			/* first */
	int tags, quoted, braces, folded;
	uint64_t lines, bytes;
};

static void take_line(struct out *o, const char *text, size_t len)
{
	must_print(text, len);
	((struct tool *)o)->lines++;
}

static void take_tags(struct out *o, const char *text, size_t len)
{
	struct tool *t = (struct tool *)o;

	take_line(o, text, len);
	for (size_t i = 0; i < len; i++) {
		t->tags += (text[i] == '<') - (text[i] == '>');
		must(t->tags == 0 || t->tags == 1);
	}
}

static void take_braces(struct out *o, const char *text, size_t len)
{
	struct tool *t = (struct tool *)o;

	take_line(o, text, len);
	for (size_t i = 0; i < len; i++) {
		if (t->quoted && text[i] == '\\')
			i++;
		else
			t->quoted ^= text[i] == '"';
		if (!t->quoted)
			t->braces += (text[i] == '{') - (text[i] == '}');
	}
	must(!t->quoted);
}

static void take_part(struct out *o, const char *text, size_t len)
{
	must(((const struct tool *)o)->folded && !memchr(text, ' ', len));
	must_print(text, len);
}

static void take_tool(struct out *o, const char *text, size_t len)
{
	struct tool *t = (struct tool *)o;
	uint64_t bytes = 0, unit = 1;

	must(len > 0);
	take_line(o, text, len);
	if (!t->folded)
		return;
	for (; len && text[len - 1] != ' '; unit *= 10) {
		must(text[--len] >= '0' && text[len] <= '9');
		bytes += (uint64_t)(text[len] - '0') * unit;
	}
	must(len > 0);
	t->bytes += bytes;
	take_part(o, text, len - 1);
}

static void print_sections(struct scene *s)
{
	static const char *const lists[] = {
		"module_summary,task_summary:sort_by_peak:throttle=50",
		"module_top,task_top:top=3", "task_top_json",
	};

	for (unsigned int i = 0; i < ARRAY_LEN(lists); i++) {
		struct tool t = {
			.out.line = i == 2 ? take_braces : take_line,
		};

		s->report.sections = lists[i];
		report_sections(&s->report, &t.out);
		must(!t.braces);
	}
	s->report.sections = NULL;
}

/* In a trace that somebody made up, sums of areas wrap at 32 bits. */
static void print_for_tools(const struct scene *s)
{
	static const enum format formats[] = {
		FORMAT_LINE, FORMAT_PROMETHEUS, FORMAT_FOLDED_PEAK,
		FORMAT_FOLDED, FORMAT_FOLDED_TASKS,
	};
	const struct ledger *l = &s->ledger;
	const uint64_t held = (uint64_t)l->traced.now + l->areas.held.now;

	for (unsigned int i = 0; i < 2 * ARRAY_LEN(formats); i++) {
		const enum format f = formats[i / 2];
		struct tool t = {
			.out.line = take_tool,
			.out.part = i % 2 ? take_part : NULL,
			.folded = format_has_all_stacks(f),
		};

		report_write(&s->report, f, &t.out);
		must(f != FORMAT_LINE || t.lines == 1);
		if ((f == FORMAT_FOLDED || f == FORMAT_FOLDED_TASKS) &&
		    !l->samples.on)
			must((uint32_t)(t.bytes / s->session.page_size) ==
			     (uint32_t)held);
	}
}

static void print_pictures(struct scene *s)
{
	struct tool svg = { .out.line = take_tags };
	struct tool events = { .out.line = take_braces };

	report_svg(&s->report, &svg.out);
	must(svg.lines && !svg.tags);
	report_chrome(&s->report, &events.out);
	must(events.lines && !events.braces);
}

static void print_all(struct scene *s)
{
	uint64_t hash[2];

	print_sections(s);
	print_for_tools(s);
	print_pictures(s);

	for (int json = 0; json < 2; json++)
		hash[json] = print(s, json);
	for (int json = 0; json < 2; json++)
		must(print(s, json) == hash[json]);
	must(ledger_check(&s->ledger) == NULL);
}

static void collect(struct scene *s)
{
	if (!s->collected)
		report_collect(&s->report);
	s->collected = 1;
}

/* 0: enough. */
static int one_event(struct scene *s, const struct event *e)
{
	if (e->type == EVENT_ALLOC || e->type == EVENT_FREE)
		s->steps += e->order < 21 ? UINT64_C(1) << e->order : 1;
	if (s->steps > STEPS_MAX || s->events == EVENTS_MAX)
		return 0;
	must(e->name[MODULE_NAME_BYTES - 1] == 0);
	must(e->chain_len <= CHAIN_FRAMES_MAX);
	ledger_apply(&s->ledger, e);
	s->events++;
	return 1;
}

/* As replay.c does; 0: enough. `size` is that of the trace from `bytes` on. */
static int feed(struct scene *s, struct trace_reader *r, const char *bytes,
		size_t size)
{
	static struct event e;
	struct trace_symbol symbol;
	const int item = trace_next(r, &e, &symbol, &s->session);

	must(item <= TRACE_END && (item >= 0 || r->problem));
	must(r->offset <= size && r->offset >= s->offset + (item > 0));
	s->offset = r->offset;
	if (item <= 0)
		return 0;
	must(item != TRACE_END || s->session.notes <= NOTES_MAX);
	must(item != TRACE_EVENT || e.type == r->type ||
	     (r->type == TRACE_PACKED && (e.type == EVENT_ALLOC ||
					  e.type == EVENT_FREE)));
	if (item == TRACE_SYMBOL) {
		must((size_t)(symbol.name - bytes) + symbol.len <= size);
		collect(s);
		symbols_set(&s->symbols, symbol.addr, symbol.start,
			    symbol.name, symbol.len);
	}
	return item != TRACE_EVENT || one_event(s, &e);
}

static void bound(struct layout *y)
{
	*y = (struct layout){
		.pages_bytes = 4096 + y->pages_bytes % 8192,
		.modules = 3 + y->modules % 16,
		.nodes = 40 + y->nodes % 400,
		.tasks = 3 + y->tasks % 32,
		.owners = 60 + y->owners % 64,
		.slab_bytes = y->slab_bytes ? SLAB_BYTES : 0,
		.symbols = 64, .ring_bytes = 4096, .history = 1,
	};
}

static void replay(struct scene *s, unsigned char *bytes, size_t size)
{
	static _Alignas(64) unsigned char memory[LEDGER_BYTES + SLAB_BYTES];
	struct trace_reader r;
	struct trace_header h;
	struct arena arena;
	const int error = trace_open(&r, -1, bytes, size, &h);

	must(!error || (r.problem && r.offset <= size));
	if (error)
		return;
	s->session.page_size = h.page_size;
	s->session.start_ns = h.start_ns;
	s->session.mem_total_kib = h.mem_total_kib;
	s->session.layout = h.layout;
	memcpy(s->session.kernel, h.kernel, sizeof(h.kernel));
	bound(&h.layout);
	memset(memory, 0, LEDGER_BYTES + h.layout.slab_bytes);
	arena_init(&arena, memory, LEDGER_BYTES + h.layout.slab_bytes);
	must(!ledger_init(&s->ledger, &arena, &h.layout, &h.ram));
	must(!symbols_init(&s->symbols, &arena, h.layout.symbols));
	while (feed(s, &r, (const char *)bytes, size))
		;
	must(s->ledger.total.seen == s->events);
	must(s->ledger.traced.peak <= s->ledger.pages.capacity_pages);
	must(!ledger_check(&s->ledger));
	collect(s);
	symbols_sort(&s->symbols);
	print_all(s);
}

void fuzz_report(const uint8_t *data, size_t size)
{
	struct scene s = { .report = {
		.ledger = &s.ledger, .session = &s.session,
		.symbols = &s.symbols,
	} };
	unsigned char *bytes;

	if (size < REPORT_HEAD_BYTES)
		return;
	s.report.level = 1 + data[0] % 3u;
	s.report.top = data[1];
	s.report.throttle_percent = 1 + data[2] % 100u;
	size -= REPORT_HEAD_BYTES;
	bytes = exact(data + REPORT_HEAD_BYTES, size);	/* the reader writes */
	replay(&s, bytes, size);
	free(bytes);
}

/* --- host/kmemtrace/kmemtrace.c --- */

static void again(const struct event *e)
{
	unsigned char record[KMEM_RELAY_BYTES];
	const size_t bytes = kmem_write(record, e, 7);
	struct kmem_stream s;
	struct event read;

	must(bytes == (e->type == EVENT_OBJECT_FREE ? 24 : 48));
	must(!kmem_open(&s, record, bytes, e->cpu));
	must(kmem_next(&s, &read) == 1 && read.type == e->type);
	must(read.time_ns == 7 && read.base == e->base &&
	     read.site == e->site && read.size == e->size &&
	     read.allocated_bytes == e->allocated_bytes &&
	     read.flags == e->flags && read.cpu == e->cpu);
	must(!kmem_next(&s, &read) && !s.illegal && !s.cut_bytes);
}

void fuzz_kmemtrace(const uint8_t *data, size_t size)
{
	struct kmem_stream s;
	struct event e;
	size_t events = 0;

	if (kmem_open(&s, data, size, 3))
		return;
	while (kmem_next(&s, &e)) {
		events++;
		must(e.cpu == 3 && (e.type == EVENT_OBJECT_ALLOC ||
				    e.type == EVENT_OBJECT_FREE));
		again(&e);
	}
	must(s.at == s.end && events <= size / 24);
	must(s.cut_bytes <= size);
}
