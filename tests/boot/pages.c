/* SPDX-License-Identifier: MIT */
/*
 * pages ANON FREE FILE PATH BOX: hold an exact number of pages, on demand.
 *
 * The test compares two reports that are taken while this program waits. So
 * each step must allocate its pages and nothing else, on any kernel:
 *
 *   Step 0 touches one page in every 2 MiB of anonymous memory and one page in
 *   every 64 of the file, so that all page tables and page cache nodes exist.
 *   Transparent huge pages are off.
 *   Memory is freed six pages a call: with one or two more, the kernel takes a
 *   page for a list of them.
 *   To wait, it polls a shared mapping, which takes no memory.
 *   It runs on one CPU, so that no page waits in another CPU's list.
 *   A child named "holder" does all this, because pages from before an exec may
 *   be freed late.
 *
 *   step 1: ANON pages touched    2: FREE of them freed
 *   step 3: FILE pages written    4: all but every 64th punched out
 *
 * BOX holds two characters: the last step done, and the step to go to.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096
#define BLOCK 512	/* pages under one page table */
#define NODE 64		/* pages under one node of the page cache */
#define CHUNK 6

static void must(int holds, const char *what)
{
	if (holds)
		return;
	dprintf(2, "pages: %s failed\n", what);
	_exit(1);
}

static void wait_for(volatile char *box, char step)
{
	const struct timespec pause = { 0, 2000000 };

	while (box[1] < step)
		nanosleep(&pause, NULL);
}

/* Every page, or only those the index of which is a multiple of `stride`. */
static void touch(char *memory, int pages, int stride)
{
	for (int i = 0; i < pages; i += stride)
		*(volatile char *)(memory + (long)i * PAGE) = 1;
}

static void drop(char *memory, int count)
{
	for (int at = 1; count > 0; at += CHUNK + 1) {
		if (at % BLOCK + CHUNK >= BLOCK)
			at += BLOCK - at % BLOCK + 1;
		must(madvise(memory + (long)at * PAGE, (long)CHUNK * PAGE,
			     MADV_DONTNEED) == 0, "madvise");
		count -= CHUNK;
	}
}

static void fill(int fd, int pages, int stride)
{
	static char page[PAGE] = { 1 };

	for (int i = 0; i < pages; i += stride)
		must(pwrite(fd, page, PAGE, (off_t)i * PAGE) == PAGE, "write");
}

static void punch(int fd, int pages)
{
	for (int i = 0; i < pages; i += NODE)
		must(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			       (off_t)(i + 1) * PAGE,
			       (off_t)(NODE - 1) * PAGE) == 0, "fallocate");
}

/* The steps; the memory and the file are as long as they will ever be. */
static void hold(const int *pages, char *memory, int fd, volatile char *box)
{
	int anon = pages[0], freed = pages[1], file = pages[2];

	touch(memory, anon, BLOCK);
	fill(fd, file, NODE);
	box[0] = '0';
	wait_for(box, '1');
	touch(memory, anon, 1);
	box[0] = '1';
	wait_for(box, '2');
	drop(memory, freed);
	box[0] = '2';
	wait_for(box, '3');
	fill(fd, file, 1);
	box[0] = '3';
	wait_for(box, '4');
	punch(fd, file);
	box[0] = '4';
	wait_for(box, '5');
}

int main(int argc, char *argv[])
{
	must(argc == 6, "usage");
	const int pages[3] = { atoi(argv[1]), atoi(argv[2]), atoi(argv[3]) };
	must(pages[0] % BLOCK == 0 && pages[1] % CHUNK == 0 &&
	     pages[2] % NODE == 0 && pages[1] < pages[0] / 2, "numbers");

	pid_t child = fork();
	must(child >= 0, "fork");
	if (child > 0)
		return waitpid(child, NULL, 0) != child;
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	must(sched_setaffinity(0, sizeof(one), &one) == 0, "affinity");
	must(prctl(PR_SET_NAME, "holder") == 0, "name");
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);

	int box_fd = open(argv[5], O_RDWR | O_CLOEXEC);
	volatile char *box = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
				  MAP_SHARED, box_fd, 0);
	must(box != MAP_FAILED, argv[5]);
	char *memory = mmap((void *)(1l << 40), (size_t)pages[0] * PAGE,
			    PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	must(memory != MAP_FAILED, "mmap");
	int fd = open(argv[4], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	must(fd >= 0, argv[4]);
	hold(pages, memory, fd, box);
	return 0;
}
