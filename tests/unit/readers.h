/* SPDX-License-Identifier: MIT */
/*
 * Readers of the kernel's texts, and what becomes of each in words, for
 * tests/unit/texts.c and tests/fuzz/texts.c. What holds of any text is said by
 * must().
 */
#ifndef READERS_H
#define READERS_H

#include <errno.h>
#include <inttypes.h>
#include "limits.h"
#include "source/proc/proc.h"
#include "source/sampled/sampled.h"
#include "tracer/tracer.h"
#include "exact.h"

#define NS 99u			/* of each event that a text becomes */
#define PAGE 4096u

/* What becomes of a text is added to `out`: nothing, if it is refused. */
typedef void read_text(const char *text, size_t len, char *out);
/* For several readers that differ by a number. */
typedef void read_how(const char *text, size_t len, uint32_t how, char *out);

struct listener {
	struct event_out out;	/* first: it takes events */
	char *text;
	int events;
};

static void iomem(const char *text, size_t len, uint32_t page_size, char *out)
{
	struct ram ram = { .count = 0 };

	if (iomem_line(&ram, text, len, page_size) || ram.count)
		append(out, "%u: %" PRIx64 "+%" PRIx64, ram.count,
		       ram.range[0].first_pfn, ram.range[0].count_pages);
}

static int is_name(const struct event *e, size_t room)
{
	return memchr(e->name, 0, room) != NULL;
}

struct cpus {
	uint32_t last;
	int count;
};

static void set_cpu(void *context, uint32_t cpu)
{
	struct cpus *c = context;

	must(cpu < CPUS_MAX);
	c->last = cpu;
	c->count++;
}

static void cpus(const char *text, size_t len, char *out)
{
	struct cpus c = { 0, 0 };
	int count;

	if (len >= 4096)	/* more than is read of the file */
		return;
	count = cpu_list(text, len, set_cpu, &c);
	must(count == c.count || count == -EINVAL);
	if (count >= 0)
		append(out, "%d, the last one %u", count, c.last);
}

/* Events of a process itself. */
static void task_stat(const char *text, size_t len, char *out)
{
	struct event e = { .type = 0 };
	const int error = stat_line(text, len, &e);

	must(!error || error == -EINVAL);
	if (error)
		return;
	must(e.type == EVENT_TASK && e.tgid == e.tid);
	must(e.parent_tid == e.parent_tgid && is_name(&e, COMM_BYTES));
	append(out, "%u of %u: %s, pages %" PRIu64, e.tid, e.parent_tgid,
	       e.name, e.rss_pages);
}

static void hear_figure(struct event_out *o, const struct event *e)
{
	struct listener *l = (struct listener *)o;

	if (e->type == EVENT_RAM)	/* as ram.c tests */
		return;
	must(e->type == EVENT_FIGURE && e->time_ns == NS && !e->flags);
	must(e->size % 1024 == 0 && is_name(e, FIGURE_NAME_BYTES));
	append(l->text, "%s%s=%" PRIu64, *l->text ? " " : "", e->name,
	       e->size / 1024);
	l->events++;
}

static void meminfo(const char *text, size_t len, char *out)
{
	struct listener l = { .text = out };
	struct event e = { .time_ns = NS };
	const int error = meminfo_line(text, len, &e);

	must(!error || error == -EINVAL);
	if (!error)
		hear_figure(&l.out, &e);
}

static void mountinfo(const char *text, size_t len, char *out)
{
	struct mount_line m;
	const int error = mountinfo_line(text, len, &m);

	must(!error || error == -EINVAL);
	if (error)
		return;
	must(m.path[0] == '/' && memchr(m.path, 0, sizeof(m.path)));
	append(out, "%u %s", m.device, m.path);
}

/* Of either file, pages that are free. */
static void free_pages(const char *text, size_t len, uint32_t is_buddyinfo,
		       char *out)
{
	uint64_t largest;

	append(out, "%" PRIu64, is_buddyinfo ?
	       buddyinfo_line(text, len, &largest) : zoneinfo_line(text, len));
	if (is_buddyinfo)
		append(out, "/%" PRIu64, largest);
}

