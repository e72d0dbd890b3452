/* SPDX-License-Identifier: MIT */
/*
 * What a machine says of its memory, in one text: sections "=== dmesg", meminfo,
 * iomem, zoneinfo, vmstat, vmalloc, cpus and tree, as recorded. Each line goes to
 * its parser, in memory of its exact size, in the sequence of a boot.
 */
#ifndef RAM_MACHINE_H
#define RAM_MACHINE_H

#include <string.h>
#include "exact.h"
#include "source/proc/proc.h"

struct ram_machine {
	struct ram_reader reader;
	uint64_t cpus;
};

static void ram_machine_log(struct ram_machine *m, const char *line,
			    size_t len)
{
	static const char prefix[] = "6,1,1,-;";
	char *record = malloc(sizeof(prefix) - 1 + len);

	if (!record)
		abort();
	memcpy(record, prefix, sizeof(prefix) - 1);
	memcpy(record + sizeof(prefix) - 1, line, len);
	boot_log_record(&m->reader, record, sizeof(prefix) - 1 + len);
	free(record);
}

/* "4e000000 800000 no-map firmware": base, bytes, kind, name. */
static void ram_machine_region(struct ram_machine *m, const char *line,
			       size_t len)
{
	struct tree_region *t = &m->reader.region[m->reader.regions];
	struct word rest = { line, len }, w;

	if (m->reader.regions == TREE_REGIONS_MAX ||
	    number_to(&rest, ' ', 16, &t->base) ||
	    number_to(&rest, ' ', 16, &t->bytes))
		return;
	word_to(&rest, ' ', &w);
	if (!rest.at)
		return;
	t->no_map = (uint8_t)word_is(&w, "no-map");
	t->reusable = (uint8_t)word_is(&w, "reusable");
	t->in_map = 0;
	word_copy(&rest, t->name, sizeof(t->name));
	m->reader.regions++;
}

static void ram_machine_line(struct ram_machine *m, const struct word *section,
			     char *line, size_t len)
{
	struct word w = { line, len };

	if (word_is(section, "dmesg"))
		ram_machine_log(m, line, len);
	else if (word_is(section, "vmalloc"))
		ram_vmalloc_line(&m->reader, line, len);
	else if (word_is(section, "meminfo"))
		ram_meminfo_line(&m->reader, line, len);
	else if (word_is(section, "iomem"))
		ram_map_line(&m->reader, line, len);
	else if (word_is(section, "zoneinfo"))
		ram_zoneinfo_line(&m->reader, line, len);
	else if (word_is(section, "vmstat"))
		ram_vmstat_line(&m->reader, line, len);
	else if (word_is(section, "tree"))
		ram_machine_region(m, line, len);
	else if (word_is(section, "cpus"))
		word_number(&w, 10, &m->cpus);
}

static void ram_machine_read(struct ram_machine *m, struct event_out *out,
			     const char *text, size_t len)
{
	static const char mark[] = "=== ";
	const size_t mark_len = sizeof(mark) - 1;
	struct word rest = { text, len }, line, section = { text, 0 };

	memset(m, 0, sizeof(*m));
	m->reader.out = out;
	m->reader.page_size = 4096;
	while (rest.len) {
		word_to(&rest, '\n', &line);
		if (line.len > mark_len && !memcmp(line.at, mark, mark_len)) {
			section = (struct word){ line.at + mark_len,
						 line.len - mark_len };
		} else {
			char *copy = exact(line.at, line.len);

			ram_machine_line(m, &section, copy, line.len);
			free(copy);
		}
	}
	ram_emit_rest(&m->reader, m->cpus);
}

#endif
