/*
 * PID 1: fork the tracer, wait until it is ready, become the real init.
 *
 * What must hold: whatever fails, the real init is executed with the argv
 * (but for argv[0], which is its own path), environment, descriptors, signal
 * mask and working directory that the kernel gave us, within
 * READY_TIMEOUT_MS. PID 1 never exits and never loops; everything that is
 * ours happens in the child.
 */
#ifndef MEMSTRACK_SHIM_H
#define MEMSTRACK_SHIM_H

/* In the child: shim_tell_init(), then trace, call shim_ready() when every
 * event source is on, return the exit status. Who returns without it will not
 * trace; ready_fd must not be closed otherwise, for that is taken as having
 * gone, and what has not gone is killed. The child leads a session of its own,
 * SIGPIPE is blocked, ready_fd is above 2. argv is that of shim_run(). */
typedef int shim_child(char *argv[], int ready_fd);

/* Is this process the machine's init, which the kernel started or which took
 * that one's place by an exec? PID 1 of a container or of `unshare --pid` is
 * not. */
int shim_is_init(void);

/* Does not return, except where no init at all could be executed: then the
 * errno of the last try. It has been said on the kernel log. The caller
 * sleeps for ever, for a PID 1 that exits panics the machine. */
int shim_run(shim_child *child, char *argv[]);

/* The same up to the exec, for a hook that PID 1 runs and waits for. */
void shim_start(shim_child *child, char *argv[]);

/* The child's side. rd.memstrack.init= is told as soon as it is known, before
 * anything that can fail, and whether there will be tracing or not: PID 1 has
 * no /proc to read it in. PID 1 passes over what does not start with '/' or
 * has PATH_BYTES; "" is nothing to tell. */
void shim_tell_init(int ready_fd, const char *init);

/* Tracing is on: lets PID 1 go on, and closes ready_fd. Where PID 1 has waited
 * long enough and gone on, the tracer may too. */
void shim_ready(int ready_fd);

#endif
