/* SPDX-License-Identifier: MIT */
/* The kernel's log: see proc.h, kernel log and oom log. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "base/system.h"
#include "source/proc/proc.h"

/* The kernel's own facility is 0, so its priorities are below this number. */
#define PRIORITIES 8u

int log_open(void)
{
	const int fd = system_open_path("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	char record[LOG_RECORD_BYTES];

	if (fd < 0)
		return -1;
	if (!lseek(fd, 0, SEEK_END) && read(fd, record, sizeof(record)))
		return fd;
	close(fd);
	return -1;
}

size_t log_next(int fd, char record[LOG_RECORD_BYTES], uint32_t *most)
{
	while (*most) {
		const ssize_t n = read(fd, record, LOG_RECORD_BYTES);

		--*most;
		if (n > 0)
			return (size_t)n;
		if (!n || (errno != EPIPE && errno != EINVAL))
			break;
	}
	return 0;
}

void log_each(int fd, uint32_t most,
	      int (*take)(void *context, const char *record, size_t len),
	      void *context)
{
	char record[LOG_RECORD_BYTES];
	size_t len;

	do
		len = log_next(fd, record, &most);
	while (len && take(context, record, len));
}

int log_text(const char *record, size_t len, struct word *text)
{
	struct word prefix;
	uint64_t priority;

	*text = (struct word){ record, len };
	word_to(text, ';', &prefix);
	return number_to(&prefix, ',', 10, &priority) ||
	       priority >= PRIORITIES ? -EINVAL : 0;
}

/* --- oom log */

/* The most records in one call. */
#define RECORDS_MOST 8192u

uint32_t oom_record(const char *record, size_t len, enum oom_limit *limit)
{
	struct word text, w;
	uint64_t tid;
	int found = 0;

	if (log_text(record, len, &text) ||
	    word_skip(&text, "oom-kill:constraint="))
		return 0;
	word_to(&text, ',', &w);
	*limit = word_is(&w, "CONSTRAINT_MEMCG") ? LIMIT_GROUP : LIMIT_MACHINE;
	/* The last ",pid=" counts: a task's name may contain the text too. */
	while (!word_seek(&text, ",pid="))
		found = 1;
	return found && !number_to(&text, ',', 10, &tid) &&
	       tid <= UINT32_MAX ? (uint32_t)tid : 0;
}

static int take_kill(void *context, const char *record, size_t len)
{
	struct oom_log *o = context;
	enum oom_limit limit;
	const uint32_t tid = oom_record(record, len, &limit);

	if (tid) {
		o->kill[o->kills % OOM_KILLS_MAX].tid = tid;
		o->kill[o->kills++ % OOM_KILLS_MAX].limit = limit;
	}
	return 1;
}

void oom_log_read(struct oom_log *o)
{
	log_each(o->fd, RECORDS_MOST, take_kill, o);
}

/* A pid may be used again: so each kill is returned once. */
enum oom_limit oom_log_limit(struct oom_log *o, uint32_t tid)
{
	oom_log_read(o);
	for (uint32_t i = 0; i < OOM_KILLS_MAX && tid; i++)
		if (o->kill[i].tid == tid) {
			o->kill[i].tid = 0;
			return o->kill[i].limit;
		}
	return LIMIT_UNKNOWN;
}
