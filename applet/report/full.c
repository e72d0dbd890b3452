/* SPDX-License-Identifier: MIT */
/* The mounts without room: see parts.h, full. */
#include <string.h>
#include "report/report.h"
#include "report/parts.h"

static int is_root(const struct full_mount *m)
{
	return !strcmp(m->name, "/");
}

/* What the mount may hold from before tracing. */
static uint64_t before_pages(const struct sheet *s, const struct full_mount *m)
{
	const struct ledger *l = s->ledger;

	if (!is_root(m) && baseline_kib(l, BASELINE_INITRAMFS))
		return 0;
	return baseline_kib(l, BASELINE_SHMEM) / s->line.page_kib;
}

/* The row of the task; 0: nobody is known. */
static uint32_t writer(const struct sheet *s, const struct full_mount *m)
{
	const struct ledger *l = s->ledger;
	uint64_t files = l->kinds.row[KIND_TMPFS].now + before_pages(s, m) +
			 m->unseen_pages;
	uint64_t pages[KINDS], most = 0;
	uint32_t row = 0;

	if (!l->kinds.known || l->total.lost || l->total.untracked_pages ||
	    !stackless_is_anonymous(l))
		return 0;
	files = files < m->pages ? m->pages : files;
	for (uint32_t i = TASKS_FIXED; i < l->tasks.used; i++) {
		kinds_of_row(l, TABLE_TASKS, i, 0, pages);
		if (pages[KIND_TMPFS] > most) {
			most = pages[KIND_TMPFS];
			row = i;
		}
	}
	return most > files - m->pages / 2 ? row : 0;
}

static int is_full(const struct sheet *s, const struct full_mount *m)
{
	return m->last_ns == s->ledger->full.look_ns;
}

static void put(struct sheet *s, const struct full_mount *m)
{
	const struct ledger *l = s->ledger;
	const uint32_t row = writer(s, m);

	line_str(&s->line, "state   ");
	line_name(&s->line, m->name);
	line_str(&s->line, is_full(s, m) ? " is full (" : " was full (");
	if (m->inodes)
		line_fill(&s->line, "no inode left of %u", &m->inodes);
	else
		line_fill(&s->line, "%p of %b", (const uint64_t[]){
			  m->pages, m->size_bytes });
	line_fill(&s->line, is_full(s, m) ? ") since %t" : ") at %t",
		  &m->since_ns);
	if (row) {
		line_str(&s->line, ", ");
		row_write(&s->line, l, TABLE_TASKS, row);
		line_str(&s->line, " wrote most of it");
	}
	sheet_emit(s);
}

void full_text(struct sheet *s)
{
	const struct full *f = &s->ledger->full;

	for (uint32_t i = 0; i < f->mounts; i++)
		if (!is_root(&f->mount[i]) ||
		    !unpack_filled(s->ledger, s->r->session))
			put(s, &f->mount[i]);
	if (f->more)
		sheet_line(s, "state   full mounts besides: %u",
			   &(uint64_t){ f->more });
}

void full_json(struct sheet *s)
{
	const struct ledger *l = s->ledger;

	for (uint32_t i = 0; i < l->full.mounts; i++) {
		const struct full_mount *m = &l->full.mount[i];
		const uint32_t row = writer(s, m);

		json_begin(s, "full");
		json_name(s, "mount", m->name);
		json_numbers(s, "is_full held_pages limit_kib inodes since_ns",
				(const uint64_t[]){
				(uint64_t)is_full(s, m), m->pages,
				m->size_bytes >> 10,
				m->inodes ? m->inodes : UNKNOWN, m->since_ns });
		json_name(s, "task", row ? row_name(l, TABLE_TASKS, row) : "");
		json_number(s, "task_pid", row ? l->tasks.row[row].tid :
						 UNKNOWN);
		json_number(s, "besides", l->full.more);
		json_end(s);
	}
}
