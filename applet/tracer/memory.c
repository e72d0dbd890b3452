/* SPDX-License-Identifier: MIT */
/*
 * The tracer's memory: one budget, one block, taken before tracing starts.
 *
 * What must hold: tables, rings, program and stack together stay within the
 * budget, unless single tables were asked for by name.
 */
#include <errno.h>
#include <sys/mman.h>
#include "base/base.h"
#include "base/system.h"
#include "report/report.h"
#include "source/proc/proc.h"
#include "tracer/tracer.h"

/* Pieces of the arena are rounded up to cache lines. */
#define SLACK_BYTES 1024u

/* Where the linker put the program: its own size in memory. */
extern const char __ehdr_start[], _end[];

/* Without iomem any page may be RAM: then a hash is used, because no array
 * would fit. */
static void find_ram(struct engine *g, struct ram *ram)
{
	int error = proc_ram(ram, g->session.page_size);

	if (!error)
		return;
	ram->count = 1;
	ram->range[0] = (struct ram_range){ 0, UINT32_MAX };
	session_note(&g->session, "RAM is not known (/proc/iomem: %s): pages "
		     "are kept in a hash", error_text(error));
}

/* All our memory is locked, and the OOM killer spares us. So at boot we take at
 * most half of the free memory. On a running system caches make room. */
static uint64_t room(const struct engine *g)
{
	const uint64_t free_bytes = g->boot ? system_free_bytes() : 0;

	return free_bytes ? free_bytes / 2 : UINT64_MAX;
}

/* The memory for slab objects, in addition to the budget. */
static uint64_t slab_room(struct engine *g)
{
	const struct config *c = g->config;
	uint64_t bytes = c->slab_bytes ? c->slab_bytes : c->slab_chains;

	if (!has_feature(FEATURE_SLAB))
		return 0;
	if (bytes == 1) {
		bytes = g->session.mem_total_kib * 1024 / SLAB_DIVISOR;
		if (bytes > SLAB_CEILING_BYTES)
			bytes = SLAB_CEILING_BYTES;
		if (bytes < SLAB_FLOOR_BYTES)
			bytes = SLAB_FLOOR_BYTES;
	} else if (bytes && bytes < SLAB_LEAST_BYTES) {
		session_note(&g->session, "rd.memstrack.slab: %llu bytes are "
			     "too few: %u KiB are used",
			     (unsigned long long)bytes,
			     SLAB_LEAST_BYTES / 1024);
		bytes = SLAB_LEAST_BYTES;
	}
	return bytes;
}

static uint64_t budget(const struct engine *g, uint64_t beside)
{
	uint64_t bytes = g->session.mem_total_kib * (1024 / BUDGET_DIVISOR);
	const uint64_t most = room(g);

	if (bytes < BUDGET_FLOOR_BYTES)
		bytes = BUDGET_FLOOR_BYTES;
	if (bytes > BUDGET_CEILING_BYTES)
		bytes = BUDGET_CEILING_BYTES;
	/* The kernel's start has more different call chains than all that
	 * follows. */
	if (g->before.used)
		bytes *= 2;
	if (g->config->mem_bytes)
		bytes = g->config->mem_bytes;
	else
		bytes += beside;
	return bytes < most ? bytes : most;
}

/* Bytes that the budget must cover besides the arena and the rings: the
 * program, its stack, each ring's control page, and the unused ends of pages.
 * The sum is computed, not read from /proc: the resident set includes the rings
 * in 6.1, but not in 6.18. */
static uint64_t fixed_bytes(const struct engine *g, uint32_t cpus)
{
	const uint64_t page = g->session.page_size;
	const uint64_t program = (uint64_t)(_end - __ehdr_start) + page - 1;

	return program - program % page + STACK_BYTES +
	       (uint64_t)(cpus + 2) * page;
}

/* If slab and its rings would leave too little for the rest, they get less, or
 * nothing: pages are traced in any case. */
static void fit_slab(struct engine *g, struct layout *want,
		     const struct source_kind *kind)
{
	const uint64_t wanted = want->slab_bytes, mem = g->config->mem_bytes;
	/* Slab gets at most half of --mem, and the rest is at least the
	 * floor. */
	const uint64_t rest = !mem ? budget(g, 0) :
			      mem / 2 > BUDGET_FLOOR_BYTES ? mem / 2 :
							     BUDGET_FLOOR_BYTES;
	const uint64_t all = mem && mem < room(g) ? mem : room(g);
	const uint64_t most = all > rest ? all - rest : 0;

	if (kind->samples && wanted) {
		session_note(&g->session, "objects of slab are not traced: a "
			     "source that samples has no events");
		want->slab_bytes = 0;
		return;
	}
	while (want->slab_bytes &&
	       want->slab_bytes + layout_slab_rings(want) > most)
		want->slab_bytes = want->slab_bytes / 2 < SLAB_LEAST_BYTES ?
				   0 : want->slab_bytes / 2;
	if (want->slab_bytes == wanted)
		return;
	if (want->slab_bytes)
		session_note(&g->session, "rd.memstrack.slab: %llu KiB have "
			     "room, not %llu",
			     (unsigned long long)want->slab_bytes / 1024,
			     (unsigned long long)wanted / 1024);
	else
		session_note(&g->session, "objects of slab are not traced: no "
			     "room for %llu KiB besides the rest",
			     (unsigned long long)wanted / 1024);
}

