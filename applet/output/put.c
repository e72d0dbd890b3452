/* SPDX-License-Identifier: MIT */
/* See output.h, put. */
#include <errno.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/system.h"
#include "limits.h"
#include "base/base.h"
#include "output/output.h"

/* A serial line at 9600 takes 20 bytes in a tick. */
#define TICK_MS 20
#define STALL_TICKS 50

/* poll(POLLOUT) does not help: while another writer holds a tty, poll() says
 * ready and write() says EAGAIN. */
static void tick(void)
{
	poll(NULL, 0, TICK_MS);
}

static int put_bytes(int fd, const char *text, size_t len, int64_t deadline_ms)
{
	unsigned int stalled = 0;

	while (len) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN)
			return errno;
		if (n > 0) {
			text += n;
			len -= (size_t)n;
			stalled = 0;
			continue;
		}
		if (++stalled > STALL_TICKS ||
		    (deadline_ms && !deadline_left_ms(deadline_ms)))
			return ETIMEDOUT;
		tick();
	}
	return 0;
}

int put_line(int fd, const char *format, const char *text, size_t len,
	     int64_t deadline_ms)
{
	char whole[LINE_BYTES + 24];
	size_t n = print_to(whole, sizeof(whole), format, (int)len, text);

	return put_bytes(fd, whole, n, deadline_ms);
}

void put_drain(int fd)
{
	int left;

	for (int i = 0; i < STALL_TICKS; i++) {
		if (ioctl(fd, TIOCOUTQ, &left) || left <= 0)
			return;
		tick();
	}
}
