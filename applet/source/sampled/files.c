/* SPDX-License-Identifier: MIT */
/*
 * What is sampled of each file of /proc, and of the kernel's log: see sampled.h.
 *
 * The log has the victims of the OOM killer, vmstat the number of kills.
 * "3,512,4711,-;Out of memory: Killed process 88 (eater) total-vm:123456kB,
 * anon-rss:119000kB, file-rss:4kB, shmem-rss:0kB, UID:0 …" has the resident set
 * just before the kill, which /proc does not have afterwards.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/base.h"
#include "base/system.h"
#include "source/proc/proc.h"
#include "source/sampled/sampled.h"

/* --- lines: slab caches and kinds of memory */

int cache_line(const char *line, size_t len, struct event *e)
{
	struct slab slab;

	if (slab_line(line, len, &slab))
		return -EINVAL;
	e->type = EVENT_CACHE_SAMPLE;
	e->pages = slab.pages;
	memcpy(e->name, slab.name, sizeof(slab.name));
	return 0;
}

int kind_line(const char *line, size_t len, uint32_t page_bytes,
	      struct event *e)
{
	struct word name;
	uint64_t kib;

	if (meminfo_kib(line, len, &name, &kib))
		return -EINVAL;
	e->type = EVENT_KIND_SAMPLE;
	e->pages = kib / (page_bytes >> 10);
	word_copy(&name, e->name, sizeof(e->name));
	return 0;
}

/* The next line of this step's file; NULL: the end of the file. */
static char *sampled_line(struct sampled *s, enum sampled_file file, size_t *len)
{
	if (!s->begun)
		lines_begin(&s->lines, s->fd[file]);
	s->begun = 1;
	return lines_next(&s->lines, len);
}

int sampled_module(struct sampled *s, struct event *e)
{
	char *line;
	size_t len;

	while ((line = sampled_line(s, FILE_MODULES, &len)))
		if (!module_line(line, len, s->page_bytes, e))
			return 1;
	return 0;
}

int sampled_cache(struct sampled *s, struct event *e)
{
	char *line;
	size_t len;

	while ((line = sampled_line(s, FILE_CACHES, &len)))
		if (!cache_line(line, len, e))
			return 1;
	return 0;
}

static int is_sampled(const char *name)
{
	for (unsigned int i = 0; i < MEMINFO_LINES; i++)
		if (!strcmp(name, meminfo_sampled[i]))
			return 1;
	return 0;
}

static void take_used(struct sampled *s, uint64_t pages)
{
	s->used_pages -= pages < s->used_pages ? pages : s->used_pages;
}

/* Memory in use is emitted later, at the end of the pass. */
int sampled_kind(struct sampled *s, struct event *e)
{
	char *line;
	size_t len;

	while ((line = sampled_line(s, FILE_MEMINFO, &len))) {
		if (kind_line(line, len, s->page_bytes, e))
			continue;
		if (is_sampled(e->name))
			return 1;
		if (!strcmp(e->name, "MemTotal"))
			s->used_pages = e->pages;
		else if (!strcmp(e->name, "MemFree"))
			take_used(s, e->pages);
	}
	return 0;
}

/* Pages on per-CPU lists are free, though MemFree leaves them out. Since 6.7
 * they may be an eighth of all memory (mm/page_alloc.c: zone_highsize()). */
int sampled_lists(struct sampled *s, struct event *e)
{
	char *line;
	size_t len;

	(void)e;
	while ((line = sampled_line(s, FILE_ZONES, &len)))
		take_used(s, zoneinfo_line(line, len));
	return 0;
}

/* --- kills */

/* Records read at one look; more records wait for the next look. */
#define RECORDS_A_LOOK 256

/* While the log grows, we do not poll the log but look at these intervals: 600
 * records a second cost 0.9 % of one emulated CPU (6.1, counted in
 * instructions). */
#define LOG_REST_NS 5000000u

/* The number behind `what` in the line; 0: there is no such number. */
static uint64_t number_behind(struct word line, const char *what)
{
	uint64_t value;

	return word_seek(&line, what) || word_take_number(&line, &value) ||
	       value > UINT32_MAX ? 0 : value;
}

int kill_record(const char *record, size_t len, uint32_t page_bytes,
		struct event *e)
{
	struct word text, w;
	const char *close;
	uint64_t tid;
	int no_group;

	if (log_text(record, len, &text))
		return -EINVAL;
	no_group = find_text(text.at, text.len, "Out of memory") != NULL;
	if (word_seek(&text, "Killed process ") ||
	    number_to(&text, ' ', 10, &tid) || !tid || tid > UINT32_MAX ||
	    !text.len || *text.at != '(')
		return -EINVAL;
	close = find_text(text.at, text.len, ") total-vm:");
	if (!close)
		return -EINVAL;
	w = (struct word){ text.at + 1, (size_t)(close - text.at) - 1 };
	e->type = EVENT_TASK_SAMPLE;
	e->flags = no_group ? EVENT_NO_GROUP : 0;
	e->tid = e->tgid = (uint32_t)tid;
	e->pages = 0;
	word_copy(&w, e->name, COMM_BYTES);
	text.len -= (size_t)(close - text.at);
	text.at = close;
	e->rss_pages = (number_behind(text, "anon-rss:") +
			number_behind(text, "file-rss:") +
			number_behind(text, "shmem-rss:")) /
		       (page_bytes >> 10);
	return 0;
}

static void rest(struct sampled *s)
{
	s->log_grew = 1;
	if (!s->source.wait_ns || s->source.wait_ns > LOG_REST_NS)
		s->source.wait_ns = LOG_REST_NS;
}

