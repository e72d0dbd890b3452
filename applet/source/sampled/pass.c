/* SPDX-License-Identifier: MIT */
/* When to make a pass over /proc: see sampled.h, when. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include "base/system.h"
#include "source/proc/proc.h"
#include "source/sampled/sampled.h"

#define SHORTEST_NS 100000000u
#define LONGEST_NS 1000000000u

/* The rest after a pass is the CPU time of the pass, times this number: so all
 * passes together take a third of a per cent of one CPU, and slabinfo an
 * eighth of a per cent. */
#define PASS_REST 300u
#define FILE_REST 800u

/* Parts of all memory. */
#define MOVED_DIVISOR 256u
#define PLUNGE_DIVISOR 32u
#define QUARTER_DIVISOR 4u
#define LITTLE_DIVISOR 8u
#define STIR_DIVISOR 1024u
#define STIR_LOOKS 25u

#define LOOK_LITTLE_NS 5000000u
#define LOOK_QUARTER_NS 20000000u
#define LOOK_IDLE_NS 200000000u

void when_begin(struct when *w, uint64_t total_pages)
{
	*w = (struct when){
		.total_pages = total_pages, .wait_ns = SHORTEST_NS,
		.lowest_pages = UINT64_MAX,
	};
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

int when_due(struct when *w, uint64_t now_ns, uint64_t free_pages)
{
	const int first = w->lowest_pages == UINT64_MAX;
	const int plunged = !first && free_pages + w->total_pages /
			    PLUNGE_DIVISOR < w->lowest_pages;
	int due;

	w->moved |= distance(free_pages, w->free_pages) >
		    w->total_pages / MOVED_DIVISOR;
	due = first || plunged ||
	      (now_ns >= w->rest_ns && now_ns - w->last_ns >=
	       (w->moved ? SHORTEST_NS : w->wait_ns));
	if (!due)
		return 0;
	if (w->moved)
		w->wait_ns = SHORTEST_NS;
	else if (w->wait_ns < LONGEST_NS)
		w->wait_ns *= 2;
	if (w->wait_ns > LONGEST_NS)
		w->wait_ns = LONGEST_NS;
	w->moved = 0;
	w->free_pages = free_pages;
	if (free_pages < w->lowest_pages)
		w->lowest_pages = free_pages;
	return 1;
}

void when_done(struct when *w, uint64_t now_ns, uint64_t cost_ns)
{
	w->last_ns = now_ns;
	w->rest_ns = now_ns + cost_ns * PASS_REST;
}

/* Free memory that has fallen lately may soon fall faster. 0: it has not
 * fallen, or enough is free. */
static uint64_t longest_look_ns(struct when *w, uint64_t fell_pages,
				uint64_t free_pages)
{
	if (fell_pages > w->total_pages / STIR_DIVISOR)
		w->stirred = STIR_LOOKS;
	else if (w->stirred)
		w->stirred--;
	if (!w->stirred || free_pages >= w->total_pages / QUARTER_DIVISOR)
		return 0;
	return free_pages < w->total_pages / LITTLE_DIVISOR ? LOOK_LITTLE_NS :
							      LOOK_QUARTER_NS;
}

uint64_t when_look_ns(struct when *w, uint64_t now_ns, uint64_t free_pages,
		      uint64_t least_pages)
{
	const uint64_t elapsed_ns = now_ns - w->looked_ns;
	const uint64_t fell = w->looked_pages > free_pages ?
			      w->looked_pages - free_pages : 0;
	const uint64_t longest_ns = longest_look_ns(w, fell, free_pages);
	uint64_t left, ns;

	w->looked_ns = now_ns;
	w->looked_pages = free_pages;
	if (w->wait_ns >= LONGEST_NS && !w->moved && !longest_ns)
		return LOOK_IDLE_NS;
	if (free_pages >= w->total_pages / 2 || !fell ||
	    elapsed_ns >= LONGEST_NS)
		return longest_ns;
	left = free_pages > least_pages ? free_pages - least_pages : 0;
	ns = left * elapsed_ns / fell / 4;
	if (longest_ns && ns > longest_ns)
		return longest_ns;
	if (ns >= SHORTEST_NS)
		return 0;
	return ns < WHEN_SOONEST_NS ? WHEN_SOONEST_NS : ns;
}

int pace_due(const struct pace *p, uint64_t now_ns, uint64_t free_pages)
{
	return !p->begun || (now_ns >= p->rest_ns &&
			     free_pages < p->free_pages);
}

void pace_done(struct pace *p, uint64_t now_ns, uint64_t free_pages,
	       uint64_t cost_ns)
{
	const uint64_t rest_ns = cost_ns * FILE_REST;

	p->begun = 1;
	p->free_pages = free_pages;
	p->rest_ns = now_ns + (rest_ns > LONGEST_NS ? rest_ns : LONGEST_NS);
}

/* --- pass: a look, step by step, and the kind of source */

/* MemAvailable counts much slab that in fact cannot be reclaimed: so the limit
 * is high. */
#define LOW_DIVISOR 8u

/* Below so many times the watermarks "min" the zones are read often. */
#define SOON_TIMES 4u

static int emit_low(struct sampled *s, struct event *e)
{
	if (s->begun)
		return 0;
	s->begun = 1;
	e->type = EVENT_LOW;
	return 1;
}

static int end_pass(struct sampled *s, struct event *e)
{
	if (s->begun)
		return 0;
	s->begun = 1;
	e->type = EVENT_KIND_SAMPLE;
	e->flags = EVENT_PASS_END;
	e->pages = s->used_pages;
	return 1;
}

/* STEP_END comes behind all samples, so that the sample of free memory that
 * follows finds all rows updated. */
enum step { STEP_KILLS, STEP_CACHES, STEP_COUNT, STEP_TASKS, STEP_MODULES,
	    STEP_KINDS, STEP_LISTS, STEP_END, STEP_LOW, STEPS };

static const struct {
	int (*next)(struct sampled *s, struct event *e);
	enum sampled_file file;
} steps[STEPS] = {
	[STEP_KILLS] = { sampled_kill, FILE_LOG },
	[STEP_CACHES] = { sampled_cache, FILE_CACHES },
	[STEP_COUNT] = { sampled_count, FILE_VMSTAT },
	[STEP_TASKS] = { sampled_task, FILE_TASKS },
	[STEP_MODULES] = { sampled_module, FILE_MODULES },
	[STEP_KINDS] = { sampled_kind, FILE_MEMINFO },
	[STEP_LISTS] = { sampled_lists, FILE_ZONES },
	[STEP_END] = { end_pass, FILE_MEMINFO },
	[STEP_LOW] = { emit_low, FILE_MEMINFO },
};

/* The free pages that the kernel's own allocations may take. */
static uint64_t room_left(struct sampled *s, uint64_t now_ns)
{
	const uint64_t free_bytes = system_free_bytes();

	return !free_bytes ? 0 :
	       room_pages(&s->room, free_bytes / s->page_bytes,
			  s->room.zones.min_pages * SOON_TIMES, now_ns);
}

/* Has reclaim begun, or will memory be used up soon, while little is left to
 * reclaim? Traced sources have an event for this. 1 only once, until there is
 * three times as much room. */
static int is_low(struct sampled *s, uint64_t room, int soon)
{
	const struct zones *z = &s->room.zones;
	const uint64_t page_kib = s->page_bytes >> 10;
	const uint64_t most_kib = s->when.total_pages / LOW_DIVISOR * page_kib;
	const int was = s->low;
	struct available a;

	if (room > z->min_pages * 3 && !soon)
		s->low = 0;
	if (was || (room > z->min_pages && !soon))
		return 0;
	proc_available(s->fd[FILE_MEMINFO], &a);
	if (!a.known || a.kib > most_kib +
				(z->apart_pages + z->high_pages +
				 z->cma_pages) * page_kib)
		return 0;
	s->low = 1;
	return 1;
}

static void begin(struct source *source, uint64_t horizon_ns)
{
	struct sampled *s = (struct sampled *)source;
	const uint64_t room = room_left(s, horizon_ns);
	/* Two looks in quick succession predict nothing. */
	const int apart = horizon_ns - s->when.looked_ns >= WHEN_SOONEST_NS;

	s->time_ns = horizon_ns;
	s->step = 0;
	s->begun = s->log_grew = 0;
	s->steps = 1u << STEP_KILLS;
	s->source.wait_ns = when_look_ns(&s->when, horizon_ns, room,
					 s->room.zones.min_pages);
	if (is_low(s, room, apart && s->source.wait_ns == WHEN_SOONEST_NS))
		s->steps |= 1u << STEP_LOW;
	if (!when_due(&s->when, horizon_ns, room) && !s->source.look_at_all)
		return;
	s->cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	s->used_pages = 0;
	s->steps |= 1u << STEP_MODULES | 1u << STEP_KINDS | 1u << STEP_LISTS |
		    1u << STEP_END;
	if (!s->low) {
		s->steps |= 1u << STEP_TASKS | 1u << STEP_COUNT;
		if (s->source.look_at_all ||
		    pace_due(&s->caches, horizon_ns, room))
			s->steps |= 1u << STEP_CACHES;
	}
	s->source.look_at_all = 0;
}

/* Charges the CPU time of slabinfo and of the pass separately. */
static void end_step(struct sampled *s)
{
	const uint64_t now_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);

	if (s->step == STEP_CACHES) {
		pace_done(&s->caches, s->time_ns, s->when.free_pages,
			  now_ns - s->cpu_ns);
		s->cpu_ns = now_ns;
	}
	if (s->step == STEP_END) {
		when_done(&s->when, s->time_ns, now_ns - s->cpu_ns);
		s->passes++;
	}
}

