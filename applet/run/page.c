/* SPDX-License-Identifier: MIT */
/* See run.h, page. */
#include <string.h>
#include <unistd.h>
#include "output/output.h"
#include "run/run.h"

static void put_out(struct out *o, const char *text, size_t len)
{
	struct run_out *to = (struct run_out *)o;

	if (to->sink)
		to->sink->out.line(&to->sink->out, text, len);
	else
		put_line(STDERR_FILENO, "%.*s\n", text, len, 0);
}

void page_open_output(struct run *r)
{
	struct config *c = &r->config;

	r->to.out.line = put_out;
	r->to.sink = c->out == OUT_AUTO ? NULL : &r->sink;
	if (c->out == OUT_AUTO) {
		c->out = OUT_FILE;
		memcpy(c->out_path, "-", 2);
	}
	sink_open(&r->sink, c, "");
}

void page_for(struct page *g, struct run *r, enum format f, struct out *o)
{
	g->line = (struct line){
		.page_kib = r->page_kib, .text = g->text,
		.escape = f == FORMAT_JSON ? ESCAPE_JSON : ESCAPE_TEXT,
	};
	g->run = r;
	g->out = o;
	g->lines = 0;
}

int page_begin(struct page *g, struct run *r)
{
	page_for(g, r, r->config.format, &r->to.out);
	return r->to.sink ? sink_begin(r->to.sink, &r->config,
				       SINK_CONFIGURED) : 0;
}

int page_end(struct page *g)
{
	return g->run->to.sink ? sink_end(g->run->to.sink) : 0;
}

void page_line(struct page *g, const char *template, const uint64_t *value)
{
	line_fill(&g->line, template, value);
	g->out->line(g->out, g->line.text, g->line.len);
	g->line.len = 0;
	g->lines++;
}

/* Every byte of it may need an escape. */
void page_name(struct page *g, const char *before, const char *text,
	       size_t size)
{
	line_str(&g->line, before);
	line_name_within(&g->line, text, size, size * 6);
	if (g->line.escape == ESCAPE_JSON)
		line_char(&g->line, '"');
}

uint64_t if_known(const struct process *p, uint32_t what, uint64_t value)
{
	return p->known & what ? value : UNKNOWN;
}

uint64_t peak_rss_kib(const struct process *p)
{
	return if_known(p, HAS_STATS | HAS_USAGE, p->rss_kib);
}

uint64_t exit_status(const struct process *p)
{
	return if_known(p, HAS_STATUS, (uint64_t)child_status(p->status));
}

int sees_all(const struct run *r)
{
	return r->traces || r->stats.fd >= 0;
}
