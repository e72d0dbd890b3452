/* SPDX-License-Identifier: MIT */
/* See report.h, advice. */
#include <string.h>
#include "report/report.h"

#define ADVICE_STEP_KIB (4u << 10)

/* The advice is so much more than the need: a twentieth. */
#define MORE 20u

/* The kernel reserves a twentieth of its memory at most, unless a setting asks
 * for more (mm/khugepaged.c: set_recommended_min_free_kbytes()). */
#define MARKS_SHARE 20u

/* Fractions of memory are counted in units of 1 / ONE. */
#define ONE 65536u

/* Of a number of pages that may be below 0. */
static uint64_t signed_kib(const struct session *s, int64_t pages)
{
	return pages < 0 ? 0 - session_kib(s, (uint64_t)-pages) :
			   session_kib(s, (uint64_t)pages);
}

uint64_t mem_total_kib(const struct ledger *l, const struct session *s,
		       int64_t grown)
{
	return s->mem_total_kib + signed_kib(s, grown - l->growth.pages);
}

/* RAM in the firmware's map includes the kernel, MemTotal does not. But if RAM
 * is not known, the ledger assumes all possible pages: then MemTotal is
 * taken. */
static uint64_t start_ram_kib(const struct ledger *l, const struct session *s)
{
	const uint64_t pages = l->growth.start_pages;

	return pages >= UINT32_MAX && l->pages.ram.count == 1 ?
	       mem_total_kib(l, s, 0) : session_kib(s, pages);
}

uint64_t ram_kib(const struct ledger *l, const struct session *s, int64_t grown)
{
	const uint64_t ram = start_ram_kib(l, s);

	return ram - smaller(ram, ram_rows_kib(&l->ram, RAM_OFFLINE,
					       RAM_OFFLINE_NAME)) +
	       signed_kib(s, grown);
}

static uint64_t start_kib(const struct ledger *l, const struct session *s)
{
	return ram_kib(l, s, 0);
}

/* Is the rest of the balance at most a 20th of the memory that was used? A rest of
 * so much makes the advice no more wrong than its margin. */
static int is_explained(const struct report *r, const uint64_t value[FIGURES])
{
	const uint64_t unseen = r->ledger->total.unseen_pages;
	uint64_t rest = value[FIGURE_REST];

	/* Samples of free memory stand for themselves. */
	if (is_sampled(r->ledger))
		return 1;
	if ((int64_t)rest < 0)
		rest = -rest;
	rest -= smaller(rest, unseen);
	return session_kib(r->session, rest) <= value[FIGURE_USED_KIB] / 20;
}

static const struct figure_kib *find(const struct ledger *l, const char *name)
{
	for (uint32_t i = 0; i < l->figures; i++)
		if (!strcmp(l->figure[i].name, name))
			return &l->figure[i];
	return NULL;
}

uint64_t baseline_kib(const struct ledger *l, const char *name)
{
	const struct figure_kib *f = find(l, name);

	return f ? f->kib : 0;
}

int is_limit(const char *name)
{
	return !strcmp(name, BASELINE_ROOTFS) ||
	       !strcmp(name, BASELINE_FILES) ||
	       !strcmp(name, BASELINE_ROOTFS_FILES) ||
	       !strcmp(name, BASELINE_TMPFS);
}

int rootfs_is_half(const struct ledger *l)
{
	return !find(l, BASELINE_ROOTFS);
}

static uint64_t fixed_kib(const struct ledger *l)
{
	return baseline_kib(l, BASELINE_RESERVED) +
	       baseline_kib(l, BASELINE_CMA);
}

int rootfs_needs_inodes(const struct ledger *l, const uint64_t value[FIGURES])
{
	return value[FIGURE_ROOTFS_KIB] ==
	       2 * baseline_kib(l, BASELINE_FILES) + fixed_kib(l);
}

uint64_t rootfs_needs_kib(const struct ledger *l, const struct session *s,
			  uint64_t content_kib)
{
	const struct figure_kib *limit = find(l, BASELINE_ROOTFS);
	const uint64_t total = start_kib(l, s);
	const uint64_t fixed = fixed_kib(l);

	if (!limit)
		return 2 * content_kib + fixed;
	if (!limit->kib || total >> 32 || content_kib >> 32)
		return UNKNOWN;
	return content_kib * (total - smaller(total, fixed)) / limit->kib +
	       fixed;
}

