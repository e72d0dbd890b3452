/* SPDX-License-Identifier: MIT */
/* The tracer's answer -> a picture: see top.h, rows. Texts come out as printable
 * ASCII, since they go to a terminal. */
#include <errno.h>
#include <string.h>
#include "base/base.h"
#include "report/report.h"
#include "host/top/top.h"

_Static_assert(PARSED_NONE == UNKNOWN, "what is not there is not known");

static uint64_t object_number(const struct parsed *o, const char *name)
{
	uint64_t value;

	parsed_values(o, name, &value);
	return value;
}

/* A byte that cannot be printed becomes \xNN, as in a report. */
static void put_text(const struct word *w, char *text, size_t size)
{
	struct line l = { .text = (char[LINE_BYTES]){ 0 } };
	char bytes[LINE_BYTES];

	line_name_within(&l, bytes, parsed_unescape(w, bytes, size - 1),
			 size - 1);
	memcpy(text, l.text, l.len);
	text[l.len] = '\0';
}

/* Copies a text, cut to `size`, with an end byte; "" if there is none. `size`
 * is LINE_BYTES at most. */
static void object_text(const struct parsed *o, const char *name, char *text,
			size_t size)
{
	const struct word *w = parsed_string(o, name);

	*text = '\0';
	if (w)
		put_text(w, text, size);
}

/* Is it this text? */
static int object_is(const struct parsed *o, const char *name, const char *text)
{
	const struct word *w = parsed_string(o, name);

	return w && word_is(w, text);
}

static uint64_t times(uint64_t a, uint64_t b)
{
	return a == UNKNOWN ? UNKNOWN :
	       __builtin_mul_overflow(a, b, &a) ? UINT64_MAX / 4 : a;
}

static uint64_t bytes_of(const struct top_picture *p, const struct parsed *o,
			 enum table_column column)
{
	const uint64_t n = object_number(o, table_columns[column].key);

	return table_columns[column].unit == 'p' ? times(n, p->page_bytes) : n;
}

static uint64_t either(const struct top_picture *p, const struct parsed *o,
		       const uint8_t columns[2])
{
	const uint64_t bytes = bytes_of(p, o, columns[0]);

	return bytes == UNKNOWN ? bytes_of(p, o, columns[1]) : bytes;
}

static uint64_t or_none(uint64_t value)
{
	return value == UNKNOWN ? 0 : value;
}

uint64_t row_held(const struct top_row *r)
{
	return or_none(r->now);
}

/* An address has no name yet: "0xffffffff81234567 [xfs]". */
static uint64_t address_in(const char *text)
{
	const char *end = text + 2;
	struct word digits = { end, 0 };
	uint64_t addr = 0;

	if (text[0] != '0' || text[1] != 'x')
		return 0;
	while (*end && *end != ' ')
		end++;
	digits.len = (size_t)(end - digits.at);
	word_number(&digits, 16, &addr);
	return addr;
}

static void take_head(struct top_picture *p, const struct parsed *o)
{
	const uint64_t start_ns = object_number(o, "start_ns");

	/* Another tracer's rows are not those of the one before. */
	p->before_ns = start_ns == p->start_ns ? p->end_ns : 0;
	p->start_ns = start_ns;
	p->end_ns = object_number(o, "end_ns");
	p->page_bytes = object_number(o, "page_bytes");
	p->ram_kib = object_number(o, "ram_kib");
	p->free_kib = object_number(o, "free_now_kib");
	p->lowest_kib = object_number(o, "free_lowest_kib");
	p->now = bytes_of(p, o, PAGES_NOW);
	p->peak = bytes_of(p, o, PAGES_PEAK);
	p->lost = object_number(o, "lost");
}

/* The state, unless it is that of most. */
static void note_state(struct top_row *r, const struct parsed *o)
{
	if (!object_is(o, "state", "fixed") && !object_is(o, "state", "live"))
		object_text(o, "state", r->note, sizeof(r->note));
}

