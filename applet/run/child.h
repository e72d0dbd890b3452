/* SPDX-License-Identifier: MIT */
/*
 * The command: a child that waits until everything is ready, and then becomes
 * the command. Its signals, descriptors and limits are those that we were given,
 * and it is in our process group: a terminal sees one job.
 */
#ifndef MEMSTRACK_CHILD_H
#define MEMSTRACK_CHILD_H

#include <stdint.h>
#include <sys/types.h>

struct child {
	pid_t pid;
	int go_fd;		/* a byte starts the command */
	int signal_fd;		/* what is sent to us, and ends of children */
	int is_gone;		/* reaped: its pid may be another's */
	int asked_end;		/* a signal came when it was */
};

/* Forks. Ends of orphans of the command come to us too. 0 or -errno. */
int child_start(struct child *c, char *const *argv);
/* Lets the command begin. */
void child_go(struct child *c);

/* Passes on the signals that have come. A signal of the terminal, and one that
 * the command sent, is not passed on: the command has it already. Once the
 * command is gone, each is for us. 1: a child of ours has ended. */
int child_forward(struct child *c);

/* Ends as the command did: by its signal, or with its status, which is
 * returned. A second core is not written. */
int child_end_as(int status);

/* The exit status that a shell would tell. */
int child_status(uint32_t status);

#endif
