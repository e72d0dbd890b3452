/* SPDX-License-Identifier: MIT */
/*
 * storm BATCHES PROCESSES THREADS: so many processes at a time execute this
 * program anew, start threads, touch memory, fill a pipe, and stay until the
 * batch is complete: many tasks, names and stacks, all in use at once.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS_MAX 16

static void *touch(void *unused)
{
	char *p = mmap(NULL, 1 << 18, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; p != MAP_FAILED && i < 64; i++)
		p[i << 12] = 1;
	return unused;
}

/* Standard input ends when the batch is complete. */
static int one(int threads)
{
	static char bytes[1 << 14];
	char name[16];
	pthread_t t[THREADS_MAX];
	int fd[2];

	snprintf(name, sizeof(name), "storm-%d", (int)getpid());
	prctl(PR_SET_NAME, name);
	for (int i = 0; i < threads; i++)
		if (pthread_create(&t[i], NULL, touch, NULL))
			return 1;
	for (int i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	if (pipe(fd) || write(fd[1], bytes, sizeof(bytes)) < 0)
		return 1;
	return read(STDIN_FILENO, bytes, 1) != 0;
}

static int batch(char *program, int processes, char *threads)
{
	int fd[2], failed = 0, status;

	if (pipe(fd))
		return 1;
	while (processes--) {
		int pid = fork();

		if (!pid) {
			dup2(fd[0], STDIN_FILENO);
			close(fd[0]);
			close(fd[1]);
			execl(program, program, threads, (char *)NULL);
			_exit(1);
		}
		failed |= pid < 0;
	}
	close(fd[0]);
	close(fd[1]);
	while (wait(&status) > 0)
		failed |= status;
	return failed;
}

int main(int argc, char *argv[])
{
	int failed = 0;

	if (argc != 4)
		return argc == 2 && atoi(argv[1]) <= THREADS_MAX ?
			one(atoi(argv[1])) : 2;
	for (int i = atoi(argv[1]); i; i--)
		failed |= batch(argv[0], atoi(argv[2]), argv[3]);
	return failed != 0;
}
