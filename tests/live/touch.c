/* SPDX-License-Identifier: MIT */
/*
 * Workloads whose pages are known: touch COMMAND [ARG...]
 *
 * Each workload is a process of its own. At its marks it stops, COMMAND is run
 * (which has the tracer write a report), and a line is printed that says what
 * this report must show:
 *
 *	MARK PID CLASS HOW NOW PEAK WHAT	(with tabs between)
 *
 * HOW is "base": what CLASS holds now is where counting begins; "more": it
 * holds NOW pages more than that, and PEAK more was its peak; "gone": nothing
 * is held; "any": it is not for us to say. CLASS says by what call stacks the
 * pages are known (exact.py). What a process holds by other stacks than those
 * of its classes must not change, but for the kernel's own tables.
 *
 * Anonymous memory that is touched and given back, files of tmpfs and threads
 * are in tests/boot/pages.t and threads.t.
 *
 * What must hold, for the figures to be exact:
 * - between two marks a workload allocates nothing that is not counted here:
 *   it stops, which needs no memory, and all it writes to was written to
 *   before its base;
 * - no page waits in a list of another CPU: the caller has it run on one;
 * - huge pages only where they are meant;
 * - page tables stay: every table keeps one page (since Linux 6.14 an empty
 *   one is freed by MADV_DONTNEED).
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef MADV_COLD
#define MADV_COLD 20
#endif
#ifndef PR_SET_THP_DISABLE
#define PR_SET_THP_DISABLE 41
#endif

#define CHUNK_PAGES 512		/* at most what one page table maps */
#define PIPE_BYTES (1 << 20)
#define LINES_MAX 2

struct line {
	int pid;
	const char *class, *how;
	long now, peak;
};

/* Of all processes, which have the same addresses. */
static struct shared {
	unsigned int marks;
	int copied;			/* fork_and_go's first process has */
	struct line line[LINES_MAX];
	const char *what;
} *shared;

static size_t page;
static char *const *command;

_Noreturn static void die(const char *what)
{
	perror(what);
	_exit(1);
}

static char *map(size_t bytes, int flags)
{
	char *start = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			   MAP_ANONYMOUS | flags, -1, 0);

	if (start == MAP_FAILED)
		die("mmap");
	return start;
}

/* --- the workloads' side */

/* What a workload may write to at any time: its stack, errno. */
static void touch_own(void)
{
	volatile char stack[64 << 10];

	for (size_t i = 0; i < sizeof(stack); i += 1024)
		stack[i] = 1;
	errno = 0;
}

/* The same before a workload begins, deeper than it ever will: where the stack
 * lies differs from run to run, and one page more might be needed later. */
static void touch_deep(void)
{
	volatile char stack[16 << 10];

	touch_own();
	for (size_t i = 0; i < sizeof(stack); i += 1024)
		stack[i] = 1;
}

/* run() has it go on. (raise() takes a clone for its parent.) */
static void mark(const char *what)
{
	shared->what = what;
	kill(getpid(), SIGSTOP);
	memset(shared->line, 0, sizeof(shared->line));
}

/* Pages of one kind that this process holds since the base, and their peak. */
struct held {
	const char *class;
	long now, peak;
};

static void add(struct held *h, long pages)
{
	h->now += pages;
	if (h->now > h->peak)
		h->peak = h->now;
}

static void expect_held(int i, int pid, const struct held *h)
{
	shared->line[i] = (struct line){ pid, h->class, "more", h->now,
					 h->peak };
}

static void mark_held(const struct held *h, const char *what)
{
	expect_held(0, getpid(), h);
	mark(what);
}

static void mark_both(const struct held *h, const struct held *k,
		      const char *what)
{
	expect_held(1, getpid(), k);
	mark_held(h, what);
}

static void mark_base(const struct held *h)
{
	shared->line[0] = (struct line){ getpid(), h->class, "base", 0, 0 };
	mark("base");
}

static void mark_base_of_two(const struct held *h, const struct held *k)
{
	shared->line[1] = (struct line){ getpid(), k->class, "base", 0, 0 };
	mark_base(h);
}

/* Anonymous memory of one page table, which has its first page. */
static char *map_chunk(void)
{
	size_t bytes = CHUNK_PAGES * page;
	char *start = map(2 * bytes, MAP_PRIVATE | MAP_NORESERVE);

	start += (bytes - (uintptr_t)start % bytes) % bytes;
	*start = 1;
	return start;
}

static void touch(char *start, struct held *h, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++, add(h, 1))
		start[i * page] = 1;
}

/* `parent` has the pages, this child gets copies of some. */
static void child(char *start, int parent, struct held parents)
{
	struct held h = { "copied", 0, 0 };

	while (!__atomic_load_n(&shared->copied, __ATOMIC_SEQ_CST))
		sched_yield();
	touch_own();
	mark_base(&h);
	touch(start, &h, 100, 250);
	expect_held(1, parent, &parents);
	mark_held(&h, "150 of a parent's pages copied by writing to them");
	kill(parent, SIGKILL);
	while (!kill(parent, 0))
		sched_yield();
	add(&parents, -150);
	for (size_t i = 250; i < 350; i++)
		start[i * page] = 3;
	expect_held(1, parent, &parents);
	mark_held(&h, "the parent gone, the rest the child's: still charged "
		  "to it");
}

/* After the fork the first process copies its own stack before the child can:
 * so nothing but what the child copied goes with the first one. */
