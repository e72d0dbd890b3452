/* SPDX-License-Identifier: MIT */
/*
 * squatter: takes a read lock on the file that is its standard input, as
 * anybody can who may read it, prints a line when it has it, and stays until
 * SIGTERM. So nobody else gets a write lock, the tracer neither.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static void leave(int number)
{
	_exit(number != SIGTERM);
}

int main(void)
{
	struct flock l = { .l_type = F_RDLCK };

	signal(SIGTERM, leave);
	if (fcntl(STDIN_FILENO, F_SETLK, &l))
		return perror("lock"), 1;
	puts("taken");
	fflush(stdout);
	for (;;)
		pause();
}
