/* SPDX-License-Identifier: MIT */
/*
 * An initramfs that was not unpacked to its end: what the kernel said, how much
 * rootfs holds and may hold, and how much memory would not be enough.
 *
 * The size of the whole content is not known: the kernel stops at the first
 * error, and frees the image. What did come out is known, and so is what the file
 * lacks that was being written. If rootfs was full, the content is no smaller
 * than both together, and rootfs may hold a part of the memory that is not
 * reserved when the kernel starts (advice.h). So less memory than that needs will
 * not do.
 */
#ifndef MEMSTRACK_UNPACK_H
#define MEMSTRACK_UNPACK_H

#include "report/sheet.h"

/* Did the unpacking fail? */
static inline int unpack_failed(const struct ledger *l)
{
	return l->unpack.error[0] != '\0';
}

/* Rootfs had no room or no inode for it. */
int unpack_filled(const struct ledger *l, const struct session *s);

/* "initramfs unpacking failed: write error; …" */
void unpack_write(struct line *line, const struct ledger *l,
		  const struct session *s);

/* Lines of a report, if it failed. */
void unpack_text(struct sheet *s);
void unpack_json(struct sheet *s);

#endif
