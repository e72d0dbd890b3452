/* SPDX-License-Identifier: MIT */
/* Why a report is written: see tracer.h, triggers. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include "base/base.h"
#include "base/system.h"
#include "source/proc/proc.h"
#include "tracer/tracer.h"

/* The kernel logs a kill in 150 lines, a second on a serial line. Kills that
 * follow one another sooner than OOM_APART_NS are one series: the first gets a
 * report, so does one every OOM_EACH_NS, and each of the others gets a line. */
#define OOM_APART_NS 2000000000u
#define OOM_EACH_NS 10000000000u
/* The least time between two reports on low memory. */
#define LOW_EACH_NS 10000000000u
/* The least time between two lines on kills in memory cgroups. */
#define GROUP_EACH_NS 10000000000u

/* Reclaim may fail because one zone is used up. If more than this part of
 * memory is free, this is not reported. */
#define LOW_DIVISOR 16

/* Below this part of memory, the names for a report are prepared. */
#define FALLEN_DIVISOR 8

static const struct signal_wish wishes[] = {
	{ SIGUSR1, "SIGUSR1", SINK_CONSOLE },
	{ SIGUSR2, "SIGUSR2", SINK_FILE },
	{ SIGINT, "SIGINT", SINK_CONFIGURED },
	{ SIGTERM, "SIGTERM", SINK_CONFIGURED },
};

static void remember_root(struct triggers *t)
{
	struct stat s;

	if (system_stat_path("/proc/1/root", &s))
		return;
	t->root_dev = s.st_dev;
	t->root_ino = s.st_ino;
}

void triggers_init(struct triggers *t, int boot)
{
	*t = (struct triggers){
		.boot = boot, .signal_fd = -1, .meminfo_fd = -1,
		.room.fd = -1, .log.fd = -1,
	};
	remember_root(t);
}

/* The first read makes the kernel take the page that it then keeps. */
void triggers_open(struct triggers *t, int meminfo_fd, int zoneinfo_fd)
{
	struct available a;

	t->meminfo_fd = meminfo_fd;
	proc_available(t->meminfo_fd, &a);
	t->room.fd = zoneinfo_fd;
	room_look(&t->room, 0);
	t->log.fd = log_open();
}

/* We do not react to a hangup. */
int triggers_hear(struct triggers *t)
{
	unsigned long set = 0;

	for (unsigned int i = 0; i < ARRAY_LEN(wishes); i++)
		set |= signal_bit(wishes[i].number);
	signals_block(set | signal_bit(SIGHUP) | signal_bit(SIGPIPE));
	t->signal_fd = signals_open(set);
	return t->signal_fd < 0 ? -errno : 0;
}

/* The kernel refuses a reboot to all users but root. */
static int is_roots(uint32_t tid)
{
	char path[24];
	struct stat s;

	print_to(path, sizeof(path), "/proc/%d", (int)tid);
	return !system_stat_path(path, &s) && !s.st_uid;
}

/* The process that asked for a reboot may have become root's by an exec after
 * that. Then the event of this exec follows, and the request was another
 * user's. */
int triggers_see(struct triggers *t, const struct event *e)
{
	switch (e->type) {
	case EVENT_VICTIM:
		if (e->flags & EVENT_NO_GROUP)	/* so its reclaim has failed */
			t->low = 1;
		return 1;
	case EVENT_LOW:
		t->low = 1;
		break;
	case EVENT_REBOOT:
		t->asked = 1;
		if (is_roots(e->tid))
			t->reboot_tid = e->tid;
		break;
	case EVENT_COMM:
		if (e->tid == 1 && e->flags & EVENT_EXEC)
			t->exec_by_init = 1;
		/* fall through */
	case EVENT_EXIT:
		if (e->tid == t->reboot_tid)
			t->reboot_tid = 0;
		break;
	case EVENT_LOST:
		/* The lost event may have been either. */
		t->exec_by_init = t->asked = 1;
		break;
	default:
		break;
	}
	return 0;
}

/* What the kernel's own allocations may still take. The log is read now and
 * then, so that little is to be read at a kill. */
static uint64_t room_kib(struct triggers *t, const struct ledger *l,
			 const struct session *s)
{
	const uint64_t page_kib = s->page_size / 1024;
	const uint64_t enough = s->mem_total_kib / FALLEN_DIVISOR / page_kib;
	const uint64_t read_ns = t->room.read_ns;
	uint64_t room;

	if (t->low)
		room_look(&t->room, l->last_ns);
	room = room_pages(&t->room, l->free_now_pages, enough, l->last_ns);
	if (room > enough && t->room.read_ns != read_ns)
		oom_log_read(&t->log);
	return room * page_kib;
}

/* MemAvailable counts slab that is called reclaimable, but for the watermarks
 * "low" or half of it (si_mem_available()). In an early boot most of this is
 * pinned: entries of files in tracefs and rootfs (20 MiB with two instances of
 * tracefs, before 6.6). The kernel does not count it either when it decides
 * between another round of reclaim and a kill (should_reclaim_retry()). */
static uint64_t without_slab(const struct available *a, uint64_t min_kib,
			     uint64_t total_kib)
{
	const uint64_t scaled_kib = total_kib / 1000;
	const uint64_t low_kib = min_kib + (scaled_kib > min_kib / 4 ?
					    scaled_kib : min_kib / 4);
	const uint64_t counted_kib = a->slab_kib -
				     (a->slab_kib < 2 * low_kib ?
				      a->slab_kib / 2 : low_kib);

	return a->kib > counted_kib ? a->kib - counted_kib : 0;
}