static void vmallocinfo(const char *text, size_t len, char *out)
{
	struct event e;
	int error;

	memset(&e, 0x5a, sizeof(e));
	error = vmallocinfo_line(text, len, &e);
	must(!error || error == -EINVAL || error == -EPERM);
	must(error || (e.type == EVENT_AREA_SEEN && e.base && e.pages &&
		       e.pages <= UINT32_MAX && is_name(&e, sizeof(e.name))));
	if (error == -EPERM)
		append(out, "hidden");
	else if (!error)
		append(out, "%s at %" PRIx64 ", pages %" PRIu64, e.name,
		       e.base, e.pages);
}

static void hear_tag(struct event_out *o, const struct event *e)
{
	struct listener *l = (struct listener *)o;

	must(e->type == EVENT_TAG && e->time_ns == NS);
	must(is_name(e, sizeof(e->name)) && l->events <= (int)TAGS_SHOWN);
	l->events++;
	append(l->text, "%s%s%s%" PRIu64 "/%" PRIu64, *l->text ? "; " : "",
	       e->name[0] ? e->name : "all", e->flags ? " part " : " ",
	       e->name[0] ? e->size : e->objects,
	       e->name[0] ? e->objects : e->lost);
}

static void allocinfo(const char *text, size_t len, char *out)
{
	struct listener l = { .out.event = hear_tag, .text = out };
	struct tag_reader r = { .used = 0 };
	const char *const end = text + len;

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const size_t n = (size_t)((newline ? newline : end) - text);

		tag_line(&r, exact_once(text, n), n);
		must(r.used <= TAGS_KEPT);
		text += n + 1;
	}
	tags_emit(&r, &l.out, NS);
}

/* Records of the kernel's log, a line each, from its first one on; a | where no
 * more are wanted. */
static void boot_log(const char *text, size_t len, char *out)
{
	struct listener l = { .out.event = hear_figure, .text = out };
	struct ram_reader b = {
		.out = &l.out, .event.time_ns = NS, .page_size = PAGE,
	};

	do {
		const char *end = memchr(text, '\n', len);
		const size_t n = end ? (size_t)(end - text) + 1 : len;

		if (!boot_log_record(&b, exact_once(text, n), n)) {
			append(out, " |");
			break;
		}
		text += n;
		len -= n;
	} while (len);
	must(b.figures == l.events);
	boot_log_end(&b);
	must(memchr(b.unpack_error, 0, sizeof(b.unpack_error)) != NULL);
	if (b.unpack_error[0])
		append(out, "; unpacking: %s", b.unpack_error);
}

static void oom_kill(const char *text, size_t len, char *out)
{
	static const char *const limits[] = {
		[LIMIT_MACHINE] = "the machine's",
		[LIMIT_GROUP] = "a group's",
	};
	enum oom_limit limit = LIMIT_UNKNOWN;
	const uint32_t tid = oom_record(text, len, &limit);

	must(!tid || limit != LIMIT_UNKNOWN);
	if (tid)
		append(out, "%u: %s limit", tid, limits[limit]);
}

/* --- source/sampled/ --- */

static void say_sample(char *out, int result, uint32_t type,
		       const struct event *e)
{
	must(result >= 0 || result == -EINVAL);
	if (result < 0)
		return;
	must(e->type == type && is_name(e, type == EVENT_TASK_SAMPLE ?
					   COMM_BYTES : sizeof(e->name)));
	append(out, "%u/%u of %u: %s, resident %" PRIu64 ", pages %" PRIu64
	       "%s", e->tid, e->tgid, e->parent_tgid, e->name, e->rss_pages,
	       e->pages, e->flags ? ", flags" : "");
}

static void status(const char *text, size_t len, uint32_t tid, char *out)
{
	struct event e = { .tid = tid };
	const int result = status_text(text, len, PAGE, &e);

	say_sample(out, result, EVENT_TASK_SAMPLE, &e);
	append(out, "%s", result ? "" : ", of the kernel");
}

/* A line of one of these: what is sampled of it. */
static void a_sample(const char *text, size_t len, uint32_t type, char *out)
{
	struct event e = { .tid = 88 };

	say_sample(out, type == EVENT_MODULE_SAMPLE ?
			module_line(text, len, PAGE, &e) :
			type == EVENT_CACHE_SAMPLE ? cache_line(text, len, &e) :
			kind_line(text, len, PAGE, &e), type, &e);
}

