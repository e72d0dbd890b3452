/* SPDX-License-Identifier: MIT */
/* See view.h, check write. */
#include "report/report.h"
#include "host/view/view.h"

#define VERDICT_COLUMN 12

static const struct check_facts *facts_of(const struct sheet *s)
{
	return s->r->context;
}

/* Two values are enough for each line. */
static void fill(struct sheet *s, const char *template, uint64_t a, uint64_t b)
{
	line_fill(&s->line, template, (const uint64_t[]){ a, b });
}

static void put_name(struct sheet *s, const char *before, const char *name)
{
	line_str(&s->line, before);
	line_name_within(&s->line, name, LINE_BYTES, JSON_NAME_ROOM);
}

/* Who holds the pages, on our side or on theirs. */
static void put_holder(struct sheet *s, const char *side, uint32_t tgid,
		       const char *comm, const char *module)
{
	line_str(&s->line, side);
	if (tgid == UINT32_MAX)
		line_str(&s->line, " no task");
	else
		line_value(&s->line, " pid %u", tgid);
	if (comm[0]) {
		put_name(s, " (", comm);
		line_char(&s->line, ')');
	}
	if (module[0])
		put_name(s, ", module ", module);
}

static void text_difference(struct sheet *s, const struct difference *d)
{
	fill(s, "pfn %x, %u page%s: ", d->pfn, d->pages);
	line_str(&s->line, verdict_names[d->verdict].text);
	if (d->verdict != NOT_OURS && d->verdict != OTHER_ORDER)
		put_holder(s, "; ours:", d->our_tgid, "", d->our_module);
	if (d->verdict != NOT_THEIRS)
		put_holder(s, "; page_owner:", d->tgid, d->comm, d->module);
	sheet_emit(s);
}

static void put_verdict(struct sheet *s, const char *verdict)
{
	line_pad(&s->line, VERDICT_COLUMN);
	line_str(&s->line, verdict);
	sheet_emit(s);
}

static void text_verdicts(struct sheet *s, enum page_verdict v,
			  enum page_verdict end)
{
	const struct judge *j = facts_of(s)->judge;

	for (; v < end; v++) {
		if (!j->pages[v])
			continue;
		line_value(&s->line, "%u", j->pages[v]);
		put_verdict(s, verdict_names[v].text);
	}
}

static void text(struct sheet *s, uint32_t shown)
{
	const struct check_facts *f = facts_of(s);
	const struct judge *j = f->judge;
	const uint64_t unexplained = judge_unexplained(j);

	line_str(&s->line, "memstrack " MEMSTRACK_VERSION ": ");
	line_name(&s->line, f->book);
	fill(s, ": %u page%s the same, %u differ without a cause",
	     j->pages[SAME], unexplained);
	sheet_emit(s);
	fill(s, "we hold %u page%s, page_owner lists %u", j->our_pages,
	     j->their_pages);
	fill(s, " in %u record%s; %u round%s", j->records, j->round);
	sheet_emit(s);
	if (f->lost)
		sheet_line(s, "warning %u record%s lost", &f->lost);
	if (j->wrong_lines)
		sheet_line(s, "warning not understood: %u line%s of page_owner",
			   &j->wrong_lines);
	line_str(&s->line, "pages");
	put_verdict(s, "verdict");
	text_verdicts(s, SAME, UNEXPLAINED);
	if (!unexplained)
		return;
	sheet_line(s, "without a cause", NULL);
	text_verdicts(s, UNEXPLAINED, VERDICTS);
	for (uint32_t i = 0; i < shown; i++)
		text_difference(s, &j->difference[i]);
	if (j->differences > shown) {
		line_value(&s->line, "and %u more", j->differences - shown);
		sheet_emit(s);
	}
}

static void json_tgid(struct sheet *s, const char *key, uint32_t tgid)
{
	json_number(s, key, tgid == UINT32_MAX ? UNKNOWN : tgid);
}

static void json_difference(struct sheet *s, const struct difference *d)
{
	json_begin(s, "difference");
	json_name(s, "verdict", verdict_names[d->verdict].json);
	json_number(s, "pfn", d->pfn);
	json_number(s, "held_pages", d->pages);
	json_tgid(s, "our_pid", d->our_tgid);
	json_name(s, "our_module", d->our_module);
	json_tgid(s, "pid", d->tgid);
	json_name(s, "comm", d->comm);
	json_name(s, "module", d->module);
	json_end(s);
}

static void json(struct sheet *s, uint32_t shown)
{
	const struct check_facts *f = facts_of(s);
	const struct judge *j = f->judge;

	json_begin(s, "check");
	json_name(s, "version", MEMSTRACK_VERSION);
	json_name(s, "book", f->book);
	json_numbers(s, "page_bytes time_ns rounds our_pages book_pages "
			"book_records wrong_lines lost clock_known "
			"longest_answer_ns unexplained_pages differences",
			(const uint64_t[]){
			f->page_size, f->now_ns, j->round, j->our_pages,
			j->their_pages, j->records, j->wrong_lines, f->lost,
			(uint64_t)f->has_clock, f->longest_ns,
			judge_unexplained(j), j->differences });
	json_end(s);
	json_begin(s, "verdicts");
	for (enum page_verdict v = SAME; v < VERDICTS; v++) {
		line_str(&s->line, ",\"");
		line_str(&s->line, verdict_names[v].json);
		line_value(&s->line, "_pages\":%u", j->pages[v]);
	}
	json_end(s);
	for (uint32_t i = 0; i < shown; i++)
		json_difference(s, &j->difference[i]);
	json_begin(s, "end");
	json_number(s, "records", s->value[FIGURE_LINES]);
	json_end(s);
}

void check_write(void *facts, enum format format, struct out *o)
{
	const struct check_facts *f = facts;
	const struct config *c = f->config;
	const struct report r = { .context = facts };
	const int is_json = format == FORMAT_JSON;
	struct sheet s;
	uint32_t shown = c->top ? c->top : c->level > 1 ? DIFFERENCES_KEPT : 10;

	if (shown > DIFFERENCES_KEPT)
		shown = DIFFERENCES_KEPT;
	if (shown > f->judge->differences)
		shown = f->judge->differences;
	sheet_begin(&s, &r, o, is_json ? ESCAPE_JSON : ESCAPE_TEXT);
	(is_json ? json : text)(&s, shown);
}