static void fork_and_go(void)
{
	struct held h = { "anon", 0, 0 };
	char *start = map_chunk();
	int parent = getpid(), pid;

	shared->line[1] = (struct line){ parent, "copied", "any", 0, 0 };
	mark_base(&h);
	touch(start, &h, 1, 401);
	mark_held(&h, "400 touched before a fork");
	/* As our sibling: run() sees it stop. */
	pid = (int)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
	if (pid < 0)
		die("clone");
	if (!pid) {
		child(start, parent, h);
		return;
	}
	touch_own();
	__atomic_store_n(&shared->copied, 1, __ATOMIC_SEQ_CST);
	for (;;)
		pause();
}

static void resize(int fd[2], int bytes)
{
	if (fcntl(fd[1], F_SETPIPE_SZ, bytes) < 0)
		die("F_SETPIPE_SZ");
}

static void pipes(void)
{
	struct held data = { "pipe", 0, 0 }, order = { "order", 0, 0 };
	const size_t slots = PIPE_BYTES / page, slot_bytes = 5 * sizeof(long);
	char *bytes = map(page, MAP_PRIVATE | MAP_POPULATE);
	size_t array = page;
	int fd[16][2];

	for (int i = 0; i < 16; i++)
		if (pipe2(fd[i], O_CLOEXEC))
			die("pipe");
	mark_base_of_two(&order, &data);
	/* kmalloc() of more than two pages takes a power of two of them. */
	while (array < slots * slot_bytes)
		array *= 2;
	if (array > 2 * page) {
		for (int i = 0; i < 16; i++)
			resize(fd[i], PIPE_BYTES);
		add(&order, (long)(16 * array / page));
		mark_held(&order, "16 pipes of 1 MiB: arrays of order > 0");
		for (int i = 0; i < 15; i++)
			resize(fd[i], (int)(16 * page));
		add(&order, -(long)(15 * array / page));
		mark_held(&order, "15 of them small again");
	}
	for (int i = 0; i < 100; i++, add(&data, 1))
		if (write(fd[15][1], bytes, page) != (ssize_t)page)
			die("write");
	mark_both(&data, &order, "100 pages in a pipe");
	for (int i = 0; i < 16; i++) {
		close(fd[i][0]);
		close(fd[i][1]);
	}
	add(&data, -100);
	add(&order, -order.now);
	mark_both(&data, &order, "all pipes gone");
}

/* The kernel may have no huge page to give: then nothing is shown. */
static int is_huge(long bytes)
{
	char text[4096], *at;
	int fd = open("/proc/self/smaps_rollup", O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	close(fd);
	text[n > 0 ? n : 0] = '\0';
	at = strstr(text, "AnonHugePages:");
	return at && strtol(at + 14, NULL, 10) * 1024 == bytes;
}

static void huge(void)
{
	const size_t bytes = CHUNK_PAGES * page;
	struct held h = { "huge", 0, 0 };
	char *start = map(4 * bytes, MAP_PRIVATE);

	if (prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0))
		die("huge");
	start += (bytes - (uintptr_t)start % bytes) % bytes;
	if (madvise(start, 3 * bytes, MADV_HUGEPAGE))
		return;
	is_huge(0);	/* what it needs once is taken before the base */
	mark_base(&h);
	/* A split frees pages that are all zeros (since Linux 6.12). */
	for (size_t i = 0; i < 3; i++, add(&h, CHUNK_PAGES))
		memset(start + i * bytes, 1, bytes);
	if (!is_huge(3 * (long)bytes))
		return;
	mark_held(&h, "3 huge pages, one event each");
	/* Or khugepaged makes a new one of what is split. */
	if (madvise(start, 3 * bytes, MADV_NOHUGEPAGE))
		return;
	/* A part is made cold: that splits it, and frees nothing. */
	if (madvise(start + bytes, bytes / 2, MADV_COLD))
		return;
	mark_held(&h, "one of them split");
	if (madvise(start + bytes + 10 * page, 100 * page, MADV_DONTNEED))
		die("madvise");
	add(&h, -100);
	mark_held(&h, "100 pages of it given back, one by one");
	munmap(start, bytes);
	add(&h, -CHUNK_PAGES);
	mark_held(&h, "one given back whole");
}

/* --- the side that reports */

static void run_command(void)
{
	int status, pid = fork();

	if (!pid) {
		execv(command[0], command);
		die(command[0]);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || status)
		die("the report's command failed");
}

static void answer(void)
{
	run_command();
	shared->marks++;
	for (int i = 0; i < LINES_MAX && shared->line[i].pid; i++) {
		const struct line *l = &shared->line[i];

		printf("%u\t%d\t%s\t%s\t%ld\t%ld\t%s\n", shared->marks, l->pid,
		       l->class, l->how, l->now, l->peak, shared->what);
	}
	fflush(stdout);
}

static void run(void (*workload)(void), const char *class)
{
	int pid, status, first = fork(), failed = 0;

	if (!first) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
		touch_deep();
		workload();
		_exit(0);
	}
	while ((pid = waitpid(-1, &status, WUNTRACED)) > 0) {
		if (WIFSTOPPED(status)) {
			answer();
			kill(pid, SIGCONT);
		} else if (status && status != SIGKILL) {
			failed = 1;
		}
	}
	if (failed)
		die("a workload failed");
	/* All its processes have ended, which are ours to reap. */
	shared->line[0] = (struct line){ first, class, "gone", 0, 0 };
	shared->what = "gone with its process";
	answer();
	memset(shared->line, 0, sizeof(shared->line));
}

int main(int argc, char *argv[])
{
	page = (size_t)sysconf(_SC_PAGESIZE);
	if (argc < 2)
		die("usage: touch COMMAND [ARG...]");
	command = argv + 1;
	shared = (struct shared *)map(page, MAP_SHARED);
	memset(shared, 0, sizeof(*shared));
	run(fork_and_go, "anon");
	run(pipes, "pipe");
	if (page == 4096)
		run(huge, "huge");
	return 0;
}
