/* SPDX-License-Identifier: MIT */
/*
 * The report of allocation sites: modules and sites with what they hold now and
 * the number of allocations that hold it, largest first.
 */
#include <string.h>
#include "base/base.h"
#include "report/report.h"
#include "report/parts.h"
#include "host/view/view.h"

#define SITE_COLUMN 26
#define SUM_COLUMNS 10
#define ROWS_SHOWN_BRIEFLY 5u
#define ROWS_SHOWN 10u
#define PLACE_ROOM 200u

/* A ranking whose items are rows of one of the two tables. */
struct tag_order {
	struct ranking ranking;		/* first: before() gets it */
	const struct view_site *row;
};

static const struct view_sites *sites_of(const struct sheet *s)
{
	return s->r->context;
}

static int is_json(const struct sheet *s)
{
	return s->line.escape == ESCAPE_JSON;
}

/* Most bytes first; then most calls, then in the order of the file. */
static int before(const struct ranking *r, uint32_t a, uint32_t b)
{
	const struct view_site *row = ((const struct tag_order *)r)->row;
	const struct site_sums *x = &row[a].sums, *y = &row[b].sums;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes;
	return x->calls != y->calls ? x->calls > y->calls : a < b;
}

static uint32_t rows_shown(const struct config *c)
{
	if (c->top)
		return c->top;
	return c->level > 2 || c->throttle_percent < 100 ? SITES_MAX :
	       c->level > 1 ? ROWS_SHOWN : ROWS_SHOWN_BRIEFLY;
}

/* Below 0 only while the kernel counts; a few bytes are less than a KiB. */
static const char *bytes_mark(int64_t bytes)
{
	return bytes && bytes < 10000 ? "%iB" : "%b";
}

static void put_text(struct sheet *s, uint32_t at)
{
	line_name_within(&s->line, sites_of(s)->texts + at, LINE_BYTES,
			 PLACE_ROOM);
}

static void put_sums(struct sheet *s, const struct site_sums *k)
{
	line_figure(&s->line, SITE_COLUMN + SUM_COLUMNS, bytes_mark(k->bytes),
		    (uint64_t)k->bytes);
	line_figure(&s->line, SITE_COLUMN + 2 * SUM_COLUMNS, "%i",
		    (uint64_t)k->calls);
}

static void text_module(struct sheet *s, const struct view_site *m)
{
	put_text(s, m->name);
	put_sums(s, &m->sums);
	line_figure(&s->line, SITE_COLUMN + 3 * SUM_COLUMNS, "%u", m->sites);
	sheet_emit(s);
}

static void text_site(struct sheet *s, const struct view_site *site)
{
	put_text(s, site->name);
	if (site->module) {
		line_str(&s->line, " [");
		put_text(s, sites_of(s)->module[site->module].name);
		line_char(&s->line, ']');
	}
	put_sums(s, &site->sums);
	line_str(&s->line, "  ");
	put_text(s, site->place);
	sheet_line(s, site->inaccurate ? "  not accurate" : "", NULL);
}

static void json_text(struct sheet *s, const char *key, uint32_t at)
{
	json_string(s, key, sites_of(s)->texts + at, PLACE_ROOM);
}

static void json_sums(struct sheet *s, const struct site_sums *sums)
{
	json_signed(s, "live_bytes", sums->bytes);
	json_signed(s, "calls", sums->calls);
}

static void json_module(struct sheet *s, const struct view_site *m)
{
	json_begin(s, "alloc_module");
	json_text(s, "name", m->name);
	json_number(s, "sites", m->sites);
	json_sums(s, &m->sums);
	json_end(s);
}

/* file:line as two members. */
static void json_place(struct sheet *s, const char *place)
{
	const char *number = past_last(place, ':');
	uint64_t line = UNKNOWN;

	if (number > place)
		parse_u64(number, strlen(number), 10, 0, UINT32_MAX, &line);
	line_text(&s->line, "file", place, number > place ?
		  (size_t)(number - place) - 1 : 0, PLACE_ROOM);
	json_number(s, "line", line);
}

static void json_site(struct sheet *s, const struct view_site *site)
{
	const struct view_sites *v = sites_of(s);

	json_begin(s, "alloc_site");
	json_text(s, "function", site->name);
	json_string(s, "module", site->module ?
		    v->texts + v->module[site->module].name : "", PLACE_ROOM);
	json_place(s, v->texts + site->place);
	json_number(s, "accurate", !site->inaccurate);
	json_sums(s, &site->sums);
	json_end(s);
}

static void put_rest(struct sheet *s, int of_modules, uint32_t count,
		     const struct site_sums *left)
{
	if (is_json(s)) {
		json_begin(s, "rest");
		json_name(s, "of", of_modules ? "alloc_module" : "alloc_site");
		json_number(s, "rows", count);
		json_sums(s, left);
		json_end(s);
		return;
	}
	line_value(&s->line, of_modules ? "... and %u more modules" :
		   "... and %u more sites", count);
	put_sums(s, left);
	sheet_emit(s);
}

