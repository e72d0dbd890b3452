/* SPDX-License-Identifier: MIT */
/* What PID 1 does, and our own switch_root. */
#ifndef MEMSTRACK_BOOT_BOOT_H
#define MEMSTRACK_BOOT_BOOT_H

#include <stdint.h>

/*
 * --- shim
 *
 * PID 1: fork the tracer, wait until it is ready, become the real init.
 *
 * What must hold: whatever fails, the real init is executed with the argv
 * (but for argv[0], which is its own path), environment, descriptors, signal
 * mask and working directory that the kernel gave us, within READY_S or
 * rd.memstrack.ready=. PID 1 never exits and never loops; all our own work
 * happens in the child.
 */

/* In the child: call shim_configure(), then trace, call shim_ready() when every
 * event source is on, and return the exit status. A child that returns before
 * shim_ready() does not trace. It must not close ready_fd in another way: PID 1
 * then takes it as gone and kills it. The child leads a session of its own,
 * SIGPIPE is blocked, ready_fd is above 2. argv is that of shim_run(). */
typedef int shim_child(char *argv[], int ready_fd);

/* Is this process the machine's init? The kernel started it, or another init
 * executed it. PID 1 of a container or of `unshare --pid` is not the machine's
 * init. */
int shim_is_init(void);

/* Returns only if no init at all could be executed: the errno of the last try,
 * which is also in the kernel log. The caller must then sleep for ever: a PID 1
 * that exits panics the machine. */
int shim_run(shim_child *child, char *argv[]);

/* The same without the exec, for a hook that PID 1 runs and waits for. */
void shim_start(shim_child *child, char *argv[]);

/* The child's side. Sends PID 1 the values of rd.memstrack.ready= (1 to 255) and
 * rd.memstrack.init= as soon as they are known, before anything that can fail,
 * with or without tracing: PID 1 has no /proc to read them from. PID 1 ignores a
 * path that does not start with '/' or has PATH_BYTES. */
void shim_configure(int ready_fd, uint32_t ready_s, const char *init);

/* Tracing is on: lets PID 1 continue, and closes ready_fd. A PID 1 that has
 * waited long enough has continued already; then tracing goes on too. */
void shim_ready(int ready_fd);

/* --- say: one line in the kernel log, as an error
 *
 * If the kernel log cannot be written, the line goes to the console, or else to
 * standard error, without the level, which only the log understands. */

__attribute__((format(printf, 1, 2)))
void boot_say(const char *format, ...);

/* --- sweep
 *
 * Empties a directory, but enters no other filesystem: see switch_root.c.
 *
 * Entries that cannot be removed stay, without a message: mount points, and the
 * directories above them. The descriptor stays open, read to its end. */

void sweep(int dir_fd);

/*
 * --- switch root
 *
 * memstrack switch_root [-c CONSOLE] NEWROOT INIT [ARGS…]: see switch_root.c.
 * Returns only on failure: the exit status.
 */

int switch_root_main(char *argv[]);

#endif
