/* SPDX-License-Identifier: MIT */
/*
 * source/proc/zones.c and source/proc/oom_log.c: what is free and for whom, and
 * whose limit a kill was for, from texts of 6.1 and such as no kernel writes.
 */
#include "source/proc/oom_log.h"
#include "source/proc/zones.h"
#include "exact.h"
#include "limits.h"
#include "tap.h"

static void read_zones(const char *text, struct zones *z)
{
	const int fd = open_text(text);

	proc_zones(fd, z);
	close(fd);
}

#define ZONE(node, name, min, managed, protection, free, cma) \
	"Node " #node ", zone     " #name "\n  per-node stats\n" \
	"      nr_inactive_anon 7\n  pages free     9999\n        boost    0\n" \
	"        min      " #min "\n        low      88\n        high     99\n" \
	"        managed  " #managed "\n        cma      0\n" \
	"        protection: " #protection "\n      nr_free_pages " #free "\n" \
	"      nr_free_cma  " #cma "\n  pagesets\n    cpu: 0\n" \
	"              count: 5\n              high:  378\n"

static void test_zones(void)
{
	struct zones z;

	/* 256 MiB; what DMA keeps from users of DMA32 is not room. */
	read_zones(ZONE(0, DMA, 66, 3840, (0, 193, 193, 193, 193), 3840, 0)
		   ZONE(0, DMA32, 600, 50000, (0, 0, 0, 0, 0), 1600, 0)
		   ZONE(0, Normal, 0, 0, (0, 0, 0, 0, 0), 0, 0)
		   ZONE(0, Movable, 32, 0, (0, 0, 0, 0, 0), 0, 0), &z);
	tap_ok(z.known && z.free_pages == 5440 &&
	       z.own_pages == 3840 - 66 - 193 + 1000 && z.kept_pages == 666 &&
	       z.reserve_pages == 193 &&
	       z.any_pages == z.own_pages && z.min_pages == 666,
	       "watermarks and reserves are kept; an empty zone has none");
	read_zones(ZONE(0, DMA, 66, 3840, (0, 193, 193, 900, 900), 200, 0)
		   ZONE(0, DMA32, 600, 50000, (0, 0, 0, 512, 512), 3000, 1000)
		   ZONE(0, Normal, 0, 0, (0, 0, 0, 0, 0), 0, 0)
		   ZONE(0, Movable, 32, 32768, (0, 0, 0, 0, 0), 20000, 0), &z);
	tap_ok(z.apart_pages == 20000 && z.cma_pages == 1000 &&
	       z.own_pages == 1400 && z.kept_pages == 666 &&
	       z.reserve_pages == 134 &&
	       z.any_pages == 3000 - 600 - 512 + 20000 - 32 &&
	       z.free_pages == z.own_pages + z.kept_pages + z.reserve_pages +
			       z.apart_pages + z.cma_pages,
	       "movable and contiguous memory are room for some only");
	read_zones(ZONE(0, Normal, 100, 9000, (0, 0, 3000, 3000), 150, 0)
		   ZONE(0, HighMem, 50, 9000, (0, 0, 0, 0), 5000, 0), &z);
	tap_ok(z.own_pages == 50 && z.high_pages == 5000 && !z.apart_pages,
	       "nor is high memory; a kernel that does not list empty zones");
	read_zones(ZONE(0, Normal, 100, 9000, (0), 50, 0)
		   ZONE(1, Normal, 100, 9000, (0), 300, 0), &z);
	tap_ok(z.own_pages == 200 && z.free_pages == 350 &&
	       z.min_pages == 200, "nodes do not help each other below \"min\"");
	read_zones(ZONE(0, A, 1, 9, (0), 9, 0) ZONE(0, B, 1, 9, (0), 9, 0)
		   ZONE(0, C, 1, 9, (0), 9, 0) ZONE(0, D, 1, 9, (0), 9, 0)
		   ZONE(0, E, 1, 9, (0), 9, 0) ZONE(0, F, 1, 9, (0), 9, 0)
		   ZONE(0, G, 1, 9, (0, 1, 2, 3, 4, 5, 6, 7), 9, 0), &z);
	tap_ok(z.known, "more zones than any kernel has");
	read_zones(ZONE(0, Movable, 1, 9, (0), 9, 0)
		   ZONE(0, Normal, 1, 9, (0, 3), 9, 0), &z);
	tap_ok(z.own_pages == 5 && z.apart_pages == 9, "in another order");
	read_zones("Node x, zone\nmin 3\nNode 0, zone DMA\nmin\nmanaged 9\n"
		   "protection: 4\nnr_free_pages 99999999999\n", &z);
	tap_ok(z.known && !z.free_pages && !z.own_pages, "numbers that are none");
	read_zones("", &z);
	tap_ok(!z.known, "no zones");
}

