/* SPDX-License-Identifier: MIT */
/*
 * report/ on the books that any recorded trace leaves, at any level, of any
 * number of rows: names of all bytes, addresses, figures and notes of all
 * values. Every line is printable ASCII and shorter than LINE_BYTES, so that
 * no name forges one; every line of JSON is an object; the rows and what is
 * not shown of them hold what the head says; the last line counts them all;
 * and a report changes nothing: the second is the first. Formats for other tools:
 * the bytes of folded stacks are what is held.
 *
 * Three bytes tell level, rows and throttle; the rest is the trace.
 */
#include <stdlib.h>
#include <string.h>
#include "must.h"
#include "ledger/apply.h"
#include "report/report.h"
#include "report/symbols.h"
#include "record/trace.h"
#include "json.h"

#define HEAD_BYTES 3u
#define TRACE_AT HEAD_BYTES
#include "records.h"

#define ARENA_BYTES (3u << 17)
#define SLAB_BYTES (1u << 17)	/* some hundred objects */
#define EVENTS_MAX 1024
#define STEPS_MAX (1u << 16)	/* of orders: trace.c tries the large ones */

struct book {
	struct out out;			/* first: a book is an out */
	int json;
	uint64_t lines, hash, now[2];	/* of modules, of tasks */
	int64_t head_now, said;
	int ended;
};

struct scene {
	struct ledger ledger;
	struct session session;
	struct symbols symbols;
	struct report report;
	int collected;
	uint64_t steps;
};

static void add_up(struct book *b, const char *text, size_t len)
{
	const int64_t now = json_get(text, len, "now_pages");
	const int rest = json_is(text, len, "rest");

	if (json_is(text, len, "head"))
		b->head_now = now;
	if (json_is(text, len, "module") ||
	    (rest && !memcmp(text + 14, ",\"of\":\"module\"", 14)))
		b->now[0] += (uint64_t)now;
	if (json_is(text, len, "task") ||
	    (rest && !memcmp(text + 14, ",\"of\":\"task\"", 12)))
		b->now[1] += (uint64_t)now;
	b->ended = json_is(text, len, "end");
	if (b->ended)
		b->said = json_get(text, len, "records");
}

static void take_text(struct book *b, const char *text, size_t len)
{
	static const char last[] = "memstrack " MEMSTRACK_VERSION
				   ": end of report, ";

	b->ended = len > sizeof(last) && !memcmp(text, last, sizeof(last) - 1);
	if (b->ended)
		b->said = strtol(text + sizeof(last) - 1, NULL, 10);
}

static void take(struct out *o, const char *text, size_t len)
{
	struct book *b = (struct book *)o;

	must(len < LINE_BYTES && !b->ended);
	for (size_t i = 0; i < len; i++) {
		must(text[i] >= 0x20 && text[i] <= 0x7e);
		b->hash = b->hash * 31 + (unsigned char)text[i];
	}
	if (b->json) {
		char line[LINE_BYTES];

		memcpy(line, text, len);
		line[len] = '\0';
		must(json_whole(line, len));
		add_up(b, line, len);
	} else {
		take_text(b, text, len);
	}
	b->lines += !b->ended;
}

static uint64_t print(const struct scene *s, int json)
{
	struct book b = { .out.line = take, .json = json };

	if (json)
		report_json(&s->report, &b.out);
	else
		report_text(&s->report, &b.out);
	must(b.ended && b.said == (int64_t)b.lines);
	if (json && !s->ledger.samples.on)	/* samples do not add up */
		must(b.head_now == (int64_t)s->ledger.traced.now &&
		     b.now[0] == s->ledger.traced.now && b.now[1] == b.now[0]);
	return b.hash;
}

/* Sections: lines as short and printable, what is opened is closed. */
struct braces {
	struct out out;		/* first */
	int open;
};

static void take_braces(struct out *o, const char *text, size_t len)
{
	struct braces *b = (struct braces *)o;
	int quoted = 0;

	must(len < LINE_BYTES);
	for (size_t i = 0; i < len; i++) {
		must(text[i] >= 0x20 && text[i] < 0x7f);
		quoted ^= text[i] == '"';
		if (!quoted)
			b->open += (text[i] == '{') - (text[i] == '}');
	}
}

static void print_sections(struct scene *s)
{
	static const char *const lists[] = {
		"module_summary,task_summary:sort_by_peak:throttle=50",
		"module_top,task_top:top=3", "task_top_json",
	};

	for (unsigned int i = 0; i < ARRAY_LEN(lists); i++) {
		struct braces b = { .out.line = take_braces };

		s->report.sections = lists[i];
		report_sections(&s->report, &b.out);
		must(i != 2 || !b.open);
	}
	s->report.sections = NULL;
}

/* Formats for other programs: printable lines; of folded stacks, each is frames,
 * a space, and bytes, and all bytes are what is held. */
struct tool {
	struct out out;			/* first */
	int folded;
	uint64_t lines, bytes;
};