static int too_little(const struct engine *g, uint64_t bytes)
{
	sink_say(g->sink, "%llu KiB are too little to trace with: raise "
		 "rd.memstrack.mem, up to half of what is free",
		 (unsigned long long)bytes / 1024);
	return -ENOMEM;
}

static int map_block(struct engine *g, uint64_t bytes)
{
	const uint64_t rings = g->session.layout.ring_bytes;
	void *block = MAP_FAILED;

	errno = ENOMEM;
	if (bytes <= room(g))
		block = system_map(bytes - rings, MAP_PRIVATE | MAP_ANONYMOUS |
				   MAP_POPULATE, -1);
	if (block == MAP_FAILED) {
		sink_say(g->sink, "no memory: %llu KiB: %s",
			 (unsigned long long)bytes / 1024, error_text(errno));
		return -ENOMEM;
	}
	arena_init(&g->arena, block, (size_t)(bytes - rings));
	return 0;
}

/* All stacks together have some three times as many functions as the largest
 * stacks: unless --mem is set, their names get an eighth of the budget in
 * addition. */
static uint32_t more_names(const struct config *c, uint64_t budget_bytes)
{
	if (c->mem_bytes || !config_has(c, format_has_all_stacks))
		return 0;
	return (uint32_t)(budget_bytes / 8 / sizeof(struct symbol));
}

/* If larger rings would leave too little for a table, the rings keep their
 * usual size. */
static int divide(struct session *s, const struct layout *want,
		  const struct ram *ram, uint32_t cpus, uint64_t bytes)
{
	const struct layout_rings rings = {
		cpus, kernel_preempts(s->cmdline) ? RINGS_MOST :
		      RINGS_MOST_UNPREEMPTED,
	};

	return layout_divide(&s->layout, want, ram, bytes, &rings) ?
	       layout_divide(&s->layout, want, ram, bytes, NULL) : 0;
}

static int lay_out(struct engine *g, const struct layout *want,
		   const struct ram *ram, uint32_t cpus, uint64_t beside,
		   uint64_t flat, uint64_t *bytes)
{
	*bytes = budget(g, flat + want->slab_bytes +
			   layout_slab_rings(want) +
			   (want->history ? history_bytes(0, 0) : 0));
	if (*bytes <= beside)
		return -ENOMEM;
	return divide(&g->session, want, ram, cpus, *bytes - beside);
}

int memory_take(struct engine *g, const struct source_kind *kind, uint32_t cpus,
		uint64_t extra_bytes)
{
	const struct config *c = g->config;
	struct layout want = {
		.pages_bytes = c->pages_bytes,
		.ring_bytes = c->ring_mib ? ((uint64_t)c->ring_mib << 20) * cpus :
					    c->ring_bytes,
		.nodes = c->stacks, .tasks = c->tasks, .modules = c->modules,
		.slab_bytes = slab_room(g),
		.history = (uint32_t)config_wants_history(c),
	};
	struct layout *l = &g->session.layout;
	const uint64_t extra = extra_bytes + SLACK_BYTES;
	const uint64_t beside = extra + fixed_bytes(g, cpus);
	uint64_t bytes, flat;
	struct ram ram;
	int error;

	find_ram(g, &ram);
	flat = c->mem_bytes || c->pages_bytes ? 0 :
	       layout_flat_beside(&ram, g->session.mem_total_kib * 1024,
				  g->session.page_size);
	if (flat)
		want.pages_bytes = flat;
	fit_slab(g, &want, kind);
	if (!want.slab_bytes)
		tracefs_without_slab(&g->offer.points);
	error = lay_out(g, &want, &ram, cpus, beside, flat, &bytes);
	if (error && want.history) {
		session_note(&g->session, "the picture lacks the history of "
			     "modules and tasks: no room for %llu KiB besides "
			     "the rest", (unsigned long long)
			     history_bytes(0, 0) / 1024);
		want.history = 0;
		error = lay_out(g, &want, &ram, cpus, beside, flat, &bytes);
	}
	if (error)
		return too_little(g, bytes);
	l->symbols += more_names(c, bytes);
	if (kind->samples)
		layout_for_samples(l);
	error = map_block(g, layout_bytes(l, &ram) + extra);
	return error ? error : ledger_init(&g->ledger, &g->arena, l, &ram);
}

void memory_return(struct engine *g)
{
	munmap(g->arena.base, g->arena.size_bytes);
	g->arena = (struct arena){ 0 };
}

uint64_t memory_own_bytes(const struct engine *g)
{
	return g->arena.size_bytes + g->session.layout.ring_bytes +
	       fixed_bytes(g, g->source->rings);
}
