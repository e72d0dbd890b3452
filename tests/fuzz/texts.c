/* SPDX-License-Identifier: MIT */
/*
 * Readers of the kernel's texts (tests/unit/readers.h) on any text, each of its
 * lines, and all of it as one record of the kernel's log: what becomes of one
 * does not depend on what stands behind it.
 */
#include "fuzz.h"
#include "../unit/readers.h"

static void each_reader(const char *alone, size_t len)
{
	char *copy = ended(alone, len);

	for (size_t i = 0; i < ARRAY_LEN(readers); i++) {
		char a[OUTCOME_BYTES] = "", b[OUTCOME_BYTES] = "";

		reader_read(&readers[i], alone, len, a);
		reader_read(&readers[i], copy, len, b);
		must(!strcmp(a, b));
	}
	free(copy);
}

void fuzz_texts(const uint8_t *data, size_t size)
{
	char figures[OUTCOME_BYTES] = "";
	struct listener l = { .out.event = hear_figure, .text = figures };
	struct boot_log b = { .out = &l.out, .event.time_ns = NS };
	struct input t = { .at = data, .left = size };

	boot_log_record(&b, (const char *)data, size);
	must(b.figures == l.events);
	each_reader((const char *)data, size);
	while (input_line(&t))
		each_reader(t.line, t.len);
}
