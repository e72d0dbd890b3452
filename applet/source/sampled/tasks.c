/* SPDX-License-Identifier: MIT */
/* Tasks and their resident sets, one at a time: see sampled.h. */
#include <string.h>
#include <unistd.h>
#include "base/base.h"
#include "base/system.h"
#include "source/sampled/sampled.h"

/* A helper that the kernel starts is a kernel thread until it runs its program. So
 * all are forgotten after so many passes. */
#define FORGET_PASSES 64u

/* The lines up to VmRSS, unless a task is in a hundred groups. */
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

/* A number that is used again has another inode in /proc. */
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
