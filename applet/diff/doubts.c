/* SPDX-License-Identifier: MIT */
/*
 * What a reader of a diff must know first: how the two reports differ in what
 * should be the same, and what is missing in each of them.
 */
#include <string.h>
#include "diff/diff.h"

static const char *const names[SIDES] = { "before", "after" };

void diff_emit(struct diff_sheet *s)
{
	const uint32_t most = s->d->config.lines ? s->d->config.lines :
			      s->out->lines_max;

	/* One line is kept for the last one. */
	if (!s->last && most && s->records >= most - 1) {
		s->records_cut++;
	} else {
		s->out->line(s->out, s->line.text, s->line.len);
		s->records++;
	}
	s->line.len = 0;
}

const char *diff_table_name(enum diff_table t)
{
	static const char *const tables[DIFF_TABLES] = {
		[DIFF_TOTAL] = "total", [DIFF_MODULE] = "module",
		[DIFF_IMAGE] = "image", [DIFF_VMALLOC] = "vmalloc",
		[DIFF_TASK] = "task", [DIFF_KIND] = "kind",
		[DIFF_INITCALL] = "initcall", [DIFF_SITE] = "slab",
		[DIFF_SLAB_CACHE] = "slab_cache", [DIFF_CACHE] = "cache",
		[DIFF_BEFORE] = "before", [DIFF_RAM] = "ram",
	};

	return tables[t];
}

/* Text of another's goes through the escapes of line_name() when it is said. */
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

static void say_differences(struct diff_sheet *s,
			    void (*say)(struct diff_sheet *s, const char *text))
{
	static const char *const words[] = {
		[PAGE_SIZE] = "page size", [MEM_TOTAL_KIB] = "MemTotal (KiB)",
		[CPUS_ONLINE] = "CPUs",
	};
	const struct taken *a = &s->d->side[BEFORE], *b = &s->d->side[AFTER];
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
		    names[a->number[BEFORE_INIT] == NO_VALUE]);
	if (t.len)
		say(s, t.text);
}

static void say_of(struct diff_sheet *s, enum diff_side side,
		   void (*say)(struct diff_sheet *s, const char *text))
{
	const struct taken *k = &s->d->side[side];
	struct sentence t = { .len = 0 };
	int64_t hidden = 0;
	size_t begun;

	put(&t, "%s: ", names[side]);
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
	if (s->d->rows.full[side])
		put(&t, "%llu rows found no room; ",
		    (unsigned long long)s->d->rows.full[side]);
	for (unsigned int i = 0; i < DIFF_TABLES; i++)
		if (i != DIFF_IMAGE && i != DIFF_VMALLOC)
			hidden = diff_sum(hidden, k->hidden[i]);
	if (hidden)
		put(&t, "level %lld does not show %lld rows, which are "
		    "unknown; ", (long long)k->number[LEVEL], (long long)hidden);
	if (t.len == begun)
		return;
	t.text[t.len - 2] = '\0';
	say(s, t.text);
}

void diff_doubts(struct diff_sheet *s,
		 void (*say)(struct diff_sheet *s, const char *text))
{
	say_differences(s, say);
	for (enum diff_side i = BEFORE; i < SIDES; i++) {
		say_of(s, i, say);
		for (uint32_t n = 0; n < s->d->side[i].notes; n++) {
			struct sentence t = { .len = 0 };

			put(&t, "%s: %s", names[i], s->d->side[i].note[n]);
			say(s, t.text);
		}
	}
}
