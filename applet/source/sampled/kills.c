/* SPDX-License-Identifier: MIT */
/*
 * Whom the OOM killer killed, from the kernel's log, and how often it did, by
 * the kernel's count: see sampled.h.
 *
 * "3,512,4711,-;Out of memory: Killed process 88 (eater) total-vm:123456kB,
 * anon-rss:119000kB, file-rss:4kB, shmem-rss:0kB, UID:0 …": the resident set
 * just before the kill, which no later look at /proc could tell.
 */
#include <errno.h>
#include <string.h>
#include "source/proc/proc.h"
#include "source/sampled/sampled.h"

/* Records read at one look; the others wait for the next. */
#define RECORDS_A_LOOK 256

/* While the log grows nobody waits for it, but looks so often: 600 records a
 * second cost 0.9 % of one emulated CPU (6.1, counted in instructions). */
#define LOG_REST_NS 5000000u

/* The number behind a word of the line; 0: there is none. */
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

/* The sample of a victim comes first, then the news of its death. */
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
		s->kills_told++;
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

/* Kills that were counted a pass ago, and that the log has not told until now:
 * it has overrun, or cannot be read. */
int sampled_count(struct sampled *s, struct event *e)
{
	const int untold = s->kills_counted > s->kills_told;
	uint64_t kills;

	if (s->begun && s->victim_untold) {
		s->victim_untold = 0;
		e->type = EVENT_VICTIM;
		return 1;
	}
	if (s->begun || !read_count(s, &kills))
		return 0;
	if (s->kills_before == UINT64_MAX) {
		s->kills_before = kills;
		s->kills_told = 0;
	}
	if (untold)
		s->kills_told = s->kills_counted;
	s->victim_untold = untold;
	s->kills_counted = kills - s->kills_before;
	e->type = EVENT_KIND_SAMPLE;
	e->pages = kills;
	memcpy(e->name, SAMPLED_KILLS, sizeof(SAMPLED_KILLS));
	return 1;
}
