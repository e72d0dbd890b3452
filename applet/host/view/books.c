/* SPDX-License-Identifier: MIT */
/* The book of pages becomes a report: see view.h, books. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/base.h"
#include "ledger/events.h"
#include "host/view/view.h"

/* A server's page_owner has some 20,000 stacks of some 16 frames, of some 10,000
 * functions. */
#define NODES (1u << 18)
#define OWNERS (1u << 17)
#define TASKS (1u << 14)
#define MODULES (1u << 12)
#define NAME_OF_LEADER (UINT64_C(1) << 63)
#define SLACK_BYTES 4096u

static void no_ram(struct ram *ram)
{
	memset(ram, 0, sizeof(*ram));
	ram->range[0].count_pages = ram->count = 1;
}

static struct layout layout_of(const struct config *c)
{
	const uint32_t nodes = c->stacks ? c->stacks : NODES;
	const uint32_t tasks = c->tasks ? c->tasks : TASKS;
	const uint32_t modules = MODULES_FIXED +
				 (c->modules ? c->modules : MODULES);

	return (struct layout){
		.pages_bytes = 4096, .nodes = nodes + modules,
		.owners = (c->stacks ? nodes : OWNERS) + tasks, .tasks = tasks,
		.modules = modules, .symbols = nodes / 2,
	};
}

/* The first of each is "(other)", or none. */
static uint32_t functions_of(const struct layout *l)
{
	return l->nodes / 4 + 1;
}

static uint32_t modules_of(const struct layout *l)
{
	return l->modules - MODULES_FIXED + 1;
}

uint64_t books_bytes(const struct config *c)
{
	const struct layout l = layout_of(c);
	struct ram ram;

	no_ram(&ram);
	return layout_bytes(&l, &ram) +
	       names_bytes(functions_of(&l), modules_of(&l)) + SLACK_BYTES;
}

static uint64_t take_frame(void *context, const struct frame *f)
{
	struct view_books *b = context;

	return names_address(&b->names, f);
}

/* The process has the name of its leader, else that of a thread: the one of the
 * newest allocation. */
static void name_task(struct view_books *b, const struct owner_record *r,
		      struct event *e)
{
	const uint64_t rank = (r->pid == e->tid ? NAME_OF_LEADER : 0) |
			      (r->ts_ns & ~NAME_OF_LEADER);
	uint32_t row = tasks_find(&b->ledger.tasks, e->tid);

	if (row && b->ledger.tasks.row[row].start_ns > rank)
		return;
	e->type = EVENT_COMM;
	print_to(e->name, sizeof(e->name), "%s", r->comm[0] ? r->comm : "pid");
	ledger_apply(&b->ledger, e);
	row = tasks_find(&b->ledger.tasks, e->tid);
	if (row)
		b->ledger.tasks.row[row].start_ns = rank;
	e->type = EVENT_HELD;
}

static void set_chain(struct view_books *b, const struct owner_record *r,
		      struct event *e)
{
	static const struct frame none = {
		.name = "(no-stack)", .name_len = 10,
	};

	e->chain_len = r->frames;
	memcpy(e->chain, r->frame, r->frames * sizeof(*r->frame));
	if (!r->frames)
		e->chain[e->chain_len++] = names_address(&b->names, &none);
}

static void enter(void *context)
{
	struct view_books *b = context;
	const struct owner_record *r = &b->text.record;
	struct books *k = &b->ledger.books;
	struct event e;

	k->records++;
	k->counts += r->is_count;
	k->silent += !r->has_pages;
	if (!r->has_pages || !r->pages)
		return;
	event_begin(&e, EVENT_HELD, 0);
	e.pages = r->pages;
	e.tid = e.tgid = r->tgid ? r->tgid : r->pid;
	set_chain(b, r, &e);
	if (r->has_pid) {
		k->without_tasks = 0;
		name_task(b, r, &e);
	}
	if (r->migrated)
		k->migrated_pages += r->pages;
	ledger_apply(&b->ledger, &e);
}

int books_begin(struct view_books *b, const struct config *c, void *block,
		const char *source)
{
	const struct layout l = layout_of(c);
	struct ram ram;

	no_ram(&ram);
	arena_init(&b->arena, block, (size_t)books_bytes(c));
	if (ledger_init(&b->ledger, &b->arena, &l, &ram) ||
	    symbols_init(&b->symbols, &b->arena, l.symbols) ||
	    names_init(&b->names, &b->arena, &b->ledger, functions_of(&l),
		       modules_of(&l)))
		return -ENOMEM;
	arena_seal(&b->arena);
	b->ledger.books.on = b->ledger.books.without_tasks = 1;
	print_to(b->ledger.source, SOURCE_NAME_BYTES, "%s", source);
	b->text = (struct owner_text){
		.take_frame = take_frame, .take_record = enter, .context = b,
	};
	return 0;
}

static const char *count_wrong(struct view_books *b, const char *problem)
{
	b->ledger.books.wrong_lines += problem != NULL;
	return problem;
}

const char *books_line(struct view_books *b, const char *line, size_t len)
{
	return count_wrong(b, owner_line(&b->text, line, len));
}

const char *books_end(struct view_books *b)
{
	return count_wrong(b, owner_end(&b->text));
}

/* The times served to choose a name, and are not those of a start. */
static void forget_times(struct ledger *l)
{
	for (uint32_t i = 0; i < l->tasks.used; i++)
		l->tasks.row[i].start_ns = 0;
}

void books_report(struct view_books *b, const struct config *c,
		  struct report *r)
{
	*r = (struct report){
		.ledger = &b->ledger, .session = &b->session,
		.symbols = &b->symbols, .level = c->level, .top = c->top,
		.lines_max = c->lines, .throttle_percent = c->throttle_percent,
		.all_stacks = config_has(c, format_has_all_stacks),
		.order = BY_NOW, .sections = c->sections,
	};
	forget_times(&b->ledger);
	b->ledger.books.full_frames = b->names.full;
	report_collect(r);
	symbols_sort(&b->symbols);
	names_tell(&b->names, &b->symbols);
}