/* The sample of a victim comes first, then EVENT_VICTIM. */
int sampled_kill(struct sampled *s, struct event *e)
{
	char record[LOG_RECORD_BYTES];
	uint32_t most = RECORDS_A_LOOK;
	size_t len;

	if (s->victim) {
		e->type = EVENT_VICTIM;
		e->flags = s->victim_flags;
		e->result = s->victim;
		s->victim = 0;
		return 1;
	}
	while ((len = log_next(s->fd[FILE_LOG], record, &most))) {
		rest(s);
		if (kill_record(record, len, s->page_bytes, e))
			continue;
		s->kills_logged++;
		s->victim = e->tid;
		s->victim_flags = e->flags;
		e->flags = 0;
		return 1;
	}
	return 0;
}

int kills_line(const char *line, size_t len, uint64_t *kills)
{
	struct word rest = { line, len }, name;

	return word_is(next_word(&rest, &name), SAMPLED_KILLS) ?
	       word_number(&rest, 10, kills) : -EINVAL;
}

static int read_count(struct sampled *s, uint64_t *kills)
{
	char *line;
	size_t len;

	while ((line = sampled_line(s, FILE_VMSTAT, &len)))
		if (!kills_line(line, len, kills))
			return 1;
	return 0;
}

/* Emits one victim for kills that were counted a pass ago and still have no
 * record: the log was overrun, or cannot be read. */
int sampled_count(struct sampled *s, struct event *e)
{
	const int untold = s->kills_counted > s->kills_logged;
	uint64_t kills;

	if (s->begun && s->victim_unlogged) {
		s->victim_unlogged = 0;
		e->type = EVENT_VICTIM;
		return 1;
	}
	if (s->begun || !read_count(s, &kills))
		return 0;
	if (s->kills_before == UINT64_MAX) {
		s->kills_before = kills;
		s->kills_logged = 0;
	}
	if (untold)
		s->kills_logged = s->kills_counted;
	s->victim_unlogged = untold;
	s->kills_counted = kills - s->kills_before;
	e->type = EVENT_KIND_SAMPLE;
	e->pages = kills;
	memcpy(e->name, SAMPLED_KILLS, sizeof(SAMPLED_KILLS));
	return 1;
}

/* --- tasks: tasks and their resident sets, one at a time */

/* A helper that the kernel starts is a kernel thread until it executes its
 * program. So all known kernel threads are forgotten after so many passes. */
#define FORGET_PASSES 64u

/* Holds the lines up to VmRSS, unless a task is in a hundred groups. */
#define STATUS_BYTES 2048

#define KTHREADD 2u

/* "\t    1234 kB" */
static uint64_t kib_of(struct word rest)
{
	struct word w;
	uint64_t kib;

	while (rest.len && (*rest.at == ' ' || *rest.at == '\t')) {
		rest.at++;
		rest.len--;
	}
	return word_number(word_to(&rest, ' ', &w), 10, &kib) ? 0 : kib;
}

int status_text(const char *text, size_t len, uint32_t page_bytes,
		struct event *e)
{
	struct word rest = { text, len }, line, name;
	const uint32_t page_kib = page_bytes >> 10;
	uint64_t parent = 0;
	int is_user = 0;

	e->type = EVENT_TASK_SAMPLE;
	e->tgid = e->tid;
	while (rest.len) {
		word_to(&rest, '\n', &line);
		word_to(&line, ':', &name);
		if (word_is(&name, "Name") && line.len) {
			line.at++;
			line.len--;
			word_copy(&line, e->name, COMM_BYTES);
		} else if (word_is(&name, "PPid")) {
			parent = kib_of(line);
		} else if (word_is(&name, "VmHWM")) {
			e->pages = kib_of(line) / page_kib;
		} else if (word_is(&name, "VmRSS")) {
			e->rss_pages = kib_of(line) / page_kib;
			is_user = 1;
			break;
		}
	}
	e->parent_tid = e->parent_tgid = (uint32_t)parent;
	return is_user || (parent != KTHREADD && e->tid != KTHREADD);
}

/* A pid that is used again has another inode in /proc. */
static uint32_t mark_of(const struct sampled *s, uint32_t tid)
{
	return tid ^ (uint32_t)s->entries.inode * 0x9e3779b1u;
}

/* 1: e is the sample of this task. */
static int read_task(struct sampled *s, const char *name, struct event *e)
{
	char path[24], text[STATUS_BYTES];
	uint64_t tid;
	ssize_t len;
	int fd;

	if (parse_u64(name, strlen(name), 10, 1, UINT32_MAX, &tid) ||
	    s->thread[tid % THREADS_KNOWN] == mark_of(s, (uint32_t)tid))
		return 0;
	print_to(path, sizeof(path), "%s/status", name);
	fd = system_open(s->fd[FILE_TASKS], path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	len = read(fd, text, sizeof(text));
	close(fd);
	if (len <= 0)
		return 0;
	event_begin(e, EVENT_TASK_SAMPLE, s->time_ns);
	e->tid = (uint32_t)tid;
	if (status_text(text, (size_t)len, s->page_bytes, e))
		return 1;
	s->thread[tid % THREADS_KNOWN] = mark_of(s, (uint32_t)tid);
	return 0;
}

int sampled_task(struct sampled *s, struct event *e)
{
	const char *name;

	if (!s->begun) {
		lseek(s->fd[FILE_TASKS], 0, SEEK_SET);
		entries_begin(&s->entries, s->fd[FILE_TASKS]);
		s->begun = 1;
		if (s->passes % FORGET_PASSES == 0)
			memset(s->thread, 0, sizeof(s->thread));
	}
	while ((name = entries_next(&s->entries)))
		if (read_task(s, name, e))
			return 1;
	return 0;
}
