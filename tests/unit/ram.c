/* SPDX-License-Identifier: MIT */
/*
 * source/proc/ram*.c: what recorded machines say of their memory, as parts.
 * They are in golden/; the figures were compared by hand with sizes in the logs
 * and differences of addresses. GOLDEN=write writes these files again, for a
 * human to check. Then lines that no kernel writes. (Rows that are refused, or whose
 * sum is too large: replay/random.t.)
 */
#include <inttypes.h>
#include "base/system.h"
#include "ledger/history.h"
#include "cases.h"
#include "ram_machine.h"

struct listener {
	struct event_out out;	/* first: it takes events */
	struct ram_rows rows;
	uint32_t wrong;
};

static void hear(struct event_out *o, const struct event *e)
{
	struct listener *l = (struct listener *)o;

	/* Those of kernel_log.c. */
	if (e->type == EVENT_FIGURE)
		return;
	l->wrong += e->type != EVENT_RAM || !e->size ||
		    !memchr(e->name, 0, RAM_NAME_BYTES) ||
		    ram_rows_add(&l->rows, e) != 1;
}

/* What a machine's text makes known. */
static const struct listener *heard(const char *text, size_t len)
{
	static struct ram_machine m;
	static struct listener l;

	l = (struct listener){ .out.event = hear };
	ram_machine_read(&m, &l.out, text, len);
	return &l;
}

static const char *const groups[] = {
	[RAM_SUM] = "sum", [RAM_FIRMWARE] = "firmware", [RAM_KERNEL] = "kernel",
	[RAM_RESERVED] = "reserved", [RAM_BEFORE] = "before",
	[RAM_FREE] = "free",
};

/* Each row is a line: whether it is within another, its group, name and KiB. */
static void print_rows(const struct ram_rows *r, char *text)
{
	text += sprintf(text, "# SPDX-License-Identifier: MIT\n");
	for (uint32_t i = 0; i < r->used; i++)
		text += sprintf(text, "%s%s: %s %" PRIu64 "\n",
				r->row[i].within ? "within " : "",
				groups[r->row[i].group], r->row[i].name,
				r->row[i].kib);
}

static int is_golden(const char *path, const char *got)
{
	static char want[1 << 14];

	if (getenv("GOLDEN")) {
		FILE *f = fopen(path, "w");

		if (!f || fputs(got, f) < 0 || fclose(f))
			abort();
	}
	return readfile(path, want, sizeof(want)) > 0 && !strcmp(got, want);
}

static void machine(const char *name)
{
	static char text[1 << 16];
	const struct listener *l;
	char path[128];
	ssize_t len;

	snprintf(path, sizeof(path), "tests/fuzz/corpus/ram/%s", name);
	len = readfile(path, text, sizeof(text));
	l = heard(text, len > 0 ? (size_t)len : 0);
	print_rows(&l->rows, text);
	snprintf(path, sizeof(path), "tests/unit/golden/ram-%s", name);
	tap_ok(is_golden(path, text) && l->rows.used && !l->wrong,
	       "%s: all parts are as in %s", name, path);
}

/* Of a row: "GROUP: NAME". */
static void test_case(struct cases *c)
{
	const char *zones = strstr(c->text, "=== zoneinfo") ? "" :
		"\n=== zoneinfo\n present 100000\n managed 90000\n";
	const struct listener *l;
	char text[1024], group[16], name[32], got[24];
	int len = snprintf(text, sizeof(text), "%s%s", c->text, zones);
	enum ram_group g = 0;

	must(sscanf(c->reader, "%15[^:]: %31[^]]", group, name) == 2);
	while (strcmp(groups[g], group))
		must(++g < RAM_GROUPS);
	l = heard(text, (size_t)len);
	snprintf(got, sizeof(got), "%" PRIu64, ram_rows_kib(&l->rows, g, name));
	case_is(c, got);
}

int main(void)
{
	static const char *const machines[] = {
		"5.10", "5.10-swiotlb", "6.1", "6.12", "7.2", "7.2-log",
		"pc-holes", "kdump", "arm64",
	};
	for (size_t i = 0; i < ARRAY_LEN(machines); i++)
		machine(machines[i]);
	each_case("ram", NULL, test_case);
	return tap_plan_done();
}
