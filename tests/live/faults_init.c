/* SPDX-License-Identifier: MIT */
/*
 * The real init of faults.t: writes down to descriptor 9 all that it was
 * given, then waits for its children, as inits do, and says how they ended.
 *
 * Nothing here depends on the run but what a fault may have changed, so that
 * the text of two runs can be compared byte by byte.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdlib.h>
#include <sys/wait.h>
#include "given.h"

#define OUT 9

/* The first process that PID 1 starts. The guard of reboots is the tracer's. */
#define TRACER 2

int main(int argc, char *argv[])
{
	struct dirent **entry;
	int status, n;
	pid_t pid;

	if (argc)
		dprintf(OUT, "arg 0 is '%s'\n", argv[0]);
	write_given(OUT, argv, 0);
	n = scandir("/", &entry, NULL, alphasort);
	for (int i = 0; i < n; i++)
		dprintf(OUT, "root has %s\n", entry[i]->d_name);
	dprintf(OUT, "--\n");
	while ((pid = waitpid(-1, &status, 0)) > 0)
		dprintf(OUT, "%s %d\n", pid == TRACER ? "child" : "guard",
			WIFSIGNALED(status) ?
			-WTERMSIG(status) : WEXITSTATUS(status));
	dprintf(OUT, "end\n");
	return 0;
}
