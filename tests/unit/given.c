/* SPDX-License-Identifier: MIT */
/*
 * control/control.c and output/file.c: the file that a client gives, files
 * that the tracer refuses, and text that does not fit.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include "control/control.h"
#include "output/output.h"
#include "tap.h"

#ifndef F_ADD_SEALS
#define F_ADD_SEALS 1033
#endif
#define SHRINK_GROW 6

static int sealed(off_t size, int seals)
{
	int fd = memfd_create("t", MFD_ALLOW_SEALING);

	return ftruncate(fd, size) || fcntl(fd, F_ADD_SEALS, seals) ? -1 : fd;
}

static void refused(void)
{
	char path[] = "/tmp/given.XXXXXX";
	int pipes[2] = { -1, -1 }, pair[2] = { -1, -1 }, file = mkstemp(path);
	int failed = pipe(pipes) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	const struct {
		int fd;
		const char *what;
	} t[] = {
		{ -1, "no file" },
		{ open("/dev/null", O_RDWR), "a device" },
		{ open("/", O_RDONLY), "a directory" },
		{ pipes[1], "a pipe" }, { pair[0], "a socket" },
		{ file, "a file of a disk" },
		{ memfd_create("t", 0), "a memfd without seals" },
		{ sealed(65536, 2), "one that may grow" },
		{ sealed(65536, 4), "one that may shrink" },
		{ sealed(4095, SHRINK_GROW), "a small one" },
		{ sealed((1 << 20) + 1, SHRINK_GROW), "a huge one" },
	};
	uint64_t bytes;

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++)
		tap_ok(!failed && (t[i].fd >= 0) == (i > 0) &&
		       given_check(t[i].fd, &bytes) == -EBADF, "%s", t[i].what);
	unlink(path);
}

static void put(struct snapshot *s, size_t len)
{
	static char text[900];

	memset(text, 'x', sizeof(text));
	s->out.line(&s->out, text, len);
}

static void written(void)
{
	const char *text = NULL;
	uint64_t bytes = 0;
	struct snapshot s;
	struct stat st;
	int fd = given_make(8192, &text);

	tap_ok(fd >= 0 && !given_check(fd, &bytes) && bytes == 8192 &&
	       !text[0] && !text[8191] && !fstat(fd, &st) &&
	       st.st_blocks == 16, "a file of ours, all zeros, with its pages");
	snapshot_begin(&s, fd, bytes);
	put(&s, 3);
	put(&s, 2);
	tap_ok(!snapshot_end(&s) && !strcmp(text, "xxx\nxx\n") && !s.cut,
	       "two lines, and the end");
	snapshot_begin(&s, fd, bytes);
	for (int i = 0; i < 20; i++)
		put(&s, 899);
	put(&s, 1);
	tap_ok(!snapshot_end(&s) && s.cut && strlen(text) == 8100,
	       "nine of twenty fit, and none behind them: %u",
	       (unsigned int)strlen(text));
	tap_ok(pwrite(fd, "x", 1, 8192) < 0 && ftruncate(fd, 0) < 0 &&
	       !fstat(fd, &st) && st.st_size == 8192 && st.st_blocks == 16,
	       "no page was taken, and it cannot get longer or shorter");
	snapshot_begin(&s, open("/dev/full", O_WRONLY), bytes);
	put(&s, 9);
	tap_ok(snapshot_end(&s) == -ENOSPC, "an error of the file is told");
	snapshot_begin(&s, open("/dev/full", O_WRONLY), bytes);
	for (int i = 0; i < 1000; i++)
		snapshot_put(&s, "12345678901234567890", 20);
	tap_ok(s.used <= sizeof(s.part) && snapshot_write(&s) == -ENOSPC,
	       "after an error nothing is kept");
}

static void passed(void)
{
	int pair[2], file = 5, fd = memfd_create("t", 0);
	char bytes[8];

	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	tap_ok(given_send(pair[0], "abc", 3, fd) == 3 &&
	       given_receive(pair[1], bytes, 8, &file) == 3 && file > fd &&
	       !memcmp(bytes, "abc", 3), "bytes with a file");
	tap_ok(send(pair[0], "d", 1, 0) == 1 &&
	       given_receive(pair[1], bytes, 8, &file) == 1 && file == -1,
	       "and without one");
	tap_ok(given_receive(pair[1], bytes, 8, &file) == -1 &&
	       errno == EAGAIN && file == -1, "nothing: no wait");
}

int main(void)
{
	refused();
	written();
	passed();
	return tap_plan_done();
}