static void take_tool_part(struct out *o, const char *text, size_t len)
{
	const struct tool *t = (const struct tool *)o;

	must(len < LINE_BYTES && t->folded);
	for (size_t i = 0; i < len; i++)
		must(text[i] > 0x20 && text[i] <= 0x7e);
}

static void take_tool(struct out *o, const char *text, size_t len)
{
	struct tool *t = (struct tool *)o;
	uint64_t bytes = 0, unit = 1;

	must(len && len < LINE_BYTES);
	for (size_t i = 0; i < len; i++)
		must(text[i] >= 0x20 && text[i] <= 0x7e);
	t->lines++;
	if (!t->folded)
		return;
	for (; len && text[len - 1] != ' '; unit *= 10) {
		must(text[--len] >= '0' && text[len] <= '9');
		bytes += (uint64_t)(text[len] - '0') * unit;
	}
	must(len > 0);
	t->bytes += bytes;
	take_tool_part(o, text, len - 1);
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
			.out.part = i % 2 ? take_tool_part : NULL,
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

/* Pictures: the last line closes what the first opened, names forge nothing. */
struct drawn {
	struct out out;		/* first */
	int tags, quoted, braces;
	uint64_t lines;
};

static void take_drawn(struct out *o, const char *text, size_t len)
{
	struct drawn *d = (struct drawn *)o;

	must(len < LINE_BYTES);
	d->lines++;
	for (size_t i = 0; i < len; i++) {
		must(text[i] >= 0x20 && text[i] < 0x7f);
		d->tags += (text[i] == '<') - (text[i] == '>');
		must(d->tags == 0 || d->tags == 1);
	}
}

static void take_events(struct out *o, const char *text, size_t len)
{
	struct drawn *d = (struct drawn *)o;

	must(len < LINE_BYTES);
	d->lines++;
	for (size_t i = 0; i < len; i++) {
		must(text[i] >= 0x20 && text[i] < 0x7f);
		if (d->quoted && text[i] == '\\')
			i++;
		else
			d->quoted ^= text[i] == '"';
		if (!d->quoted)
			d->braces += (text[i] == '{') - (text[i] == '}');
	}
	must(!d->quoted);
}

static void print_pictures(struct scene *s)
{
	struct drawn svg = { .out.line = take_drawn };
	struct drawn events = { .out.line = take_events };

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

/* As replay.c does; 0: enough. */
static int feed(struct scene *s, struct trace_reader *r)
{
	static struct event e;
	struct trace_symbol symbol;
	int item = trace_next(r, &e, &symbol, &s->session);

	if (item <= 0)
		return 0;
	if (item == TRACE_SYMBOL) {
		collect(s);
		symbols_set(&s->symbols, symbol.addr, symbol.start,
			    symbol.name, symbol.len);
	}
	if (item != TRACE_EVENT)
		return 1;
	if (e.type == EVENT_ALLOC || e.type == EVENT_FREE)
		s->steps += e.order < 21 ? UINT64_C(1) << e.order : 1;
	if (s->steps > STEPS_MAX)
		return 0;
	ledger_apply(&s->ledger, &e);
	return 1;
}

static void replay(struct scene *s, unsigned char *bytes, size_t size)
{
	static _Alignas(64) unsigned char memory[ARENA_BYTES + SLAB_BYTES];
	struct layout layout = {
		.pages_bytes = 8192, .nodes = 120, .owners = 90, .tasks = 24,
		.modules = 12, .symbols = 64, .ring_bytes = 4096,
	};
	struct trace_reader r;
	struct trace_header h;
	struct arena arena;

	if (trace_open_bytes(&r, bytes, size, &h))
		return;
	layout.slab_bytes = h.layout.slab_bytes ? SLAB_BYTES : 0;
	layout.history = 1;
	memset(memory, 0, ARENA_BYTES + layout.slab_bytes);
	arena_init(&arena, memory, ARENA_BYTES + layout.slab_bytes);
	must(!ledger_init(&s->ledger, &arena, &layout, &h.ram));
	must(!symbols_init(&s->symbols, &arena, layout.symbols));
	s->session.page_size = h.page_size;
	s->session.start_ns = h.start_ns;
	s->session.mem_total_kib = h.mem_total_kib;
	s->session.layout = h.layout;
	memcpy(s->session.kernel, h.kernel, sizeof(h.kernel));
	for (int i = 0; i < EVENTS_MAX && feed(s, &r); i++)
		;
	collect(s);
	symbols_sort(&s->symbols);
	print_all(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct scene s = { .report = {
		.ledger = &s.ledger, .session = &s.session,
		.symbols = &s.symbols, .throttle_percent = 100,
	} };
	unsigned char *bytes;

	if (size < HEAD_BYTES)
		return 0;
	s.report.level = 1 + data[0] % 3u;
	s.report.top = data[1];
	s.report.throttle_percent = 1 + data[2] % 100u;
	size -= HEAD_BYTES;
	bytes = malloc(size + (size == 0));
	must(bytes != NULL);
	memcpy(bytes, data + HEAD_BYTES, size);
	replay(&s, bytes, size);
	free(bytes);
	return 0;
}
