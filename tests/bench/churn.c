/* SPDX-License-Identifier: MIT */
/*
 * Three workloads that allocate and free pages and do little else: the worst
 * case for the cost of a tracer of pages.
 *
 *	churn anon PAGES ROUNDS		touch PAGES of anonymous memory, unmap
 *	churn tmpfs FILE PAGES ROUNDS	write PAGES of a file, truncate it
 *	churn fork ROUNDS		fork, exec of `churn true`, exit, wait
 *
 * It prints nothing; its time is taken from outside. Pages have the machine's
 * usual size and are never huge.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int fail(const char *what)
{
	fprintf(stderr, "churn: %s: %s\n", what, strerror(errno));
	return 1;
}

static int anon(size_t pages, unsigned long rounds)
{
	const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);

	while (rounds--) {
		char *at = mmap(NULL, pages * page_bytes,
				PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (at == MAP_FAILED)
			return fail("mmap");
		madvise(at, pages * page_bytes, MADV_NOHUGEPAGE);
		for (size_t i = 0; i < pages; i++)
			((volatile char *)at)[i * page_bytes] = 1;
		if (munmap(at, pages * page_bytes) < 0)
			return fail("munmap");
	}
	return 0;
}

static int tmpfs(const char *path, size_t pages, unsigned long rounds)
{
	static char page[65536];
	const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0)
		return fail(path);
	unlink(path);
	while (rounds--) {
		for (size_t i = 0; i < pages; i++)
			if (pwrite(fd, page, page_bytes,
				   (off_t)(i * page_bytes)) !=
			    (ssize_t)page_bytes)
				return fail("write");
		if (ftruncate(fd, 0) < 0)
			return fail("ftruncate");
	}
	close(fd);
	return 0;
}

static int forks(unsigned long rounds)
{
	char *const argv[] = { "churn", "true", NULL };
	int status;

	while (rounds--) {
		pid_t pid = fork();

		if (pid < 0)
			return fail("fork");
		if (pid == 0) {
			execv("/proc/self/exe", argv);
			_exit(127);
		}
		if (waitpid(pid, &status, 0) != pid || status != 0) {
			fprintf(stderr, "churn: child: status %d\n", status);
			return 1;
		}
	}
	return 0;
}

/* Each round allocates and frees some objects of slab, and no page. */
static int opens(const char *path, unsigned long rounds)
{
	while (rounds--) {
		int fd = open(path, O_RDONLY);

		if (fd < 0)
			return fail(path);
		close(fd);
	}
	return 0;
}

int main(int argc, char *argv[])
{
	const char *mode = argc > 1 ? argv[1] : "";

	if (argc == 2 && strcmp(mode, "true") == 0)
		return 0;
	if (argc == 4 && strcmp(mode, "anon") == 0)
		return anon(strtoul(argv[2], NULL, 10),
			    strtoul(argv[3], NULL, 10));
	if (argc == 5 && strcmp(mode, "tmpfs") == 0)
		return tmpfs(argv[2], strtoul(argv[3], NULL, 10),
			     strtoul(argv[4], NULL, 10));
	if (argc == 3 && strcmp(mode, "fork") == 0)
		return forks(strtoul(argv[2], NULL, 10));
	if (argc == 4 && strcmp(mode, "open") == 0)
		return opens(argv[2], strtoul(argv[3], NULL, 10));
	fputs("usage: churn anon PAGES ROUNDS | tmpfs FILE PAGES ROUNDS | "
	      "fork ROUNDS | open FILE ROUNDS\n", stderr);
	return 2;
}
