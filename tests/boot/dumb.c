/* SPDX-License-Identifier: MIT */
/*
 * dumb CARD MIB: a buffer of a GPU of so many MiB, a dumb one; each
 * of its pages is written, and it is kept.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

/* Of the kernel's include/uapi/drm/drm_mode.h, which not every machine has. */
struct create {
	uint32_t height, width, bits, flags;	/* what is wished */
	uint32_t handle, pitch;			/* what it is */
	uint64_t size;
};
struct map {
	uint32_t handle, pad;
	uint64_t offset;
};
#define CREATE_DUMB _IOWR('d', 0xb2, struct create)
#define MAP_DUMB _IOWR('d', 0xb3, struct map)

int main(int argc, char *argv[])
{
	/* 256 lines of 1024 pixels are a MiB. */
	struct create create = { .width = 1024, .bits = 32 };
	struct map map = { 0 };
	const int card = argc == 3 ? open(argv[1], O_RDWR | O_CLOEXEC) : -1;
	void *memory;

	if (card < 0)
		return 2;
	create.height = (unsigned int)atoi(argv[2]) * 256;
	if (ioctl(card, CREATE_DUMB, &create)) {
		perror("CREATE_DUMB");
		return 1;
	}
	map.handle = create.handle;
	if (ioctl(card, MAP_DUMB, &map)) {
		perror("MAP_DUMB");
		return 1;
	}
	memory = mmap(NULL, create.size, PROT_READ | PROT_WRITE, MAP_SHARED,
		      card, (off_t)map.offset);
	if (memory == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	memset(memory, 1, create.size);
	printf("bytes=%llu\n", (unsigned long long)create.size);
	fflush(stdout);
	for (;;)
		pause();
}
