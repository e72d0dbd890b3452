/* Empty a directory of what lies on its own filesystem: see sweep.c.
 *
 * What cannot be removed stays, in silence: mount points, and what holds
 * them. The descriptor stays open, read to its end. */
#ifndef MEMSTRACK_SWEEP_H
#define MEMSTRACK_SWEEP_H

void sweep(int dir_fd);

#endif
