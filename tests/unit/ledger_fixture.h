/* SPDX-License-Identifier: MIT */
/*
 * A ledger of given size and short ways to say an event, for the tests of
 * ledger/; and what a report on it is made of (report_fixture.h). Every event
 * is one nanosecond later than the one before.
 */
#ifndef LEDGER_FIXTURE_H
#define LEDGER_FIXTURE_H

#include "ledger/events.h"
#include "report/report.h"
#include "tap.h"

#define FIXTURE_BYTES (2u << 20)
#define FIRST_PFN 0x100u
#define RAM_PAGES 8192u

struct fixture {
	_Alignas(64) unsigned char memory[FIXTURE_BYTES];
	struct arena arena;
	struct ledger ledger;
	uint64_t now_ns;
	uint64_t next_pfn;	/* of hold() */
	struct session session;
	struct symbols symbols;
	struct report report;
};

static inline struct fixture *fixture_make(const struct layout *want)
{
	const struct ram ram = { { { FIRST_PFN, RAM_PAGES } }, 1 };
	struct fixture *f = aligned_alloc(64, (sizeof(*f) + 63) / 64 * 64);

	must(f != NULL);
	memset(f, 0, sizeof(*f));
	f->next_pfn = FIRST_PFN;
	arena_init(&f->arena, f->memory, sizeof(f->memory));
	must(!ledger_init(&f->ledger, &f->arena, want, &ram));
	return f;
}

/* Large enough for every test by hand. */
static inline struct fixture *fixture_new(void)
{
	return fixture_make(&(struct layout){
		.pages_bytes = RAM_PAGES * 4, .nodes = 512, .owners = 256,
		.tasks = TASKS_FIXED + 62, .modules = MODULES_FIXED + 14,
	});
}

static void apply(struct fixture *f, struct event *e)
{
	e->time_ns = ++f->now_ns;
	ledger_apply(&f->ledger, e);
}

static inline void page_event(struct fixture *f, uint32_t type, uint32_t tid,
			      uint32_t tgid, uint64_t pfn, uint32_t order)
{
	apply(f, &(struct event){ .type = type, .tid = tid, .tgid = tgid,
				  .pfn = pfn, .order = order });
}

/* With these frames, innermost first; 0 ends them. Pages are numbered from the
 * first one of RAM. */
static inline void take_by(struct fixture *f, uint32_t tid, uint32_t tgid,
			   uint32_t page, uint32_t order, const uint64_t *chain)
{
	struct event e = { .type = EVENT_ALLOC, .tid = tid, .tgid = tgid,
			   .pfn = FIRST_PFN + page, .order = order };

	for (; chain && chain[e.chain_len]; e.chain_len++)
		e.chain[e.chain_len] = chain[e.chain_len];
	apply(f, &e);
}

/* The next `pages`, rounded up to a power of two; the first one. */
static inline uint64_t hold(struct fixture *f, uint32_t pid, uint32_t pages,
			    const uint64_t *chain)
{
	const uint64_t pfn = f->next_pfn;
	uint32_t order = 0;

	while (1u << order < pages)
		order++;
	take_by(f, pid, pid, (uint32_t)(pfn - FIRST_PFN), order, chain);
	f->next_pfn += pages;
	return pfn;
}

static inline void named(struct fixture *f, const char *name, struct event e)
{
	memcpy(e.name, name, strlen(name));
	apply(f, &e);
}

static inline void task_event(struct fixture *f, uint32_t type, uint32_t tid,
			      uint32_t tgid, const char *name)
{
	named(f, name, (struct event){ .type = type, .tid = tid, .tgid = tgid });
}

static inline void forked(struct fixture *f, uint32_t tid, uint32_t tgid,
			  uint32_t parent)
{
	apply(f, &(struct event){ .type = EVENT_FORK, .tid = tid, .tgid = tgid,
				  .parent_tid = parent, .parent_tgid = parent });
}

static inline void module_text(struct fixture *f, const char *name,
			       uint64_t base, uint64_t size, uint32_t init)
{
	named(f, name, (struct event){ .type = EVENT_MODULE_RANGE,
				       .base = base, .size = size,
				       .flags = init });
}

static inline void kept(struct fixture *f, enum kept why, uint64_t pages)
{
	named(f, kept_names[why], (struct event){ .type = EVENT_KEPT,
						  .pages = pages });
}

/* Of vmalloc, by task 7; with one frame or none. */
static inline void area(struct fixture *f, uint32_t type, uint64_t base,
			uint64_t pages, uint64_t frame)
{
	apply(f, &(struct event){ .type = type, .tid = 7, .tgid = 7,
				  .base = base, .pages = pages,
				  .chain_len = frame != 0,
				  .chain = { frame } });
}

#endif
