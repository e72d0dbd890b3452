/* SPDX-License-Identifier: MIT */
/*
 * intruder ask PID BYTE: asks the tracer PID in every way that anybody could
 * try: by the name that its socket once had in the abstract namespace, and by
 * each of its descriptors. Prints the byte of its answer, or -1 where no way
 * leads there.
 *
 * intruder flood PID SECONDS: connects as often as it can and says nothing,
 * with as many connections open as it may have; prints how often it has tried
 * and how often it came through. A way that leads there is kept to.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define OPEN 512
#define WAYS 65

/* A descriptor, or -1. */
static int reach(const char *pid, int way, int flags)
{
	static const char name[] = "memstrack";
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	socklen_t len = sizeof(a);
	int error, fd = socket(AF_UNIX, SOCK_STREAM | flags, 0);

	if (way) {
		snprintf(a.sun_path, sizeof(a.sun_path), "/proc/%s/fd/%d", pid,
			 way - 1);
	} else {
		memcpy(a.sun_path + 1, name, sizeof(name) - 1);
		len = offsetof(struct sockaddr_un, sun_path) + sizeof(name);
	}
	if (fd >= 0 && !connect(fd, (struct sockaddr *)&a, len))
		return fd;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

static int ask(const char *pid, char byte)
{
	unsigned char answer;
	int fd = -1;

	for (int way = 0; way < WAYS && fd < 0; way++)
		fd = reach(pid, way, 0);
	/* Who is refused may find the other end closed already. */
	send(fd, &byte, 1, MSG_NOSIGNAL);
	printf("%d\n", read(fd, &answer, 1) == 1 ? answer : -1);
	return 0;
}

static int flood(const char *pid, int seconds)
{
	const time_t until = time(NULL) + seconds;
	unsigned long tried = 0, through = 0;
	static int open[OPEN];
	int way = 0;

	for (; time(NULL) < until; tried++) {
		int *fd = &open[tried % OPEN];

		if (*fd > 0)
			close(*fd);
		*fd = reach(pid, way, SOCK_NONBLOCK);
		through += *fd >= 0;
		if (*fd < 0 && errno != EAGAIN)
			way = (way + 1) % WAYS;
	}
	printf("%lu tries, %lu through\n", tried, through);
	return tried == 0;
}

int main(int argc, char *argv[])
{
	if (argc != 4)
		return 2;
	return strcmp(argv[1], "flood") ? ask(argv[2], argv[3][0]) :
					  flood(argv[2], atoi(argv[3]));
}
