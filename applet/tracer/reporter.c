/* SPDX-License-Identifier: MIT */
/* What is reported, and where to: see tracer.h, reporter. */
#include <string.h>
#include "base/base.h"
#include "base/system.h"
#include "output/output.h"
#include "report/report.h"
#include "source/proc/proc.h"
#include "tracer/tracer.h"

int reporter_init(struct reporter *r, struct engine *g,
		  const struct priority *priority,
		  void (*meanwhile)(void *context), void *context)
{
	*r = (struct reporter){
		.engine = g, .config = g->config, .sink = g->sink,
		.priority = priority, .meanwhile = meanwhile,
		.context = context,
	};
	return kallsyms_init(&r->kallsyms, g);
}

/* If the setting cannot be read, addresses are hidden. */
void reporter_read_settings(struct reporter *r)
{
	uint64_t value = 1;

	read_number("/proc/sys/kernel/kptr_restrict", 10, &value);
	r->restricted = value != 0;
}

/* Behind a report when memory runs out: it does not matter that events that are
 * taken meanwhile change what the stacks by name are of. */
static void name_symbols(void *context)
{
	struct reporter *r = context;

	if (!kallsyms_wanted(&r->kallsyms))
		return;
	sink_send(r->sink);
	kallsyms_begin_slices(&r->kallsyms);
	while (kallsyms_read_slice(&r->kallsyms))
		r->meanwhile(r->context);
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
		.symbols = &r->kallsyms.symbols,
	};
}

static int try_to(struct reporter *r, struct report *p,
		  enum sink_target target)
{
	int error = sink_begin(r->sink, r->config, target);

	if (error)
		return error;
	p->hide_addresses = hides_addresses(r);
	p->lines_max = r->config->lines;
	report_write(p, r->sink->to_file ||
			!format_is_for_files(r->config->format) ?
			r->config->format : FORMAT_TEXT, &r->sink->out);
	return sink_end(r->sink);
}

static int is_for_stdout(const struct config *c)
{
	return c->out == OUT_FILE && !strcmp(c->out_path, "-");
}

/* Where a picture cannot be written, the log gets text. */
static int write_to(struct reporter *r, struct report *p,
		    enum sink_target target)
{
	const int error = try_to(r, p, target);

	if (error && target == SINK_CONFIGURED && is_for_stdout(r->config))
		complain_error("the report", error);
	if (error && target != SINK_LOG && target != SINK_CLIENT &&
	    format_is_for_files(r->config->format))
		try_to(r, p, SINK_LOG);
	return error;
}

/* Takes what is not known yet. */
struct dirs {
	struct event_out out;		/* first: it takes events */
	struct engine *engine;
};

static void take_dir(struct event_out *o, const struct event *e)
{
	struct engine *g = ((struct dirs *)o)->engine;

	if (modules_without_dir(&g->ledger.modules, e->name))
		engine_take(g, e);
}

void reporter_find_dirs(struct reporter *r, enum order order)
{
	struct engine *g = r->engine;
	struct dirs dirs = { { take_dir }, g };
	char path[64 + sizeof(g->session.kernel)];
	struct report p;

	describe(r, &p);
	p.order = order;
	if (!report_wants_dirs(&p))
		return;
	print_to(path, sizeof(path), "/proc/1/root/lib/modules/%s/modules.dep",
		 g->session.kernel);
	proc_module_dirs(&dirs.out, g->ledger.last_ns, path);
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
	if (r->config->format == FORMAT_LINE)
		report_brief(&p, &r->sink->out);
	else
		report_oom(&p, &r->sink->out);
	sink_end(r->sink);
	priority_wait(r->priority);
	r->kallsyms.reading = 0;
}

void reporter_prepare_oom(struct reporter *r)
{
	struct report p;

	describe_oom(r, &p);
	report_oom_collect(&p);
	if (kallsyms_wanted(&r->kallsyms))
		kallsyms_begin_slices(&r->kallsyms);
}

static int goes_to_file(const struct reporter *r, enum sink_target target)
{
	return target != SINK_CONSOLE && target != SINK_CLIENT &&
	       r->config->out == OUT_FILE && strcmp(r->config->out_path, "-");
}

/* Every report but the one when memory runs out also goes to these files. */
static void write_beside(struct reporter *r, struct report *p, int *error)
{
	int failed;

	p->hide_addresses = hides_addresses(r);
	p->sections = "";
	p->lines_max = 0;
	failed = beside_write(r->config, p, r->sink);
	if (!*error)
		*error = failed;
}

