/* SPDX-License-Identifier: MIT */
/* press TERMINAL KEYS: as if somebody pressed these keys there. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>

int main(int argc, char **argv)
{
	int fd;

	if (argc != 3) {
		fputs("usage: press TERMINAL KEYS\n", stderr);
		return 2;
	}
	fd = open(argv[1], O_RDWR | O_NOCTTY);
	if (fd < 0) {
		perror(argv[1]);
		return 1;
	}
	for (const char *c = argv[2]; *c; c++)
		if (ioctl(fd, TIOCSTI, c)) {
			perror("TIOCSTI");
			return 1;
		}
	return 0;
}
