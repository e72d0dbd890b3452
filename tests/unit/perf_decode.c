/* SPDX-License-Identifier: MIT */
/*
 * source/perf/drain.c: records of the kernel into events, those cut short
 * anywhere into none (cases/perf). tests/fuzz/perf.c: nothing is read behind
 * them.
 *
 * source/perf/hotplug.c: CPUs go and come by a list that is a file here. No
 * tracepoint is known, so no event opens: that is told as well.
 */
#include <inttypes.h>
#include <sys/mman.h>
#include "limits.h"
#include "cases.h"
#include "followed.h"
#include "perf_fixture.h"

static struct tracefs points;
static struct event e;

static int decode(const struct record *r, size_t len)
{
	memset(&e, 0x5a, sizeof(e));
	return perf_decode(&points, has_tgids, r->bytes, len, &e);
}

/* How often less than all that must be there was taken for a record. */
static uint32_t cut_off(const struct record *r, size_t needed)
{
	uint32_t taken = 0;

	while (needed--)
		taken += decode(r, needed) > 0;
	return taken;
}

/* What an event of its type has, in words. */
static const char *words(void)
{
	static char text[300];
	char *at = text + sprintf(text, "type %u of %u/%u@%" PRIu64 " flags %u",
				  e.type, e.tgid, e.tid, e.time_ns, e.flags);

	if (e.type == EVENT_ALLOC || e.type == EVENT_FREE) {
		at += sprintf(at, " %" PRIx64 "+%u:", e.pfn, e.order);
		for (uint32_t i = 0; i < e.chain_len && i < 9; i++)
			at += sprintf(at, " %" PRIx64, e.chain[i]);
	} else if (e.type == EVENT_COMM) {
		sprintf(at, " %.20s%s", e.name, e.name[COMM_BYTES] == 0x5a ?
			"" : ", and more is written");
	} else if (e.type == EVENT_LOST) {
		sprintf(text, "lost %" PRIu64 "@%" PRIu64 " flags %u", e.lost,
			e.time_ns, e.flags);
	} else if (e.type == EVENT_FORK || e.type == EVENT_EXIT) {
		sprintf(at, " by %u/%u", e.parent_tgid, e.parent_tid);
	}
	return text;
}

/* "RECORD; needs BYTES": without the last of these it is none; "+@": and those
 * of the trailer. "RECORD; in BYTES" is cut off. */
static void test_case(struct cases *c)
{
	const size_t trailer_bytes = has_tgids ? 16 : 8;
	char *const more = strchr(c->text, ';');
	unsigned int needed = 0, len = 0;
	char behind[4] = "";
	struct record r;
	int result;

	if (more)
		*more = '\0';
	record_of(&r, c->text);
	if (!more || !sscanf(more + 1, " in %u", &len))
		len = (unsigned int)r.len;
	result = decode(&r, len);
	case_is(c, result == 1 ? words() : !result ? "passed over" :
		   result == -EINVAL ? "none" : "?");
	if (more && sscanf(more + 1, " needs %u%3s", &needed, behind) >= 1)
		tap_ok(!cut_off(&r, needed + (*behind ? trailer_bytes : 0)),
		       "cut off it is none");
}

/* The kernel fills the raw part up, so that it ends with the record. */
static void test_bare(void)
{
	const struct raw_page raw = {
		.type = FREE_ID, .pfn = 0x1234, .order = 2,
	};
	const uint32_t bytes = 28;
	uint64_t chain[CHAIN_FRAMES_MAX + 70];
	uint32_t wrong = 0;
	struct record r;

	for (uint32_t i = 0; i < ARRAY_LEN(chain); i++)
		chain[i] = 0xffffffff81000000 + i;
	for (uint32_t frames = 0; frames < CHAIN_FRAMES_MAX; frames++) {
		sample(&r, 1, 1, 1, chain, frames, &raw, bytes);
		wrong += decode(&r, r.len) != 1 || e.pfn != 0x1234 ||
			 e.chain_len != frames;
	}
	tap_ok(!wrong, "no count of frames is taken for a length");
	sample(&r, 1, 1, 1, chain, ARRAY_LEN(chain), &raw, sizeof(raw));
	tap_ok(decode(&r, r.len) == 1 && e.chain_len == CHAIN_FRAMES_MAX &&
	       e.pfn == 0x1234 &&
	       !memcmp(e.chain, chain, CHAIN_FRAMES_MAX * sizeof(*chain)),
	       "a chain too long is cut at its outer end, the page is read");
	chain[0] = PERF_CONTEXT_MAX;
	sample(&r, 1, 1, 1, chain, CHAIN_FRAMES_MAX + 1, &raw, sizeof(raw));
	tap_ok(decode(&r, r.len) == 1 && e.chain_len == CHAIN_FRAMES_MAX &&
	       !memcmp(e.chain, chain + 1, CHAIN_FRAMES_MAX * sizeof(*chain)),
	       "a mark takes no room from one just long enough");
}

/* --- hotplug.c --- */

#define RINGS 2u

static struct perf_ring rings[RINGS + 1];
static struct tracefs no_points;
static const struct source_kind kind = { .follow = perf_follow };
static struct perf perf = {
	.source = { .kind = &kind, .rings = RINGS, .points = &no_points },
	.ring = rings, .capacity = RINGS,
};

/* A list of CPUs: which came, and how (followed.h); whose the rings are, with a
 * - if it is gone. "none": the list cannot be opened; "more": room for a ring. */
static void test_follow(struct cases *c)
{
	char out[OUTCOME_BYTES];
	int fd = perf.cpus_fd;

	if (!strcmp(c->text, "more"))
		perf.capacity++;
	else if (!strcmp(c->text, "none"))
		fd = perf.cpus_fd = -1;
	else
		must(!ftruncate(fd, 0) && pwrite(fd, c->text, c->len, 0) >= 0);
	snprintf(out, sizeof(out), "%s", follow(&perf.source));
	for (uint32_t i = 0; i < perf.source.rings; i++)
		append(out, "%s%u%s", i ? " " : "rings ", rings[i].cpu,
		       rings[i].gone ? "-" : "");
	case_is(c, out);
}

int main(void)
{
	points_make(&points);
	test_bare();
	each_case("perf", "with tgids", test_case);
	each_case("perf", "any", test_case);
	has_tgids = 0;
	each_case("perf", "without tgids", test_case);
	each_case("perf", "any", test_case);
	perf.cpus_fd = memfd_create("online", 0);
	for (uint32_t i = 0; i < RINGS; i++)
		rings[i].cpu = i * 2;
	each_case("hotplug", NULL, test_follow);
	return tap_plan_done();
}
