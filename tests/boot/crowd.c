/* SPDX-License-Identifier: MIT */
/*
 * crowd FILE NAME...: starts a process for each name, of any bytes, one after
 * another. Each holds pages in a few ways until it ends; a report of level 3
 * has some ten lines on each. The file, on a tmpfs, keeps a page of each.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096

static int one(const char *name, int number, int file)
{
	static char page[PAGE];
	int pipes[2];
	char *more;

	prctl(PR_SET_NAME, name);
	memset(page, number, PAGE);
	more = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (more == MAP_FAILED || pipe(pipes))
		return 1;
	memset(more, number, 4 * PAGE);
	return write(pipes[1], page, PAGE) != PAGE ||
	       pwrite(file, page, PAGE, (off_t)number * PAGE) != PAGE;
}

int main(int argc, char *argv[])
{
	int file = argc > 2 ? open(argv[1], O_RDWR | O_CREAT, 0600) : -1;
	int bad = 0, status;

	if (file < 0)
		return 2;
	for (int i = 2; i < argc; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(one(argv[i], i, file));
		bad |= waitpid(pid, &status, 0) != pid || status;
	}
	return bad;
}
