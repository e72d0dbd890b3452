/* SPDX-License-Identifier: MIT */
/*
 * source/proc/tables.c on any text as /proc/zoneinfo: the pages on per-CPU lists
 * are those that a plain reading of it finds, whatever stands around them;
 * source/proc/zones.c: what is free belongs to one of the parts that it is divided
 * into.
 */
#include <sys/mman.h>
#include <unistd.h>
#include "fuzz.h"
#include "source/proc/proc.h"

/* "count:" is the first word, and behind it are only spaces and a number that 32
 * bits can hold; else nothing. */
static uint64_t plain(const char *line)
{
	static const char name[] = "count: ";
	const char *at = line + strspn(line, " ");
	uint64_t value = 0;

	if (strncmp(at, name, strlen(name)))
		return 0;
	at += strlen(name);
	at += strspn(at, " ");
	if (!*at || at[strspn(at, "0123456789")])
		return 0;
	for (; *at; at++) {
		value = value * 10 + (uint64_t)(*at - '0');
		if (value > UINT32_MAX)
			return 0;
	}
	return value;
}

static void zones(const uint8_t *data, size_t size)
{
	const int fd = memfd_create("zoneinfo", MFD_CLOEXEC);
	struct zones z;

	must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	proc_zones(fd, &z);
	must(z.free_pages == z.own_pages + z.kept_pages + z.reserve_pages +
			     z.apart_pages + z.high_pages + z.cma_pages);
	must(z.known || !z.free_pages);
	close(fd);
}

void fuzz_zoneinfo(const uint8_t *data, size_t size)
{
	struct input t = { .at = data, .left = size };

	zones(data, size);
	while (input_line(&t)) {
		char *copy = ended(t.line, t.len);
		const uint64_t got = zoneinfo_line(t.line, t.len);

		must(got <= UINT32_MAX);
		if (!memchr(copy, '\0', t.len))
			must(got == plain(copy));
		free(copy);
	}
}
