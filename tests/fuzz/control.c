/* SPDX-License-Identifier: MIT */
/*
 * Both ends of the control socket, opposite to one that sends any bytes and
 * goes: only root is heard, only its first byte counts, and only if it is a
 * request, and what names sections behind that for which it was made; who asked
 * is always answered, with exactly one byte; and a client believes one byte of
 * root's, or says that there was none. No descriptor is left.
 *
 * Byte 0: whether the other end is root's; 1: what is asked or answered; the
 * rest is what the other end sends.
 */
#include <fcntl.h>
#include <sys/socket.h>
#include "config/config.h"
#include "control/control.h"
#include "fuzz.h"

static struct {
	int end[2];		/* ours, theirs */
	unsigned int uid;
} scene;

/* What is asked of the kernel: sockets are the pair, sending is real. */
int faked_system_accept(int listener)
{
	must(!listener);
	return scene.end[0];
}

static int faked_getsockopt(int fd, int level, int option, void *value,
			    socklen_t *bytes)
{
	struct ucred *cred = value;

	must(fd == scene.end[0] && level == SOL_SOCKET);
	must(option == SO_PEERCRED && *bytes == sizeof(*cred));
	*cred = (struct ucred){ .pid = 7, .uid = scene.uid };
	return 0;
}

/* An answer. */
static ssize_t faked_send(int fd, const void *bytes, size_t len, int flags)
{
	must(len == 1);
	return send(fd, bytes, len, flags);
}

/* As reach.c has it, but for the way there. */
int faked_control_reach(struct control_way *way, int64_t deadline)
{
	int error = control_peer(scene.end[0], &way->pid);

	(void)deadline;
	if (!error)
		return scene.end[0];
	close(scene.end[0]);
	return error;
}

/* On these: who is at the other end, and whether a tracer is, is the kernel's to
 * say. What else they define stands for the library's, of which none is linked. */
#define system_accept faked_system_accept
#define getsockopt faked_getsockopt
#define send faked_send
#define control_reach faked_control_reach
#include "control/control.c"
#include "control/listen.c"
#include "control/client.c"
#undef send

/* Their end: sends all, and will send no more. */
static void open_pair(const uint8_t *data, size_t size)
{
	must(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, scene.end));
	must(send(scene.end[1], data, size, MSG_NOSIGNAL) == (ssize_t)size);
	shutdown(scene.end[1], SHUT_WR);
}

/* What is closed is closed: the next descriptor is the one we had. Else bytes
 * that were not read cut the answer off, which the kernel tells. */
static void check_closed(void)
{
	must(fcntl(scene.end[0], F_GETFD) < 0 && errno == EBADF);
	close(scene.end[1]);
}

static void check_answer(unsigned char wanted)
{
	unsigned char answer[2];

	must(recv(scene.end[1], answer, 2, MSG_DONTWAIT) == 1);
	must(answer[0] == wanted);
}

static void tracer_side(const uint8_t *data, size_t size, uint8_t error)
{
	struct control_door door = { .listener = 0, .silent = -1 };
	struct control_message m = { 0 };
	const size_t at = offsetof(struct control_message, sections);
	char list[PATH_BYTES] = "";
	int known = size && (*data == 'r' || *data == 's');
	int fd;

	if (size && *data && *data <= CONTROL_SECTIONS) {
		if (size > at)
			memcpy(list, data + at, size - at < PATH_BYTES ?
			       size - at : PATH_BYTES - 1);
		known = !sections_check(list);
	}
	open_pair(data, size);
	fd = control_accept(&door, &m);
	if (scene.uid) {
		must(fd == -EPERM);
		check_answer(EPERM);
	} else if (!known) {
		must(fd == -EAGAIN);
		/* No file ever comes with a request that needs one. */
		check_answer(!size ? EAGAIN : *data != CONTROL_LIVE &&
			     *data != CONTROL_PAGES ? EINVAL : size > 1 &&
			     data[1] == CONTROL_VERSION ? EBADF : EPROTO);
	} else {
		must(fd == scene.end[0] && m.request == *data);
		must(*data > CONTROL_SECTIONS || !strcmp(m.sections, list));
		control_answer(fd, -(int)error);
		check_answer(error);
	}
	must(door.silent < 0);
	check_closed();
}

static void client_side(const uint8_t *data, size_t size, uint8_t request)
{
	int got;

	open_pair(data, size);
	/* What was sent is there; who answers EAGAIN is not asked again. */
	got = control_ask_once(request, request & 1 ? "module_summary" : "",
			       0);
	if (scene.uid)
		must(got == -EPERM);
	else
		must(got == (!size ? -ECONNRESET :
			     *data ? -(int)*data : scene.end[0]));
	if (got >= 0)
		close(got);
	check_closed();
}

void fuzz_control(const uint8_t *data, size_t size)
{
	if (size < 2)
		return;
	scene.uid = data[0] & 1 ? data[0] : 0;
	tracer_side(data + 2, size - 2, data[1]);
	client_side(data + 2, size - 2, data[1]);
}
