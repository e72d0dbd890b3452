/*
 * Whom the OOM killer killed, from the kernel's log: see sampled.h.
 *
 * "3,512,4711,-;Out of memory: Killed process 88 (eater) total-vm:123456kB,
 * anon-rss:119000kB, file-rss:4kB, shmem-rss:0kB, UID:0 …": the resident set
 * just before the kill, which no later look at /proc could tell.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/number.h"
#include "source/sampled/sampled.h"

/* Records read at one look; the others wait for the next. */
#define RECORDS_A_LOOK 256

/* Records of the kernel itself. */
#define PRIORITIES 8u

/* The number behind a word of the line; 0: there is none. */
static uint64_t number_behind(const char *text, size_t len, const char *what)
{
	const char *at = find_text(text, len, what);
	size_t digits;
	uint64_t value;

	if (!at)
		return 0;
	at += strlen(what);
	digits = (size_t)(text + len - at);
	return parse_digits(at, &digits, 10, &value) || value > UINT32_MAX ?
	       0 : value;
}

int kill_record(const char *record, size_t len, uint32_t page_bytes,
		struct event *e)
{
	static const char killed[] = "Killed process ", end[] = ") total-vm:";
	struct word text = { record, len }, w;
	const char *at, *close;
	uint64_t priority, tid;

	word_to(&text, ';', &w);
	if (number_to(&w, ',', 10, &priority) || priority >= PRIORITIES)
		return -EINVAL;
	if (find_text(text.at, text.len, "Out of memory"))
		e->flags = EVENT_NO_GROUP;
	at = find_text(text.at, text.len, killed);
	if (!at)
		return -EINVAL;
	text.len -= (size_t)(at - text.at) + sizeof(killed) - 1;
	text.at = at + sizeof(killed) - 1;
	if (number_to(&text, ' ', 10, &tid) || !tid || tid > UINT32_MAX ||
	    !text.len || *text.at != '(')
		return -EINVAL;
	close = find_text(text.at, text.len, end);
	if (!close)
		return -EINVAL;
	w = (struct word){ text.at + 1, (size_t)(close - text.at) - 1 };
	e->type = EVENT_TASK_SAMPLE;
	e->tid = e->tgid = (uint32_t)tid;
	e->pages = 0;
	word_copy(&w, e->name, COMM_BYTES);
	text.len -= (size_t)(close - text.at);
	e->rss_pages = (number_behind(close, text.len, "anon-rss:") +
			number_behind(close, text.len, "file-rss:") +
			number_behind(close, text.len, "shmem-rss:")) /
		       (page_bytes >> 10);
	return 0;
}

/* The sample of a victim comes first, then the news of its death. */
int sampled_kill(struct sampled *s, struct event *e)
{
	char record[1024];

	if (s->victim) {
		e->type = EVENT_VICTIM;
		e->flags = s->victim_flags;
		e->result = s->victim;
		s->victim = 0;
		return 1;
	}
	for (int i = 0; i < RECORDS_A_LOOK; i++) {
		const ssize_t n = read(s->fd[FILE_LOG], record,
				       sizeof(record));

		if (n == 0 || (n < 0 && errno != EPIPE && errno != EINVAL))
			return 0;
		if (n < 0 || kill_record(record, (size_t)n, s->page_bytes, e))
			continue;
		s->victim = e->tid;
		s->victim_flags = e->flags;
		e->flags = 0;
		return 1;
	}
	return 0;
}
