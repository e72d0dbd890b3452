/* SPDX-License-Identifier: MIT */
/*
 * load init|finit FILE PARAMETERS [FILE PARAMETERS]...
 *
 * Loads modules by that system call. Of several, each is loaded by a child of
 * its own on a CPU of its own, all at the same time. Names a module that was
 * refused, with the error; the status is 1 then.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static long load_file(const char *how, const char *file, const char *parameters)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0)
		return -1;
	if (strcmp(how, "finit") == 0)
		return syscall(SYS_finit_module, fd, parameters, 0);

	void *image = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE,
			   fd, 0);
	if (image == MAP_FAILED)
		return -1;
	return syscall(SYS_init_module, image, (unsigned long)st.st_size,
		       parameters);
}

static int load(char *argv[])
{
	if (load_file(argv[0], argv[1], argv[2]) == 0)
		return 0;
	printf("load: %s: errno %d, %s\n", argv[1], errno, strerror(errno));
	return 1;
}

/* Waits until nobody can write to the pipe any more: all are there. */
static int load_with_others(char *argv[], int number, const int *gate)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t one;
	char byte;

	CPU_ZERO(&one);
	CPU_SET((size_t)(number % cpus), &one);
	sched_setaffinity(0, sizeof(one), &one);
	close(gate[1]);
	if (read(gate[0], &byte, 1) != 0)
		return 1;
	return load(argv);
}

int main(int argc, char *argv[])
{
	int gate[2], status, failed = 0;

	setvbuf(stdout, NULL, _IONBF, 0);
	if (argc < 4 || argc % 2 != 0) {
		puts("usage: load init|finit FILE PARAMETERS...");
		return 2;
	}
	if (argc == 4)
		return load(argv + 1);
	if (pipe(gate) != 0)
		return 1;
	for (int i = 2; i < argc; i += 2) {
		char *one[] = { argv[1], argv[i], argv[i + 1] };

		if (fork() == 0)
			return load_with_others(one, i / 2 - 1, gate);
	}
	close(gate[0]);
	close(gate[1]);
	while (wait(&status) > 0)
		failed |= status != 0;
	return failed;
}
