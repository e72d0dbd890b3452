/* SPDX-License-Identifier: MIT */
/*
 * source/proc/baseline.c and boot_log.c on any text: each line as one of
 * /proc/meminfo, of /proc/zoneinfo and as a record of the kernel's log, and all
 * of it as one. A figure does not overflow in bytes, its name is ended.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "must.h"
#include "limits.h"
#include "source/proc/boot_log.h"

struct listener {
	struct event_out out;	/* first: it takes events */
	int heard;
};

static void check(const struct event *e)
{
	must(e->type == EVENT_FIGURE && e->size % 1024 == 0);
	must(memchr(e->name, 0, FIGURE_NAME_BYTES) != NULL);
}

static void hear(struct event_out *o, const struct event *e)
{
	struct listener *l = (struct listener *)o;

	check(e);
	l->heard++;
}

/* In memory of their exact size. */
static char *exact(const uint8_t *bytes, size_t len)
{
	char *copy = malloc(len ? len : 1);

	must(copy != NULL);
	if (len)
		memcpy(copy, bytes, len);
	return copy;
}

static void line(struct boot_log *b, const uint8_t *bytes, size_t len)
{
	char *copy = exact(bytes, len);
	struct event e = { .time_ns = 1 };
	int error = meminfo_line(copy, len, &e);

	must(error == 0 || error == -EINVAL);
	if (!error)
		check(&e);
	must(zoneinfo_line(copy, len) <= UINT32_MAX);
	boot_log_record(b, copy, len);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct listener l = { .out.event = hear };
	struct boot_log b = { .out = &l.out, .event.time_ns = 1 };
	char *copy = exact(data, size);

	boot_log_record(&b, copy, size);
	must(b.figures == l.heard);
	free(copy);
	while (size) {
		const uint8_t *end = memchr(data, '\n', size);
		size_t len = end ? (size_t)(end - data) : size;

		line(&b, data, len);
		data += len + (end != NULL);
		size -= len + (end != NULL);
	}
	boot_log_end(&b);
	must(memchr(b.unpack_error, 0, sizeof(b.unpack_error)) != NULL);
	return 0;
}