static void name_task(struct top_row *r, const struct parsed *o)
{
	const uint64_t pid = object_number(o, "pid");
	char comm[ROW_NAME_BYTES - 24];

	object_text(o, "comm", comm, sizeof(comm));
	if (object_is(o, "state", "fixed"))
		print_to(r->name, sizeof(r->name), "%s", comm);
	else
		print_to(r->name, sizeof(r->name), "%s[%llu]", comm,
			 (unsigned long long)pid);
	note_state(r, o);
	if (object_is(o, "state", "exited") && r->now)
		print_to(r->note, sizeof(r->note), "exited, stays");
	r->start_ns = or_none(object_number(o, "start_ns"));
	r->key = pid * 0x9e3779b97f4a7c15u ^ r->start_ns;
}

static void name_module(struct top_row *r, const struct parsed *o)
{
	object_text(o, "name", r->name, sizeof(r->name));
	note_state(r, o);
	r->key = text_hash(TEXT_HASH_BEGIN, r->name, strlen(r->name));
}

static void name_initcall(struct top_row *r, const struct parsed *o)
{
	object_text(o, "function", r->name, sizeof(r->name));
	object_text(o, "module", r->note, sizeof(r->note));
	r->key = object_number(o, "addr");
	r->addr = address_in(r->name) ? r->key : 0;
}

static void name_site(struct top_row *r, const struct parsed *o)
{
	object_text(o, "site", r->name, sizeof(r->name));
	object_text(o, "cache", r->note, sizeof(r->note));
	r->key = 1;		/* sites are never used again */
	r->addr = address_in(r->name);
}

/* What is held now, and the peak: of two columns the first that the row has, so
 * with areas, as a report in text. */
static const struct {
	enum table table;
	uint8_t now[2], peak[2];	/* enum table_column */
	void (*name)(struct top_row *r, const struct parsed *o);
} tables[TOP_TABLES] = {
	[TOP_TASKS] = {
		TABLE_TASKS, { PAGES_HELD, PAGES_NOW },
		{ PAGES_HELD_PEAK, PAGES_PEAK }, name_task,
	},
	[TOP_MODULES] = {
		TABLE_MODULES, { PAGES_HELD, PAGES_NOW },
		{ PAGES_HELD_PEAK, PAGES_PEAK }, name_module,
	},
	[TOP_INITCALLS] = {
		TABLE_INITCALLS, { PAGES_NOW, PAGES_NOW },
		{ PAGES_PEAK, PAGES_PEAK }, name_initcall,
	},
	[TOP_SITES] = {
		TABLE_SITES, { SUMS_NOW, SUMS_NOW },
		{ SUMS_PEAK, SUMS_PEAK }, name_site,
	},
};

enum table top_table(enum top_table t)
{
	return tables[t].table;
}

static enum top_table table_of(const struct parsed *o, const char *member)
{
	unsigned int t = 0;

	while (t < TOP_TABLES && !object_is(o, member, table_name(tables[t].table)))
		t++;
	return (enum top_table)t;
}

const struct top_row *rows_find(const struct top_rows *t, uint32_t number,
				uint64_t key)
{
	for (uint32_t i = 0; i < t->used; i++)
		if (t->row[i].number == number && t->row[i].key == key)
			return &t->row[i];
	return NULL;
}

/* A row that the last picture had no room for may have held something then,
 * unless the task began later. */
static int64_t change_of(const struct top_picture *p, enum top_table t,
			 const struct top_row *r)
{
	const struct top_rows *before = &p->before[t];
	const struct top_row *old = rows_find(before, r->number, r->key);

	if (!p->before_ns ||
	    (!old && before->others && r->start_ns <= p->before_ns))
		return NO_CHANGE;
	return (int64_t)(row_held(r) - (old ? row_held(old) : 0));
}

