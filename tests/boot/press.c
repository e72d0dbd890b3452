/* SPDX-License-Identifier: MIT */
/* press TERMINAL KEYS: as if somebody pressed these keys there. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>

int main(int argc, char **argv)
{
	int fd = argc == 3 ? open(argv[1], O_RDWR | O_NOCTTY) : -1;

	for (const char *c = fd < 0 ? "" : argv[2]; *c; c++)
		if (ioctl(fd, TIOCSTI, c)) {
			perror("TIOCSTI");
			return 1;
		}
	return fd < 0;
}
