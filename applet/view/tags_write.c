/* SPDX-License-Identifier: MIT */
/*
 * The report of allocation sites: modules and sites with what they hold now and
 * the number of allocations that hold it, largest first.
 */
#include <string.h>
#include "base/base.h"
#include "report/report.h"
#include "report/parts.h"
#include "view/view.h"

#define SITE_COLUMN 26
#define SUM_COLUMNS 10
#define ROWS_SHOWN_BRIEFLY 5u
#define ROWS_SHOWN 10u
#define PLACE_ROOM 200u

/* A ranking whose items are rows of one of the two tables. */
struct tag_order {
	struct ranking ranking;		/* first: before() gets it */
	const struct view_sites *sites;
	int of_modules;
};

struct page {
	struct view_sites *v;
	struct sheet *s;
	const struct config *c;
};

static const struct site_sums *sums_of(const struct tag_order *k, uint32_t i)
{
	return k->of_modules ? &k->sites->module[i].sums :
			       &k->sites->row[i].sums;
}

/* Most bytes first; then most calls, then in the order of the file. */
static int before(const struct ranking *r, uint32_t a, uint32_t b)
{
	const struct tag_order *k = (const struct tag_order *)r;
	const struct site_sums *x = sums_of(k, a), *y = sums_of(k, b);

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

static void put_sums(struct sheet *s, const struct site_sums *k)
{
	line_figure(&s->line, SITE_COLUMN + SUM_COLUMNS, bytes_mark(k->bytes),
		   (uint64_t)k->bytes);
	line_figure(&s->line, SITE_COLUMN + 2 * SUM_COLUMNS, "%i",
		   (uint64_t)k->calls);
}

static void put_name(struct page *p, const struct view_site *site)
{
	line_name_within(&p->s->line, p->v->texts + site->function, LINE_BYTES,
			 PLACE_ROOM);
	if (!site->module)
		return;
	line_str(&p->s->line, " [");
	line_name_within(&p->s->line, p->v->texts +
			 p->v->module[site->module].name, LINE_BYTES,
			 PLACE_ROOM);
	line_char(&p->s->line, ']');
}

static void tag_text_row(struct page *p, const struct tag_order *k, uint32_t i)
{
	const struct view_site *site = &p->v->row[i];
	struct sheet *s = p->s;

	if (k->of_modules)
		line_name_within(&s->line, p->v->texts + p->v->module[i].name,
				 LINE_BYTES, PLACE_ROOM);
	else
		put_name(p, site);
	put_sums(s, sums_of(k, i));
	if (k->of_modules) {
		line_figure(&s->line, SITE_COLUMN + 3 * SUM_COLUMNS, "%u",
			   p->v->module[i].sites);
	} else {
		line_str(&s->line, "  ");
		line_name_within(&s->line, p->v->texts + site->place,
				 LINE_BYTES, PLACE_ROOM);
		if (site->inaccurate)
			line_str(&s->line, "  not accurate");
	}
	sheet_emit(s);
}

/* file:line as two members. */
static void json_place(struct page *p, const struct view_site *site)
{
	const char *place = p->v->texts + site->place;
	const char *number = past_last(place, ':');
	struct sheet *s = p->s;
	uint64_t line = UNKNOWN;

	if (number > place)
		parse_u64(number, strlen(number), 10, 0, UINT32_MAX, &line);
	line_str(&s->line, ",\"file\":\"");
	line_name_within(&s->line, place, number > place ?
			 (size_t)(number - place) - 1 : 0, PLACE_ROOM);
	line_char(&s->line, '"');
	json_number(s, "line", line);
}

static void json_sums(struct sheet *s, const struct site_sums *sums)
{
	json_signed(s, "live_bytes", sums->bytes);
	json_signed(s, "calls", sums->calls);
}

static void json_row(struct page *p, const struct tag_order *k, uint32_t i)
{
	const struct view_site *site = &p->v->row[i];
	const struct site_sums *sums = sums_of(k, i);
	struct sheet *s = p->s;

	json_begin(s, k->of_modules ? "alloc_module" : "alloc_site");
	if (k->of_modules) {
		json_string(s, "name", p->v->texts +
			    p->v->module[i].name, PLACE_ROOM);
		json_number(s, "sites", p->v->module[i].sites);
	} else {
		json_string(s, "function", p->v->texts +
			    site->function, PLACE_ROOM);
		json_string(s, "module", !site->module ? "" :
			    p->v->texts + p->v->module[site->module].name,
			    PLACE_ROOM);
		json_place(p, site);
		json_number(s, "accurate", !site->inaccurate);
	}
	json_sums(s, sums);
	json_end(s);
}

static void put_rest(struct page *p, const struct tag_order *k, uint32_t count,
		     const struct site_sums *left)
{
	struct sheet *s = p->s;

	if (!count)
		return;
	if (s->line.escape == ESCAPE_JSON) {
		json_begin(s, "rest");
		line_str(&s->line, k->of_modules ? ",\"of\":\"alloc_module\"" :
						   ",\"of\":\"alloc_site\"");
		json_number(s, "rows", count);
		json_sums(s, left);
		json_end(s);
		return;
	}
	line_value(&s->line, "... and %u more ", count);
	line_str(&s->line, k->of_modules ? "modules" : "sites");
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

static void put_table(struct page *p, struct tag_order *k, uint32_t rows)
{
	struct site_sums left = p->v->sums;
	uint32_t shown = 0;

	k->ranking.ledger = p->s->ledger;
	k->ranking.before = before;
	k->ranking.item = p->v->order;
	k->ranking.capacity = (uint32_t)smaller(rows_shown(p->c), SITES_MAX);
	k->sites = p->v;
	for (uint32_t i = 0; i < rows; i++)
		if (sums_of(k, i)->bytes || sums_of(k, i)->calls)
			ranking_offer(&k->ranking, i);
	ranking_sort(&k->ranking);
	while (shown < k->ranking.kept &&
	       !is_enough(p->c, &p->v->sums, &left)) {
		const uint32_t i = k->ranking.item[shown++];

		take_away(&left, sums_of(k, i));
		if (p->s->line.escape == ESCAPE_JSON)
			json_row(p, k, i);
		else
			tag_text_row(p, k, i);
	}
	put_rest(p, k, k->ranking.offered - shown, &left);
}

static void put_heading(struct sheet *s, const char *name, const char *behind)
{
	line_str(&s->line, name);
	line_pad(&s->line, SITE_COLUMN);
	line_str(&s->line, "       now     calls");
	line_str(&s->line, behind);
	sheet_emit(s);
}

static void put_note(struct sheet *s, const char *template, uint64_t value)
{
	if (value)
		sheet_line(s, template, &value);
}

static void tag_text_head(struct page *p)
{
	const struct view_sites *v = p->v;
	struct sheet *s = p->s;

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

static void tag_json_head(struct page *p)
{
	const struct view_sites *v = p->v;
	struct sheet *s = p->s;

	json_begin(s, "view\",\"version\":\"" MEMSTRACK_VERSION
		   "\",\"books\":\"allocinfo");
	json_string(s, "books_version", v->version, PLACE_ROOM);
	json_put_figures(s, FIGURE_LEVEL, FIGURE_START_NS);
	json_number(s, "sites", v->sites);
	json_sums(s, &v->sums);
	json_numbers(s, "wrong_lines full_sites inaccurate_sites "
			"negative_sites unknown_pairs", (const uint64_t[]){
			v->wrong_lines, v->full, v->inaccurate, v->negative,
			v->pairs });
	json_end(s);
}

static void put_tables(struct page *p)
{
	const int is_text = p->s->line.escape == ESCAPE_TEXT;
	struct tag_order modules = { .of_modules = 1 }, sites = { .of_modules = 0 };

	if (is_text)
		put_heading(p->s, "module", "     sites");
	put_table(p, &modules, p->v->modules);
	if (is_text)
		put_heading(p->s, "site", "  where");
	put_table(p, &sites, p->v->used);
}

/* The sheet is that of every report, so that lines, escapes and the last line
 * are the same; its ledger is empty. */
static void write_sheet(struct sheet *s)
{
	struct page *p = s->r->context;

	p->s = s;
	if (s->line.escape == ESCAPE_TEXT) {
		tag_text_head(p);
		put_tables(p);
		text_finish(s);
		return;
	}
	tag_json_head(p);
	put_tables(p);
	s->last = 1;
	json_figures(s, "end", FIGURE_WRITTEN, FIGURES);
}

void tags_write(struct view_sites *v, const struct config *c,
		 struct ledger *empty, struct out *o)
{
	const struct session session = { .page_size = 4096 };
	struct page p = { .v = v, .c = c };
	const struct report r = {
		.ledger = empty, .session = &session, .level = c->level,
		.lines_max = c->lines, .throttle_percent = 100, .context = &p,
	};

	sheet_report(&r, o, c->format == FORMAT_JSON ? ESCAPE_JSON :
		     ESCAPE_TEXT, write_sheet);
}