static void take_row(struct top_picture *p, enum top_table t,
		     const struct parsed *o)
{
	struct top_rows *table = &p->table[t];
	struct top_row *r = &table->row[table->used];
	const uint64_t number = object_number(o, "row");

	if (table->used == PICTURE_ROWS) {
		table->others++;
		return;
	}
	table->used++;
	memset(r, 0, sizeof(*r));
	r->number = number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
	r->image = bytes_of(p, o, PAGES_IMAGE);
	r->vmalloc = bytes_of(p, o, PAGES_VMALLOC);
	r->now = either(p, o, tables[t].now);
	r->peak = either(p, o, tables[t].peak);
	tables[t].name(r, o);
	p->sampled |= object_number(o, "sampled") == 1;
	r->change = change_of(p, t, r);
}

static void take_frames(struct top_stacks *k, const struct parsed *o)
{
	const struct word *w = parsed_word(o, "frames", PARSED_LIST);
	struct word list = w ? *w : (struct word){ "", 0 }, string;

	while (parsed_next(&list, &string)) {
		struct top_frame *f = &k->frame[k->frames];

		if (!k->used || k->frames == PICTURE_FRAMES) {
			k->cut = 1;
			return;
		}
		put_text(&string, f->text, sizeof(f->text));
		f->addr = address_in(f->text);
		k->frames++;
		k->stack[k->used - 1].frames++;
	}
}

static void take_stack(struct top_picture *p, const struct parsed *o)
{
	struct top_stacks *k = &p->stacks;

	if (k->used == PICTURE_STACKS) {
		k->others++;
		return;
	}
	k->stack[k->used++] = (struct top_stack){
		.now = bytes_of(p, o, PAGES_NOW),
		.peak = bytes_of(p, o, PAGES_PEAK),
		.first = k->frames,
	};
	take_frames(k, o);
}

static void take_rest(struct top_picture *p, const struct parsed *o,
		     int stacks_only)
{
	const enum top_table t = table_of(o, "of");

	if (object_is(o, "of", "stack"))
		p->stacks.others += or_none(object_number(o, "rows"));
	else if (t < TOP_TABLES && !stacks_only)
		p->table[t].others += or_none(object_number(o, "rows"));
}

static void sort_out(struct top_picture *p, const struct parsed *o,
		     int stacks_only)
{
	const enum top_table t = table_of(o, "type");

	if (t < TOP_TABLES) {
		if (!stacks_only)
			take_row(p, t, o);
	} else if (object_is(o, "type", "stack") ||
		   object_is(o, "type", "slab_stack")) {
		take_stack(p, o);
	} else if (object_is(o, "type", "frames")) {
		take_frames(&p->stacks, o);
	} else if (object_is(o, "type", "rest")) {
		take_rest(p, o, stacks_only);
	} else if (object_is(o, "type", "end")) {
		p->whole = 1;
	}
}

static void begin(struct top_picture *p, int stacks_only)
{
	struct top_stacks *k = &p->stacks;

	k->used = k->frames = 0;
	k->others = 0;
	k->cut = 0;
	if (stacks_only)
		return;
	p->sampled = 0;
	for (unsigned int t = 0; t < TOP_TABLES; t++) {
		p->before[t] = p->table[t];
		p->before[t].others |= !p->whole;
		p->table[t].used = 0;
		p->table[t].others = 0;
	}
	p->whole = 0;
}

int picture_take(struct top_picture *p, const char *text, size_t len,
		 int stacks_only)
{
	struct word rest = { text, strnlen(text, len) }, line;
	struct parsed o;
	int heads = 0;

	while (rest.at && rest.len) {
		word_to(&rest, '\n', &line);
		if (parsed_object(&o, line.at, line.len) != line.len)
			return -EPROTO;
		if (object_is(&o, "type", "head") && !heads++) {
			begin(p, stacks_only);
			if (!stacks_only)
				take_head(p, &o);
		}
		if (!heads)
			return -EPROTO;
		sort_out(p, &o, stacks_only);
	}
	return heads ? 0 : -EPROTO;
}
