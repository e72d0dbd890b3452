/* SPDX-License-Identifier: MIT */
/* The list of targets, and what they share: see fuzz.h. */
#include "fuzz.h"
#include "limits.h"

const struct target *targets(void)
{
	static const struct target all[] = {
		{ "allocinfo", fuzz_allocinfo, 0, 0 },
		{ "boot_entries", fuzz_boot_entries, 0, 0 },
		{ "cmdline", fuzz_cmdline, 0, 0 },
		{ "control", fuzz_control, 0, 0 },
		{ "diff", fuzz_diff, 0, 0 },
		{ "dt_cells", fuzz_dt_cells, 0, 0 },
		{ "format", fuzz_format, 0, 0 },
		{ "ftrace", fuzz_ftrace, 0, 0 },
		{ "iomem", fuzz_iomem, 0, 0 },
		{ "kallsyms", fuzz_kallsyms, 0, 0 },
		{ "kmemtrace", fuzz_kmemtrace, 0, 0 },
		{ "lines", fuzz_lines, 0, 0 },
		{ "page_owner", fuzz_page_owner, 0, 0 },
		{ "perf", fuzz_perf, 0, 0 },
		{ "proc", fuzz_proc, 0, 0 },
		{ "ram", fuzz_ram, 0, 0 },
		{ "report", fuzz_report, 1, REPORT_HEAD_BYTES },
		{ "ring_page", fuzz_ring_page, 0, 0 },
		{ "taskstats", fuzz_taskstats, 0, 0 },
		{ "texts", fuzz_texts, 0, 0 },
		{ "top", fuzz_top, 0, 0 },
		{ "verdict", fuzz_verdict, 0, 0 },
		{ "vmallocinfo", fuzz_vmallocinfo, 0, 0 },
		{ "zoneinfo", fuzz_zoneinfo, 0, 0 },
		{ NULL, NULL, 0, 0 },
	};

	return all;
}

const struct target *target_find(const char *name)
{
	const struct target *t = targets();

	while (t->name && strcmp(t->name, name))
		t++;
	return t->name ? t : NULL;
}

char *ended(const void *bytes, size_t len)
{
	char *to = calloc(1, len + 1);

	must(to != NULL);
	if (len)
		memcpy(to, bytes, len);
	return to;
}

int input_line(struct input *t)
{
	const uint8_t *end;

	free(t->line);
	t->line = NULL;
	if (!t->left)
		return 0;
	end = memchr(t->at, '\n', t->left);
	t->len = end ? (size_t)(end - t->at) : t->left;
	t->line = exact(t->at, t->len);
	t->at += t->len + (end != NULL);
	t->left -= t->len + (end != NULL);
	return 1;
}

void must_print(const char *text, size_t len)
{
	must(len < LINE_BYTES);
	for (size_t i = 0; i < len; i++)
		must(text[i] >= 0x20 && text[i] <= 0x7e);
}

void book_line(struct out *o, const char *text, size_t len)
{
	struct book *b = (struct book *)o;

	must(len > 0 && !b->ended);
	must_print(text, len);
	if (!b->json)
		return;
	must(json_whole(text, len));
	b->ended = json_is(text, len, b->last ? b->last : "end");
	must(!b->ended || json_get(text, len, "records") == b->lines);
	b->lines++;
}