static int next(struct source *source, struct event *e)
{
	struct sampled *s = (struct sampled *)source;

	for (; s->step < STEPS; s->step++, s->begun = 0) {
		if (!(s->steps >> s->step & 1))
			continue;
		if (s->fd[steps[s->step].file] >= 0) {
			event_begin(e, EVENT_REJECTED, s->time_ns);
			if (steps[s->step].next(s, e))
				return 1;
		}
		if (s->step)
			end_step(s);
	}
	return 0;
}

static void open_files(struct sampled *s)
{
	static const struct { const char *path; int flags; } files[] = {
		[FILE_TASKS] = { "/proc", O_DIRECTORY },
		[FILE_MODULES] = { "/proc/modules", O_RDONLY },
		[FILE_CACHES] = { "/proc/slabinfo", O_RDONLY },
		[FILE_MEMINFO] = { "/proc/meminfo", O_RDONLY },
		[FILE_ZONES] = { "/proc/zoneinfo", O_RDONLY },
		[FILE_VMSTAT] = { "/proc/vmstat", O_RDONLY },
	};

	for (unsigned int i = 0; i < FILE_LOG; i++)
		s->fd[i] = system_open_path(files[i].path, files[i].flags);
	s->fd[FILE_LOG] = log_open();
}

static int usable(void)
{
	const int fd = system_open_path("/proc/meminfo", O_RDONLY);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static uint64_t arena_bytes(uint32_t cpus)
{
	(void)cpus;
	return sizeof(struct sampled) + 64;
}

static void close_source(struct source *source)
{
	const struct sampled *s = (const struct sampled *)source;

	for (unsigned int i = 0; i < FILES; i++)
		if (s->fd[i] >= 0)
			close(s->fd[i]);
}

static int open_source(struct source **source, const struct source_wish *w)
{
	struct sampled *s = arena_take(w->arena, 1, sizeof(*s));
	const uint64_t bytes = system_ram_bytes();

	if (!s)
		return -ENOMEM;
	source_init(&s->source, &sampled_source, w);
	s->page_bytes = w->page_bytes;
	s->kills_before = UINT64_MAX;
	*source = &s->source;
	open_files(s);
	if (s->fd[FILE_MEMINFO] < 0 || !bytes) {
		close_source(&s->source);
		return -ENODATA;
	}
	s->room.fd = s->fd[FILE_ZONES];
	room_look(&s->room, 0);
	when_begin(&s->when, bytes / w->page_bytes);
	return 0;
}

static int enable(struct source *s)
{
	(void)s;
	return 0;
}

static uint32_t poll_set(const struct source *source, struct pollfd *set)
{
	const struct sampled *s = (const struct sampled *)source;

	if (s->fd[FILE_LOG] < 0 || s->log_grew)
		return 0;
	*set = (struct pollfd){ .fd = s->fd[FILE_LOG], .events = POLLIN };
	return 1;
}

static uint64_t lost(const struct source *s)
{
	(void)s;
	return 0;
}

const struct source_kind sampled_source = {
	.name = SOURCE_SAMPLED_NAME,
	.samples = 1,
	.usable = usable,
	.arena_bytes = arena_bytes,
	.open = open_source,
	.enable = enable,
	.poll_set = poll_set,
	.begin = begin,
	.next = next,
	.lost = lost,
	.close = close_source,
};
