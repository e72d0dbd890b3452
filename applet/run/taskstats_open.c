/* SPDX-License-Identifier: MIT */
/*
 * The socket of taskstats: see run.h, taskstats. It is written and read as any
 * file: what is written goes to the kernel, which answers before the write
 * returns.
 */
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/system.h"
#include "base/base.h"
#include "run/run.h"

/* The longest list of CPUs that we send. */
#define CPUS_BYTES 512

struct request {
	struct nlmsghdr head;
	struct genlmsghdr command;
	struct nlattr attribute;
	char value[CPUS_BYTES];		/* a text with its end byte */
};

/* Sends a command with one text, and reads the answer. Returns its bytes, or
 * -errno. */
static ssize_t ask(int fd, uint16_t family, uint8_t command, uint16_t attribute,
		   const char *text, unsigned char *answer, size_t size)
{
	const size_t len = strlen(text) + 1;
	const size_t whole = offsetof(struct request, value) +
			     ((len + 3) & ~(size_t)3);
	struct request r = {
		.head = { .nlmsg_len = (uint32_t)whole, .nlmsg_type = family,
			  .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK },
		.command = { .cmd = command, .version = 1 },
		.attribute = { .nla_len = (uint16_t)(sizeof(struct nlattr) + len),
			       .nla_type = attribute },
	};
	ssize_t n;

	memcpy(r.value, text, len);
	if (write(fd, &r, whole) < 0)
		return -errno;
	n = read(fd, answer, size);
	return n < 0 ? -errno : n;
}

/* The answer to a request for data is followed by an acknowledgement, which is
 * passed over as any other message. */
static int find_family(int fd)
{
	unsigned char answer[1024];
	const ssize_t n = ask(fd, GENL_ID_CTRL, CTRL_CMD_GETFAMILY,
			      CTRL_ATTR_FAMILY_NAME, TASKSTATS_GENL_NAME,
			      answer, sizeof(answer));
	int number;

	if (n < 0)
		return (int)n;
	number = taskstats_family(answer, (size_t)n);
	if (number > 0 && read(fd, answer, sizeof(answer)) < 0)
		return -errno;
	return number;
}

/* All CPUs that may ever be there: a list such as "0-3". */
static int listen_to_all(int fd, uint16_t family)
{
	char cpus[CPUS_BYTES];
	unsigned char answer[1024];
	ssize_t n = readfile("/sys/devices/system/cpu/possible", cpus,
			     sizeof(cpus));

	if (n <= 0)
		return n ? (int)n : -ENODATA;
	cpus[length_to(cpus, '\n')] = '\0';
	n = ask(fd, family, TASKSTATS_CMD_GET,
		TASKSTATS_CMD_ATTR_REGISTER_CPUMASK, cpus, answer,
		sizeof(answer));
	/* Records of tasks that exit meanwhile come before the answer. */
	while (n > 0 && !taskstats_is_status(answer, (size_t)n)) {
		n = read(fd, answer, sizeof(answer));
		if (n < 0)
			n = -errno;
	}
	return n <= 0 ? (n ? (int)n : -EINVAL) :
			taskstats_status(answer, (size_t)n);
}

/* Thousands of processes may exit before we read: the room is taken only as it
 * is needed. */
static void make_room(int fd)
{
	const int bytes = TASKSTATS_ROOM_BYTES;

	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
}

int taskstats_open(struct stats_socket *t)
{
	int number;

	*t = (struct stats_socket){
		.fd = system_socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC |
				    SOCK_NONBLOCK, NETLINK_GENERIC),
	};
	if (t->fd < 0)
		return -errno;
	make_room(t->fd);
	number = find_family(t->fd);
	t->family = (uint16_t)number;
	if (number > 0)
		number = listen_to_all(t->fd, t->family);
	if (number)
		taskstats_close(t);
	return number;
}

void taskstats_close(struct stats_socket *t)
{
	close(t->fd);
	t->fd = -1;
}

size_t taskstats_read(struct stats_socket *t, unsigned char *buf, size_t size)
{
	ssize_t n;

	while ((n = read(t->fd, buf, size)) < 0)
		if (errno == ENOBUFS)
			t->losses++;
		else if (errno != EINTR)
			return 0;
	return (size_t)n;
}
