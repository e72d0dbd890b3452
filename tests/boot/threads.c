/* SPDX-License-Identifier: MIT */
/*
 * threads PAGES BOX: two threads that each hold PAGES pages, on demand.
 *
 * A thread touches its pages when the file BOX is there, and the process tells
 * the shell by the file BOX.held when both have done so. It ends at SIGTERM.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096
#define THREADS 2

static long pages;
static const char *box;
static atomic_int held;

static void *hold(void *unused)
{
	char *memory = mmap(NULL, (size_t)pages * PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		_exit(1);
	while (access(box, F_OK))
		usleep(2000);
	for (long i = 0; i < pages; i++)
		*(volatile char *)(memory + i * PAGE) = 1;
	held++;
	for (;;)
		pause();
	return unused;
}

int main(int argc, char *argv[])
{
	pthread_t thread;
	char path[64];

	if (argc != 3)
		return 2;
	pages = atol(argv[1]);
	box = argv[2];
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, hold, NULL))
			return 1;
	while (held < THREADS)
		usleep(2000);
	snprintf(path, sizeof(path), "%s.held", box);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	for (;;)
		pause();
}
