/* SPDX-License-Identifier: MIT */
/* See diff.h, taken. */
#include <errno.h>
#include <string.h>
#include "base/system.h"
#include "host/diff/diff.h"

/* --- rows of one line, and the totals, in bytes */

/* One for each key; a key without a number leaves it as it is. */
static void take_numbers(const struct parsed *o, const char *keys,
			 int64_t *value)
{
	for (; *keys; keys = next_name(keys))
		parsed_number(o, keys, value++);
}

enum unit { PAGES, KIB, BYTES };

#define OWN_PEAK "now_pages peak_pages peak_pages at_peak_pages"
#define BOUND "now_pages peak_pages peak_at_most_pages at_peak_pages"
#define OBJECTS "live_bytes peak_bytes peak_bytes at_peak_bytes"

/* What a line of each type has: the member with the name; what is held now, the
 * peak, a bound of the peak, and what was held at the machine's peak, if the
 * report has it. */
static const struct row_shape {
	const char *type;
	enum diff_table table;
	enum unit unit;
	const char *name, *keys;
} shapes[] = {
	{ "module", DIFF_MODULE, PAGES, "name", OWN_PEAK },
	{ "module", DIFF_IMAGE, PAGES, "name",
	  "image_pages image_peak_pages image_peak_pages" },
	{ "module", DIFF_VMALLOC, PAGES, "name",
	  "vmalloc_pages vmalloc_peak_pages vmalloc_peak_pages" },
	{ "task", DIFF_TASK, PAGES, "comm", OWN_PEAK },
	{ "kind", DIFF_KIND, PAGES, "name", BOUND },
	{ "initcall", DIFF_INITCALL, PAGES, "function", BOUND },
	{ "slab", DIFF_SITE, BYTES, "site", OBJECTS },
	{ "slab_cache", DIFF_SLAB_CACHE, BYTES, "cache", OBJECTS },
	{ "cache", DIFF_CACHE, PAGES, "name", OWN_PEAK },
	{ "baseline", DIFF_BEFORE, KIB, "name", "size_kib size_kib size_kib" },
	{ "before_tag", DIFF_TAG, BYTES, "name",
	  "live_bytes live_bytes live_bytes" },
	{ "ram", DIFF_RAM, KIB, "name", "size_kib size_kib size_kib" },
	/* Names of the first version: tests/replay/kept.t. */
	{ "baseline", DIFF_BEFORE, KIB, "name", "kib kib kib" },
	{ "ram", DIFF_RAM, KIB, "name", "kib kib kib" },
};

static int64_t scaled(const struct taken *k, int64_t value, enum unit unit)
{
	const int64_t factor = unit == PAGES ? k->number[PAGE_SIZE] :
			       unit == KIB ? 1024 : 1;
	int64_t bytes = 0;

	if (value == NO_VALUE)
		return NO_VALUE;
	if (__builtin_mul_overflow(value, factor, &bytes))
		bytes = value < 0 ? -PARSED_NUMBER_MAX : PARSED_NUMBER_MAX;
	return diff_sum(bytes, 0);
}

/* Adds a row that has at least `now`. */
static void add_held(struct taken *k, enum diff_table t, const char *name,
		     size_t len, const int64_t value[4])
{
	struct held h = {
		.now = value[0], .peak = value[1], .most = value[2],
		.at_peak = value[3],
	};

	if (h.now == NO_VALUE)
		return;
	if (h.peak == NO_VALUE)
		h.peak = h.now;
	if (value[1] == NO_VALUE || h.most == NO_VALUE)
		h.most = NO_BOUND;
	if (h.at_peak == NO_VALUE)
		h.at_peak = h.now;
	k->has[t] = 1;
	k->open[t] |= (uint8_t)diff_name_hides(t, name, len);
	diff_add(k->rows, k->side, t, name, len, &h);
}

