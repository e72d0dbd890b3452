/*
 * Time: the clocks, and how long is left for poll() in a loop.
 *
 * A wait that starts anew after every EINTR or short read has no bound; one
 * that ends at a moment has. Moments are milliseconds, as poll() takes them.
 */
#ifndef MEMSTRACK_CLOCK_H
#define MEMSTRACK_CLOCK_H

#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC or CLOCK_PROCESS_CPUTIME_ID. The system call itself: it is
 * made a few times a second, and the vDSO would cost a kilobyte. */
uint64_t clock_ns(clockid_t clock);

int64_t deadline_after(int timeout_ms);

/* Never more than an int's worth: callers pass ints to deadline_after(). */
int deadline_left_ms(int64_t deadline_ms);

/* Until fd can be read, or its other end is gone: 0; else -ETIMEDOUT, or
 * -errno of poll. A deadline in the past asks once, without waiting. */
int deadline_wait_readable(int fd, int64_t deadline_ms);

#endif
