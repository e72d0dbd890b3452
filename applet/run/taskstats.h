/* SPDX-License-Identifier: MIT */
/*
 * taskstats: what the kernel tells of each task when it exits, over generic
 * netlink. Sources: Documentation/accounting/taskstats.rst, taskstats-struct.rst
 * and kernel/taskstats.c of Linux 5.10 to 6.18.
 *
 * Of all tasks of the machine each gets one record, however short its life was,
 * sent before it gives back its memory. A record that finds no room is lost: the
 * next read then says ENOBUFS. Only root may ask, in the first pid, user and
 * network namespace. The struct has grown at its end over the years: a field is
 * taken only if the record is long enough, and of a version that has it.
 */
#ifndef MEMSTRACK_TASKSTATS_H
#define MEMSTRACK_TASKSTATS_H

#include <stddef.h>
#include <stdint.h>
#include "limits.h"

/* One task that has exited. */
struct task_end {
	uint64_t read_ns;	/* when we read the record */
	uint64_t run_ns;	/* since its fork */
	uint64_t rss_kib, vm_kib;	/* the most that its process ever had,
					 * since the last exec */
	/* Sums over its CPU time, of MiB times microseconds. */
	uint64_t rss_mib_us, vm_mib_us;
	uint32_t pid, parent;	/* parent: the process that would reap it */
	uint32_t tgid;		/* its process; 0: the record does not tell */
	uint32_t status;	/* as wait() gives it */
	int last;		/* no other task of its process is left, as far
				 * as the record tells */
	char comm[COMM_BYTES];
};

/* The netlink messages in a buffer, one after the other. */
struct taskstats_reader {
	const unsigned char *at;
	size_t len;
	uint16_t family;	/* the number of taskstats in this kernel */
};

/* The next task's record: 1; or 0: no more. What is no such record, or does not
 * fit its own length, is passed over. */
int taskstats_next(struct taskstats_reader *r, struct task_end *end);

/* The number of a family of generic netlink, from the answer to a request for
 * it; or -errno: the kernel's, -EINVAL for no such answer. */
int taskstats_family(const unsigned char *answer, size_t len);
/* Is it an answer of the next kind, and no record? */
int taskstats_is_status(const unsigned char *answer, size_t len);
/* The kernel's answer to a request that wants nothing else: 0 or -errno. */
int taskstats_status(const unsigned char *answer, size_t len);

struct stats_socket {
	int fd;			/* -1: none */
	uint16_t family;
	uint64_t losses;	/* times that records were lost: one or more */
};

/* Asks for the records of all CPUs. 0 or -errno; then fd is -1. */
int taskstats_open(struct stats_socket *t);
void taskstats_close(struct stats_socket *t);

/* Reads one datagram. Returns its bytes, or 0: there is none. */
size_t taskstats_read(struct stats_socket *t, unsigned char *buf, size_t size);

#endif
