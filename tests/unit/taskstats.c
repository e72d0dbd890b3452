/* SPDX-License-Identifier: MIT */
/*
 * Records of taskstats out of netlink messages, of every version; and what is
 * none of them.
 */
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <string.h>
#include "run/taskstats.h"
#include "tap.h"

#define FAMILY 0x1c

static unsigned char buffer[4096];
static size_t used;

static void put(const void *bytes, size_t size)
{
	memcpy(buffer + used, bytes, size);
	used += size;
	while (used % 4)
		buffer[used++] = 0;
}

static void put_attribute(uint16_t type, const void *bytes, size_t size)
{
	const struct nlattr a = {
		.nla_len = (uint16_t)(sizeof(a) + size), .nla_type = type,
	};

	put(&a, sizeof(a));
	put(bytes, size);
}

static size_t begin_message(uint16_t type)
{
	const size_t at = used;
	const struct nlmsghdr h = { .nlmsg_type = type };
	const struct genlmsghdr g = { .cmd = TASKSTATS_CMD_NEW, .version = 1 };

	put(&h, sizeof(h));
	if (type != NLMSG_ERROR)
		put(&g, sizeof(g));
	return at;
}

static void end_message(size_t at)
{
	const uint32_t len = (uint32_t)(used - at);

	memcpy(buffer + at, &len, sizeof(len));
}

/* The pair of a number and a struct, of so many bytes. */
static void put_pair(uint16_t outer, uint16_t inner, uint32_t number,
		     const unsigned char *stats, size_t bytes)
{
	const size_t at = used;
	struct nlattr a = { .nla_type = outer };

	put(&a, sizeof(a));
	put_attribute(inner, &number, sizeof(number));
	put_attribute(TASKSTATS_TYPE_STATS, stats, bytes);
	a.nla_len = (uint16_t)(used - at);
	memcpy(buffer + at, &a, sizeof(a));
}

/* The only message: of one thread. */
static void one_thread(const unsigned char *stats, size_t bytes)
{
	used = 0;
	begin_message(FAMILY);
	put_pair(TASKSTATS_TYPE_AGGR_PID, TASKSTATS_TYPE_PID, 78, stats, bytes);
	end_message(0);
}

/* The place of ac_tgid, which older headers do not have. */
#define AT_TGID 368
#define V12_BYTES 400

/* Only version 12 says by its flag, AGROUP, that the task was the last one of
 * its process; earlier ones cannot, and in later ones all flags but that are
 * set. */
static void fill(unsigned char *bytes, uint16_t version)
{
	const uint32_t tgid = 77;
	struct taskstats s = {
		.version = version, .ac_exitcode = 0x300, .ac_pid = 78,
		.ac_flag = version == 12 ? 0x20 : 0xdf,
		.ac_ppid = 5, .ac_etime = 1234, .coremem = 10, .virtmem = 20,
		.hiwater_rss = 4096, .hiwater_vm = 8192,
	};

	memcpy(s.ac_comm, "0123456789abcdefghij", 20);
	memset(bytes, 0, V12_BYTES);
	memcpy(bytes, &s, sizeof(s) < V12_BYTES ? sizeof(s) : V12_BYTES);
	memcpy(bytes + AT_TGID, &tgid, sizeof(tgid));
}

/* The first record of the bytes before `len`. */
static int read_one(struct task_end *end, size_t len)
{
	struct taskstats_reader r = { buffer, len, FAMILY };

	return taskstats_next(&r, end);
}

static int figures_are_right(const struct task_end *e)
{
	return e->pid == 78 && e->parent == 5 && e->status == 0x300 &&
	       e->run_ns == 1234000 && e->rss_kib == 4096 &&
	       e->vm_kib == 8192 && e->rss_mib_us == 10 && e->vm_mib_us == 20 &&
	       !strcmp(e->comm, "0123456789abcde");
}

static void of_version(uint16_t version, size_t bytes)
{
	unsigned char s[V12_BYTES];
	struct task_end end;
	uint32_t whole = 0;

	fill(s, version);
	one_thread(s, bytes);
	tap_ok(read_one(&end, used) && figures_are_right(&end) &&
	       end.tgid == (version >= 12 && bytes == V12_BYTES ? 77 : 0) &&
	       end.last == (version <= 12),
	       "version %u of %zu bytes: its figures, its process, and its "
	       "name, cut", version, bytes);
	for (size_t cut = 0; cut < used; cut++)
		whole += read_one(&end, cut) != 0;
	tap_ok(!whole, "cut it is none");
}

/* Three pairs of bounds of delays stand in front of the name, and six in front
 * of the process. */
static void of_version_15(void)
{
	unsigned char s[V12_BYTES], wide[V12_BYTES + 96] = { 0 };
	struct task_end end;

	fill(s, 15);
	memcpy(wide, s, 80);
	memcpy(wide + 80 + 48, s + 80, AT_TGID - 80 - 48);
	memcpy(wide + AT_TGID + 96, s + AT_TGID, V12_BYTES - AT_TGID);
	one_thread(wide, sizeof(wide));
	tap_ok(read_one(&end, used) && figures_are_right(&end) &&
	       end.tgid == 77, "version 15");
}

/* The last thread tells its process, on every kernel. */
static void of_last(void)
{
	unsigned char s[V12_BYTES];
	struct task_end end;
	size_t at;

	fill(s, 8);
	used = 0;
	end_message(begin_message(0x10));
	at = begin_message(FAMILY);
	put_pair(TASKSTATS_TYPE_AGGR_PID, TASKSTATS_TYPE_PID, 78, s, 328);
	put_pair(TASKSTATS_TYPE_AGGR_TGID, TASKSTATS_TYPE_TGID, 60, s, 328);
	end_message(at);
	tap_ok(read_one(&end, used) && end.pid == 78 && end.tgid == 60,
	       "the last thread, behind another message");
	one_thread(s, 200);
	tap_ok(!read_one(&end, used), "a struct that is too short is none");
}

static void of_family(void)
{
	const uint16_t number = FAMILY;

	used = 0;
	begin_message(GENL_ID_CTRL);
	put_attribute(CTRL_ATTR_FAMILY_NAME, "TASKSTATS", 10);
	put_attribute(CTRL_ATTR_FAMILY_ID, &number, sizeof(number));
	end_message(0);
	tap_ok(taskstats_family(buffer, used) == FAMILY &&
	       taskstats_family(buffer, used - 4) == -EINVAL,
	       "the family; cut, no family");
	tap_ok(taskstats_status(buffer, used) == -EINVAL &&
	       !taskstats_is_status(buffer, used), "nor a status");
}

static void of_status(int32_t error, int status, const char *what)
{
	used = 0;
	begin_message(NLMSG_ERROR);
	put(&error, sizeof(error));
	end_message(0);
	tap_ok(taskstats_status(buffer, used) == status &&
	       taskstats_is_status(buffer, used), "%s", what);
}

int main(void)
{
	of_version(8, 328);
	of_version(11, 368);
	of_version(12, 368);
	of_version(12, V12_BYTES);
	of_version(13, V12_BYTES);
	of_version_15();
	of_last();
	of_family();
	of_status(-1, -EPERM, "an error");
	tap_ok(taskstats_family(buffer, used) == -EPERM, "no family");
	of_status(0, 0, "all is well");
	of_status(5, -EINVAL, "no error of ours");
	return tap_plan_done();
}