/* Less is available than the kernel wants to keep: the next allocation will
 * reclaim in vain. This is seen some milliseconds before reclaim fails, and a
 * whole report needs this time if another CPU goes on to a panic. It is
 * reported again only after twice as much was available. */
static int is_exhausted(struct triggers *t, const struct session *s)
{
	const uint64_t page_kib = s->page_size / 1024;
	const struct zones *z = &t->room.zones;
	const uint64_t keep_kib = z->min_pages * page_kib;
	const uint64_t apart_kib = (z->apart_pages + z->high_pages +
				    z->cma_pages) * page_kib;
	const int was = t->exhausted;
	struct available a;

	proc_available(t->meminfo_fd, &a);
	t->exhausted = a.known &&
		       without_slab(&a, keep_kib, s->mem_total_kib) <
		       apart_kib + (was ? 2 * keep_kib : keep_kib);
	return t->exhausted && !was;
}

/* Zones with no more than the watermark "min" are usual while much is read. */
static int is_below(const struct zones *z, uint64_t room)
{
	return !room && (!z->known || z->kept_pages < z->own_min_pages);
}

/* An event reports that reclaim of the whole machine fails. (Reclaim of a
 * cgroup causes no event.) Allocations in interrupts cannot reclaim: they are
 * noticed when free memory is below the watermarks. */
int triggers_memory_low(struct triggers *t, const struct ledger *l,
			const struct session *s)
{
	const int reported = l->last_ns < t->low_ns || l->last_ns < t->oom_ns;
	const uint64_t room = reported ? UINT64_MAX : room_kib(t, l, s);
	const int low = room <= s->mem_total_kib / LOW_DIVISOR &&
			(t->low || is_below(&t->room.zones, room) ||
			 is_exhausted(t, s));

	t->low = 0;
	if (low)
		t->low_ns = l->last_ns + LOW_EACH_NS;
	return low;
}

int triggers_memory_falls(struct triggers *t, const struct ledger *l,
			  const struct session *s)
{
	const uint64_t room = room_kib(t, l, s);
	const uint32_t before = t->fallen;

	while (t->fallen < 63 &&
	       room < s->mem_total_kib / FALLEN_DIVISOR >> t->fallen)
		t->fallen++;
	return t->fallen != before;
}

/* If the log does not name the limit: the whole machine is short if its reclaim
 * failed right before, or if one kind of allocation has no room. */
int triggers_kill_in_group(struct triggers *t, const struct ledger *l,
			   const struct session *s, uint32_t victim_tid)
{
	const uint64_t little = s->mem_total_kib / LOW_DIVISOR /
				(s->page_size / 1024);
	const enum oom_limit limit = oom_log_limit(&t->log, victim_tid);

	if (limit != LIMIT_UNKNOWN)
		return limit == LIMIT_GROUP;
	room_look(&t->room, l->last_ns);
	return !t->low && (!t->room.zones.known ? l->free_now_pages > little :
			   t->room.zones.own_pages > little &&
			   t->room.zones.any_pages > little);
}

uint32_t triggers_group_kills(struct triggers *t, uint64_t now_ns)
{
	uint32_t kills = ++t->group_kills;

	if (now_ns < t->group_ns)
		return 0;
	t->group_ns = now_ns + GROUP_EACH_NS;
	t->group_kills = 0;
	return kills;
}

int triggers_oom_is_due(struct triggers *t, uint64_t now_ns)
{
	const int due = now_ns >= t->oom_ns || now_ns >= t->oom_again_ns;

	t->oom_ns = now_ns + OOM_APART_NS;
	if (due)
		t->oom_again_ns = now_ns + OOM_EACH_NS;
	return due;
}

int triggers_oom_was_now(const struct triggers *t, uint64_t now_ns)
{
	return now_ns < t->oom_ns;
}

/* The exec that follows a change of the root is PID 1's, whoever changed the
 * root. An image within the image, dracut's squashfs, is still the initramfs. */
int triggers_root_changed(struct triggers *t)
{
	struct stat s;

	if (!t->boot || t->switched || !t->exec_by_init)
		return 0;
	t->exec_by_init = 0;
	return t->root_ino && !system_stat_path("/proc/1/root", &s) &&
	       (s.st_dev != t->root_dev || s.st_ino != t->root_ino) &&
	       system_stat_path("/proc/1/root/etc/initrd-release", &s);
}

int triggers_heartbeat(struct triggers *t, uint64_t now_ns, uint32_t every_s)
{
	const int first = !t->heartbeat_ns;

	if (!every_s || now_ns < t->heartbeat_ns)
		return 0;
	t->heartbeat_ns = now_ns + every_s * 1000000000ull;
	return !first;
}

const struct signal_wish *triggers_signal(struct triggers *t,
					  unsigned long *arrived)
{
	*arrived |= signals_arrived(t->signal_fd);
	for (unsigned int i = 0; i < ARRAY_LEN(wishes); i++) {
		const unsigned long bit = signal_bit(wishes[i].number);

		if (!(*arrived & bit))
			continue;
		*arrived &= ~bit;
		return &wishes[i];
	}
	return NULL;
}
