/*
 * The tracer's memory: one budget, one block, taken before tracing starts.
 *
 * What must hold: tables, rings, program and stack together stay within the
 * budget, unless single tables were asked for by name.
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include "base/print.h"
#include "base/system.h"
#include "tracer/tracer.h"

/* Where the linker put the program: its own size in memory. */
extern const char __ehdr_start[], _end[];

/* Without iomem any page may be RAM: a hash then, since no array fits. */
static void find_ram(struct tracer *t, struct ram *ram)
{
	int error = proc_ram(ram, t->session.page_size);

	if (!error)
		return;
	ram->count = 1;
	ram->range[0] = (struct ram_range){ 0, UINT32_MAX };
	tracer_note(t, "RAM is not known (/proc/iomem: %s): pages are kept in "
		    "a hash", error_text(error));
}

/* All of it is locked, and the OOM killer passes us over: half of what a boot
 * has free is the boot's. On a running system caches give way. */
static uint64_t room(const struct tracer *t)
{
	struct sysinfo s;

	return !t->boot || sysinfo(&s) ? UINT64_MAX :
	       (uint64_t)s.freeram * s.mem_unit / 2;
}

static uint64_t budget(const struct tracer *t)
{
	uint64_t bytes = t->session.mem_total_kib * (1024 / BUDGET_DIVISOR);
	const uint64_t most = room(t);

	if (bytes < BUDGET_FLOOR_BYTES)
		bytes = BUDGET_FLOOR_BYTES;
	if (bytes > BUDGET_CEILING_BYTES)
		bytes = BUDGET_CEILING_BYTES;
	if (t->config->mem_bytes)
		bytes = t->config->mem_bytes;
	return bytes < most ? bytes : most;
}

/* Bytes of the arena beside the tables. */
static uint64_t extra_bytes(const struct tracer *t, uint32_t cpus)
{
	return perf_arena_bytes(cpus) + (cpus + 2) * sizeof(struct pollfd) +
	       (t->writer.fd < 0 ? 0 : TRACE_BUFFER_BYTES) + 1024;
}

/* Bytes that the budget must cover beside the arena and the rings: the
 * program, its stack, each ring's control page, and what the ends of program
 * and arena leave of a page. Not asked of /proc: in 6.1 the resident set
 * has the rings in it, in 6.18 it has not. */
static uint64_t fixed_bytes(const struct tracer *t, uint32_t cpus)
{
	return (uint64_t)(_end - __ehdr_start) + STACK_BYTES +
	       (uint64_t)(cpus + 2) * t->session.page_size;
}

int tracer_take_memory(struct tracer *t, uint32_t cpus)
{
	const struct config *c = t->config;
	const struct layout want = {
		.pages_bytes = c->pages_bytes, .ring_bytes = c->ring_bytes,
		.nodes = (uint32_t)c->stacks, .tasks = (uint32_t)c->tasks,
		.modules = (uint32_t)c->modules,
	};
	struct layout *l = &t->session.layout;
	uint64_t extra = extra_bytes(t, cpus);
	uint64_t bytes = budget(t), beside = extra + fixed_bytes(t, cpus);
	struct ram ram;
	void *block;

	find_ram(t, &ram);
	if (bytes <= beside || layout_divide(l, &want, &ram, bytes - beside)) {
		tracer_say(t, "%llu KiB are too little to trace with: raise "
			   "rd.memstrack.mem, up to half of what is free",
			   (unsigned long long)bytes / 1024);
		return -ENOMEM;
	}
	bytes = layout_bytes(l, &ram) + extra;
	block = MAP_FAILED;
	errno = ENOMEM;
	if (bytes <= room(t))
		block = system_map(bytes - l->ring_bytes, MAP_PRIVATE |
				   MAP_ANONYMOUS | MAP_POPULATE, -1);
	if (block == MAP_FAILED) {
		tracer_say(t, "no memory: %llu KiB: %s",
			   (unsigned long long)bytes / 1024, error_text(errno));
		return -ENOMEM;
	}
	arena_init(&t->arena, block, bytes - l->ring_bytes);
	t->poll = arena_take(&t->arena, cpus + 2, sizeof(*t->poll));
	if (t->writer.fd >= 0)
		t->writer.buffer = arena_take(&t->arena, 1,
					      TRACE_BUFFER_BYTES);
	return ledger_init(&t->ledger, &t->arena, l, &ram) ?:
	       symbols_init(&t->symbols, &t->arena, l->symbols);
}

uint64_t tracer_own_bytes(const struct tracer *t)
{
	return t->arena.size_bytes + t->session.layout.ring_bytes +
	       fixed_bytes(t, t->perf.rings);
}
