/* SPDX-License-Identifier: MIT */
/*
 * The file that a client gives to the tracer, for the account as it is now.
 *
 * It is a memfd of fixed size whose pages the client has made already, so that
 * a write takes no memory and waits for nobody: not for the reader, who may be
 * stopped, and not for a disk. The seals forbid to change its size. Only root
 * reaches the socket; a root who gives a worse file, such as one with holes,
 * can have the tracer make its pages, up to GIVEN_BYTES_MAX.
 */
#ifndef MEMSTRACK_GIVEN_H
#define MEMSTRACK_GIVEN_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define GIVEN_BYTES_MIN 4096u
#define GIVEN_BYTES_MAX (1u << 20)

/* The client's end: a file of so many zeros, or -errno; -ENOSYS: the kernel has
 * none. *text is its content, which stays in memory if that is allowed. */
int given_make(size_t bytes, const char **text);

/* Sends bytes with a file, and receives them: *file is -1 if none came. Both
 * return the number of bytes, or -1. */
ssize_t given_send(int socket, const void *bytes, size_t len, int file);
ssize_t given_receive(int socket, void *bytes, size_t size, int *file);

/* The tracer's end: 0 and the size of a file that it may write, or -EBADF. */
int given_check(int file, uint64_t *bytes);

#endif
