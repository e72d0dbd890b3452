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
#include "base/base.h"
#include "base/system.h"
#include "host/run/run.h"

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
	if (number) {
		close(t->fd);
		t->fd = -1;
	}
	return number;
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

/*
 * --- taskstats
 *
 * The records of taskstats, out of netlink messages: see run.h, taskstats.
 *
 * A message has a header, the header of generic netlink, and attributes, of
 * which those of type AGGR_PID and AGGR_TGID hold two attributes each: a number
 * and the struct. When the last thread of a process exits, its message also has
 * the sum of all threads, with the process of that thread.
 */

/* Where the fields are, on every machine; the test compares them with the
 * header. ac_tgid has a place only in newer headers. */
enum {
	AT_VERSION = 0, AT_EXITCODE = 4, AT_FLAG = 8, AT_COMM = 80, AT_PID = 128,
	AT_PPID = 132, AT_ETIME = 144, AT_COREMEM = 184, AT_VIRTMEM = 192,
	AT_HIWATER_RSS = 200, AT_HIWATER_VM = 208, AT_TGID = 368,
};
/* The first version with ac_tgid, and with the flag AGROUP: the last task of its
 * process. */
#define VERSION_TGID 12
/* This one alone (Linux 6.15) has the longest and the shortest of each delay
 * behind its sum, two times 8 bytes: of three delays in front of ac_comm, of six
 * in front of ac_tgid. Since the next one they are at the end. */
#define VERSION_INSERTED 15
#define INSERTED_COMM 48u
#define INSERTED_TGID 96u
#define FLAG_AGROUP 0x20u

_Static_assert(offsetof(struct taskstats, ac_exitcode) == AT_EXITCODE &&
	       offsetof(struct taskstats, ac_flag) == AT_FLAG &&
	       offsetof(struct taskstats, ac_comm) == AT_COMM &&
	       offsetof(struct taskstats, ac_pid) == AT_PID &&
	       offsetof(struct taskstats, ac_ppid) == AT_PPID &&
	       offsetof(struct taskstats, ac_etime) == AT_ETIME &&
	       offsetof(struct taskstats, coremem) == AT_COREMEM &&
	       offsetof(struct taskstats, virtmem) == AT_VIRTMEM &&
	       offsetof(struct taskstats, hiwater_rss) == AT_HIWATER_RSS &&
	       offsetof(struct taskstats, hiwater_vm) == AT_HIWATER_VM,
	       "the kernel's struct taskstats");

/* Attributes and messages begin at multiples of four bytes. */
static size_t aligned(size_t len)
{
	return (len + 3) & ~(size_t)3;
}

struct part {
	const unsigned char *at;
	size_t len;
};

/* Splits the first part off, of `len` bytes with its own head. 0: there is no
 * whole one. */
static int split(struct part *rest, size_t head, size_t len, struct part *body)
{
	size_t whole = aligned(len);

	if (len < head || len > rest->len)
		return 0;
	*body = (struct part){ rest->at + head, len - head };
	if (whole > rest->len)
		whole = rest->len;
	rest->at += whole;
	rest->len -= whole;
	return 1;
}

static void take(const struct part *p, size_t offset, void *to, size_t size)
{
	if (p->len >= size && offset <= p->len - size)
		memcpy(to, p->at + offset, size);
}

/* Splits the first attribute off: its type, or -1 if there is none. */
static int next_attribute(struct part *rest, struct part *value)
{
	struct nlattr a;

	if (rest->len < sizeof(a))
		return -1;
	memcpy(&a, rest->at, sizeof(a));
	return split(rest, sizeof(a), a.nla_len, value) ?
	       a.nla_type & NLA_TYPE_MASK : -1;
}

/* Splits the first message off. 0: there is no whole one. */
static int next_message(struct taskstats_reader *r, struct nlmsghdr *h,
			struct part *body)
{
	struct part rest = { r->at, r->len };
	int is_whole;

	if (r->len < sizeof(*h))
		return 0;
	memcpy(h, r->at, sizeof(*h));
	is_whole = split(&rest, sizeof(*h), h->nlmsg_len, body);
	r->at = rest.at;
	r->len = rest.len;
	return is_whole;
}

/* The same struct, for what lies behind so many bytes that were inserted. */
static struct part without(const struct part *p, size_t inserted)
{
	return p->len < inserted ? (struct part){ p->at, 0 } :
	       (struct part){ p->at + inserted, p->len - inserted };
}

