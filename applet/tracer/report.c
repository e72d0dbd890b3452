/*
 * Reports: the account as it stands, its names, and where it goes; and the one
 * when memory runs out, made of what is held already.
 */
#include <string.h>
#include <time.h>
#include "control/control.h"
#include "base/clock.h"
#include "base/print.h"
#include "report/select.h"
#include "base/readfile.h"
#include "source/proc/slabinfo.h"
#include "tracer/tracer.h"

/* Reports on memory running out: those that follow sooner are a line. */
#define OOM_EACH_NS 1000000000u

/* The session as it stands at this report. */
static void describe(struct tracer *t, const char *reason)
{
	struct session *s = &t->session;

	s->end_ns = clock_ns(CLOCK_MONOTONIC);
	s->cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	print_to(s->reason, sizeof(s->reason), "%s", reason);
	if (!t->chains && t->bare && s->notes < NOTES_MAX) {
		print_to(s->note[s->notes++], NOTE_BYTES, "call chains are "
			 "empty: no unwinder for tracepoints (before 5.2 with "
			 "ORC)");
		t->chains = 1;
	}
}

static void take_symbol(void *context, char *line, size_t len)
{
	symbols_line(context, line, len);
}

static void name_symbols(void *context)
{
	struct tracer *t = context;

	each_line_again(t->kallsyms_fd, take_symbol, &t->symbols);
	symbols_finish(&t->symbols);
}

/* Addresses are root's, and so is the kernel log and nothing else. As it was
 * when a file could be opened. */
static int hides_addresses(const struct tracer *t)
{
	return t->restricted && (!t->sink->to_kmsg || t->sink->to_console);
}

/* Of what there is, with no names yet. */
static void report_begin(struct tracer *t, struct report *r)
{
	*r = (struct report){ .ledger = &t->ledger, .session = &t->session,
			      .symbols = &t->symbols };
	symbols_clear(&t->symbols);
}

static int write_to(struct tracer *t, struct report *r,
		    enum sink_target target)
{
	int error = sink_begin(t->sink, t->config, target);

	if (error)
		return error;
	r->hide_addresses = hides_addresses(t);
	if (r->name) {		/* at the end */
		report_oom(r, &t->sink->out);
	} else {
		r->lines_max = t->config->lines;
		report_write(r, t->config->format, &t->sink->out);
	}
	return sink_end(t->sink);
}

/* From memory already held: no file is opened, and the real-time priority that
 * it keeps lets what the kernel takes for a line come from the reserves. A
 * panic may be a millisecond away, so nobody is waited for: to ask how many
 * records were lost interrupts each CPU, and the one that prints has interrupts
 * off. */
static void report_at_end(struct tracer *t, const char *reason)
{
	struct report r;

	report_begin(t, &r);
	r.level = 1;
	r.top = 5;
	r.throttle_percent = 100;
	r.lines_max = OOM_LINES_MAX;
	r.order = BY_HELD;
	r.name = name_symbols;
	r.context = t;
	proc_pcp(&t->events, t->ledger.last_ns, t->zoneinfo_fd);
	describe(t, reason);
	write_to(t, &r, SINK_LOG);
}

void tracer_say_status(struct tracer *t, uint64_t now_ns, const char *what)
{
	const uint64_t kib = t->session.page_size / 1024;
	const struct ledger *l = &t->ledger;
	const struct module *m = l->modules.row;
	uint32_t most = 0, held_pages = 0;

	for (uint32_t i = 0; i < l->modules.used; i++, m++)
		if (module_holds(m) > held_pages) {
			held_pages = module_holds(m);
			most = i;
		}
	tracer_say(t, "+%llu s: %s%sfree %llu KiB, traced %llu KiB, peak %llu "
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

void tracer_oom(struct tracer *t, uint32_t victim_tid)
{
	const struct ledger *l = &t->ledger;
	char reason[REASON_BYTES];

	tracer_sample(t, l->last_ns, 0);
	print_to(reason, sizeof(reason), "memory is low");
	if (victim_tid)
		print_to(reason, sizeof(reason), "OOM kill of %s[%d]",
			 row_name(l, TABLE_TASKS,
				  tasks_find(&l->tasks, victim_tid)),
			 (int)victim_tid);
	if (t->config->oom == OOM_OFF)
		return;
	if (t->config->oom == OOM_REPORT && l->last_ns >= t->oom_ns) {
		t->oom_ns = l->last_ns + OOM_EACH_NS;
		report_at_end(t, reason);
	} else {
		tracer_say_status(t, l->last_ns, reason);
	}
}

/* The account as it stands, and whatever else a report tells. */
void tracer_take_stock(struct tracer *t, const char *reason)
{
	tracer_drain(t, clock_ns(CLOCK_MONOTONIC));
	proc_pcp(&t->events, t->ledger.last_ns, t->zoneinfo_fd);
	proc_vmallocinfo(&t->events, t->ledger.last_ns, t->sampled);
	tracer_count_losses(t, t->ledger.last_ns, 1);
	describe(t, reason);
	tracer_read_settings(t);
}

/* Sections go to a file for a script that has it printed, if at all, where
 * nobody sees it, and a file may not outlive a reboot: so the log has them
 * too. */
static int write_report(struct tracer *t, const char *sections,
			uint32_t throttle_percent, enum sink_target target)
{
	struct report r;
	int error;

	report_begin(t, &r);
	r.level = t->config->level;
	r.top = t->config->top;
	r.throttle_percent = throttle_percent;
	r.sections = sections;
	r.next_slab = slabinfo_next;
	if (!t->reboot_tid)
		tracer_hurry(0);
	report_collect(&r);
	symbols_sort(&t->symbols);
	if (t->symbols.used)
		name_symbols(t);
	error = write_to(t, &r, target);
	if (target == SINK_CLIENT ||
	    (!error && target != SINK_CONSOLE && (sections[0] || t->reboot_tid) &&
	     t->config->out == OUT_FILE && strcmp(t->config->out_path, "-")))
		error = write_to(t, &r, SINK_LOG);
	tracer_hurry(1);
	return error;
}

int tracer_write(struct tracer *t, enum sink_target target)
{
	return write_report(t, t->config->sections,
			    t->config->throttle_percent, target);
}

void tracer_write_sections(struct tracer *t, const struct control_message *m,
			   int client)
{
	t->sink->file_fd = client;
	write_report(t, m->sections, m->request, SINK_CLIENT);
}

int tracer_report(struct tracer *t, const char *reason, enum sink_target target)
{
	tracer_take_stock(t, reason);
	return tracer_write(t, target);
}

void tracer_record_symbols(struct tracer *t)
{
	const struct stacks *s = &t->ledger.stacks;
	uint32_t node = s->roots;

	while (node < s->used) {
		symbols_clear(&t->symbols);
		for (; node < s->used &&
		     t->symbols.used < t->symbols.capacity; node++)
			symbols_add(&t->symbols, s->node[node].addr);
		symbols_sort(&t->symbols);
		name_symbols(t);
		for (uint32_t i = 0; i < t->symbols.used; i++) {
			const struct symbol *y = &t->symbols.row[i];
			const struct trace_symbol named = {
				y->addr, y->start, y->name, strlen(y->name),
			};

			if (y->start)
				trace_write_symbol(&t->writer, &named);
		}
	}
}
