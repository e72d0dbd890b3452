/* SPDX-License-Identifier: MIT */
/*
 * What a reader of a diff must know first: the two reports, how they differ in
 * what should be the same, and what is missing in each of them.
 */
#include <string.h>
#include "host/diff/diff.h"

#define PATH_ROOM 200u
#define NOTE_ROOM 800u
#define LABEL_COLUMNS 8

_Static_assert((uint64_t)NO_VALUE == UNKNOWN, "both become null");

const char *const diff_sides[SIDES] = { "before", "after" };

/* Names of others, in a sentence for people. */
static void put_name(struct line *l, const char *before, const char *text)
{
	line_str(l, before);
	line_name_within(l, text, LINE_BYTES, PATH_ROOM);
}

void diff_note(struct sheet *s, const char *text)
{
	if (diff_is_json(s)) {
		json_begin(s, "note");
		json_string(s, "text", text, NOTE_ROOM);
		json_end(s);
	} else {
		put_name(&s->line, "note    ", text);
		sheet_emit(s);
	}
}

static void json_report(struct sheet *s, enum diff_side side)
{
	const struct taken *k = &diff_of(s)->side[side];

	json_begin(s, "diff_report");
	json_string(s, "of", diff_sides[side], DIFF_TEXT_ROOM);
	json_string(s, "path", k->path, PATH_ROOM);
	for (unsigned int i = 0; i < TAKEN_TEXTS; i++)
		json_string(s, text_key(i), k->text[i], DIFF_TEXT_ROOM);
	line_numbers(&s->line, "%i", HEAD_KEYS, (const uint64_t *)k->number);
	json_signed(s, "whole", taken_is_whole(k));
	json_end(s);
}

static void text_report(struct sheet *s, enum diff_side side)
{
	const struct taken *k = &diff_of(s)->side[side];
	struct line *l = &s->line;

	line_str(l, diff_sides[side]);
	line_pad(l, LABEL_COLUMNS);
	put_name(l, "", k->text[KERNEL]);
	put_name(l, ", ", strcmp(k->path, "-") ? k->path : "standard input");
	put_name(l, ": reason ", k->text[REASON]);
	if (k->text[SOURCE][0])
		put_name(l, ", by ", k->text[SOURCE]);
	if (k->number[LEVEL] != NO_VALUE)
		line_value(l, ", level %u", (uint64_t)k->number[LEVEL]);
	if (k->number[MEM_TOTAL_KIB] != NO_VALUE)
		line_value(l, ", MemTotal %k",
			   (uint64_t)k->number[MEM_TOTAL_KIB]);
	sheet_emit(s);
}

/* Names of others get their escapes when the sentence is printed. */
struct sentence {
	char text[LINE_BYTES];
	size_t len;
};

__attribute__((format(printf, 2, 3)))
static void put(struct sentence *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	t->len += vprint_to(t->text + t->len, sizeof(t->text) - t->len, format,
			    &args);
	va_end(args);
}

static const char *or_none(const char *text)
{
	return text[0] ? text : "(none)";
}

/* How the two reports differ in what should be the same. */
static void note_differences(struct sheet *s)
{
	static const char *const words[] = {
		[PAGE_SIZE] = "page size", [MEM_TOTAL_KIB] = "MemTotal (KiB)",
		[CPUS_ONLINE] = "CPUs",
	};
	const struct taken *a = &diff_of(s)->side[BEFORE], *b = a + 1;
	const char *comma = "they differ in ";
	struct sentence t = { .len = 0 };

	for (unsigned int i = PAGE_SIZE; i <= CPUS_ONLINE; i++) {
		if (a->number[i] == b->number[i] || a->number[i] == NO_VALUE ||
		    b->number[i] == NO_VALUE)
			continue;
		put(&t, "%s%s: %lld, %lld", comma, words[i],
		    (long long)a->number[i], (long long)b->number[i]);
		comma = "; ";
	}
	for (unsigned int i = REASON; i <= SOURCE; i++) {
		if (!strcmp(a->text[i], b->text[i]))
			continue;
		put(&t, "%s%s: %s, %s", comma, text_key(i),
		    or_none(a->text[i]), or_none(b->text[i]));
		comma = "; ";
	}
	if ((a->number[BEFORE_INIT] == NO_VALUE) !=
	    (b->number[BEFORE_INIT] == NO_VALUE))
		put(&t, "%sa record from before init: only %s", comma,
		    diff_sides[a->number[BEFORE_INIT] == NO_VALUE]);
	if (t.len)
		diff_note(s, t.text);
}

/* What is missing in a report. */
static void note_gaps(struct sheet *s, enum diff_side side)
{
	const struct diff *d = diff_of(s);
	const struct taken *k = &d->side[side];
	struct sentence t = { .len = 0 };
	int64_t hidden = 0;
	size_t begun;

	put(&t, "%s: ", diff_sides[side]);
	begun = t.len;
	if (k->reports > 1)
		put(&t, "the last of %u reports; ", k->reports);
	if (!taken_is_whole(k))
		put(&t, "not all of the report was there; ");
	if (k->number[COMPLETE] == 0 && !k->sampled)
		put(&t, "INCOMPLETE, %lld events lost; ",
		    k->number[LOST] == NO_VALUE ? 0 :
		    (long long)k->number[LOST]);
	if (k->number[RECORDS_CUT] > 0)
		put(&t, "%lld lines were left out; ",
		    (long long)k->number[RECORDS_CUT]);
	if (d->rows.full[side])
		put(&t, "%llu rows found no room; ",
		    (unsigned long long)d->rows.full[side]);
	for (unsigned int i = 0; i < DIFF_TABLES; i++)
		if (i != DIFF_IMAGE && i != DIFF_VMALLOC)
			hidden = diff_sum(hidden, k->hidden[i]);
	if (hidden)
		put(&t, "level %lld does not show %lld rows, which are "
		    "unknown; ", (long long)k->number[LEVEL], (long long)hidden);
	if (t.len == begun)
		return;
	t.text[t.len - 2] = '\0';
	diff_note(s, t.text);
}

void diff_head(struct sheet *s)
{
	const struct taken *k = diff_of(s)->side;

	for (enum diff_side i = BEFORE; i < SIDES; i++)
		(diff_is_json(s) ? json_report : text_report)(s, i);
	note_differences(s);
	for (enum diff_side i = BEFORE; i < SIDES; i++) {
		note_gaps(s, i);
		for (uint32_t n = 0; n < k[i].notes; n++) {
			struct sentence t = { .len = 0 };

			put(&t, "%s: %s", diff_sides[i], k[i].note[n]);
			diff_note(s, t.text);
		}
	}
}