static void set_zones(struct room *r, unsigned int min, unsigned int free)
{
	char text[512];

	snprintf(text, sizeof(text), "Node 0, zone Normal\nmin %u\n"
		 "managed 90000\nprotection: (0)\nnr_free_pages %u\n", min,
		 free);
	close(r->fd);
	r->fd = open_text(text);
}

#define MS 1000000ull

static void test_room(void)
{
	struct room r = { .fd = -1 };

	room_look(&r, 0);
	tap_ok(room_pages(&r, 77, 10, 0) == 77, "no zones: all that is free");
	set_zones(&r, 1000, 9000);
	room_look(&r, 0);
	set_zones(&r, 8000, 8000);
	tap_ok(room_pages(&r, 9000, 4000, 9000 * MS) == 8000 &&
	       room_pages(&r, 8500, 4000, 9000 * MS) == 7500,
	       "what is free fewer is taken from it");
	tap_ok(room_pages(&r, 8499, 4000, 9000 * MS) == 0,
	       "an eighth of enough is gone: the zones are looked at");
	set_zones(&r, 1000, 3000);
	room_look(&r, 9000 * MS);
	set_zones(&r, 1000, 2900);
	tap_ok(room_pages(&r, 3000, 2000, 9009 * MS) == 2000 &&
	       room_pages(&r, 3000, 2000, 9010 * MS) == 1900,
	       "where little is left after 10 ms");
	set_zones(&r, 100, 900);
	tap_ok(room_pages(&r, 1000, 9999, 9010 * MS) == 800,
	       "and at once where nothing would be");
	close(r.fd);
}

/* A record in one read each, as /dev/kmsg has it. */
static void log_kill(struct oom_log *o, uint32_t tid, const char *limit)
{
	char text[128];

	snprintf(text, sizeof(text), "6,1,2,-;oom-kill:constraint=CONSTRAINT_%s,"
		 "task=a,pid=%u,uid=0", limit, tid);
	close(o->fd);
	o->fd = open_text(text);
	oom_log_read(o);
}

static void test_kills(void)
{
	struct oom_log o = { .fd = -1 };
	uint32_t wrong = 0;

	tap_ok(oom_log_limit(&o, 85) == LIMIT_UNKNOWN &&
	       oom_log_limit(&o, 0) == LIMIT_UNKNOWN, "no log");
	log_kill(&o, 85, "MEMCG");
	log_kill(&o, 86, "NONE");
	tap_ok(oom_log_limit(&o, 85) == LIMIT_GROUP &&
	       oom_log_limit(&o, 86) == LIMIT_MACHINE,
	       "two kills before one look, each by its own limit");
	tap_ok(oom_log_limit(&o, 85) == LIMIT_UNKNOWN, "each once");
	for (uint32_t i = 0; i <= OOM_TOLD; i++)
		log_kill(&o, 100 + i, i ? "MEMCG" : "NONE");
	for (uint32_t i = 1; i <= OOM_TOLD; i++)
		wrong += oom_log_limit(&o, 100 + i) != LIMIT_GROUP;
	tap_ok(!wrong && oom_log_limit(&o, 100) == LIMIT_UNKNOWN,
	       "the last %u are kept", OOM_TOLD);
	close(o.fd);
}

int main(void)
{
	test_zones();
	test_room();
	test_kills();
	return tap_plan_done();
}
