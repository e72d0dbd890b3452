/* SPDX-License-Identifier: MIT */
/* See report.h, sheet. */
#include <stdarg.h>
#include <string.h>
#include "report/report.h"

/* No template has more marks. */
#define MARKS_MAX 8

/* Of what follows a line that was broken. */
#define INDENT 8u

void sheet_begin(struct sheet *s, const struct report *r, struct out *o,
		 enum escape e)
{
	memset(s, 0, sizeof(*s));
	s->line.escape = e;
	s->line.text = s->text;
	s->r = r;
	s->ledger = r->ledger;
	s->out = o;
}

void sheet_report(const struct report *r, struct out *o, enum escape e,
		  void (*write)(struct sheet *s))
{
	struct sheet s;

	sheet_begin(&s, r, o, e);
	s.line.page_kib = r->session->page_size >> 10;
	s.columns = e == ESCAPE_TEXT ? TEXT_COLUMNS : 0;
	figures_get(r, s.value);
	write(&s);
}

/* One line is kept for the last one. Without a bound `most` is 0, and 0 - 1 is
 * larger than every count. */
int sheet_is_full(const struct sheet *s)
{
	const uint32_t most = s->r->lines_max ? s->r->lines_max :
			      s->out->lines_max;

	return !s->last && s->value[FIGURE_LINES] >= (uint32_t)(most - 1);
}

static void emit(struct sheet *s, size_t len)
{
	if (sheet_is_full(s)) {
		s->value[FIGURE_CUT]++;
	} else {
		s->out->line(s->out, s->line.text, len);
		s->value[FIGURE_LINES]++;
	}
}

/* Where the second of two lines begins; 0: nowhere. Before a word, if nothing
 * better is in the second half. */
static size_t place_to_break(const struct sheet *s)
{
	const char *const text = s->line.text;
	size_t word = 0;

	if (!s->columns || s->line.len <= s->columns)
		return 0;
	for (size_t at = s->columns; at > INDENT; at--) {
		if (text[at] == ' ' || text[at - 1] != ' ')
			continue;
		if (memchr(",; ", text[at - 2], 3) &&
		    (!word || at > s->columns / 2))
			return at;
		if (!word)
			word = at;
	}
	return word;
}

void sheet_emit(struct sheet *s)
{
	char *const text = s->line.text;
	size_t at;

	while ((at = place_to_break(s)) != 0) {
		size_t len = at;

		while (text[len - 1] == ' ')
			len--;
		emit(s, len);
		memmove(text + INDENT, text + at, s->line.len - at);
		memset(text, ' ', INDENT);
		s->line.len = INDENT + s->line.len - at;
	}
	emit(s, s->line.len);
	s->line.len = 0;
}

void sheet_line(struct sheet *s, const char *template, const uint64_t *value)
{
	line_fill(&s->line, template, value);
	sheet_emit(s);
}

void sheet_figures(struct sheet *s, const char *template, ...)
{
	uint64_t value[MARKS_MAX];
	unsigned int marks = 0;
	va_list figures;

	va_start(figures, template);
	for (const char *c = template; *c; c++)
		if (*c == '%' && *++c != '%' && *c != 's')
			value[marks++] = s->value[va_arg(figures, int)];
	va_end(figures);
	line_fill(&s->line, template, value);
}

void sheet_phase(struct sheet *s, uint64_t time_ns)
{
	const char *name = phase_at(&s->ledger->phases, time_ns);

	if (!name)
		return;
	line_str(&s->line, ", in ");
	line_name(&s->line, name);
}

int sheet_stack(struct sheet *s, const struct shown *k)
{
	const int framed = k->leaf != NO_LEAF &&
			   k->leaf >= s->ledger->stacks.roots;

	line_fill(&s->line, framed ? "stack %u of %u" : "stack %u of %u: none",
		  (const uint64_t[]){ k->index, k->count });
	return framed;
}

void sheet_frame(struct sheet *s, uint64_t addr)
{
	s->value[FIGURE_FRAMES]++;
	s->value[FIGURE_UNNAMED] += !frame_write(&s->line, s->r, addr);
}

