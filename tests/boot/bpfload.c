/* SPDX-License-Identifier: MIT */
/*
 * Holds maps of BPF: a hash of a million entries, and one whose 16,384 values of
 * 256 bytes are there for each CPU. musl has no <linux/bpf.h>; the layout is that
 * of BPF_MAP_CREATE in it.
 */
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAP_CREATE 0
#define TYPE_HASH 1
#define TYPE_PERCPU_HASH 5

struct create {
	uint32_t type, key_bytes, value_bytes, entries;
	uint32_t rest[14];
};

static void hold(uint32_t type, uint32_t value_bytes, uint32_t entries)
{
	struct create attr = { type, 4, value_bytes, entries, { 0 } };

	if (syscall(SYS_bpf, MAP_CREATE, &attr, sizeof(attr)) < 0)
		perror("bpf");
	else
		puts("held");
	fflush(stdout);
}

int main(void)
{
	hold(TYPE_HASH, 8, 1 << 20);
	hold(TYPE_PERCPU_HASH, 256, 1 << 14);
	pause();
	return 0;
}
