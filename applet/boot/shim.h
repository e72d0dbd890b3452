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

/* In the child: trace, write one byte to ready_fd when every event source is
 * on (or close it when there will be no tracing), return the exit status. */
struct shim_child {
	int (*run)(void *ctx, int ready_fd);
	void *ctx;
};

/* Does not return, except where no init at all could be executed: then the
 * errno of the last try. The caller says so and sleeps for ever, for a PID 1
 * that exits panics the machine. */
int shim_run(const struct shim_child *child, char *argv[], char *envp[]);

#endif
