/* SPDX-License-Identifier: MIT */
/*
 * `memstrack run COMMAND`: the memory of a whole tree of processes.
 */
#ifndef MEMSTRACK_RUN_H
#define MEMSTRACK_RUN_H

/* Returns the exit status of the command; or does not return, and ends by the
 * command's signal. */
int run_main(int argc, char *argv[]);

#endif
