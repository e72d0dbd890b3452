/* SPDX-License-Identifier: MIT */
/*
 * crowd NUMBER FILE: starts so many processes, one after another, each with a
 * name of its own. Each holds pages in a few ways until it ends; a report of
 * level 3 has some ten lines on each. The file, on a tmpfs, keeps a page of
 * each.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096

static int one(int number, int file)
{
	static char page[PAGE];
	char name[20], *more;
	int pipes[2];

	snprintf(name, sizeof(name), "crowd-%d", number);
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
	int last = argc == 3 ? atoi(argv[1]) : 0, bad = 0, status;
	int file = last ? open(argv[2], O_RDWR | O_CREAT, 0600) : -1;

	if (file < 0)
		return 2;
	for (int i = 1; i <= last; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(one(i, file));
		bad |= waitpid(pid, &status, 0) != pid || status;
	}
	return bad;
}
