/* SPDX-License-Identifier: MIT */
/*
 * What a run watches. host/run/taskstats.c: messages of netlink in files of
 * tests/fuzz/corpus/taskstats, behind two bytes of the family: records as each
 * version of the kernel has them, and what is none of them (cases/taskstats).
 *
 * The table of processes: rows, pids used again, trees, order; what records of
 * taskstats tell of times and peaks, without events; and the counts of a
 * cgroup.
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
#define COMMAND 100u

static struct task_end ends[1];
static struct run r;
static struct processes *const p = &r.processes;

static void begin(void)
{
	struct arena *a = arena_fresh(1 << 16);

	r = (struct run){ .stats = { .fd = -1 }, .end = ends };
	r.config.level = 1;
	tap_ok(!processes_init(p, a, ROWS) &&
	       processes_bytes(ROWS) >= a->used_bytes, "the room that it says");
}

static uint32_t sort(int by)
{
	return processes_sort(p, by, p->order, ROWS);
}

static uint32_t add(uint32_t pid, uint32_t parent, uint64_t start,
		    uint64_t end, uint64_t kib)
{
	const uint32_t row = processes_add(p, pid, parent, start);

	p->row[row].end_ns = end;	/* row 0 is nobody's */
	p->row[row].rss_kib = kib;
	return row;
}

static void rows(void)
{
	uint32_t first, second;

	begin();
	first = add(100, 1, 10, 20, 0);
	second = add(100, 1, 30, 40, 0);
	tap_ok(first && second && first != second, "a pid that is used again");
	tap_ok(processes_find(p, 100) == second && !processes_find(p, 101),
	       "the newest one is found, another one is not");
	for (uint32_t i = 3; i < ROWS; i++)
		add(i, 1, 50, 60, 0);
	tap_ok(!add(99, 1, 70, 80, 0) && p->full == 1 &&
	       processes_find(p, 100) == second,
	       "none too many; the others stay");
}

static void trees(void)
{
	char in_tree[9] = "";

	begin();
	add(12, 11, 30, 40, 0);		/* a grandchild, which ends early */
	add(11, 10, 20, 50, 0);
	add(10, 1, 10, 60, 0);		/* the root */
	add(13, 11, 5, 8, 0);		/* no: of who had the pid 11 before */
	add(14, 9, 30, 70, 0);		/* an orphan */
	add(15, 2, 30, 70, 0);		/* no: another one, and its child */
	add(16, 15, 35, 36, 0);
	add(17, 12, 41, 42, 0);		/* no: of who has the pid 12 by now */
	processes_mark_tree(p, 10, 9);
	for (uint32_t i = 0; i < 8; i++)
		in_tree[i] = p->row[i + 1].known & IN_TREE ? '+' : '-';
	tap_ok(!strcmp(in_tree, "+++-+---"), "who is in the tree: %s", in_tree);
	tap_ok(sort(BY_START) == 4 && p->order[0] == 3 &&
	       p->order[1] == 2, "in order of start");
}

static void sizes(void)
{
	uint32_t wrong = 0;

	begin();
	for (uint32_t i = 0; i < ROWS - 1; i++)
		p->row[add(20 + i, 1, 100 - i, 200, i * 7 % 8)].known = IN_TREE;
	tap_ok(sort(BY_SIZE) == ROWS - 1, "all of them");
	for (uint32_t i = 1; i < ROWS - 1; i++)
		wrong += p->row[p->order[i - 1]].rss_kib <
			 p->row[p->order[i]].rss_kib;
	tap_ok(!wrong, "no row is larger than the one before");
	sort(BY_START);
	tap_ok(p->order[0] == ROWS - 1 && p->order[ROWS - 2] == 1,
	       "and by time");
}

static void counts(void)
{
	static const char text[] = "low 0\nhigh 1\nmax 25\noom 3\noom_kill 4\n";
	const size_t len = sizeof(text) - 1;

	tap_ok(cgroup_count(text, len, "max") == 25 &&
	       cgroup_count(text, len, "oom") == 3 &&
	       cgroup_count(text, len, "oom_kill") == 4 &&
	       !cgroup_count(text, len, "oom_group_kill"),
	       "a count of exactly this name, or none");
	tap_ok(!cgroup_count("max", 3, "max") && !cgroup_count("", 0, "max") &&
	       !cgroup_count("max x\n", 6, "max"), "no number");
}

/* The command, which began at 1000. */
static struct process *begin_command(void)
{
	begin();
	processes_add(p, COMMAND, 1, 1000);
	p->row[1].known = IN_TREE | HAS_START;
	return &p->row[1];
}

static void end(struct task_end e)
{
	ends[0] = e;
	r.ends = 1;
	watch_apply_ends(&r, UINT64_MAX);
}

static void times(void)
{
	const struct process *command = begin_command();
	const struct process *other = command + 1;

	end((struct task_end){ .pid = 101, .tgid = 101, .parent = COMMAND,
			       .read_ns = 1600, .run_ns = 200, .last = 1 });
	tap_ok(other->pid == 101 && other->start_ns == 1400 &&
	       other->run_ns == 200, "a process: since its fork");
	end((struct task_end){ .pid = COMMAND, .tgid = COMMAND,
			       .read_ns = 1700, .run_ns = 1500, .last = 1 });
	tap_ok(command->start_ns == 1000 && command->run_ns == 700 &&
	       command->end_ns == 1700,
	       "the command: since it began, not since its fork");
}

static void peaks(void)
{
	struct process *command = begin_command();

	command->rss_kib = 50000;
	command->known |= HAS_STATUS | HAS_USAGE;
	end((struct task_end){ .pid = COMMAND, .tgid = COMMAND,
			       .read_ns = 1700, .rss_kib = 3000 });
	tap_ok(command->rss_kib == 3000, "wait4 told the peak of a child");
	end((struct task_end){ .pid = 102, .tgid = COMMAND, .read_ns = 1800,
			       .rss_kib = 4000, .last = 1 });
	tap_ok(command->rss_kib == 4000, "of two threads the larger one");
	end((struct task_end){ .pid = 103, .tgid = COMMAND, .read_ns = 1800,
			       .rss_kib = 2000 });
	tap_ok(command->rss_kib == 4000, "and not the last one");
}

int main(void)
{
	each_case("taskstats", NULL, test_case);
	rows();
	trees();
	sizes();
	counts();
	times();
	peaks();
	return tap_plan_done();
}
