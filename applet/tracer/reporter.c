/* What is reported, and where to: see reporter.h. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "base/readfile.h"
#include "base/system.h"
#include "report/names.h"
#include "report/unpack.h"
#include "source/proc/slabinfo.h"
#include "tracer/reporter.h"
#include "tracer/say.h"

/* Lines of /proc/kallsyms, of some 40 bytes each: they take a millisecond on an
 * emulated CPU, much less on a real one. */
#define NAMES_A_SLICE 500

int reporter_init(struct reporter *r, struct engine *g,
		  const struct priority *priority)
{
	*r = (struct reporter){
		.engine = g, .config = g->config, .sink = g->sink,
		.priority = priority, .kallsyms_fd = -1,
		.functions.engine = g,
	};
	return symbols_init(&r->symbols, &g->arena,
			    g->session.layout.symbols);
}

/* The first byte of the names is read now, because the kernel takes a page for
 * it and keeps this page. */
void reporter_open(struct reporter *r)
{
	char first;

	r->kallsyms_fd = system_open_path("/proc/kallsyms", O_RDONLY);
	if (read(r->kallsyms_fd, &first, 1) < 0)
		return;		/* no names then */
}

/* If the setting cannot be read, addresses are hidden. */
void reporter_read_settings(struct reporter *r)
{
	uint64_t value = 1;

	read_number("/proc/sys/kernel/kptr_restrict", 10, &value);
	r->restricted = value != 0;
}

static void begin_names(struct reporter *r)
{
	symbols_begin(&r->symbols);
	functions_begin(&r->functions);
}

static void take_name(void *context, char *line, size_t len)
{
	struct reporter *r = context;

	symbols_line(&r->symbols, line, len);
	functions_line(&r->functions, line, len);
}

static void take_function(void *context, char *line, size_t len)
{
	struct reporter *r = context;

	functions_line(&r->functions, line, len);
}

static void finish_names(struct reporter *r)
{
	symbols_finish(&r->symbols);
	functions_end(&r->functions);
}

/* Without a frame to print and with all kinds known, names tell nothing. */
static int wants_names(const struct reporter *r)
{
	return r->symbols.used || !functions_known(&r->functions);
}

/* So that two return addresses in one initcall are one row before rows are
 * chosen. */
static void find_initcalls(struct reporter *r)
{
	functions_begin(&r->functions);
	if (r->functions.lowest)
		each_line_again(r->kallsyms_fd, take_function, r);
}

static void name_symbols(void *context)
{
	struct reporter *r = context;

	if (!wants_names(r))
		return;
	sink_send(r->sink);
	begin_names(r);
	each_line_again(r->kallsyms_fd, take_name, r);
	finish_names(r);
}

/* The setting as it was when files could be opened. */
static int hides_addresses(const struct reporter *r)
{
	return r->restricted && !sink_is_roots(r->sink);
}

/* Makes *p a report of the current account. */
static void describe(struct reporter *r, struct report *p)
{
	*p = (struct report){
		.ledger = &r->engine->ledger, .session = &r->engine->session,
		.symbols = &r->symbols,
	};
}

static int write_to(struct reporter *r, struct report *p,
		    enum sink_target target)
{
	int error = sink_begin(r->sink, r->config, target);

	if (error)
		return error;
	p->hide_addresses = hides_addresses(r);
	p->lines_max = r->config->lines;
	report_write(p, r->config->format, &r->sink->out);
	return sink_end(r->sink);
}

static void describe_oom(struct reporter *r, struct report *p)
{
	describe(r, p);
	p->level = 1;
	p->top = 3;
	p->throttle_percent = 100;
	p->lines_max = OOM_LINES_MAX;
	p->order = BY_HELD;
	p->name = name_symbols;
	p->names_wait = r->engine->session.cpus_online > 1;
	p->context = r;
}

/* Runs in real time, so that memory for the log's lines may come from the
 * kernel's reserves. A panic may be a millisecond away, so nothing here may
 * wait. The number of lost records is not asked for: that would interrupt each
 * CPU, and the CPU that prints has interrupts off. */
void reporter_write_oom(struct reporter *r)
{
	struct report p;

	describe_oom(r, &p);
	if (sink_begin(r->sink, r->config, SINK_OOM))
		return;
	priority_write(1);
	p.hide_addresses = hides_addresses(r);
	report_oom(&p, &r->sink->out);
	sink_end(r->sink);
	priority_wait(r->priority);
	r->reading = 0;
}

static void read_in_slices(struct reporter *r)
{
	begin_names(r);
	lines_begin(&r->names, r->kallsyms_fd);
	r->reading = 1;
}

void reporter_prepare_oom(struct reporter *r)
{
	struct report p;

	describe_oom(r, &p);
	report_oom_collect(&p);
	if (wants_names(r))
		read_in_slices(r);
}

void reporter_prepare_kinds(struct reporter *r)
{
	symbols_clear(&r->symbols);
	symbols_sort(&r->symbols);
	read_in_slices(r);
}

int reporter_read_names(struct reporter *r)
{
	char *line;
	size_t len;

	for (int i = 0; r->reading && i < NAMES_A_SLICE; i++) {
		line = lines_next(&r->names, &len);
		if (line) {
			take_name(r, line, len);
		} else {
			finish_names(r);
			r->reading = 0;
		}
	}
	return r->reading;
}

