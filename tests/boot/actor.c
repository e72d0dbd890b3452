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
 *   bpf		holds maps of BPF: a hash of a million entries, and one whose
 *			16,384 values of 256 bytes are there for each CPU
 *   dumb CARD MIB	holds a buffer of a GPU of so many MiB, a dumb one, each page
 *			of which is written
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/reboot.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "work.h"

#define PAGE 4096
#define THREADS 2

static int hold(char *argv[])
{
	size_t bytes = strtoul(argv[0], NULL, 10) << 20;
	char *memory = map_at(NULL, bytes);

	touch(memory, bytes, PAGE);
	munmap(memory, bytes / PAGE / 3 * 2 * PAGE);
	stay();
}

static int fill(char *argv[])
{
	const long words = PAGE / sizeof(uint64_t);
	long pages = atol(argv[0]) << 8;
	uint64_t *memory = (uint64_t *)map_at(NULL, (size_t)pages * PAGE);
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
	touch(map_at(NULL, 4 * PAGE), 4 * PAGE, PAGE);
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
	size_t bytes = strtoul(argv[0], NULL, 10) * PAGE;
	char *memory = map_at(NULL, bytes);

	while (access(argv[1], F_OK))
		usleep(2000);
	touch(memory, bytes, PAGE);
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

static void print(const char *name, unsigned long long value)
{
	printf("%s=%llu\n", name, value);
	fflush(stdout);
}

/* musl has no <linux/bpf.h>: BPF_MAP_CREATE, BPF_MAP_TYPE_HASH and _PERCPU_HASH,
 * and their layout. */
static int hold_maps(char *argv[])
{
	const struct {
		uint32_t type, key_bytes, value_bytes, entries, rest[14];
	} maps[] = { { 1, 4, 8, 1 << 20, { 0 } },
		     { 5, 4, 256, 1 << 14, { 0 } } };

	(void)argv;
	for (int i = 0; i < 2; i++)
		must(syscall(SYS_bpf, 0, &maps[i], sizeof(maps[i])) >= 0, "bpf");
	print("maps", 2);
	stay();
}

/* Of the kernel's include/uapi/drm/drm_mode.h, which not every machine has. */
struct create {
	uint32_t height, width, bits, flags;	/* what is wished */
	uint32_t handle, pitch;			/* what it is */
	uint64_t size;
};
struct map {
	uint32_t handle, pad;
	uint64_t offset;
};
#define CREATE_DUMB _IOWR('d', 0xb2, struct create)
#define MAP_DUMB _IOWR('d', 0xb3, struct map)

static int hold_buffer(char *argv[])
{
	/* 256 lines of 1024 pixels are a MiB. */
	struct create create = {
		.width = 1024, .bits = 32,
		.height = (uint32_t)atoi(argv[1]) * 256,
	};
	const int card = open_at(argv[0], O_RDWR);
	struct map map = { 0 };
	void *memory;

	must(!ioctl(card, CREATE_DUMB, &create), "CREATE_DUMB");
	map.handle = create.handle;
	must(!ioctl(card, MAP_DUMB, &map), "MAP_DUMB");
	memory = mmap(NULL, create.size, PROT_READ | PROT_WRITE, MAP_SHARED,
		      card, (off_t)map.offset);
	must(memory != MAP_FAILED, "mmap");
	memset(memory, 1, create.size);
	print("bytes", create.size);
	stay();
}

static const struct word {
	const char *name;
	int least;		/* arguments */
	int (*act)(char *argv[]);
} words[] = {
	{ "hold", 1, hold }, { "fill", 1, fill }, { "press", 2, press },
	{ "reboot", 1, ask_reboot }, { "crowd", 2, crowd },
	{ "threads", 2, threads }, { "bpf", 0, hold_maps },
	{ "dumb", 2, hold_buffer },
};

int main(int argc, char *argv[])
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (argc > 1 + words[i].least && !strcmp(argv[1], words[i].name))
			return words[i].act(argv + 2);
	return 2;
}
