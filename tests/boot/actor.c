/* SPDX-License-Identifier: MIT */
/*
 * actor WORD ARGUMENT...: what a process of a guest does for a test.
 *
 *   hold MIB		touches so many MiB, gives two thirds of them back at
 *			once, and stays. Its resident set was then larger than
 *			it is, for too short a time to be seen by a sample; the
 *			kernel remembers it (VmHWM)
 *   fill MIB [WORDS]	touches so many; of each page a third is random numbers,
 *			the rest zero. With WORDS so many words are random, and
 *			it stays
 *   press TERMINAL KEYS	as if somebody pressed these keys there
 *   reboot cad|nobody	calls of reboot() that end no system. cad sets what the
 *			keys Ctrl-Alt-Del do, as systemd does when it starts;
 *			nobody is a call that the kernel refuses to a user
 *   crowd FILE NAME...	starts a process for each name, of any bytes, one after
 *			another. Each holds pages in a few ways until it ends; a
 *			report of level 3 has some ten lines on each. The file,
 *			on a tmpfs, keeps a page of each
 *   threads PAGES BOX	two threads that each hold so many pages. A thread
 *			touches them when the file BOX is there; when both have
 *			done so, the file BOX.held is there. Ends at SIGTERM
 *   pages ANON FREE FILE PATH BOX
 *			holds an exact number of pages, on demand:
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
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/reboot.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096
#define BLOCK 512	/* pages under one page table */
#define NODE 64		/* pages under one node of the page cache */
#define CHUNK 6
#define THREADS 2

static void must(int holds, const char *what)
{
	if (holds)
		return;
	dprintf(2, "actor: %s: %s\n", what, strerror(errno));
	_exit(1);
}

static int open_at(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0600);

	must(fd >= 0, path);
	return fd;
}

static void *map_at(void *place, long pages)
{
	void *memory = mmap(place, (size_t)pages * PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS |
			    (place ? MAP_FIXED : 0), -1, 0);

	must(memory != MAP_FAILED, "mmap");
	return memory;
}

/* Every page, or only those the index of which is a multiple of `stride`. */
static void touch(char *memory, long pages, int stride)
{
	for (long i = 0; i < pages; i += stride)
		*(volatile char *)(memory + i * PAGE) = 1;
}

static _Noreturn void stay(void)
{
	for (;;)
		pause();
}

static long mib_pages(char *argv[])
{
	return atol(argv[0]) << 8;
}

static int hold(char *argv[])
{
	long pages = mib_pages(argv);
	char *memory = map_at(NULL, pages);

	touch(memory, pages, 1);
	munmap(memory, (size_t)(pages / 3 * 2) * PAGE);
	stay();
}

static int fill(char *argv[])
{
	const long words = PAGE / sizeof(uint64_t);
	long pages = mib_pages(argv);
	uint64_t *memory = map_at(NULL, pages);
	const long random_words = argv[1] ? atol(argv[1]) : words / 3;
	uint64_t number = 1;

	for (long i = 0; i < pages * words; i++) {
		if (i % words >= random_words)
			continue;
		number ^= number << 13;
		number ^= number >> 7;
		number ^= number << 17;
		memory[i] = number;
	}
	while (argv[1])
		pause();
	return 0;
}

static int press(char *argv[])
{
	int fd = open_at(argv[0], O_RDWR | O_NOCTTY);

	for (const char *c = argv[1]; *c; c++)
		must(!ioctl(fd, TIOCSTI, c), "TIOCSTI");
	return 0;
}

static int ask_reboot(char *argv[])
{
	if (!strcmp(argv[0], "cad")) {
		must(!reboot(RB_ENABLE_CAD) && !reboot(RB_DISABLE_CAD), "cad");
		return puts("cad=set") < 0;
	}
	must(!setuid(65534) && reboot(RB_AUTOBOOT) && errno == EPERM, "nobody");
	return puts("nobody=refused") < 0;
}

static int one_of_crowd(const char *name, int number, int file)
{
	static char page[PAGE];
	int pipes[2];

	prctl(PR_SET_NAME, name);
	memset(page, number, PAGE);
	touch(map_at(NULL, 4), 4, 1);
	return pipe(pipes) || write(pipes[1], page, PAGE) != PAGE ||
	       pwrite(file, page, PAGE, (off_t)number * PAGE) != PAGE;
}

static int crowd(char *argv[])
{
	int file = open_at(argv[0], O_RDWR | O_CREAT);
	int bad = 0, status;

	for (int i = 1; argv[i]; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(one_of_crowd(argv[i], i, file));
		bad |= waitpid(pid, &status, 0) != pid || status;
	}
	return bad;
}

static atomic_int held;

static void *thread(void *arguments)
{
	char **argv = arguments;
	long pages = atol(argv[0]);
	char *memory = map_at(NULL, pages);

	while (access(argv[1], F_OK))
		usleep(2000);
	touch(memory, pages, 1);
	held++;
	stay();
}

static int threads(char *argv[])
{
	pthread_t thread_of;
	char path[64];

	for (int i = 0; i < THREADS; i++)
		must(!pthread_create(&thread_of, NULL, thread, argv), "thread");
	while (held < THREADS)
		usleep(2000);
	snprintf(path, sizeof(path), "%s.held", argv[1]);
	close(open_at(path, O_CREAT | O_WRONLY));
	stay();
}

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

static void step(char number, char *argv[], char *memory, int fd)
{
	long anon = atol(argv[0]), file = atol(argv[2]);

	switch (number) {
	case '0':
		touch(memory, anon, BLOCK);
		write_pages(fd, file, NODE);
		break;
	case '1':
		touch(memory, anon, 1);
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

/* The memory and the file are as long as they will ever be. */
static int pages(char *argv[])
{
	const struct timespec little = { 0, 2000000 };
	volatile char *box;
	cpu_set_t one;
	char *memory;
	int fd;

	if (fork())
		return wait(NULL) < 0;
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	must(sched_setaffinity(0, sizeof(one), &one) == 0, "affinity");
	must(prctl(PR_SET_NAME, "holder") == 0, "name");
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	box = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
		   open_at(argv[4], O_RDWR), 0);
	must(box != MAP_FAILED, argv[4]);
	memory = map_at((void *)(1l << 40), atol(argv[0]));
	fd = open_at(argv[3], O_RDWR | O_CREAT | O_TRUNC);
	for (char number = '0'; number < '5'; number++) {
		while (box[1] < number)
			nanosleep(&little, NULL);
		step(number, argv, memory, fd);
		box[0] = number;
	}
	stay();
}

static const struct word {
	const char *name;
	int least;		/* arguments */
	int (*act)(char *argv[]);
} words[] = {
	{ "hold", 1, hold }, { "fill", 1, fill }, { "press", 2, press },
	{ "reboot", 1, ask_reboot }, { "crowd", 2, crowd },
	{ "threads", 2, threads }, { "pages", 5, pages },
};

int main(int argc, char *argv[])
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (argc > 1 + words[i].least && !strcmp(argv[1], words[i].name))
			return words[i].act(argv + 2);
	return 2;
}
