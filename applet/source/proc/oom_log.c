/* SPDX-License-Identifier: MIT */
/* See proc.h, oom log. */
#include "source/proc/proc.h"

/* Read at once. */
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
	/* The last place counts: a task's name may have it too. */
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
		o->kill[o->told % OOM_TOLD].tid = tid;
		o->kill[o->told++ % OOM_TOLD].limit = limit;
	}
	return 1;
}

void oom_log_read(struct oom_log *o)
{
	log_each(o->fd, RECORDS_MOST, take_kill, o);
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
