/* SPDX-License-Identifier: MIT */
/* Lines of /proc/allocinfo: see proc.h, allocinfo. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/base.h"
#include "source/proc/proc.h"

/* No machine has more memory, and sums of sites stay in 64 bits. */
#define SITE_BYTES_MAX (UINT64_C(1) << 47)

static const char magic[] = "allocinfo - version: ";

static int take_bytes(struct word *rest, int64_t *bytes)
{
	struct word w;
	uint64_t value;
	int negative;

	next_word(rest, &w);
	negative = w.len && *w.at == '-';
	w.at += negative;
	w.len -= (size_t)negative;
	if (parse_u64(w.at, w.len, 10, 0, SITE_BYTES_MAX, &value))
		return -EINVAL;
	*bytes = negative ? -(int64_t)value : (int64_t)value;
	return 0;
}

/* "file:line": only the last colon counts. */
static int is_place(const struct word *w)
{
	size_t at = w->len;
	uint64_t line;

	while (at && w->at[at - 1] != ':')
		at--;
	return at > 1 && !parse_u64(w->at + at, w->len - at, 10, 0, UINT32_MAX,
				    &line);
}

static const char *take_tag(struct word *rest, struct site_line *s)
{
	struct word w;

	if (!is_place(next_word(rest, &s->place)))
		return "no file and line";
	next_word(rest, &w);
	if (w.len && *w.at == '[') {
		if (w.len < 3 || w.at[w.len - 1] != ']')
			return "no module";
		s->module = (struct word){ w.at + 1, w.len - 2 };
		next_word(rest, &w);
	}
	s->function = w;
	return word_skip(&s->function, "func:") || !s->function.len ?
	       "no function" : NULL;
}

/* Pairs of later versions. */
static const char *take_pairs(struct word *rest, struct site_line *s)
{
	struct word w;

	while (rest->at && next_word(rest, &w)->len) {
		if (word_is(&w, "accurate:no"))
			s->inaccurate = 1;
		else if (memchr(w.at, ':', w.len))
			s->unknown += !word_is(&w, "accurate:yes");
		else
			return "text behind the function";
	}
	return NULL;
}

int allocinfo_line(const char *line, size_t len, struct site_line *s,
		   struct word *version, const char **problem)
{
	struct word rest = { line, len }, w;
	uint64_t calls = 0;

	memset(s, 0, sizeof(*s));
	if (!word_skip(&rest, magic)) {
		*version = rest;
		return 1;
	}
	if (len && *line == '#')
		return 1;
	if (take_bytes(&rest, &s->bytes))
		*problem = "a size that cannot be";
	else if (word_number(next_word(&rest, &w), 10, &calls))
		*problem = "a number of calls that cannot be";
	else if (!rest.at)
		*problem = "no file and line";
	else
		*problem = take_tag(&rest, s);
	s->calls = (int64_t)calls;	/* which the kernel prints unsigned */
	if (!*problem)
		*problem = take_pairs(&rest, s);
	return *problem ? -EINVAL : 0;
}

/* --- what was in use before tracing */

/* "function [module] file:line". Of a long path the last directories are kept,
 * as far as they fit. */
static void tag_name(const struct site_line *s, char name[MODULE_NAME_BYTES])
{
	struct word place = s->place;
	const size_t len = print_to(name, MODULE_NAME_BYTES,
				    s->module.len ? "%.*s [%.*s]" : "%.*s",
				    (int)s->function.len, s->function.at,
				    (int)s->module.len, s->module.at);

	while (len + place.len + 2 > MODULE_NAME_BYTES)
		if (word_seek(&place, "/"))
			return;
	print_to(name + len, MODULE_NAME_BYTES - len, " %.*s", (int)place.len,
		 place.at);
}

/* The row of this name; else a new one, or the smallest if that has less. */
static struct tag *row_of(struct tag_reader *r, const struct tag *t)
{
	struct tag *smallest = r->row;

	for (uint32_t i = 0; i < r->used; i++) {
		if (!strcmp(r->row[i].name, t->name))
			return &r->row[i];
		if (r->row[i].bytes < smallest->bytes)
			smallest = &r->row[i];
	}
	if (r->used < TAGS_KEPT)
		smallest = &r->row[r->used++];
	else if (smallest->bytes >= t->bytes)
		return NULL;
	*smallest = (struct tag){ 0 };
	strcpy(smallest->name, t->name);
	return smallest;
}

void tag_line(struct tag_reader *r, const char *line, size_t len)
{
	struct word version;
	const char *problem;
	struct site_line s;
	struct tag t, *row;
	const int error = allocinfo_line(line, len, &s, &version, &problem);

	r->wrong_lines += error < 0;
	if (error || s.bytes <= 0)
		return;
	r->tags++;
	t.bytes = (uint64_t)s.bytes;
	tag_name(&s, t.name);
	row = row_of(r, &t);
	if (!row)
		return;
	row->bytes += t.bytes;
	row->calls += (uint64_t)s.calls;
	row->inaccurate |= s.inaccurate;
}

void tags_emit(struct tag_reader *r, struct event_out *out, uint64_t time_ns)
{
	struct event e;

	for (uint32_t n = 0; n < TAGS_SHOWN; n++) {
		struct tag *most = r->row;

		for (uint32_t i = 1; i < r->used; i++)
			if (r->row[i].bytes > most->bytes)
				most = &r->row[i];
		if (!most->bytes)
			break;
		event_named(&e, EVENT_TAG, time_ns, most->name);
		e.flags = most->inaccurate ? EVENT_PART : 0;
		e.size = most->bytes;
		e.objects = most->calls;
		out->event(out, &e);
		most->bytes = 0;
	}
	event_begin(&e, EVENT_TAG, time_ns);
	e.flags = r->is_part ? EVENT_PART : 0;
	e.objects = r->tags;
	e.lost = r->wrong_lines;
	if (r->tags || r->wrong_lines)
		out->event(out, &e);
}

/* The clock is read once for so many lines. */
#define LINES_A_LOOK 256u

void proc_tags(struct event_out *out, uint64_t time_ns)
{
	const uint64_t until_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) + TAGS_NS;
	struct tag_reader r = { .used = 0 };
	uint64_t is_on = 1;
	struct lines l;
	uint32_t seen = 0;
	size_t len;
	char *line;
	int fd;

	read_number("/proc/sys/vm/mem_profiling", 10, &is_on);
	fd = is_on ? system_open_path("/proc/allocinfo", O_RDONLY) : -1;
	if (fd < 0)
		return;
	lines_begin(&l, fd);
	while (!r.is_part && (line = lines_next(&l, &len))) {
		tag_line(&r, line, len);
		r.is_part = ++seen == TAG_LINES_MAX ||
			    (seen % LINES_A_LOOK == 0 &&
			     clock_ns(CLOCK_PROCESS_CPUTIME_ID) > until_ns);
	}
	close(fd);
	tags_emit(&r, out, time_ns);
}