void sheet_caller(struct sheet *s, const struct caller *c)
{
	if (!c->node) {
		line_name(&s->line, c->name);
		return;
	}
	s->value[FIGURE_FRAMES]++;
	s->value[FIGURE_UNNAMED] += !code_write(&s->line, s->r,
				s->ledger->stacks.node[c->node].addr);
}

/* The largest object of kmalloc that is in a cache: KMALLOC_MAX_CACHE_SIZE of
 * SLUB, two pages. */
int slab_has_own_pages(const struct slab_cache *c, uint64_t page_bytes)
{
	return c->is_kmalloc && c->object_bytes > 2 * page_bytes;
}

/* The only cache of this size that slabinfo has; NULL: none, or several. */
static const char *only_name(const struct slab_ledger *s, uint64_t object_bytes)
{
	const char *name = NULL;

	for (uint32_t i = 0; i < s->seens; i++) {
		if (s->seen[i].object_bytes != object_bytes)
			continue;
		if (name)
			return NULL;
		name = s->seen[i].name;
	}
	return name;
}

/* "(192 bytes)" if several caches have this size. */
void sheet_cache(struct sheet *s, uint32_t row)
{
	const struct slab_ledger *k = &s->ledger->slab;
	const struct slab_cache *c = &k->sites.cache[row];
	const char *name = c->name[0] ? c->name :
			   only_name(k, c->object_bytes);
	struct line *l = &s->line;

	line_str(l, sheet_is_json(s) ? ",\"cache\":\"" : "");
	if (row == SLAB_CACHE_OTHER)
		line_str(l, "(other)");
	else if (slab_has_own_pages(c, s->r->session->page_size))
		line_fill(l, "(pages, %u)", &c->object_bytes);
	else if (c->is_kmalloc)
		line_fill(l, "kmalloc-%u", &c->object_bytes);
	else if (name)
		line_name(l, name);
	else
		line_fill(l, "(%u bytes)", &c->object_bytes);
	line_str(l, sheet_is_json(s) ? "\"" : "");
}

void sheet_site(struct sheet *s, uint32_t row)
{
	line_str(&s->line, sheet_is_json(s) ? ",\"site\":\"" : "");
	if (row == SITE_OTHER)
		line_str(&s->line, "(other)");
	else
		sheet_frame(s, s->ledger->slab.sites.row[row].addr);
	line_str(&s->line, sheet_is_json(s) ? "\"" : "");
}

void json_begin(struct sheet *s, const char *type)
{
	line_object(&s->line, type);
}

void json_end(struct sheet *s)
{
	sheet_line(s, "}", NULL);
}

void json_string(struct sheet *s, const char *key, const char *text,
		 size_t room)
{
	line_text(&s->line, key, text, LINE_BYTES, room);
}

void json_name(struct sheet *s, const char *key, const char *name)
{
	json_string(s, key, name, JSON_NAME_ROOM);
}

void json_numbers(struct sheet *s, const char *keys, const uint64_t *value)
{
	line_numbers(&s->line, "%u", keys, value);
}

void json_row_name(struct sheet *s, const char *key, enum table t, uint32_t row)
{
	json_name(s, key, row_name(s->ledger, t, row));
}

void json_number(struct sheet *s, const char *key, uint64_t value)
{
	line_key(&s->line, key);
	line_value(&s->line, "%u", value);
}

void json_signed(struct sheet *s, const char *key, int64_t value)
{
	line_key(&s->line, key);
	line_value(&s->line, "%i", (uint64_t)value);
}

void json_put_figures(struct sheet *s, unsigned int first, unsigned int until)
{
	const char *mark = first == FIGURE_BALANCE ? "%i" : "%u";
	const char *name = figure_name(first);

	for (unsigned int i = first; i < until; i++) {
		name = line_key(&s->line, name);
		line_value(&s->line, mark, s->value[i]);
	}
}

void json_figures(struct sheet *s, const char *type, unsigned int first,
		    unsigned int until)
{
	json_begin(s, type);
	json_put_figures(s, first, until);
	json_end(s);
}

void json_finish(struct sheet *s)
{
	s->last = 1;
	json_figures(s, "end", FIGURE_WRITTEN, FIGURES);
}
