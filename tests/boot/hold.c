/* SPDX-License-Identifier: MIT */
/*
 * hold MIB: touches so many MiB, gives two thirds of them back at once, and
 * stays. Its resident set was then larger than it is, for too short a time to be
 * seen by a sample; the kernel remembers it (VmHWM).
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char *argv[])
{
	size_t bytes = argc == 2 ? (size_t)atoi(argv[1]) << 20 : 0;
	char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return 1;
	memset(memory, 1, bytes);
	munmap(memory, bytes / 3 * 2 & ~(size_t)4095);
	for (;;)
		pause();
}
