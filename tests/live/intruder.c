/*
 * intruder ask BYTE: asks the tracer, as anybody can who knows its name, and
 * prints the byte of its answer, or -1.
 *
 * intruder flood SECONDS: connects as often as it can and says nothing, with
 * as many connections open as it may have; prints how often.
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

static int reach(int flags)
{
	static const char name[] = "memstrack";
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | flags, 0);

	memcpy(a.sun_path + 1, name, sizeof(name) - 1);
	if (fd >= 0 && !connect(fd, (struct sockaddr *)&a,
				offsetof(struct sockaddr_un, sun_path) +
				sizeof(name)))
		return fd;
	close(fd);
	return -1;
}

static int ask(char byte)
{
	unsigned char answer;
	int fd = reach(0);

	if (fd < 0)
		return perror("connect"), 1;
	/* Who is refused may find the other end closed already. */
	send(fd, &byte, 1, MSG_NOSIGNAL);
	printf("%d\n", read(fd, &answer, 1) == 1 ? answer : -1);
	return 0;
}

static int flood(int seconds)
{
	const time_t until = time(NULL) + seconds;
	static int open[OPEN];
	unsigned long done = 0;

	for (unsigned int i = 0; time(NULL) < until; i = (i + 1) % OPEN) {
		if (open[i] > 0)
			close(open[i]);
		open[i] = reach(SOCK_NONBLOCK);
		done += open[i] >= 0;
	}
	printf("%lu\n", done);
	return done == 0;
}

int main(int argc, char *argv[])
{
	if (argc != 3)
		return 2;
	return strcmp(argv[1], "flood") ? ask(argv[2][0]) :
					  flood(atoi(argv[2]));
}
