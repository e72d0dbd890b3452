/* SPDX-License-Identifier: MIT */
/*
 * The report for programs: one JSON object a line, each whole and shorter than
 * LINE_BYTES. Names are bounded so that everything else always fits, even the
 * largest numbers. A call chain that does not fit continues in the next line.
 *
 * Names are bytes, not text: each byte outside of printable ASCII is \u00NN.
 */
#include "report/parts.h"
#include "report/report.h"

/* Slab caches, as samples of /proc/slabinfo showed them. */
static void put_caches(struct sheet *s)
{
	const struct samples *p = &s->ledger->samples;

	for (uint32_t i = 0; i < p->caches; i++) {
		const struct count *c = &p->cache[i].pages;
		const struct shown row = { .value = {
			c->now, c->peak, count_at_peak(c, s->ledger->epoch),
		} };

		json_begin(s, "cache");
		json_name(s, "name", p->cache[i].name);
		json_columns(s, &row, TABLE_KINDS);
		json_end(s);
	}
}

static void json(struct sheet *s)
{
	json_head(s);
	json_rows(s);
	put_caches(s);
	slab_write(s);
	moment_timeline(s);
	json_picture(s);
	json_advice(s);
	if (has_feature(FEATURE_RAM))
		ram_json(s);
	json_finish(s);
}

void report_json(const struct report *r, struct out *o)
{
	sheet_report(r, o, ESCAPE_JSON, json);
}

static void live(struct sheet *s)
{
	json_head_line(s);
	json_rows(s);
	if (ledger_has_objects(s->ledger))
		select_table(s->r, TABLE_SITES, json_show, s);
	json_finish(s);
}

void report_live(const struct report *r, struct out *o)
{
	sheet_report(r, o, ESCAPE_JSON, live);
}