static void take_row(struct taken *k, const struct parsed *o,
		     const struct row_shape *s)
{
	int64_t value[4] = { NO_VALUE, NO_VALUE, NO_VALUE, NO_VALUE }, n;
	char name[DIFF_NAME_BYTES];

	take_numbers(o, s->keys, value);
	for (unsigned int i = 0; i < ARRAY_LEN(value); i++)
		value[i] = scaled(k, value[i], s->unit);
	if (parsed_number(o, "sampled", &n))
		k->sampled = 1;
	if (parsed_number(o, "rows", &n))	/* the peak is one load's */
		value[2] = NO_VALUE;
	if (s->table == DIFF_VMALLOC && value[0] != NO_VALUE)
		k->apart = 1;
	add_held(k, s->table, name, diff_name(name, s->table, o, s->name),
		 value);
}

static void take_rows(struct taken *k, const struct parsed *o,
		const struct word *type)
{
	for (unsigned int i = 0; i < ARRAY_LEN(shapes); i++)
		if (word_is(type, shapes[i].type))
			take_row(k, o, &shapes[i]);
}

static void take_rest(struct taken *k, const struct parsed *o)
{
	const struct word *of = parsed_string(o, "of");
	int64_t rows = 1;

	parsed_number(o, "rows", &rows);
	for (unsigned int i = 0; of && i < ARRAY_LEN(shapes); i++)
		if (word_is(of, shapes[i].type)) {
			k->has[shapes[i].table] = 1;
			k->hidden[shapes[i].table] = rows;
		}
}

static int64_t used_kib(const struct taken *k, int64_t free_kib)
{
	return k->number[RAM_KIB] == NO_VALUE || free_kib == NO_VALUE ? NO_VALUE :
	       k->number[RAM_KIB] - free_kib;
}

/* The sums of the machine. A sum that the report lacks has no row. */
static void take_totals(struct taken *k)
{
	const int64_t start_kib = used_kib(k, k->number[FREE_START_KIB]);
	const struct { const char *name; int64_t now, peak; enum unit unit; }
	totals[] = {
		{ "used", used_kib(k, k->number[FREE_NOW_KIB]), k->number[USED_KIB], KIB },
		{ "used when tracing began", start_kib, start_kib, KIB },
		{ "traced", k->number[NOW_PAGES], k->number[PEAK_PAGES], PAGES },
	};

	for (unsigned int i = 0; i < ARRAY_LEN(totals); i++) {
		const int64_t now = scaled(k, totals[i].now, totals[i].unit);
		const int64_t peak = scaled(k, totals[i].peak, totals[i].unit);

		add_held(k, DIFF_TOTAL, totals[i].name,
			 strlen(totals[i].name),
			 (const int64_t[]){ now, peak, peak, now });
	}
}

/* --- a report, line by line */

#define PAGE_BYTES_MAX (1 << 20)

static const char *const texts[TAKEN_TEXTS] = {
	[KERNEL] = "kernel", [REASON] = "reason", [SOURCE] = "source",
};

/* By the type of the line: numbers that stand together, from `first` on. */
static const struct {
	const char *type, *keys;
	enum taken_number first;
} numbers[] = {
	{ "head", "level page_bytes mem_total_kib", LEVEL },
	{ "own", "cpus_online", CPUS_ONLINE },
	{ "head", "lost", LOST },
	{ "verdict", "complete", COMPLETE },
	{ "head", "before_init free_start_kib free_now_kib now_pages "
		  "peak_pages", BEFORE_INIT },
	{ "advice", "ram_kib used_kib", RAM_KIB },
	{ "end", "records records_cut", RECORDS },
};

const char *text_key(enum taken_text i)
{
	return texts[i];
}

void taken_begin(struct taken *k, const char *path, enum diff_side side,
		 struct diff_rows *rows)
{
	*k = (struct taken){ .path = path, .side = side, .rows = rows };
	for (unsigned int i = 0; i < TAKEN_NUMBERS; i++)
		k->number[i] = NO_VALUE;
}

