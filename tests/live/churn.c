/* SPDX-License-Identifier: MIT */
/*
 * Work that a tracer cannot keep up with, and work that it can; for the benches
 * (tests/bench) work that allocates and frees, and does little else:
 *
 *	churn wild SECONDS	a worker on each CPU: pages taken and given
 *				back as fast as can be, processes that come and
 *				go, each under a name of any bytes
 *	churn burst ROUNDS	the same, so many rounds
 *	churn hold PAGES	a child takes so many, slowly, says its pid, and
 *				keeps them until its input ends; it ran no
 *				exec, so the kernel has nothing of it yet to
 *				free, as an exec's page tables, much later; they
 *				are locked, and stay where they are if compaction
 *				may not move such pages
 *	churn sweep PAGES	takes so many, slowly, and gives them back
 *	churn anon PAGES ROUNDS		touch anonymous memory, unmap it
 *	churn tmpfs FILE PAGES ROUNDS	write a file, truncate it
 *	churn fork ROUNDS		fork, exec of `churn true`, exit, wait
 *	churn open FILE ROUNDS		open, close: objects of slab and no page
 *
 * Slowly: a few pages, then a pause in which even a ring of one page is read.
 */
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include "../boot/work.h"

#ifndef PR_SET_THP_DISABLE
#define PR_SET_THP_DISABLE 41
#endif

#define AT_ONCE 8		/* pages */
#define PAUSE_NS 1000000
#define WILD_PAGES 1024
#define CHILD_PAGES 100

static size_t page;

static char *map(size_t pages)
{
	return map_at(NULL, pages * page);
}

static void touch_pages(char *p, size_t pages)
{
	touch(p, pages * page, page);
}

static void pause_a_little(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NS }, NULL);
}

static size_t some(size_t at, size_t pages)
{
	return pages - at < AT_ONCE ? pages - at : AT_ONCE;
}

static char *take_slowly(size_t pages)
{
	char *p = map(pages);

	for (size_t i = 0; i < pages; i += AT_ONCE) {
		touch_pages(p + i * page, some(i, pages));
		pause_a_little();
	}
	return p;
}

static int give_slowly(char *p, size_t pages)
{
	for (size_t i = 0; i < pages; i += AT_ONCE) {
		must(!munmap(p + i * page, some(i, pages) * page), "munmap");
		pause_a_little();
	}
	return 0;
}

/* Of any bytes but the one that ends it, behind one to know it by; not one like
 * it before. */
static void take_a_name(unsigned int *random)
{
	char name[16];

	for (size_t i = 0; i < sizeof(name) - 1; i++) {
		*random = *random * 1103515245 + 12345;
		name[i] = (char)(1 + (*random >> 16) % 255);
	}
	name[0] = '\1';
	name[15] = '\0';
	prctl(PR_SET_NAME, name);
}

static void come_and_go(unsigned int *random)
{
	int fd[2], pid = fork();

	if (pid) {
		*random += 7;
		if (pid > 0)
			waitpid(pid, NULL, 0);
		return;
	}
	take_a_name(random);
	touch_pages(map(CHILD_PAGES), CHILD_PAGES);
	if (!pipe(fd) && write(fd[1], map(4), 4 * page) < 0)
		_exit(1);
	_exit(0);
}

/* The end is when either is over. */
struct limit {
	time_t end;
	unsigned long rounds;
};

_Noreturn static void wild(int cpu, struct limit limit)
{
	unsigned int random = (unsigned int)(cpu * 7919 + getpid());
	cpu_set_t set;

	take_a_name(&random);
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	while (limit.rounds-- && time(NULL) < limit.end) {
		char *p = map(WILD_PAGES);

		touch_pages(p, WILD_PAGES);
		munmap(p, WILD_PAGES * page);
		come_and_go(&random);
	}
	_exit(0);
}

static int all_wild(struct limit limit)
{
	int failed = 0, status;
	cpu_set_t set;

	must(!sched_getaffinity(0, sizeof(set), &set), "sched_getaffinity");
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set) && !fork())
			wild(cpu, limit);
	while (wait(&status) > 0)
		failed |= status;
	return failed != 0;
}

static int hold(size_t pages)
{
	const pid_t child = fork();
	int status;
	char byte;

	must(child >= 0, "fork");
	if (child)
		return waitpid(child, &status, 0) != child || status;
	must(!mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT), "mlockall");
	take_slowly(pages);
	printf("%d held\n", getpid());
	fflush(stdout);
	return read(STDIN_FILENO, &byte, 1) != 0;
}

static int anon(size_t pages, unsigned long rounds)
{
	while (rounds--) {
		char *p = map(pages);

		touch_pages(p, pages);
		must(!munmap(p, pages * page), "munmap");
	}
	return 0;
}

static int tmpfs(const char *path, size_t pages, unsigned long rounds)
{
	static char bytes[65536];
	const int fd = open_at(path, O_RDWR | O_CREAT | O_TRUNC);

	must(!unlink(path), path);
	while (rounds--) {
		for (size_t i = 0; i < pages; i++)
			must(pwrite(fd, bytes, page, (off_t)(i * page)) ==
			     (ssize_t)page, "write");
		must(!ftruncate(fd, 0), "ftruncate");
	}
	return 0;
}

static int forks(unsigned long rounds)
{
	int status = 0;

	while (rounds-- && !status) {
		const pid_t pid = fork();

		if (!pid) {
			execl("/proc/self/exe", "churn", "true", NULL);
			_exit(127);
		}
		must(pid > 0 && waitpid(pid, &status, 0) == pid, "fork");
	}
	return status != 0;
}

static int opens(const char *path, unsigned long rounds)
{
	while (rounds--)
		close(open_at(path, O_RDONLY));
	return 0;
}

int main(int argc, char *argv[])
{
	const char *work = argc > 1 ? argv[1] : "";
	const char *path = argc > 2 ? argv[2] : "";
	const unsigned long number = strtoul(path, NULL, 10);
	const unsigned long last = strtoul(argv[argc - 1], NULL, 10);

	page = (size_t)sysconf(_SC_PAGESIZE);
	if (!strcmp(work, "true"))
		return 0;
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	if (argc == 3 && !strcmp(work, "wild"))
		return all_wild((struct limit){ time(NULL) + (time_t)number,
						ULONG_MAX });
	if (argc == 3 && !strcmp(work, "burst"))
		return all_wild((struct limit){ LONG_MAX, number });
	if (argc == 3 && !strcmp(work, "sweep"))
		return give_slowly(take_slowly(number), number);
	if (argc == 3 && !strcmp(work, "hold"))
		return hold(number);
	if (argc == 3 && !strcmp(work, "fork"))
		return forks(number);
	if (argc == 4 && !strcmp(work, "anon"))
		return anon(number, last);
	if (argc == 4 && !strcmp(work, "open"))
		return opens(path, last);
	if (argc == 5 && !strcmp(work, "tmpfs"))
		return tmpfs(path, strtoul(argv[3], NULL, 10), last);
	return 2;
}