/* During the unpacking, all memory that was in use when tracing began was
 * already in use, except our own; and also the memory that the kernel has freed
 * since. */
static void get_unpacking(const struct report *r, uint64_t value[FIGURES])
{
	const struct ledger *l = r->ledger;
	const uint64_t free_kib = session_kib(r->session, l->free_start_pages +
					      l->pcp_start_pages);
	uint64_t used = start_kib(l, r->session);

	if (!find(l, BASELINE_INITRAMFS) || !find(l, BASELINE_FREED))
		return;
	used -= smaller(used, free_kib);
	used -= smaller(used, r->session->own_bytes >> 10);
	value[FIGURE_UNPACKING_KIB] = used + baseline_kib(l, BASELINE_INITRD) +
				      baseline_kib(l, BASELINE_FREED);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Without a limit rootfs is a ramfs. A file may lack its end, for which there was
 * no room. */
static void get_limits(const struct report *r, uint64_t value[FIGURES])
{
	const struct ledger *l = r->ledger;
	const uint64_t inodes_kib = baseline_kib(l, BASELINE_FILES);
	const uint64_t others_kib = baseline_kib(l, BASELINE_TMPFS);
	const uint64_t total = start_kib(l, r->session);
	const uint64_t mem_total = mem_total_kib(l, r->session, 0);
	uint64_t files_kib = baseline_kib(l, BASELINE_SHMEM);
	uint64_t *rootfs = &value[FIGURE_ROOTFS_KIB];

	/* Theirs is a part of MemTotal. */
	if (others_kib)
		value[FIGURE_TMPFS_KIB] = others_kib + total -
					  smaller(total, mem_total);
	if (!find(l, BASELINE_INITRAMFS) ||
	    files_kib <= baseline_kib(l, BASELINE_INITRAMFS) / 2)
		files_kib = 0;
	files_kib = larger(files_kib, baseline_kib(l, BASELINE_ROOTFS_FILES));
	if (files_kib)
		*rootfs = rootfs_needs_kib(l, r->session, files_kib +
					   (l->unpack.cut_bytes >> 10));
	if (inodes_kib && (*rootfs == UNKNOWN ||
			   *rootfs < 2 * inodes_kib + fixed_kib(l)))
		*rootfs = 2 * inodes_kib + fixed_kib(l);
}

int lacks_inodes(const struct ledger *l)
{
	return !strcmp(l->unpack.error, UNPACK_NO_INODE);
}

/* Is it known how many pages lost records may be about? */
static int is_lost_bounded(const struct ledger *l)
{
	return l->total.unseen_lost == l->total.lost;
}

const char *no_advice(const struct ledger *l)
{
	return !l->memory_sampled ? "free memory was not sampled" :
	       lacks_inodes(l) ? "nobody knows how many files are missing" :
	       !is_lost_bounded(l) ? "records were lost" :
	       "the rest is more than 5%";
}

uint64_t advice_needed(const uint64_t value[FIGURES], enum advice_for moment)
{
	static const enum figure needs[] = {
		[FOR_PEAK] = FIGURE_HARD_KIB,
		[FOR_UNPACKING] = FIGURE_UNPACKING_KIB,
		[FOR_ROOTFS] = FIGURE_ROOTFS_KIB,
		[FOR_TMPFS] = FIGURE_TMPFS_KIB,
	};
	const uint64_t kib = value[needs[moment]];

	return kib == UNKNOWN || moment >= FOR_ROOTFS ? kib :
	       kib + value[FIGURE_KEPT_KIB];
}

enum advice_for advice_for(const uint64_t value[FIGURES])
{
	enum advice_for most = FOR_PEAK;

	for (unsigned int i = FOR_PEAK; i < ADVICE_MOMENTS; i++)
		if (advice_needed(value, i) != UNKNOWN &&
		    advice_needed(value, i) > advice_needed(value, most))
			most = i;
	return most;
}

/* number * part / ONE. It cannot overflow if part < ONE. */
static uint64_t part_of(uint64_t number, uint64_t part)
{
	return number / ONE * part + number % ONE * part / ONE;
}

/* How much memory is enough if `used` was used. A part of it, `scaled`, grows
 * with memory: its share is the same in any size as in `total`. The result is a
 * twentieth more than *need, the memory that would then be used. */
static uint64_t enough_kib(uint64_t used, uint64_t scaled, uint64_t total,
			   uint64_t *need)
{
	uint64_t part, fixed, enough, left;

	/* No kernel takes a quarter for that: somebody made this trace up. */
	if (scaled > total / 4 || total >> 44)
		scaled = 0;
	part = scaled ? scaled * ONE / total : 0;
	fixed = used - smaller(used, scaled);
	/* enough = (fixed + enough * part / ONE) * (1 + 1 / MORE) */
	enough = fixed + fixed / MORE;
	left = ONE - part - part / MORE;
	enough = enough / left * ONE + enough % left * ONE / left;
	*need = fixed + part_of(enough, part);
	return enough;
}

static uint64_t kept_kib(const struct report *r, enum kept why)
{
	return session_kib(r->session, r->ledger->kept_pages[why]);
}

uint64_t advice_idle_cma_kib(const struct report *r)
{
	const struct need *n = &r->ledger->need;
	const uint64_t idle = kept_kib(r, KEPT_CMA);
	const uint64_t filled = baseline_kib(r->ledger, BASELINE_CMA) - idle;
	const uint64_t movable = session_kib(r->session, n->anon + n->shmem);

	return movable > filled ? idle - smaller(idle, movable - filled) : idle;
}

/* What is left of so many KiB without others, of which there may be less than
 * none. */
static uint64_t without(uint64_t kib, uint64_t others)
{
	return (int64_t)others <= 0 ? kib : kib - smaller(kib, others);
}

/* Free memory that was no room must be there too. While the initramfs is unpacked
 * nothing may be there yet that could fill contiguous memory. */
static void get_kept(const struct report *r, uint64_t value[FIGURES])
{
	const uint64_t idle = advice_idle_cma_kib(r);

	/* What came while we trace is no part of a machine that needs no more. */
	value[FIGURE_KEPT_KIB] = kept_kib(r, KEPT_MARKS) +
				 without(kept_kib(r, KEPT_APART),
					 signed_kib(r->session,
						    r->ledger->growth.pages)) +
				 idle;
	if (value[FIGURE_UNPACKING_KIB] != UNKNOWN)
		value[FIGURE_UNPACKING_KIB] += kept_kib(r, KEPT_CMA) - idle;
}

/* The watermarks grow with memory, unless they were set by hand. */
static uint64_t scaled_marks_kib(const struct report *r)
{
	const uint64_t marks = kept_kib(r, KEPT_MARKS);

	return marks > r->session->mem_total_kib / MARKS_SHARE ? 0 : marks;
}

static uint64_t listed_pages(const struct ledger *l)
{
	return smaller(l->pcp_start_pages, l->pcp_now_pages);
}

/* Of all RAM, with so many pages more than at the start. */
static uint64_t hard_kib(const struct report *r, int64_t pages)
{
	const struct ledger *l = r->ledger;
	const uint64_t total = start_kib(l, r->session);
	const uint64_t free = signed_kib(r->session,
		(int64_t)(l->free_start_pages - (uint64_t)pages +
			  listed_pages(l)));

	return (int64_t)free < 0 || total > free ? total - free : 0;
}

uint64_t advice_hard_kib(const struct report *r, const struct moment *m)
{
	const struct need *n = &r->ledger->need;

	return n->known ? hard_kib(r, need_at(n, m->hard_pages,
					      m->swappable_pages)) : UNKNOWN;
}

/* What could not be given back, at its worst moment. */
static void get_hard(const struct report *r, uint64_t value[FIGURES])
{
	const struct ledger *l = r->ledger;
	const struct need *n = &l->need;

	value[FIGURE_HARD_KIB] = value[FIGURE_USED_KIB];
	value[FIGURE_HARD_NS] = l->used_peak_ns;
	value[FIGURE_SOFT_KIB] = UNKNOWN;
	if (!n->known)
		return;
	value[FIGURE_HARD_KIB] = hard_kib(r, n->worst);
	value[FIGURE_HARD_NS] = n->worst_ns;
	value[FIGURE_SOFT_KIB] = value[FIGURE_USED_KIB] -
				 smaller(value[FIGURE_USED_KIB],
					 value[FIGURE_HARD_KIB]);
}

/* When the most was used: by what was seen, or by samples of free memory. */
static void get_used(const struct report *r, uint64_t value[FIGURES])
{
	const struct ledger *l = r->ledger;
	const struct growth *g = &l->growth;
	const uint64_t seen = l->used_peak_pages;
	const int is_seen = (int64_t)seen > l->fall_most &&
			    seen <= l->free_start_pages +
				    (uint64_t)g->peak_pages;
	const int64_t grown = is_seen ? g->peak_pages : g->fall_pages;
	const uint64_t lowest = session_kib(r->session, listed_pages(l) +
				l->free_start_pages + (uint64_t)grown -
				(is_seen ? seen : (uint64_t)l->fall_most));
	const uint64_t total = ram_kib(l, r->session, grown);

	value[FIGURE_RAM_PEAK_KIB] = total;
	value[FIGURE_LOWEST_KIB] = lowest;
	value[FIGURE_USED_KIB] = total > lowest ? total - lowest : 0;
}

uint64_t advice_came_structs_kib(const struct ledger *l)
{
	return ram_rows_kib(&l->ram, RAM_BEFORE, RAM_OFFLINE_STRUCTS) +
	       (l->growth.structs_bytes >> 10);
}

/* How much is enough for the moment that needs most, in whole steps. */
static uint64_t enough_for(const struct report *r, uint64_t value[FIGURES])
{
	const struct ledger *l = r->ledger;
	const struct growth *g = &l->growth;
	const enum advice_for moment = advice_for(value);
	uint64_t scaled = value[FIGURE_SCALED_KIB] == UNKNOWN ? 0 :
			  value[FIGURE_SCALED_KIB];
	const uint64_t total = start_ram_kib(l, r->session) +
		session_kib(r->session, g->ram_pages -
			    smaller(g->ram_pages, g->start_pages));
	uint64_t enough;

	if (moment < FOR_ROOTFS)
		scaled += scaled_marks_kib(r);
	enough = enough_kib(advice_needed(value, moment), scaled, total,
			    &value[FIGURE_NEED_KIB]) + ADVICE_STEP_KIB - 1;
	return enough - enough % ADVICE_STEP_KIB;
}

uint64_t advice_more_kib(const struct report *r, const uint64_t value[FIGURES])
{
	uint64_t most[FIGURES];

	if (!r->ledger->total.lost || value[FIGURE_ADVICE_KIB] == UNKNOWN)
		return 0;
	memcpy(most, value, sizeof(most));
	most[FIGURE_HARD_KIB] += session_kib(r->session,
					     r->ledger->total.unseen_pages);
	return enough_for(r, most) - value[FIGURE_ADVICE_KIB];
}

void advice_get(const struct report *r, uint64_t value[FIGURES])
{
	const struct ledger *l = r->ledger;

	get_used(r, value);
	value[FIGURE_UNPACKING_KIB] = UNKNOWN;
	value[FIGURE_ROOTFS_KIB] = UNKNOWN;
	value[FIGURE_TMPFS_KIB] = UNKNOWN;
	value[FIGURE_SCALED_KIB] = UNKNOWN;
	get_unpacking(r, value);
	get_limits(r, value);
	get_hard(r, value);
	get_kept(r, value);
	if (find(l, BASELINE_PAGE_STRUCTS))
		value[FIGURE_SCALED_KIB] =
			baseline_kib(l, BASELINE_PAGE_STRUCTS) +
			baseline_kib(l, BASELINE_HASH_TABLES) +
			advice_came_structs_kib(l);
	value[FIGURE_ADVICE_KIB] = enough_for(r, value);
	if (!is_lost_bounded(l) || lacks_inodes(l) || !is_explained(r, value))
		value[FIGURE_ADVICE_KIB] = UNKNOWN;
}
