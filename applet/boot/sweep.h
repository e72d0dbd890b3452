/* SPDX-License-Identifier: MIT */
/* Empties a directory, but enters no other filesystem: see sweep.c.
 *
 * Entries that cannot be removed stay, without a message: mount points, and the
 * directories above them. The descriptor stays open, read to its end. */
#ifndef MEMSTRACK_SWEEP_H
#define MEMSTRACK_SWEEP_H

void sweep(int dir_fd);

#endif
