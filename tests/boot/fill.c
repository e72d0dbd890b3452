/* SPDX-License-Identifier: MIT */
/*
 * fill MIB: touches so much anonymous memory; of each page a third is random
 * numbers, the rest zero.
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define PAGE_WORDS (4096 / sizeof(uint64_t))

int main(int argc, char *argv[])
{
	const size_t bytes = argc == 2 ? (size_t)atoi(argv[1]) << 20 : 0;
	uint64_t *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t number = 1;

	if (memory == MAP_FAILED)
		return 1;
	for (size_t i = 0; i < bytes / sizeof(*memory); i++) {
		if (i % PAGE_WORDS >= PAGE_WORDS / 3)
			continue;
		number ^= number << 13;
		number ^= number >> 7;
		number ^= number << 17;
		memory[i] = number;
	}
	return 0;
}