/* A report begins: all facts of an earlier report are forgotten. */
static void take_head(struct taken *k, const struct parsed *o)
{
	const struct taken before = *k;
	int64_t page_bytes = 0;

	if (!parsed_number(o, "page_bytes", &page_bytes))
		parsed_number(o, "page_size", &page_bytes);
	if (page_bytes < 1 || page_bytes > PAGE_BYTES_MAX)
		return;
	diff_forget(k->rows, k->side);
	taken_begin(k, before.path, before.side, before.rows);
	k->reports = before.reports + 1;
	k->number[PAGE_SIZE] = page_bytes;
	for (unsigned int i = 0; i < TAKEN_TEXTS; i++)
		parsed_text(o, texts[i], k->text[i], TAKEN_NAME_BYTES);
	k->sampled = !strcmp(k->text[SOURCE], "sampled");
}

static int is_set(const struct parsed *o, const char *key)
{
	int64_t value;

	return parsed_number(o, key, &value) && value;
}

/* Rows without room were charged to others, or were used again. */
static void take_counters(struct taken *k, const struct parsed *o)
{
	k->open[DIFF_TASK] |= (uint8_t)(is_set(o, "tasks_full") ||
					is_set(o, "tasks_recycled"));
	if (is_set(o, "modules_full") || is_set(o, "modules_recycled"))
		memset(k->open + DIFF_MODULE, 1,
		       DIFF_VMALLOC - DIFF_MODULE + 1);
}

static void take_object(struct taken *k, const struct parsed *o)
{
	const struct word *type = parsed_string(o, "type");

	if (!type)
		return;
	if (word_is(type, "head"))
		take_head(k, o);
	if (!k->reports || k->number[RECORDS] != NO_VALUE)
		return;
	take_rows(k, o, type);
	if (word_is(type, "advice"))	/* its older name */
		parsed_number(o, "total_kib", &k->number[RAM_KIB]);
	for (unsigned int i = 0; i < ARRAY_LEN(numbers); i++)
		if (word_is(type, numbers[i].type))
			take_numbers(o, numbers[i].keys,
				     &k->number[numbers[i].first]);
	/* A sentence of the report about what could not be seen. */
	if (word_is(type, "note") && k->notes < TAKEN_NOTES)
		k->notes += (uint32_t)parsed_text(o, "text", k->note[k->notes],
						  TAKEN_NOTE_BYTES);
	if (word_is(type, "counters"))
		take_counters(k, o);
	if (word_is(type, "slab_balance"))
		k->has[DIFF_SITE] = 1;
	if (word_is(type, "rest"))
		take_rest(k, o);
	k->lines += k->number[RECORDS] == NO_VALUE;
}

void taken_line(struct taken *k, const char *line, size_t len)
{
	const char *at = line, *end = line + len;
	struct parsed o;

	while ((at = memchr(at, '{', (size_t)(end - at)))) {
		const struct word rest = { at, (size_t)(end - at) };
		const size_t taken = parsed_object(&o, at, rest.len);

		if (taken)
			take_object(k, &o);
		else if (word_begins(&rest, "{\"type\":\""))
			k->broken++;
		at += taken ? taken : 1;
	}
}

int taken_is_whole(const struct taken *k)
{
	return !k->damaged && !k->broken &&
	       k->number[RECORDS] != NO_VALUE &&
	       k->lines >= k->number[RECORDS];
}

int taken_end(struct taken *k)
{
	if (!k->reports)
		return -ENODATA;
	take_totals(k);
	k->has[DIFF_MODULE] = k->has[DIFF_TASK] = 1;
	k->open[DIFF_TOTAL] = k->open[DIFF_TAG] = 1;
	for (unsigned int t = 0; t < DIFF_TABLES; t++)
		k->open[t] |= (uint8_t)(!taken_is_whole(k) || k->hidden[t] ||
			      k->number[RECORDS_CUT] > 0 || k->rows->full[k->side]);
	return 0;
}
