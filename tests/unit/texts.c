/* SPDX-License-Identifier: MIT */
/*
 * Readers of the kernel's texts: what becomes of each text of cases/texts, as
 * kernels write them and as no kernel does. Each is in memory of its exact size,
 * and so is all of it that comes of cutting it off anywhere: that becomes
 * nothing, or the beginning of what becomes of the whole.
 */
#include <errno.h>
#include "limits.h"
#include "source/proc/boot_log.h"
#include "source/proc/oom_log.h"
#include "source/proc/proc.h"
#include "source/proc/slabinfo.h"
#include "source/sampled/sampled.h"
#include "tracer/functions.h"
#include "cases.h"
#include "exact.h"

#define NS 99u			/* of each event that a text becomes */

/* What becomes of a text is added to `out`: nothing, if it is refused. */
typedef void reader(const char *text, size_t len, char *out);

struct listener {
	struct event_out out;	/* first: it takes events */
	char *text;
	int events;
};

static void iomem_of(const char *text, size_t len, uint32_t page_size,
		     char *out)
{
	struct ram ram = { .count = 0 };

	if (iomem_line(&ram, text, len, page_size) || ram.count)
		append(out, "%u: %llx+%llx", ram.count,
		       (unsigned long long)ram.range[0].first_pfn,
		       (unsigned long long)ram.range[0].count_pages);
}

static void iomem(const char *text, size_t len, char *out)
{
	iomem_of(text, len, 4096, out);
}

static void iomem_64k(const char *text, size_t len, char *out)
{
	iomem_of(text, len, 65536, out);
}

struct cpus {
	uint32_t last;
	int count;
};

static void set_cpu(void *context, uint32_t cpu)
{
	struct cpus *c = context;

	c->last = cpu;
	c->count++;
}

static void cpus(const char *text, size_t len, char *out)
{
	struct cpus c = { 0, 0 };
	const int count = cpu_list(text, len, set_cpu, &c);

	if (count == c.count)
		append(out, "%d, the last one %u", count, c.last);
	else if (count != -EINVAL)
		append(out, "?");
}

/* Events of a process itself. */
static void stat(const char *text, size_t len, char *out)
{
	struct event e = { .type = 0 };
	const int error = stat_line(text, len, &e);

	if (!error && e.type == EVENT_TASK && e.tgid == e.tid &&
	    e.parent_tid == e.parent_tgid)
		append(out, "%u of %u: %.30s, pages %llu", e.tid,
		       e.parent_tgid, e.name, (unsigned long long)e.rss_pages);
	else if (error != -EINVAL)
		append(out, "?");
}

static void hear_figure(struct event_out *o, const struct event *e)
{
	struct listener *l = (struct listener *)o;
	const int is_wrong = e->type != EVENT_FIGURE || e->time_ns != NS ||
			     e->size % 1024;

	append(l->text, "%s%s=%llu%s", *l->text ? " " : "", e->name,
	       (unsigned long long)(e->size / 1024), is_wrong ? "?" : "");
	l->events++;
}

static void meminfo(const char *text, size_t len, char *out)
{
	struct listener l = { .text = out };
	struct event e = { .time_ns = NS };

	if (!meminfo_line(text, len, &e))
		hear_figure(&l.out, &e);
}

static void zoneinfo(const char *text, size_t len, char *out)
{
	append(out, "%llu", (unsigned long long)zoneinfo_line(text, len));
}

static void buddyinfo(const char *text, size_t len, char *out)
{
	append(out, "%llu", (unsigned long long)buddyinfo_line(text, len));
}

static void vmallocinfo(const char *text, size_t len, char *out)
{
	struct event e;
	int error;

	memset(&e, 0x5a, sizeof(e));
	error = vmallocinfo_line(text, len, &e);
	if (error == -EPERM)
		append(out, "hidden");
	else if (!error && e.type == EVENT_AREA_SEEN)
		append(out, "%s at %llx, pages %llu", e.name,
		       (unsigned long long)e.base,
		       (unsigned long long)e.pages);
	else if (error != -EINVAL)
		append(out, "?");
}

/* Records of the kernel's log, a line each, from its first one on; a | where no
 * more are wanted. */
static void boot_log(const char *text, size_t len, char *out)
{
	struct listener l = { .out.event = hear_figure, .text = out };
	struct boot_log b = { .out = &l.out, .event.time_ns = NS };

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
	if (b.figures != l.events)
		append(out, " ?");
	boot_log_end(&b);
	if (b.unpack_error[0])
		append(out, "; unpacking: %s", b.unpack_error);
}

static void oom_kill(const char *text, size_t len, char *out)
{
	static const char *const limits[] = {
		[LIMIT_UNKNOWN] = "nobody's", [LIMIT_MACHINE] = "the machine's",
		[LIMIT_GROUP] = "a group's",
	};
	enum oom_limit limit = LIMIT_UNKNOWN;
	const uint32_t tid = oom_record(text, len, &limit);

	if (tid)
		append(out, "%u: %s limit", tid, limits[limit]);
}

/* --- source/sampled/ --- */

#define PAGE 4096u