static const struct { uint16_t at, to, bytes; } fields[] = {
	{ AT_COMM, offsetof(struct task_end, comm), COMM_BYTES - 1 },
	{ AT_PID, offsetof(struct task_end, pid), 4 },
	{ AT_PPID, offsetof(struct task_end, parent), 4 },
	{ AT_ETIME, offsetof(struct task_end, run_ns), 8 },
	{ AT_COREMEM, offsetof(struct task_end, rss_mib_us), 8 },
	{ AT_VIRTMEM, offsetof(struct task_end, vm_mib_us), 8 },
	{ AT_HIWATER_RSS, offsetof(struct task_end, rss_kib), 8 },
	{ AT_HIWATER_VM, offsetof(struct task_end, vm_kib), 8 },
};

/* Without AT_HIWATER_VM the struct is no older one, but none at all. */
static int take_stats(const struct part *p, struct task_end *end)
{
	struct part sums, tgid = *p;
	uint16_t version = 0;
	uint8_t flag = 0;

	if (p->len < AT_HIWATER_VM + sizeof(end->vm_kib))
		return 0;
	take(p, AT_VERSION, &version, sizeof(version));
	take(p, AT_EXITCODE, &end->status, sizeof(end->status));
	take(p, AT_FLAG, &flag, sizeof(flag));
	if (version == VERSION_INSERTED) {
		tgid = without(p, INSERTED_TGID);
		sums = without(p, INSERTED_COMM);
		p = &sums;
	}
	for (unsigned int i = 0; i < ARRAY_LEN(fields); i++)
		take(p, fields[i].at, (char *)end + fields[i].to,
		     fields[i].bytes);
	if (version >= VERSION_TGID)
		take(&tgid, AT_TGID, &end->tgid, sizeof(end->tgid));
	end->last = version < VERSION_TGID || flag & FLAG_AGROUP;
	if (__builtin_mul_overflow(end->run_ns, 1000, &end->run_ns))
		end->run_ns = UINT64_MAX;
	return 1;
}

/* The attributes of a message. 1: there was a record of a task. */
static int take_body(struct part body, struct task_end *end)
{
	struct part outer, inner;
	int type, has_stats = 0;

	*end = (struct task_end){ 0 };
	while ((type = next_attribute(&body, &outer)) >= 0) {
		const int of_task = type == TASKSTATS_TYPE_AGGR_PID;

		if (!of_task && type != TASKSTATS_TYPE_AGGR_TGID)
			continue;
		while ((type = next_attribute(&outer, &inner)) >= 0) {
			if (of_task && type == TASKSTATS_TYPE_STATS)
				has_stats = take_stats(&inner, end);
			if (!of_task && type == TASKSTATS_TYPE_TGID)
				take(&inner, 0, &end->tgid, sizeof(end->tgid));
		}
	}
	return has_stats && end->pid;
}

int taskstats_next(struct taskstats_reader *r, struct task_end *end)
{
	struct nlmsghdr h;
	struct part body;

	while (next_message(r, &h, &body)) {
		if (h.nlmsg_type != r->family || body.len < GENL_HDRLEN)
			continue;
		body.at += GENL_HDRLEN;
		body.len -= GENL_HDRLEN;
		if (take_body(body, end))
			return 1;
	}
	return 0;
}

int taskstats_is_status(const unsigned char *answer, size_t len)
{
	struct taskstats_reader r = { answer, len, 0 };
	struct nlmsghdr h;
	struct part body;

	return next_message(&r, &h, &body) && h.nlmsg_type == NLMSG_ERROR;
}

int taskstats_status(const unsigned char *answer, size_t len)
{
	struct taskstats_reader r = { answer, len, 0 };
	int32_t error = -EINVAL;
	struct nlmsghdr h;
	struct part body;

	if (next_message(&r, &h, &body) && h.nlmsg_type == NLMSG_ERROR)
		take(&body, 0, &error, sizeof(error));
	return error > 0 || error < -4095 ? -EINVAL : error;
}

int taskstats_family(const unsigned char *answer, size_t len)
{
	struct taskstats_reader r = { answer, len, 0 };
	struct part body, value;
	struct nlmsghdr h;
	uint16_t number = 0;
	int type, error;

	if (!next_message(&r, &h, &body) || body.len < GENL_HDRLEN)
		return -EINVAL;
	if (h.nlmsg_type == NLMSG_ERROR) {
		error = taskstats_status(answer, len);
		return error ? error : -EINVAL;
	}
	body.at += GENL_HDRLEN;
	body.len -= GENL_HDRLEN;
	while ((type = next_attribute(&body, &value)) >= 0)
		if (type == CTRL_ATTR_FAMILY_ID)
			take(&value, 0, &number, sizeof(number));
	return h.nlmsg_type == GENL_ID_CTRL && number ? number : -EINVAL;
}
