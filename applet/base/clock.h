/* SPDX-License-Identifier: MIT */
/*
 * Time: the clocks, and how much time poll() in a loop has left.
 *
 * A wait that starts anew after every EINTR or short read may last forever. A
 * wait until a deadline does not. Deadlines are in milliseconds, as poll()
 * takes them.
 */
#ifndef MEMSTRACK_CLOCK_H
#define MEMSTRACK_CLOCK_H

#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC or CLOCK_PROCESS_CPUTIME_ID. This makes the system call
 * itself: it happens a few times a second, and the C library's vDSO code would
 * cost a kilobyte. */
uint64_t clock_ns(clockid_t clock);

struct pollfd;
/* As ppoll() for so many ns, which are less than two seconds. 32-bit kernels may
 * have only the call whose times have 64 bits, or only the older one; without
 * either, it waits in whole milliseconds. */
int wait_ready(struct pollfd *set, uint32_t count, long ns);

int64_t deadline_after(int timeout_ms);

/* Fits an int, because callers pass an int to deadline_after(). 0 also if the clock
 * cannot be read: then nothing waits, rather than for as long as the machine is
 * up. */
int deadline_left_ms(int64_t deadline_ms);

/* Waits until fd can be read or its other end is gone. Returns 0, -ETIMEDOUT,
 * or -errno of poll. With a deadline in the past it asks once and does not
 * wait. */
int deadline_wait_readable(int fd, int64_t deadline_ms);

#endif