static int goes_to_file(const struct reporter *r, enum sink_target target)
{
	return target != SINK_CONSOLE && target != SINK_CLIENT &&
	       r->config->out == OUT_FILE && strcmp(r->config->out_path, "-");
}

/* A script reads sections from their file, and may never print them where a
 * person sees them. So the log gets them too. */
static int write_report(struct reporter *r, const char *sections,
			uint32_t throttle_percent, enum sink_target target,
			enum what_follows follows)
{
	struct report p;
	int error;

	describe(r, &p);
	symbols_clear(&r->symbols);
	r->reading = 0;
	p.level = r->config->level;
	p.top = r->config->top;
	p.throttle_percent = throttle_percent;
	p.sections = sections;
	p.next_slab = slabinfo_next;
	priority_write(follows != WORK_FOLLOWS);
	find_initcalls(r);
	report_collect(&p);
	symbols_sort(&r->symbols);
	if (sections[0] ? r->symbols.used != 0 : wants_names(r))
		name_symbols(r);
	error = write_to(r, &p, target);
	if (target == SINK_CLIENT ||
	    (!error && goes_to_file(r, target) &&
	     (sections[0] || follows == REBOOT_FOLLOWS)))
		error = write_to(r, &p, SINK_LOG);
	priority_wait(r->priority);
	return error;
}

int reporter_write(struct reporter *r, enum sink_target target,
		   enum what_follows follows)
{
	return write_report(r, r->config->sections,
			    r->config->throttle_percent, target, follows);
}

void reporter_write_sections(struct reporter *r, const char *sections,
			     uint32_t throttle_percent, int client)
{
	r->sink->file.fd = client;
	write_report(r, sections, throttle_percent, SINK_CLIENT,
		     WORK_FOLLOWS);
}

static void say_sampled(const struct reporter *r, uint64_t now_ns,
			const char *what)
{
	const uint64_t kib = r->engine->session.page_size / 1024;
	const struct ledger *l = &r->engine->ledger;
	uint32_t most = 0;

	for (uint32_t i = 0; i < l->tasks.used; i++)
		if (l->tasks.row[i].pages.now > l->tasks.row[most].pages.now)
			most = i;
	say(r->sink, "+%llu s: %s%sfree %llu KiB, sampled, most in task %s: "
	    "%llu KiB", (unsigned long long)now_ns / 1000000000u, what,
	    *what ? ": " : "",
	    (unsigned long long)(l->free_now_pages * kib),
	    row_name(l, TABLE_TASKS, most),
	    (unsigned long long)(l->tasks.row[most].pages.now * kib));
}

void reporter_say_status(const struct reporter *r, uint64_t now_ns,
			 const char *what)
{
	const uint64_t kib = r->engine->session.page_size / 1024;
	const struct ledger *l = &r->engine->ledger;
	const struct module *m = l->modules.row;
	uint32_t most = 0, held_pages = 0;

	if (l->samples.on) {
		say_sampled(r, now_ns, what);
		return;
	}
	for (uint32_t i = 0; i < l->modules.used; i++, m++)
		if (module_holds(m) > held_pages) {
			held_pages = module_holds(m);
			most = i;
		}
	say(r->sink, "+%llu s: %s%sfree %llu KiB, traced %llu KiB, peak %llu "
	    "KiB, lost %llu, most in %s: %llu KiB",
	    (unsigned long long)now_ns / 1000000000u, what,
	    *what ? ": " : "",
	    (unsigned long long)(l->free_now_pages * kib),
	    (unsigned long long)(l->traced.now * kib),
	    (unsigned long long)(l->traced.peak * kib),
	    (unsigned long long)l->total.lost,
	    row_name(l, TABLE_MODULES, most),
	    (unsigned long long)(held_pages * kib));
}

/* Names the collected addresses and writes them. */
static void record_names(struct reporter *r)
{
	symbols_sort(&r->symbols);
	name_symbols(r);
	for (uint32_t i = 0; i < r->symbols.used; i++) {
		const struct symbol *y = &r->symbols.row[i];
		const struct trace_symbol named = {
			y->addr, y->start, y->name, strlen(y->name),
		};

		if (y->start)
			trace_write_symbol(&r->engine->writer, &named);
	}
}

void reporter_say_unpacking(const struct reporter *r)
{
	char text[LINE_BYTES];
	struct line l = { .text = text };

	unpack_write(&l, &r->engine->ledger, r->engine->session.page_size);
	text[l.len] = '\0';
	say(r->sink, "%s", text);
}

void reporter_record_symbols(struct reporter *r)
{
	const struct stacks *s = &r->engine->ledger.stacks;
	const struct initcalls *c = &r->engine->ledger.initcalls;
	uint32_t node = s->roots;

	symbols_clear(&r->symbols);
	for (uint32_t i = INITCALLS_FIXED; i < c->used; i++)
		symbols_add(&r->symbols, c->row[i].addr);
	if (r->symbols.used)
		record_names(r);
	while (node < s->used) {
		symbols_clear(&r->symbols);
		for (; node < s->used &&
		     r->symbols.used < r->symbols.capacity; node++)
			symbols_add(&r->symbols, s->node[node].addr);
		record_names(r);
	}
}
