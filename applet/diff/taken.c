/* SPDX-License-Identifier: MIT */
/* See diff.h, taken. */
#include <errno.h>
#include <string.h>
#include "base/system.h"
#include "diff/diff.h"

#define PAGE_BYTES_MAX (1 << 20)

static const char *const texts[TEXTS_TOLD] = {
	[KERNEL] = "kernel", [REASON] = "reason", [SOURCE] = "source",
};

/* By the type of the line. */
static const struct { const char *type, *name; } numbers[NUMBERS_TOLD] = {
	[LEVEL] = { "head", "level" },
	[PAGE_SIZE] = { "head", "page_size" },
	[MEM_TOTAL_KIB] = { "head", "mem_total_kib" },
	[CPUS_ONLINE] = { "own", "cpus_online" },
	[LOST] = { "head", "lost" },
	[COMPLETE] = { "verdict", "complete" },
	[BEFORE_INIT] = { "head", "before_init" },
	[FREE_START_KIB] = { "head", "free_start_kib" },
	[FREE_NOW_KIB] = { "head", "free_now_kib" },
	[NOW_PAGES] = { "head", "now_pages" },
	[PEAK_PAGES] = { "head", "peak_pages" },
	[TOTAL_KIB] = { "advice", "total_kib" },
	[USED_KIB] = { "advice", "used_kib" },
	[RECORDS] = { "end", "records" },
	[RECORDS_CUT] = { "end", "records_cut" },
};

const char *text_told(enum text_told i)
{
	return texts[i];
}

const char *number_told(enum number_told i)
{
	return numbers[i].name;
}

void taken_begin(struct taken *k, const char *path, enum diff_side side,
		 struct diff_rows *rows)
{
	*k = (struct taken){ .path = path, .side = side, .rows = rows };
	for (unsigned int i = 0; i < NUMBERS_TOLD; i++)
		k->number[i] = NOT_TOLD;
}

/* A report begins: all that was told before is forgotten. */
static void take_head(struct taken *k, const struct parsed *o)
{
	const struct taken before = *k;
	int64_t page_bytes = 0;

	if (!parsed_number(o, "page_size", &page_bytes) || page_bytes < 1 ||
	    page_bytes > PAGE_BYTES_MAX)
		return;
	diff_forget(k->rows, k->side);
	taken_begin(k, before.path, before.side, before.rows);
	k->reports = before.reports + 1;
	for (unsigned int i = 0; i < TEXTS_TOLD; i++) {
		const struct word *w = parsed_string(o, texts[i]);

		if (w)
			parsed_unescape(w, k->text[i], TAKEN_NAME_BYTES - 1);
	}
	k->sampled = !strcmp(k->text[SOURCE], "sampled");
}

static int is_told(const struct parsed *o, const char *key)
{
	int64_t value;

	return parsed_number(o, key, &value) && value;
}

/* Rows without room were charged to others, or were used again. */
static void take_counters(struct taken *k, const struct parsed *o)
{
	k->open[DIFF_TASK] |= (uint8_t)(is_told(o, "tasks_full") ||
					is_told(o, "tasks_recycled"));
	if (is_told(o, "modules_full") || is_told(o, "modules_recycled"))
		memset(k->open + DIFF_MODULE, 1,
		       DIFF_VMALLOC - DIFF_MODULE + 1);
}

/* What the report says that could not be seen. */
static void take_note(struct taken *k, const struct parsed *o)
{
	const struct word *w = parsed_string(o, "text");

	if (w && k->notes < NOTES_TOLD)
		parsed_unescape(w, k->note[k->notes++], NOTE_TOLD_BYTES - 1);
}

static void take_object(struct taken *k, const struct parsed *o)
{
	const struct word *type = parsed_string(o, "type");

	if (!type)
		return;
	if (word_is(type, "head"))
		take_head(k, o);
	if (!k->reports || k->number[RECORDS] != NOT_TOLD)
		return;
	taken_rows(k, o, type);
	for (unsigned int i = 0; i < NUMBERS_TOLD; i++)
		if (word_is(type, numbers[i].type))
			parsed_number(o, numbers[i].name, &k->number[i]);
	if (word_is(type, "note"))
		take_note(k, o);
	if (word_is(type, "counters"))
		take_counters(k, o);
	if (word_is(type, "slab_balance"))
		k->has[DIFF_SITE] = 1;
	if (word_is(type, "rest"))
		taken_rest(k, o);
	k->lines += k->number[RECORDS] == NOT_TOLD;
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
	       k->number[RECORDS] != NOT_TOLD &&
	       k->lines >= k->number[RECORDS];
}

int taken_end(struct taken *k)
{
	if (!k->reports)
		return -ENODATA;
	taken_totals(k);
	k->has[DIFF_MODULE] = k->has[DIFF_TASK] = 1;
	k->open[DIFF_TOTAL] = 1;
	for (unsigned int t = 0; t < DIFF_TABLES; t++)
		k->open[t] |= (uint8_t)(!taken_is_whole(k) || k->hidden[t] ||
			      k->number[RECORDS_CUT] > 0 || k->rows->full[k->side]);
	return 0;
}
