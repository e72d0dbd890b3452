/*
 * control.c, both ends, opposite to one that sends any bytes and goes: only
 * root is heard, only its first byte counts, and only if it is a request, and
 * what names sections behind that for which it was made; who
 * asked is always answered, with exactly one byte; and a client believes one
 * byte of root's, or says that there was none. No descriptor is left.
 *
 * Byte 0: whether the other end is root's; 1: what is asked or answered; the
 * rest is what the other end sends.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "config/sections.h"
#include "limits.h"
#include "must.h"

struct scene {
	int end[2];		/* ours, theirs */
	unsigned int uid;
};

static struct scene *scene(void)
{
	static struct scene one;

	return &one;
}

/* What control.c asks of the kernel: sockets are the pair, sending is real. */
static long faked_syscall(long number, ...)
{
	struct scene *s = scene();
	long result = s->end[0];
	va_list args;

	va_start(args, number);
	if (number == SYS_getsockopt) {
		struct ucred *cred;

		(void)va_arg(args, int);
		(void)va_arg(args, int);
		must(va_arg(args, int) == SO_PEERCRED);
		cred = va_arg(args, struct ucred *);
		must(*va_arg(args, socklen_t *) == sizeof(*cred));
		*cred = (struct ucred){ .pid = 7, .uid = s->uid };
		result = 0;
	} else if (number == SYS_sendto) {
		int fd = va_arg(args, int);
		const void *bytes = va_arg(args, const void *);
		long len = va_arg(args, long);

		must(len == 1 || len == 1 + 14);
		result = send(fd, bytes, (size_t)len, va_arg(args, int));
	} else {
		must(number == SYS_accept4 || number == SYS_socket ||
		     number == SYS_connect);
		result = number == SYS_connect ? 0 : s->end[0];
	}
	va_end(args);
	return result;
}

#include "../unit/control_faked.h"

/* Their end: sends all, and will send no more. */
static void open_pair(const uint8_t *data, size_t size)
{
	struct scene *s = scene();

	must(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, s->end));
	must(send(s->end[1], data, size, MSG_NOSIGNAL) == (ssize_t)size);
	shutdown(s->end[1], SHUT_WR);
}

/* What is closed is closed: the next descriptor is the one we had. Else bytes
 * that were not read cut the answer off, which the kernel tells. */
static void check_closed(void)
{
	struct scene *s = scene();

	must(fcntl(s->end[0], F_GETFD) < 0 && errno == EBADF);
	close(s->end[1]);
}

static void check_answer(unsigned char wanted)
{
	unsigned char answer[2];

	must(recv(scene()->end[1], answer, 2, MSG_DONTWAIT) == 1);
	must(answer[0] == wanted);
}

static void tracer_side(const uint8_t *data, size_t size, uint8_t error)
{
	struct control_message m = { 0 };
	char list[PATH_BYTES] = "";
	int known = size && (*data == 'r' || *data == 's');
	int fd;

	if (size > 1 && *data && *data <= CONTROL_SECTIONS) {
		memcpy(list, data + 1, size < PATH_BYTES ? size - 1 :
							   PATH_BYTES - 1);
		known = !sections_check(list);
	}
	open_pair(data, size);
	fd = faked_control_accept(0, &m);
	if (scene()->uid) {
		must(fd == -EPERM);
		check_answer(EPERM);
	} else if (!known) {
		must(fd == -EAGAIN);
		check_answer(size ? EINVAL : EAGAIN);
	} else {
		must(fd == scene()->end[0] && m.request == *data);
		must(*data > CONTROL_SECTIONS || !strcmp(m.sections, list));
		faked_control_answer(fd, -(int)error);
		check_answer(error);
	}
	check_closed();
}

static void client_side(const uint8_t *data, size_t size, uint8_t request)
{
	int got;

	open_pair(data, size);
	/* What was sent is there; who answers EAGAIN is not asked again. */
	got = faked_control_ask(request, request & 1 ? "module_summary" : "",
				0);
	if (scene()->uid)
		must(got == -EPERM);
	else
		must(got == (!size ? -ECONNRESET :
			     *data ? -(int)*data : scene()->end[0]));
	if (got >= 0)
		close(got);
	check_closed();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	scene()->uid = data[0] & 1 ? data[0] : 0;
	tracer_side(data + 2, size - 2, data[1]);
	client_side(data + 2, size - 2, data[1]);
	return 0;
}
