/* SPDX-License-Identifier: MIT */
/* See view.h, check write. */
#include <string.h>
#include "report/report.h"
#include "view/view.h"

struct check_sheet {
	struct line line;
	struct out *out;
	uint64_t written;
	char text[LINE_BYTES];
};

static void emit(struct check_sheet *s)
{
	s->out->line(s->out, s->text, s->line.len);
	s->line.len = 0;
	s->written++;
}

static void fill(struct check_sheet *s, const char *template, uint64_t a,
		 uint64_t b)
{
	line_fill(&s->line, template, (const uint64_t[]){ a, b });
}

static void put_name(struct check_sheet *s, const char *key, const char *name,
		     size_t size)
{
	line_str(&s->line, key);
	line_name_within(&s->line, name, size, JSON_NAME_ROOM);
}

/* Ours or theirs: who holds the pages. */
static void put_holder(struct check_sheet *s, uint32_t tgid, const char *comm,
		       const char *module)
{
	if (tgid == UINT32_MAX)
		line_str(&s->line, " no task");
	else
		fill(s, " pid %u", tgid, 0);
	if (comm[0]) {
		put_name(s, " (", comm, COMM_BYTES);
		line_char(&s->line, ')');
	}
	if (module[0])
		put_name(s, ", module ", module, MODULE_NAME_BYTES);
}

static void text_difference(struct check_sheet *s, const struct difference *d)
{
	fill(s, "pfn %x, %u page%s: ", d->pfn, d->pages);
	line_str(&s->line, verdict_names[d->verdict].text);
	if (d->verdict != NOT_OURS && d->verdict != OTHER_ORDER) {
		line_str(&s->line, "; ours:");
		put_holder(s, d->our_tgid, "", d->our_module);
	}
	if (d->verdict != NOT_THEIRS) {
		line_str(&s->line, "; page_owner:");
		put_holder(s, d->tgid, d->comm, d->module);
	}
	emit(s);
}

static void text_verdicts(struct check_sheet *s, const struct judge *j,
			  enum page_verdict v, enum page_verdict end)
{
	for (; v < end; v++) {
		if (!j->pages[v])
			continue;
		fill(s, "%u", j->pages[v], 0);
		line_pad(&s->line, 12);
		line_str(&s->line, verdict_names[v].text);
		emit(s);
	}
}

static void text(struct check_sheet *s, const struct judge *j,
		 const struct check_facts *f, uint32_t shown)
{
	line_str(&s->line, "memstrack " MEMSTRACK_VERSION ": ");
	line_name(&s->line, f->book);
	fill(s, ": %u page%s the same, %u differ without a cause",
	     j->pages[SAME], judge_unexplained(j));
	emit(s);
	fill(s, "we hold %u page%s, page_owner lists %u", j->our_pages,
	     j->their_pages);
	fill(s, " in %u record%s; %u round%s", j->records, j->round);
	emit(s);
	if (f->lost) {
		fill(s, "warning %u record%s lost", f->lost, 0);
		emit(s);
	}
	if (j->wrong_lines) {
		fill(s, "warning not understood: %u line%s of page_owner",
		     j->wrong_lines, 0);
		emit(s);
	}
	line_str(&s->line, "pages");
	line_pad(&s->line, 12);
	line_str(&s->line, "verdict");
	emit(s);
	text_verdicts(s, j, SAME, UNEXPLAINED);
	if (!judge_unexplained(j))
		return;
	line_str(&s->line, "without a cause");
	emit(s);
	text_verdicts(s, j, UNEXPLAINED, VERDICTS);
	for (uint32_t i = 0; i < shown; i++)
		text_difference(s, &j->difference[i]);
	if (j->differences > shown) {
		fill(s, "and %u more", j->differences - shown, 0);
		emit(s);
	}
}

static void put_numbers(struct check_sheet *s, const char *keys,
			const uint64_t *value)
{
	line_numbers(&s->line, "%u", keys, value);
}

static void put_number(struct check_sheet *s, const char *key, uint64_t value)
{
	put_numbers(s, key, &value);
}

static void put_text(struct check_sheet *s, const char *key, const char *text,
		     size_t size)
{
	line_text(&s->line, key, text, size, JSON_NAME_ROOM);
}

static void put_tgid(struct check_sheet *s, const char *key, uint32_t tgid)
{
	put_number(s, key, tgid == UINT32_MAX ? UNKNOWN : tgid);
}

static void json_difference(struct check_sheet *s, const struct difference *d)
{
	line_object(&s->line, "difference");
	put_text(s, "verdict", verdict_names[d->verdict].json, LINE_BYTES);
	put_number(s, "pfn", d->pfn);
	put_number(s, "held_pages", d->pages);
	put_tgid(s, "our_pid", d->our_tgid);
	put_text(s, "our_module", d->our_module, MODULE_NAME_BYTES);
	put_tgid(s, "pid", d->tgid);
	put_text(s, "comm", d->comm, COMM_BYTES);
	put_text(s, "module", d->module, MODULE_NAME_BYTES);
	line_char(&s->line, '}');
	emit(s);
}

static void json(struct check_sheet *s, const struct judge *j,
		 const struct check_facts *f, uint32_t shown)
{
	line_object(&s->line, "check");
	put_text(s, "version", MEMSTRACK_VERSION, LINE_BYTES);
	put_text(s, "book", f->book, PATH_BYTES);
	put_numbers(s, "page_bytes time_ns rounds our_pages book_pages "
		       "book_records wrong_lines lost clock_known "
		       "longest_answer_ns unexplained_pages differences",
		       (const uint64_t[]){
		       f->page_size, f->now_ns, j->round, j->our_pages,
		       j->their_pages, j->records, j->wrong_lines, f->lost,
		       (uint64_t)f->has_clock, f->longest_ns,
		       judge_unexplained(j), j->differences });
	line_char(&s->line, '}');
	emit(s);
	line_object(&s->line, "verdicts");
	for (enum page_verdict v = SAME; v < VERDICTS; v++) {
		line_str(&s->line, ",\"");
		line_str(&s->line, verdict_names[v].json);
		line_value(&s->line, "_pages\":%u", j->pages[v]);
	}
	line_char(&s->line, '}');
	emit(s);
	for (uint32_t i = 0; i < shown; i++)
		json_difference(s, &j->difference[i]);
	fill(s, "{\"type\":\"end\",\"records\":%u}", s->written, 0);
	emit(s);
}

void check_write(const struct judge *j, const struct check_facts *f,
		 const struct config *c, struct out *o)
{
	struct check_sheet s = {
		.line.page_kib = f->page_size / 1024, .out = o,
		.line.escape = c->format == FORMAT_JSON ? ESCAPE_JSON :
							  ESCAPE_TEXT,
	};
	uint32_t shown = c->top ? c->top : c->level > 1 ? DIFFERENCES_KEPT : 10;

	if (shown > DIFFERENCES_KEPT)
		shown = DIFFERENCES_KEPT;
	if (shown > j->differences)
		shown = j->differences;
	s.line.text = s.text;
	(c->format == FORMAT_JSON ? json : text)(&s, j, f, shown);
}
