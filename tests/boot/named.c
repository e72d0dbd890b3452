/* SPDX-License-Identifier: MIT */
/* named NAME...: starts a process for each name, of any bytes. The process
 * takes a few pages and ends. */
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES (8 * 4096)

int main(int argc, char *argv[])
{
	int bad = 0, status;

	for (int i = 1; i < argc; i++) {
		pid_t pid = fork();

		if (!pid) {
			char *pages = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

			if (pages == MAP_FAILED)
				_exit(1);
			prctl(PR_SET_NAME, argv[i]);
			memset(pages, 1, BYTES);
			_exit(0);
		}
		bad |= waitpid(pid, &status, 0) != pid || status;
	}
	return bad;
}