static void kill_of(const char *text, size_t len, char *out)
{
	struct event e = { .tid = 88 };
	const int error = kill_record(text, len, PAGE, &e);

	must(error || !e.flags || e.flags == EVENT_NO_GROUP);
	say_sample(out, error, EVENT_TASK_SAMPLE, &e);
}

static void kills(const char *text, size_t len, char *out)
{
	uint64_t count = 0;

	if (!kills_line(text, len, &count))
		append(out, "%" PRIu64, count);
}

static void slabinfo(const char *text, size_t len, char *out)
{
	struct slab s;

	if (!slab_line(text, len, &s))
		append(out, "%s: %" PRIu64 " of %" PRIu64 " bytes, pages %"
		       PRIu64, s.name, s.objects, s.object_bytes, s.pages);
}

/* --- /proc/kallsyms --- */

static struct {
	struct engine engine;
	char *text;
} told;

static void hear_function(struct engine *g, const struct event *e)
{
	char *out = told.text;

	must(g == &told.engine);
	must(e->type == EVENT_FUNCTION || e->type == EVENT_FUNCTIONS_END);
	must(e->time_ns == NS);
	if (e->type == EVENT_FUNCTIONS_END) {
		append(out, "end");
		return;
	}
	must(e->size > 0 && e->size < 1 << 20 && e->base + e->size > e->base);
	must(is_name(e, sizeof(e->name)));
	must(kinds_rule(e->name, strlen(e->name)) != NULL);
	append(out, "%s %" PRIx64 "+%" PRIx64 " ", e->name, e->base, e->size);
}

#define engine_take hear_function
#include "tracer/names.c"

static void functions(const char *text, size_t len, uint32_t known, char *out)
{
	struct functions f = { .engine = &told.engine };
	const char *const end = text + len;
	size_t n;

	told.text = out;
	told.engine.ledger.last_ns = NS;
	told.engine.ledger.kinds.known = (int)known;
	functions_begin(&f);
	for (; text < end; text += n + 1) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));

		n = (size_t)((newline ? newline : end) - text);
		functions_line(&f, text, n);
	}
	functions_end(&f);
}

static const struct reader {
	const char *name;
	int is_cut;	/* see texts.c */
	read_text *read;
	read_how *read_how;
	uint32_t how;
} readers[] = {
	{ "iomem", 0, NULL, iomem, 4096 },
	{ "iomem, 64 KiB", 0, NULL, iomem, 65536 },
	{ "CPUs", 0, cpus, NULL, 0 }, { "stat", 1, task_stat, NULL, 0 },
	{ "meminfo", 1, meminfo, NULL, 0 },
	{ "mountinfo", 0, mountinfo, NULL, 0 },
	{ "zoneinfo", 0, NULL, free_pages, 0 },
	{ "buddyinfo", 0, NULL, free_pages, 1 },
	{ "vmallocinfo", 1, vmallocinfo, NULL, 0 },
	{ "allocinfo", 0, allocinfo, NULL, 0 },
	{ "boot log", 0, boot_log, NULL, 0 },
	{ "oom-kill", 0, oom_kill, NULL, 0 },
	{ "status", 0, NULL, status, 88 },
	{ "status of task 2", 0, NULL, status, 2 },
	{ "module", 0, NULL, a_sample, EVENT_MODULE_SAMPLE },
	{ "cache", 0, NULL, a_sample, EVENT_CACHE_SAMPLE },
	{ "kind", 0, NULL, a_sample, EVENT_KIND_SAMPLE },
	{ "kill", 0, kill_of, NULL, 0 }, { "kills", 0, kills, NULL, 0 },
	{ "slabinfo", 0, slabinfo, NULL, 0 },
	{ "functions", 0, NULL, functions, 0 },
	{ "functions, once known", 0, NULL, functions, 1 },
};

static inline void reader_read(const struct reader *r, const char *text,
			       size_t len, char *out)
{
	if (r->read)
		r->read(text, len, out);
	else
		r->read_how(text, len, r->how, out);
}

#endif
