/* See sheet.h. */
#include "sheet.h"

void sheet_start(struct sheet *s, const struct report *r, struct out *o)
{
	s->r = r;
	s->out = o;
	s->line.page_kib = r->session->page_size >> 10;
	figures_get(r, s->value);
}

void sheet_emit(struct sheet *s)
{
	s->out->line(s->out, s->line.text, s->line.len);
	s->line.len = 0;
	s->count[SHEET_LINES]++;
}

void sheet_figures(struct sheet *s, const char *template, enum figure first)
{
	line_fill(&s->line, template, &s->value[first]);
}

void sheet_frame(struct sheet *s, struct line *l, uint64_t addr, enum escape e)
{
	s->count[SHEET_FRAMES]++;
	s->count[SHEET_UNNAMED] += !frame_write(l, s->r, addr, e);
}