/* A script reads sections from their file, and may never print them where a
 * person sees them. So the log gets them too. */
static int write_report(struct reporter *r, const char *sections,
			uint32_t throttle_percent, enum sink_target target,
			enum what_follows follows)
{
	struct symbols *y = &r->kallsyms.symbols;
	struct report p;
	int error;

	describe(r, &p);
	symbols_clear(y);
	r->kallsyms.reading = 0;
	p.level = r->config->level;
	p.top = r->config->top;
	p.throttle_percent = throttle_percent;
	p.sections = sections;
	p.each_slab = has_feature(FEATURE_SECTIONS) ? slabinfo_each : NULL;
	p.all_stacks = config_has(r->config, format_has_all_stacks);
	priority_write(follows != WORK_FOLLOWS);
	kallsyms_find_initcalls(&r->kallsyms);
	report_collect(&p);
	if (sections[0] && r->config->beside[0][0]) {
		p.sections = "";
		report_collect(&p);
		p.sections = sections;
	}
	symbols_sort(y);
	/* No events meanwhile: the names are of these stacks. */
	if ((!sections[0] || y->used) && kallsyms_wanted(&r->kallsyms)) {
		sink_send(r->sink);
		kallsyms_read(&r->kallsyms);
	}
	error = write_to(r, &p, target);
	if (target == SINK_CLIENT ||
	    (!error && goes_to_file(r, target) &&
	     (sections[0] || follows == REBOOT_FOLLOWS)))
		error = write_to(r, &p, SINK_LOG);
	if (target == SINK_CONFIGURED || target == SINK_FILE)
		write_beside(r, &p, &error);
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

int reporter_write_live(struct reporter *r,
			const struct control_message *wanted,
			uint64_t bytes)
{
	const struct live_wish wish = {
		.table = wanted->table,
		.row = wanted->has_row ? wanted->row : UINT32_MAX,
	};
	struct snapshot s;
	struct report p;

	describe(r, &p);
	p.level = 2;
	p.top = wanted->rows ? wanted->rows : 1;
	p.throttle_percent = 100;
	p.without_tables = 1u << TABLE_KINDS | 1u << TABLE_CALLERS;
	p.order = wanted->order == BY_PEAK ? BY_PEAK : BY_NOW;
	p.live = &wish;
	snapshot_begin(&s, wanted->file, bytes);
	report_live(&p, &s.out);
	return snapshot_end(&s);
}

/* --- status: lines outside of a report */

/* Who holds most now: of tasks if memory is sampled, else of modules. */
static uint32_t most_of(const struct ledger *l, int sampled,
			uint64_t *held_pages)
{
	const uint32_t rows = sampled ? l->tasks.used : l->modules.used;
	uint32_t most = 0;

	*held_pages = 0;
	for (uint32_t i = 0; i < rows; i++) {
		const uint64_t held = sampled ? task_holds(&l->tasks.row[i]) :
				      module_holds(&l->modules.row[i]);

		if (held > *held_pages) {
			*held_pages = held;
			most = i;
		}
	}
	return most;
}

void status_say(const struct engine *g, uint64_t now_ns, const char *what)
{
	const unsigned long long kib = g->session.page_size / 1024;
	const struct ledger *l = &g->ledger;
	const int sampled = is_sampled(l);
	uint64_t held_pages;
	const char *name = row_name(l, sampled ? TABLE_TASKS : TABLE_MODULES,
				    most_of(l, sampled, &held_pages));
	char figures[128] = "sampled, most in task";

	if (!sampled)
		print_to(figures, sizeof(figures), "traced %llu KiB, peak %llu "
			 "KiB, lost %llu, most in", l->traced.now * kib,
			 l->traced.peak * kib,
			 (unsigned long long)l->total.lost);
	sink_say(g->sink, "+%llu s: %s%sfree %llu KiB, %s %s: %llu KiB",
		 (unsigned long long)now_ns / 1000000000u, what,
		 *what ? ": " : "", l->free_now_pages * kib, figures, name,
		 held_pages * kib);
}

void status_say_unpacking(const struct engine *g)
{
	char text[LINE_BYTES];
	struct line l = { .text = text };

	unpack_write(&l, &g->ledger, &g->session);
	text[l.len] = '\0';
	sink_say(g->sink, "%s", text);
}
