/* SPDX-License-Identifier: MIT */
/*
 * pages ANON FREE FILE PATH BOX: holds an exact number of pages, on demand, for
 * pages.t.
 *
 * The test compares two reports that are taken while this program waits. So
 * each step must allocate its pages and nothing else, on any kernel:
 *
 * Step 0 touches one page in every 2 MiB of anonymous memory and one page in
 * every 64 of the file, so that all page tables and page cache nodes exist.
 * Transparent huge pages are off, and khugepaged sleeps.
 * Memory is freed six pages a call: with one or two more, the kernel takes a
 * page for a list of them.
 * To wait, it polls a shared mapping, which takes no memory.
 * It runs on one CPU, so that no page waits in another CPU's list.
 * A child named "holder" does all this, because pages from before an exec may
 * be freed late.
 *
 * step 1: ANON pages touched    2: FREE of them freed
 * step 3: FILE pages written    4: all but every 64th punched out
 * step 5: a fork. All else is done by the child, "copier"; both have written
 * to what they will write to later, of their stacks and data
 * step 6: 512 of the parent's pages are written to, which copies them
 * step 7: the parent is killed  8: 512 others written to, which copies none
 * step 9: 438 pages of each 512 are freed
 * step a: 3 huge pages          b: one of them is split, which frees nothing
 * step c: 96 pages of that one are freed, one by one, and another one whole
 * step d: 96 pages in pipes     e: arrays of 4 pages for each of 8 pipes
 *
 * BOX holds two characters: the last step done, and the step to go to; then one
 * by which the parent has the child go on.
 */
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include "work.h"

#define PAGE 4096
#define BLOCK 512	/* pages under one page table */
#define NODE 64		/* pages under one node of the page cache */
#define CHUNK 6
#define PIPES 8
#define PIPE_PAGES 12	/* of the 16 that have room by default */

static void drop(char *memory, long count)
{
	for (long at = 1; count > 0; at += CHUNK + 1) {
		if (at % BLOCK + CHUNK >= BLOCK)
			at += BLOCK - at % BLOCK + 1;
		must(madvise(memory + at * PAGE, (size_t)CHUNK * PAGE,
			     MADV_DONTNEED) == 0, "madvise");
		count -= CHUNK;
	}
}

static void write_pages(int fd, long pages, int stride)
{
	static char page[PAGE] = { 1 };

	for (long i = 0; i < pages; i += stride)
		must(pwrite(fd, page, PAGE, (off_t)i * PAGE) == PAGE, "write");
}

static void punch(int fd, long pages)
{
	for (long i = 0; i < pages; i += NODE)
		must(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			       (off_t)(i + 1) * PAGE,
			       (off_t)(NODE - 1) * PAGE) == 0, "fallocate");
}

/* More of its stack than a step needs, and errno. */
static void touch_own(void)
{
	volatile char stack[16 << 10];

	touch((char *)stack, sizeof(stack), PAGE);
	errno = 0;
}

static void wait_little(void)
{
	nanosleep(&(struct timespec){ 0, 2000000 }, NULL);
}

/* The child has pipes, and memory that may have huge pages, behind one that is
 * there: what the kernel needs for them is allocated by then. */
static void fork_copier(volatile char *box, int (*pipes)[2], char *huge)
{
	if (fork()) {
		touch_own();
		box[2] = 1;
		stay();
	}
	must(prctl(PR_SET_NAME, "copier") == 0, "name");
	for (int i = 0; i < PIPES; i++)
		must(!pipe(pipes[i]), "pipe");
	*map_at(huge, 4 * BLOCK * PAGE) = 1;
	must(!prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0), "huge pages");
	must(!madvise(huge, 4 * BLOCK * PAGE, MADV_HUGEPAGE), "huge pages");
	touch_own();
	while (!box[2])
		wait_little();
}

static void end_parent(void)
{
	const pid_t parent = getppid();

	must(!kill(parent, SIGKILL), "kill");
	while (!kill(parent, 0))
		wait_little();
}

static void fill_pipes(int (*pipes)[2])
{
	static char page[PAGE] = { 1 };

	for (int i = 0; i < PIPES * PIPE_PAGES; i++)
		must(write(pipes[i % PIPES][1], page, PAGE) == PAGE, "pipe");
}

static void enlarge(int (*pipes)[2])
{
	for (int i = 0; i < PIPES; i++)
		must(fcntl(pipes[i][1], F_SETPIPE_SZ, 1 << 20) > 0, "pipe");
}

static void step_of_parent(char number, char *argv[], char *memory, int fd)
{
	const size_t anon = strtoul(argv[0], NULL, 10);
	const long file = atol(argv[2]);

	switch (number) {
	case '0':
		touch(memory, anon * PAGE, BLOCK * PAGE);
		write_pages(fd, file, NODE);
		break;
	case '1':
		touch(memory, anon * PAGE, PAGE);
		break;
	case '2':
		drop(memory, atol(argv[1]));
		break;
	case '3':
		write_pages(fd, file, 1);
		break;
	default:
		punch(fd, file);
	}
}

/* `memory`: blocks of which no page was freed. */
static void step_of_child(char number, char *memory, char *huge,
			  int (*pipes)[2])
{
	switch (number) {
	case '6':
		touch(memory, BLOCK * PAGE, PAGE);
		break;
	case '7':
		end_parent();
		break;
	case '8':
		touch(memory + BLOCK * PAGE, BLOCK * PAGE, PAGE);
		break;
	case '9':
		drop(memory, 2 * (BLOCK / (CHUNK + 1) * CHUNK));
		break;
	case 'a':	/* a split frees pages that are all zeros (since 6.12) */
		memset(huge, 1, 3 * BLOCK * PAGE);
		break;
	case 'b':	/* a part is made cold: that splits it */
		must(!madvise(huge + BLOCK * PAGE, BLOCK / 2 * PAGE, MADV_COLD),
		     "split");
		break;
	case 'c':
		drop(huge + BLOCK * PAGE, 16 * CHUNK);
		must(!madvise(huge, BLOCK * PAGE, MADV_DONTNEED), "madvise");
		break;
	case 'd':
		fill_pipes(pipes);
		break;
	default:
		enlarge(pipes);
	}
}

/* The memory and the file are as long as they will ever be. */
int main(int argc, char *argv[])
{
	char *const place = (char *)(1l << 40);
	volatile char *box;
	int pipes[PIPES][2];
	cpu_set_t one;
	char *memory;
	int fd;

	if (argc != 6)
		return 2;
	if (fork())
		return wait(NULL) < 0;
	argv++;
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	must(sched_setaffinity(0, sizeof(one), &one) == 0, "affinity");
	must(prctl(PR_SET_NAME, "holder") == 0, "name");
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	box = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
		   open_at(argv[4], O_RDWR), 0);
	must(box != MAP_FAILED, argv[4]);
	memory = map_at(place, strtoul(argv[0], NULL, 10) * PAGE);
	fd = open_at(argv[3], O_RDWR | O_CREAT | O_TRUNC);
	for (const char *number = "0123456789abcde"; *number; number++) {
		while (box[1] < *number)
			wait_little();
		if (*number < '5')
			step_of_parent(*number, argv, memory, fd);
		else if (*number == '5')
			fork_copier(box, pipes, place + (64 << 20));
		else
			step_of_child(*number, memory + 4 * BLOCK * PAGE,
				      place + (66 << 20), pipes);
		box[0] = *number;
	}
	stay();
}

