/*
 * squatter NAME HOW: takes the tracer's name in the abstract namespace, as
 * anybody can, prints a line when it has it, and stays until SIGTERM.
 *
 * HOW: "listen" says yes to whoever connects and asks; "full" listens too, but
 * takes nobody and has no room for the next; "deaf" does not even listen.
 */
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int make(void)
{
	return socket(AF_UNIX, SOCK_STREAM, 0);
}

static void leave(int number)
{
	_exit(number != SIGTERM);
}

int main(int argc, char *argv[])
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = make();
	socklen_t len;

	if (argc != 3 || strlen(argv[1]) + 1 > sizeof(a.sun_path))
		return 2;
	signal(SIGTERM, leave);
	signal(SIGPIPE, SIG_IGN);
	memcpy(a.sun_path + 1, argv[1], strlen(argv[1]));
	len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			  strlen(argv[1]));
	if (bind(fd, (struct sockaddr *)&a, len))
		return perror("bind"), 1;
	if (strcmp(argv[2], "deaf") && listen(fd, 0))
		return perror("listen"), 1;
	if (!strcmp(argv[2], "full") &&
	    connect(make(), (struct sockaddr *)&a, len))
		return perror("connect"), 1;
	puts("taken");
	fflush(stdout);
	while (!strcmp(argv[2], "listen")) {
		int client = accept(fd, NULL, NULL);

		/* Whoever asks may have gone without the answer. */
		if (write(client, "", 1) == 1 || client >= 0)
			close(client);
	}
	for (;;)
		pause();
}
