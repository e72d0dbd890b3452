/* SPDX-License-Identifier: MIT */
/*
 * What becomes of each text of cases/texts, as kernels write them and as no
 * kernel does (readers.h). Each is in memory of its exact size. Some are cut
 * off anywhere: the rest becomes nothing, or the beginning of what becomes of
 * the whole.
 *
 * source/proc/zones.c and kernel_log.c: what is free and for whom, huge pages and
 * swap (cases/zones), and whose limit a kill was for.
 */
#include "cases.h"
#include "readers.h"

static const char *outcome(const struct reader *r, const char *text, size_t len)
{
	static char out[OUTCOME_BYTES];
	char *copy = exact(text, len);

	out[0] = '\0';
	reader_read(r, copy, len, out);
	free(copy);
	return *out ? out : "none";
}

static void test_cut(const struct reader *r, const struct cases *c)
{
	size_t wrong = 0;

	for (size_t len = 0; len < c->len; len++) {
		const char *got = outcome(r, c->text, len);

		wrong += strcmp(got, "none") &&
			 strncmp(got, c->want, strlen(got));
	}
	tap_ok(!wrong, "%s: cut off anywhere: '%s'", c->reader, c->shown);
}

/* --- zones.c, kernel_log.c --- */

/* What is free, and for whom: all of it in parts; what any user may have. */
static void words_of_zones(int fd, char *out)
{
	struct zones z;

	proc_zones(fd, &z);
	if (!z.known)
		return;
	must(z.free_pages == z.own_pages + z.kept_pages + z.reserve_pages +
			     z.apart_pages + z.cma_pages + z.high_pages);
	append(out, "own %u, kept %u, reserve %u, apart %u, cma %u, high %u; "
	       "any %u, min %u", (unsigned int)z.own_pages,
	       (unsigned int)z.kept_pages, (unsigned int)z.reserve_pages,
	       (unsigned int)z.apart_pages, (unsigned int)z.cma_pages,
	       (unsigned int)z.high_pages, (unsigned int)z.any_pages,
	       (unsigned int)z.min_pages);
}

static void hear(struct event_out *o, const struct event *e)
{
	char *text = ((struct listener *)o)->text;

	if (e->type == EVENT_FIGURE)
		append(text, "%s %u", e->name, (unsigned int)(e->size >> 10));
	else if (e->type == EVENT_KEPT)
		append(text, ", %s %u", e->name, (unsigned int)e->pages);
}

static void test_zones(struct cases *c)
{
	char out[OUTCOME_BYTES] = "";
	struct listener l = { .out.event = hear, .text = out };
	const int fd = open_text(c->text);

	if (!strcmp(c->reader, "zones"))
		words_of_zones(fd, out);
	else
		proc_emit_available(fd, fd, &l.out, 1, 4096);
	case_is(c, *out ? out : "none");
	close(fd);
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
	for (uint32_t i = 0; i <= OOM_KILLS_MAX; i++)
		log_kill(&o, 100 + i, i ? "MEMCG" : "NONE");
	for (uint32_t i = 1; i <= OOM_KILLS_MAX; i++)
		wrong += oom_log_limit(&o, 100 + i) != LIMIT_GROUP;
	tap_ok(!wrong && oom_log_limit(&o, 100) == LIMIT_UNKNOWN,
	       "the last %u are kept", OOM_KILLS_MAX);
	close(o.fd);
}

int main(void)
{
	struct cases c = { .file = NULL };

	while (next_case(&c, "texts")) {
		const struct reader *r = readers;

		while (strcmp(r->name, c.reader))
			must(++r < readers + ARRAY_LEN(readers));
		case_is(&c, outcome(r, c.text, c.len));
		if (r->is_cut && strcmp(c.want, "none"))
			test_cut(r, &c);
	}
	each_case("zones", NULL, test_zones);
	test_room();
	test_kills();
	return tap_plan_done();
}
