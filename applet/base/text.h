/* SPDX-License-Identifier: MIT */
/*
 * Places in a text, and its hash. These functions make no system call, so ledger/
 * and config/ may use them.
 */
#ifndef MEMSTRACK_BASE_TEXT_H
#define MEMSTRACK_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Number of bytes before the first `stop` or the end. */
size_t length_to(const char *text, char stop);

/* The text behind the last `mark`; without a mark, all of it. */
const char *past_last(const char *text, char mark);

/* The first place of `what` in the text, or NULL. The C library's memmem() is
 * made for long texts and takes 1.2 KiB. */
const char *find_text(const char *text, size_t len, const char *what);

/* FNV-1a of these bytes, which follow those of `hash`. It does not resist bytes
 * that somebody chooses to collide. */
#define TEXT_HASH_BEGIN 2166136261u
uint32_t text_hash(uint32_t hash, const void *bytes, size_t len);

#endif
