/* SPDX-License-Identifier: MIT */
/* See parts.h, failures. */
#include "report/parts.h"
#include "report/report.h"

/* Bytes for a name in JSON. */
#define WHO_ROOM 60u

static const char *who(const struct ledger *l, const struct failure *f,
		       enum table t)
{
	return row_name_at(l, t, t == TABLE_TASKS ? f->task : f->module,
			   f->time_ns);
}

/* Where a block was free when the tracer looked, others had it first, or gave it
 * back since. */
static void put_free(struct sheet *s, const struct failure *f)
{
	sheet_line(s, f->block_pages ?
		   "        %p were free at %t, in blocks of at most %p" :
		   "        %p were free at %t, in such pieces too",
		   &f->free_pages);
	line_str(&s->line, f->kinds_known ? "        unmovable pages" :
					    "        pages of all kinds");
	moment_unmovable(s, &f->at);
	sheet_emit(s);
}

void failures_text(struct sheet *s)
{
	const struct ledger *l = s->ledger;

	for (uint32_t i = 0; i < l->failures; i++) {
		const struct failure *f = &l->failure[i];
		const enum table t = f->module ? TABLE_MODULES : TABLE_TASKS;

		line_str(&s->line, "failed  ");
		line_str(&s->line, table_name(t));
		line_char(&s->line, ' ');
		line_name(&s->line, who(l, f, t));
		sheet_line(s, f->count > 1 ? " asked for %p in one piece "
			   "(order %u) at %t, %u times in all" :
			   " asked for %p in one piece (order %u) at %t",
			   &f->pages);
		if (f->look_ns)
			put_free(s, f);
	}
}

void failures_json(struct sheet *s)
{
	const struct ledger *l = s->ledger;

	for (uint32_t i = 0; i < l->failures; i++) {
		const struct failure *f = &l->failure[i];

		json_begin(s, "failed_alloc");
		json_string(s, "module", f->module ?
			    who(l, f, TABLE_MODULES) : "", WHO_ROOM);
		json_string(s, "task", who(l, f, TABLE_TASKS), WHO_ROOM);
		json_numbers(s, "asked_pages order time_ns count", &f->pages);
		json_number(s, "free_kib", session_kib(s->r->session,
						       f->free_pages));
		json_numbers(s, "look_ns block_pages kinds_known",
			     &f->look_ns);
		moment_unmovable(s, &f->at);
		json_end(s);
	}
}
