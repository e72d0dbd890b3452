/* SPDX-License-Identifier: MIT */
/*
 * What a run watches. host/run/taskstats.c: messages of netlink in files of
 * tests/fuzz/corpus/taskstats, behind two bytes of the family: records as each
 * version of the kernel has them, and what is none of them (cases/taskstats).
 *
 * The table of processes: rows, pids used again, trees, order; what records of
 * taskstats tell of times and peaks, without events; and the counts of a
 * cgroup (cases/processes).
 */
#include <inttypes.h>
#include "base/system.h"
#include "host/run/run.h"
#include "cases.h"

/* The first record of so many bytes of messages, and as which answer they are
 * understood. */
static const char *outcome(const char *bytes, size_t len)
{
	static char text[OUTCOME_BYTES];
	const unsigned char *at = exact_once(bytes + 2, len);
	struct taskstats_reader r = { .at = at, .len = len };
	struct task_end e;

	memcpy(&r.family, bytes, sizeof(r.family));
	text[0] = '\0';
	if (taskstats_next(&r, &e))
		append(text, "%s[%u/%u] by %u, %x%s, %" PRIu64 " ns, %" PRIu64
		       " and %" PRIu64 " KiB, sums %" PRIu64 " %" PRIu64,
		       e.comm, e.pid, e.tgid, e.parent, e.status,
		       e.last ? ", the last" : "", e.run_ns, e.rss_kib,
		       e.vm_kib, e.rss_mib_us, e.vm_mib_us);
	if (taskstats_family(at, len) != -EINVAL)
		append(text, "family %d", taskstats_family(at, len));
	if (taskstats_is_status(at, len))
		append(text, ", status %d", taskstats_status(at, len));
	else
		must(taskstats_status(at, len) == -EINVAL);
	return *text ? text : "none";
}

static void test_case(struct cases *c)
{
	char bytes[2048], path[80];
	uint32_t whole = 0;
	ssize_t n;

	snprintf(path, sizeof(path), "tests/fuzz/corpus/taskstats/%.40s",
		 c->text);
	n = readfile(path, bytes, sizeof(bytes));
	must(n > 2);
	case_is(c, outcome(bytes, (size_t)n - 2));
	for (size_t len = 0; len < (size_t)n - 2; len++)
		whole += strcmp(outcome(bytes, len), "none") != 0;
	tap_ok(!whole, "%s: cut off anywhere it is none", c->text);
}

/* --- processes --- */

#define ROWS 9

static struct task_end ends[1];
static struct run r;
static struct processes *const p = &r.processes;

static void begin(void)
{
	struct arena *a = arena_fresh(1 << 16);

	r = (struct run){ .stats = { .fd = -1 }, .end = ends };
	r.config.level = 1;
	must(!processes_init(p, a, ROWS) &&
	     processes_bytes(ROWS) >= a->used_bytes);
}

/* What is known of each row, in order. */
static void words_of_rows(char *out)
{
	for (uint32_t i = 1; i < p->used; i++) {
		const struct process *row = &p->row[i];

		append(out, "%s%" PRIu64 "+%" PRIu64 "-%" PRIu64 " %" PRIu64
		       "%s", i > 1 ? ", " : "", row->start_ns, row->run_ns,
		       row->end_ns, row->rss_kib,
		       row->known & IN_TREE ? " in" : "");
	}
}

static void words_of_order(int by, char *out)
{
	const uint32_t n = processes_sort(p, by, p->order, ROWS);

	for (uint32_t i = 0; i < n; i++)
		append(out, "%s%u", i ? " " : "", p->order[i]);
}

/* A process comes, which has no row where there is no room; or a record of
 * taskstats on its end. */
static void come(const char *text, char *out)
{
	struct task_end e = { .last = strstr(text, "last") != NULL };
	uint64_t start_ns, end_ns, kib = 0;
	uint32_t row;

	if (sscanf(text, "ends %u/%u by %u at %" SCNu64 " ran %" SCNu64 " KiB %"
		   SCNu64, &e.pid, &e.tgid, &e.parent, &e.read_ns, &e.run_ns,
		   &e.rss_kib) == 6) {
		ends[0] = e;
		r.ends = 1;
		watch_apply_ends(&r, UINT64_MAX);
		return;
	}
	must(sscanf(text, "%u by %u %" SCNu64 "-%" SCNu64 " %" SCNu64, &e.pid,
		    &e.parent, &start_ns, &end_ns, &kib) >= 4);
	row = processes_add(p, e.pid, e.parent, start_ns);
	p->row[row].end_ns = end_ns;	/* row 0 is nobody's */
	p->row[row].rss_kib = kib;
	if (!row)
		append(out, "full %u; ", (unsigned int)p->full);
}

static void step(const char *text, char *out)
{
	uint32_t a, b;

	if (!strcmp(text, "new"))
		begin();
	else if (!strcmp(text, "command"))
		p->row[1].known = IN_TREE | HAS_START;
	else if (!strcmp(text, "waited"))
		p->row[1].known |= HAS_STATUS | HAS_USAGE;
	else if (sscanf(text, "tree %u %u", &a, &b) == 2)
		processes_mark_tree(p, a, b);
	else if (sscanf(text, "row %u", &a) == 1)
		append(out, "%u; ", processes_find(p, a));
	else if (!strcmp(text, "rows"))
		words_of_rows(out);
	else if (!strcmp(text, "by start"))
		words_of_order(BY_START, out);
	else if (!strcmp(text, "by size"))
		words_of_order(BY_SIZE, out);
	else
		come(text, out);
}

/* "NAME of TEXT": a count of a cgroup. */
static void test_count(struct cases *c)
{
	const size_t at = strcspn(c->text, " ");
	char got[32];

	c->text[at] = '\0';
	snprintf(got, sizeof(got), "%" PRIu64, (uint64_t)cgroup_count(
		 exact_once(c->text + at + 4, c->len - at - 4),
		 c->len - at - 4, c->text));
	case_is(c, got);
}

int main(void)
{
	each_case("taskstats", NULL, test_case);
	each_step("processes", NULL, step);
	each_case("cgroup_count", NULL, test_count);
	return tap_plan_done();
}
