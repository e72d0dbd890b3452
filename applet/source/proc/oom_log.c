/* SPDX-License-Identifier: MIT */
/* See oom_log.h. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "base/readfile.h"
#include "base/system.h"
#include "source/proc/oom_log.h"

/* Records of the kernel itself. */
#define PRIORITIES 8u
#define RECORD_BYTES 1024u

/* In a container /dev/kmsg may be a file that has no end. */
#define RECORDS_MOST 8192u

int log_open(void)
{
	const int fd = system_open_path("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	char record[RECORD_BYTES];

	if (fd < 0)
		return -1;
	if (!lseek(fd, 0, SEEK_END) && read(fd, record, sizeof(record)))
		return fd;
	close(fd);
	return -1;
}

/* The text behind the last place of `what`: a task's name may have it too. */
static struct word behind_last(struct word text, const char *what)
{
	const size_t len = strlen(what);
	const char *at;

	for (struct word found = { NULL, 0 };;) {
		at = find_text(text.at, text.len, what);
		if (!at)
			return found;
		text.len -= (size_t)(at - text.at) + len;
		text.at = at + len;
		found = text;
	}
}

uint32_t oom_record(const char *record, size_t len, enum oom_limit *limit)
{
	static const char begins[] = "oom-kill:constraint=";
	struct word text = { record, len }, w;
	uint64_t priority, tid;

	word_to(&text, ';', &w);
	if (number_to(&w, ',', 10, &priority) || priority >= PRIORITIES ||
	    text.len < sizeof(begins) - 1 ||
	    memcmp(text.at, begins, sizeof(begins) - 1))
		return 0;
	text.at += sizeof(begins) - 1;
	text.len -= sizeof(begins) - 1;
	word_to(&text, ',', &w);
	*limit = word_is(&w, "CONSTRAINT_MEMCG") ? LIMIT_GROUP : LIMIT_MACHINE;
	if (!text.at)
		return 0;
	text = behind_last(text, ",pid=");
	return text.at && !number_to(&text, ',', 10, &tid) &&
	       tid <= UINT32_MAX ? (uint32_t)tid : 0;
}

void oom_log_read(struct oom_log *o)
{
	char record[RECORD_BYTES];
	enum oom_limit limit;

	/* Records that were overwritten before they were read are EPIPE once,
	 * one that is too long is EINVAL. */
	for (uint32_t i = 0; i < RECORDS_MOST && o->fd >= 0; i++) {
		const ssize_t n = read(o->fd, record, sizeof(record));
		uint32_t tid = 0;

		if (!n || (n < 0 && errno != EPIPE && errno != EINVAL))
			return;
		if (n > 0)
			tid = oom_record(record, (size_t)n, &limit);
		if (!tid)
			continue;
		o->kill[o->told % OOM_TOLD].tid = tid;
		o->kill[o->told++ % OOM_TOLD].limit = limit;
	}
}

/* A process number may be used again: so each is told once. */
enum oom_limit oom_log_limit(struct oom_log *o, uint32_t tid)
{
	oom_log_read(o);
	for (uint32_t i = 0; i < OOM_TOLD && tid; i++)
		if (o->kill[i].tid == tid) {
			o->kill[i].tid = 0;
			return o->kill[i].limit;
		}
	return LIMIT_UNKNOWN;
}