/* Were rows with this share of all bytes shown? */
static int is_enough(const struct config *c, const struct site_sums *all,
		     const struct site_sums *left)
{
	return c->throttle_percent < 100 && left->bytes <=
	       all->bytes / 100 * (100 - (int64_t)c->throttle_percent);
}

/* Sums that have met their bounds wrap here. */
static void take_away(struct site_sums *left, const struct site_sums *k)
{
	left->bytes = (int64_t)((uint64_t)left->bytes - (uint64_t)k->bytes);
	left->calls = (int64_t)((uint64_t)left->calls - (uint64_t)k->calls);
}

static void put_table(struct sheet *s, const struct view_site *row,
		      uint32_t rows)
{
	const struct view_sites *v = sites_of(s);
	const int of_modules = row == v->module;
	struct site_sums left = v->sums;
	uint32_t shown = 0;
	struct tag_order k = {
		.ranking = {
			.before = before, .item = v->order,
			.capacity = (uint32_t)smaller(rows_shown(v->config),
						      SITES_MAX),
		},
		.row = row,
	};

	for (uint32_t i = 0; i < rows; i++)
		if (row[i].sums.bytes || row[i].sums.calls)
			ranking_offer(&k.ranking, i);
	ranking_sort(&k.ranking);
	while (shown < k.ranking.kept &&
	       !is_enough(v->config, &v->sums, &left)) {
		const struct view_site *site = &row[v->order[shown++]];

		take_away(&left, &site->sums);
		if (of_modules)
			(is_json(s) ? json_module : text_module)(s, site);
		else
			(is_json(s) ? json_site : text_site)(s, site);
	}
	if (k.ranking.offered > shown)
		put_rest(s, of_modules, k.ranking.offered - shown, &left);
}

static void put_heading(struct sheet *s, const char *name, const char *behind)
{
	if (is_json(s))
		return;
	line_str(&s->line, name);
	line_pad(&s->line, SITE_COLUMN);
	line_str(&s->line, "       now     calls");
	sheet_line(s, behind, NULL);
}

static void put_note(struct sheet *s, const char *template, uint64_t value)
{
	if (value)
		sheet_line(s, template, &value);
}

static void text_summary(struct sheet *s)
{
	const struct view_sites *v = sites_of(s);

	line_str(&s->line, "memstrack " MEMSTRACK_VERSION ": allocinfo");
	line_str(&s->line, v->version[0] ? " " : "");
	line_name(&s->line, v->version);
	sheet_line(s, ": %b held, by %i allocations at %u of %u site%s",
		   (const uint64_t[]){ (uint64_t)v->sums.bytes,
		   (uint64_t)v->sums.calls, v->used - 1, v->sites });
	put_note(s, "warning not understood: %u line%s; their memory is "
		 "missing", v->wrong_lines);
	put_note(s, "warning %u site%s found no room: in one row", v->full);
	put_note(s, "warning %u site%s not accurate: the kernel missed "
		 "allocations", v->inaccurate);
	put_note(s, "note    %u site%s below 0: read while the kernel "
		 "counted", v->negative);
	put_note(s, "note    %u pair%s key:value passed over: of a newer "
		 "kernel", v->pairs);
}

static void json_summary(struct sheet *s)
{
	const struct view_sites *v = sites_of(s);

	json_begin(s, "view");
	json_name(s, "version", MEMSTRACK_VERSION);
	json_name(s, "books", "allocinfo");
	json_string(s, "books_version", v->version, PLACE_ROOM);
	json_number(s, "level", v->config->level);
	json_number(s, "sites", v->sites);
	json_sums(s, &v->sums);
	json_numbers(s, "wrong_lines full_sites inaccurate_sites "
			"negative_sites unknown_pairs", (const uint64_t[]){
			v->wrong_lines, v->full, v->inaccurate, v->negative,
			v->pairs });
	json_end(s);
}

void tags_write(void *sites, enum format f, struct out *o)
{
	const struct view_sites *v = sites;
	const struct report r = {
		.lines_max = v->config->lines, .context = sites,
	};
	struct sheet s;

	sheet_begin(&s, &r, o, f == FORMAT_JSON ? ESCAPE_JSON : ESCAPE_TEXT);
	s.columns = f == FORMAT_JSON ? 0 : TEXT_COLUMNS;
	(is_json(&s) ? json_summary : text_summary)(&s);
	put_heading(&s, "module", "     sites");
	put_table(&s, v->module, v->modules);
	put_heading(&s, "site", "  where");
	put_table(&s, v->row, v->used);
	if (is_json(&s)) {
		s.last = 1;
		json_figures(&s, "end", FIGURE_WRITTEN, FIGURES);
	} else {
		text_finish(&s);
	}
}
