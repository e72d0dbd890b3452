/* SPDX-License-Identifier: MIT */
/* Time: see system.h, clock. */
#include <errno.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/system.h"

uint64_t clock_ns(clockid_t clock)
{
#ifdef SYS_clock_gettime64	/* 32-bit machines: a `long` ends in 2038 */
	struct { int64_t s, ns; } now = { 0 };

	syscall(SYS_clock_gettime64, clock, &now);
#else
	struct { long s, ns; } now = { 0 };

	syscall(SYS_clock_gettime, clock, &now);
#endif
	return (uint64_t)now.s * 1000000000u + (uint64_t)now.ns;
}

int wait_ready(struct pollfd *set, uint32_t count, long ns)
{
	const int64_t wait[2] = { ns / 1000000000, ns % 1000000000 };
#ifdef SYS_ppoll_time64
	const long number = SYS_ppoll_time64;
#else
	const long number = SYS_ppoll;
#endif
	const int ready = (int)syscall(number, set, count, wait, NULL, 0);

	return ready < 0 && errno == ENOSYS ?
	       poll(set, count, (int)((ns + 999999) / 1000000)) : ready;
}

int64_t deadline_after(int timeout_ms)
{
	return (int64_t)(clock_ns(CLOCK_MONOTONIC) / 1000000u) + timeout_ms;
}

int deadline_left_ms(int64_t deadline_ms)
{
	const int64_t now_ms = deadline_after(0);
	const int64_t left = deadline_ms - now_ms;

	return now_ms && left > 0 ? (int)left : 0;
}

int deadline_wait_readable(int fd, int64_t deadline_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int n;

	do {
		n = poll(&p, 1, deadline_left_ms(deadline_ms));
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return n ? 0 : -ETIMEDOUT;
}
