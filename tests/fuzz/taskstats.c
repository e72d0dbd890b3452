/* SPDX-License-Identifier: MIT */
/*
 * run/taskstats.c on any bytes: as the messages of a datagram, and as the
 * answers to our requests. A record has a pid and a name with an end byte, and
 * the reader never goes back.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "must.h"
#include "run/taskstats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In memory of its exact size. The first two bytes are the family. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct taskstats_reader r = { 0 };
	struct task_end end;
	uint8_t *copy;
	int error;

	if (size < sizeof(r.family))
		return 0;
	memcpy(&r.family, data, sizeof(r.family));
	size -= sizeof(r.family);
	copy = malloc(size ? size : 1);
	must(copy != NULL);
	memcpy(copy, data + sizeof(r.family), size);
	r.at = copy;
	r.len = size;
	for (size_t before = size; taskstats_next(&r, &end); before = r.len) {
		must(r.len < before && r.at + r.len == copy + size);
		must(end.pid && memchr(end.comm, 0, sizeof(end.comm)));
	}
	error = taskstats_family(copy, size);
	must(error <= UINT16_MAX && error >= -4095 && error != 0);
	error = taskstats_status(copy, size);
	must(error <= 0 && error >= -4095);
	free(copy);
	return 0;
}