static void say_sample(char *out, int result, uint32_t type,
		       const struct event *e)
{
	if (result >= 0 && e->type != type)
		append(out, "type %u? ", e->type);
	if (result >= 0)
		append(out, "%u/%u of %u: %.20s, resident %llu, pages %llu%s",
		       e->tid, e->tgid, e->parent_tgid, e->name,
		       (unsigned long long)e->rss_pages,
		       (unsigned long long)e->pages,
		       e->flags ? ", flags" : "");
	else if (result != -EINVAL)
		append(out, "?");
}

static void status_of(uint32_t tid, const char *text, size_t len, char *out)
{
	struct event e = { .tid = tid };
	const int result = status_text(text, len, PAGE, &e);

	say_sample(out, result, EVENT_TASK_SAMPLE, &e);
	append(out, result ? "" : ", of the kernel");
}

static void status(const char *text, size_t len, char *out)
{
	status_of(88, text, len, out);
}

static void status_2(const char *text, size_t len, char *out)
{
	status_of(2, text, len, out);
}

static void module(const char *text, size_t len, char *out)
{
	struct event e = { .tid = 88 };

	say_sample(out, module_line(text, len, PAGE, &e), EVENT_MODULE_SAMPLE,
		   &e);
}

static void cache(const char *text, size_t len, char *out)
{
	struct event e = { .tid = 88 };

	say_sample(out, cache_line(text, len, &e), EVENT_CACHE_SAMPLE, &e);
}

static void kind(const char *text, size_t len, char *out)
{
	struct event e = { .tid = 88 };

	say_sample(out, kind_line(text, len, PAGE, &e), EVENT_KIND_SAMPLE, &e);
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
		append(out, "%llu", (unsigned long long)count);
}

static void slabinfo(const char *text, size_t len, char *out)
{
	struct slab s;

	if (!slab_line(text, len, &s))
		append(out, "%s: %llu of %llu bytes, pages %llu", s.name,
		       (unsigned long long)s.objects,
		       (unsigned long long)s.object_bytes,
		       (unsigned long long)s.pages);
}

/* --- /proc/kallsyms --- */

static struct told {
	struct engine engine;
	char *text;
} told;

static void hear_function(struct event_out *o, const struct event *e)
{
	char *out = told.text;

	(void)o;
	if (e->type == EVENT_FUNCTION && e->time_ns == NS)
		append(out, "%s %llx+%llx ", e->name,
		       (unsigned long long)e->base,
		       (unsigned long long)e->size);
	else
		append(out, e->type == EVENT_FUNCTIONS_END ? "end" : "?");
}

static void functions(const char *text, size_t len, char *out)
{
	struct functions f = { .engine = &told.engine };
	const char *const end = text + len;
	size_t n;

	told.text = out;
	told.engine.events.event = hear_function;
	told.engine.ledger.last_ns = NS;
	functions_begin(&f);
	for (; text < end; text += n + 1) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));

		n = (size_t)((newline ? newline : end) - text);
		functions_line(&f, text, n);
	}
	functions_end(&f);
}

static void functions_again(const char *text, size_t len, char *out)
{
	told.engine.ledger.kinds.known = 1;
	functions(text, len, out);
	told.engine.ledger.kinds.known = 0;
}

/* A text in memory of its exact size. */
static void read_text(reader *read, const char *text, size_t len, char *out)
{
	char *copy = exact(text, len);

	out[0] = '\0';
	read(copy, len, out);
	if (!out[0])
		append(out, "none");
	free(copy);
}

static void test_cut(reader *read, const struct cases *c)
{
	char got[OUTCOME_BYTES];
	size_t wrong = 0;

	for (size_t len = 0; len < c->len; len++) {
		read_text(read, c->text, len, got);
		wrong += strcmp(got, "none") &&
			 strncmp(got, c->want, strlen(got));
	}
	tap_ok(!wrong, "%s: cut off anywhere: '%s'", c->reader, c->shown);
}

int main(void)
{
	static const struct {
		const char *name;
		reader *read;
		int is_cut;
	} readers[] = {
		{ "iomem", iomem, 0 }, { "iomem, 64 KiB", iomem_64k, 0 },
		{ "CPUs", cpus, 0 }, { "stat", stat, 1 },
		{ "meminfo", meminfo, 1 }, { "zoneinfo", zoneinfo, 0 },
		{ "buddyinfo", buddyinfo, 0 },
		{ "vmallocinfo", vmallocinfo, 1 }, { "boot log", boot_log, 0 },
		{ "oom-kill", oom_kill, 0 }, { "status", status, 0 },
		{ "status of task 2", status_2, 0 },
		{ "module", module, 0 }, { "cache", cache, 0 },
		{ "kind", kind, 0 }, { "kill", kill_of, 0 },
		{ "kills", kills, 0 }, { "slabinfo", slabinfo, 0 },
		{ "functions", functions, 0 },
		{ "functions, once known", functions_again, 0 },
	};
	struct cases c = { .file = NULL };
	char got[OUTCOME_BYTES];

	while (next_case(&c, "texts")) {
		size_t i = 0;

		while (strcmp(readers[i].name, c.reader))
			must(++i < ARRAY_LEN(readers));
		read_text(readers[i].read, c.text, c.len, got);
		case_is(&c, got);
		if (readers[i].is_cut && strcmp(c.want, "none"))
			test_cut(readers[i].read, &c);
	}
	return tap_plan_done();
}
