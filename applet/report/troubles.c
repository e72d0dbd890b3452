/* SPDX-License-Identifier: MIT */
/*
 * What went wrong: an initramfs that was not unpacked to its end (report.h,
 * unpack), mounts without room, allocations that failed.
 */
#include <string.h>
#include "report/report.h"
#include "report/parts.h"

/* The bytes for the kernel's words that the longest record leaves; for a name. */
#define ERROR_ROOM 200u
#define WHO_ROOM 60u

/* UNKNOWN where a figure is not known; limit_kib 0: no limit. */
struct unpacked {
	uint64_t held_kib, limit_kib, more_than_kib;
	int full;
};

static void get_unpacked(const struct ledger *l, const struct session *s,
		struct unpacked *u)
{
	const struct unpack *k = &l->unpack;

	*u = (struct unpacked){ UNKNOWN, UNKNOWN, UNKNOWN, 0 };
	if (k->limit_pages != UINT64_MAX)
		u->limit_kib = session_kib(s, k->limit_pages);
	if (k->bytes != UINT64_MAX)
		u->held_kib = k->bytes >> 10;
	else if (!u->limit_kib && baseline_kib(l, BASELINE_INITRAMFS))
		u->held_kib = baseline_kib(l, BASELINE_INITRAMFS);
	/* Only this error is one of room. */
	u->full = u->held_kib != UNKNOWN && u->limit_kib != UNKNOWN &&
		  u->limit_kib && !strcmp(k->error, "write error") &&
		  u->held_kib >= u->limit_kib - u->limit_kib / 100;
	if (u->full && baseline_kib(l, BASELINE_RESERVED))
		u->more_than_kib = rootfs_needs_kib(l, s, u->held_kib +
						    (k->cut_bytes >> 10));
}

/* Rootfs had no room or no inode for it. */
static int unpack_filled(const struct ledger *l, const struct session *s)
{
	struct unpacked u;

	get_unpacked(l, s, &u);
	return u.full || lacks_inodes(l);
}

void unpack_write(struct line *line, const struct ledger *l,
		  const struct session *s)
{
	const uint64_t initrd_kib = baseline_kib(l, BASELINE_INITRD);
	struct unpacked u;

	get_unpacked(l, s, &u);
	line_str(line, "initramfs unpacking failed: ");
	line_name(line, l->unpack.error);
	if (u.held_kib != UNKNOWN) {
		line_fill(line, u.full ? "; rootfs is full: %k" :
			  "; rootfs holds %k", &u.held_kib);
		line_fill(line, u.limit_kib == UNKNOWN ? "" : u.limit_kib ?
			  " of %k" : " and has no limit", &u.limit_kib);
		if (u.limit_kib != UNKNOWN && u.limit_kib && rootfs_is_half(l))
			line_str(line, ", half of what was free");
	}
	if (l->unpack.cut_bytes) {
		line_fill(line, "; %b are missing of ", &l->unpack.cut_bytes);
		line_name(line, l->unpack.file);
	}
	if (l->unpack.inodes)
		line_fill(line, "; all %u inodes are in use",
			  &l->unpack.inodes);
	if (l->unpack.file[0] && !l->unpack.cut_bytes) {
		line_str(line, "; the last file is ");
		line_name(line, l->unpack.file);
	}
	if (initrd_kib)
		line_fill(line, "; the image had %k", &initrd_kib);
	if (u.more_than_kib != UNKNOWN)
		line_fill(line, "; needs memory of more than %k",
			  &u.more_than_kib);
}

static void unpack_text(struct sheet *s)
{
	if (!unpack_failed(s->ledger))
		return;
	line_str(&s->line, "state   ");
	unpack_write(&s->line, s->ledger, s->r->session);
	sheet_emit(s);
}

static void unpack_json(struct sheet *s)
{
	const struct ledger *l = s->ledger;
	const uint64_t initrd_kib = baseline_kib(l, BASELINE_INITRD);
	struct unpacked u;

	if (!unpack_failed(l))
		return;
	get_unpacked(l, s->r->session, &u);
	json_begin(s, "unpack");
	json_string(s, "error", l->unpack.error, ERROR_ROOM);
	json_numbers(s, "rootfs_full unpacked_kib limit_kib initrd_kib",
			(const uint64_t[]){
			(uint64_t)u.full, u.held_kib, u.limit_kib,
			initrd_kib ? initrd_kib : UNKNOWN });
	if (l->unpack.file[0])
		json_name(s, "file", l->unpack.file);
	json_numbers(s, "file_lacks_kib inodes more_than_kib",
			(const uint64_t[]){
			l->unpack.cut_bytes >> 10,
			l->unpack.inodes ? l->unpack.inodes : UNKNOWN,
			u.more_than_kib });
	json_end(s);
}

/*
 * Each tmpfs that is full: where it is mounted, what it holds, since when it is
 * full, and who wrote its files.
 *
 * The account has the files of a task, but not their mount. So a task is named
 * only if more than half of the mount must be its own, even if all other files
 * in memory are its own too. Files from before tracing may be on any mount; in
 * a traced boot they are the initramfs, on the first "/".
 */

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

static void put_full(struct sheet *s, const struct full_mount *m)
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

static void full_text(struct sheet *s)
{
	const struct full *f = &s->ledger->full;

	for (uint32_t i = 0; i < f->mounts; i++)
		if (!is_root(&f->mount[i]) ||
		    !unpack_filled(s->ledger, s->r->session))
			put_full(s, &f->mount[i]);
	if (f->more)
		sheet_line(s, "state   full mounts besides: %u",
			   &(uint64_t){ f->more });
}

static void full_json(struct sheet *s)
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

/*
 * Failed allocations of several contiguous pages: who asked, how much was free,
 * in blocks of which sizes, and whose pages lie between the blocks. Only
 * failures that the kernel's log warns of: other callers have a fallback.
 */

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

static void failures_text(struct sheet *s)
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

static void failures_json(struct sheet *s)
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

void troubles_text(struct sheet *s)
{
	unpack_text(s);
	full_text(s);
	failures_text(s);
}

void troubles_json(struct sheet *s)
{
	unpack_json(s);
	full_json(s);
	failures_json(s);
}
