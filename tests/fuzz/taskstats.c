/* SPDX-License-Identifier: MIT */
/*
 * run/taskstats.c on any bytes: as the messages of a datagram, and as the
 * answers to our requests. A record has a pid and a name with an end byte, and
 * the reader never goes back. The first two bytes are the family.
 */
#include <errno.h>
#include "fuzz.h"
#include "run/run.h"

void fuzz_taskstats(const uint8_t *data, size_t size)
{
	struct taskstats_reader r = { 0 };
	const uint8_t *whole = data + sizeof(r.family);
	struct task_end end;
	int error;

	if (size < sizeof(r.family))
		return;
	memcpy(&r.family, data, sizeof(r.family));
	size -= sizeof(r.family);
	r.at = whole;
	r.len = size;
	for (size_t before = size; taskstats_next(&r, &end); before = r.len) {
		must(r.len < before && r.at + r.len == whole + size);
		must(end.pid && memchr(end.comm, 0, sizeof(end.comm)));
	}
	error = taskstats_family(whole, size);
	must(error <= UINT16_MAX && error >= -4095 && error != 0);
	error = taskstats_status(whole, size);
	must(error <= 0 && error >= -4095);
}
