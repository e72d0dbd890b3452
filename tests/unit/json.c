/* SPDX-License-Identifier: MIT */
/*
 * report/json.c: every line is one whole JSON object under 900 bytes, whatever
 * the names and numbers; every field is there; rows shown and not shown, and
 * the stacks of each row, add up to the head's total.
 */
#include "report_fixture.h"

/* Where a value of JSON ends, its nesting kept in `open`, not in recursion;
 * NULL where it is none. Only what a report uses: no floats, no booleans. */
static const char *skip_string(const char *s)
{
	if (*s++ != '"')
		return NULL;
	for (; *s != '"'; s++) {
		if (*s < 0x20 || *s > 0x7e)
			return NULL;
		if (*s != '\\')
			continue;
		if (s[1] != 'u' || strspn(s + 2, "0123456789abcdef") < 4)
			return NULL;
		s += 5;
	}
	return s + 1;
}

static const char *skip_scalar(const char *s)
{
	size_t digits;

	s += *s == '-' && s[1] > '0';
	digits = strspn(s, "0123456789");
	if (*s == '"')
		return skip_string(s);
	if (!strncmp(s, "null", 4))
		return s + 4;
	return digits && (digits == 1 || *s != '0') ? s + digits : NULL;
}

/* {"name":"squashfs","pages":1}: no deeper. */
static const char *skip_row(const char *s)
{
	do {
		s = skip_string(s + 1);
		s = s && *s == ':' ? skip_scalar(s + 1) : NULL;
	} while (s && *s == ',');
	return s && *s == '}' ? s + 1 : NULL;
}

static const char *skip_array(const char *s)
{
	if (*++s == ']')
		return s + 1;
	for (;;) {
		s = *s == '{' ? skip_row(s) : skip_string(s);
		if (!s || (*s != ',' && *s != ']'))
			return NULL;
		if (*s++ == ']')
			return s;
	}
}

static int is_object(const char *s, size_t len)
{
	const char *end = s + len;

	if (*s != '{')
		return 0;
	do {
		s = skip_string(s + 1);
		if (!s || *s != ':')
			return 0;
		s = s[1] == '[' ? skip_array(s + 1) : skip_scalar(s + 1);
		if (!s || s >= end)
			return 0;
	} while (*s == ',');
	return *s == '}' && s + 1 == end;
}

static void check_lines(const struct capture *c, const char *what)
{
	size_t bad = 0, lines = 0;
	const char *s = c->text;

	while (*s) {
		size_t len = strcspn(s, "\n");

		if (!is_object(s, len) && !bad++)
			printf("# %.*s\n", (int)len, s);
		lines++;
		s += len + 1;
	}
	tap_ok(!bad && !c->bad && lines == c->lines && lines,
	       "%s: %zu lines, each an object under 900 bytes", what, lines);
}

static uint64_t number(const char *line, const char *name)
{
	char key[64];
	const char *at;

	snprintf(key, sizeof(key), ",\"%s\":", name);
	at = strstr(line, key);
	if (!at || at > strchr(line, '\n'))
		return UINT64_MAX;
	return strtoull(at + strlen(key), NULL, 10);
}

/* Sums `name` over all lines that begin with `start`. */
static uint64_t sum(const char *text, const char *start, const char *name)
{
	uint64_t total = 0;

	for (; *text; text = strchr(text, '\n') + 1)
		if (!strncmp(text, start, strlen(start)))
			total += number(text, name);
	return total;
}

static void test_fields(void)
{
	static const char *const head[] = {
		"version", "level", "reason", "start_ns", "end_ns", "kernel",
		"page_size", "mem_total_kib", "free_start_kib",
		"free_lowest_kib", "free_lowest_ns", "free_now_kib",
		"now_pages", "peak_pages", "peak_ns", "allocs", "frees",
		"before_frees", "seen", "applied", "ignored", "rejected",
		"lost", "own_bytes", "cpu_ns",
	};
	struct fixture *f = fixture_new();
	const char *text;
	char first[LINE_BYTES], key[64];

	fixture_boot(f);
	text = fixture_print(f, 2, report_json);
	check_lines(&f->got, "a boot");
	snprintf(first, sizeof(first), "%.*s", (int)strcspn(text, "\n"), text);
	tap_ok(!strncmp(first, "{\"type\":\"head\",", 15), "the head is first");
	for (size_t i = 0; i < ARRAY_LEN(head); i++) {
		snprintf(key, sizeof(key), ",\"%s\":", head[i]);
		tap_ok(count(first, key) == 1, "the head has %s", head[i]);
	}
	tap_ok(number(text, "seen") == 23 && number(text, "applied") == 22 &&
	       number(text, "ignored") == 1 && number(text, "rejected") == 0,
	       "the events are those applied");
	tap_ok(number(text, "now_pages") == 723 &&
	       number(text, "peak_pages") == 978 &&
	       number(text, "free_lowest_kib") == 12000, "the pages too");
	tap_ok(count(text, "{\"type\":\"peak\"") == 1 && has(text, "\n"
		   "{\"type\":\"peak\",\"time_ns\":415000000,"
		   "\"free_pages\":3022,\"traced_pages\":978,"
		   "\"vmalloc_pages\":0,\"modules\":["
		   "{\"name\":\"squashfs\",\"pages\":784},"
		   "{\"name\":\"leaky\",\"pages\":2}],\"tasks\":["
		   "{\"name\":\"systemd-udevd\",\"pages\":578},"
		   "{\"name\":\"e\\u0022v\\u005cil\\u000a\\u001b[2J"
		   "\\u00ff\",\"pages\":400}]}\n"),
	       "who held most when the most was used");
	tap_ok(has(text, "\n{\"type\":\"module\",\"name\":\"squashfs\","
		   "\"state\":\"live\",\"now_pages\":528,\"peak_pages\":784,"
		   "\"at_peak_pages\":784,\"image_pages\":0,"
		   "\"vmalloc_pages\":0,\"image_peak_pages\":0,"
		   "\"vmalloc_peak_pages\":0}\n"), "a module");
	tap_ok(has(text, "\n{\"type\":\"task\",\"pid\":200,\"tgid\":200,"
		   "\"start_ns\":403000000,\"rss_start_pages\":0,"
		   "\"comm\":\"e\\u0022v\\u005cil\\u000a\\u001b[2J\\u00ff\","
		   "\"state\":\"exited\",\"now_pages\":144,"
		   "\"peak_pages\":400,\"at_peak_pages\":400}\n"), "a task");
	tap_ok(has(text, "\n{\"type\":\"stack\",\"owner\":\"module:squashfs\","
		   "\"now_pages\":512,\"peak_pages\":768,\"frames\":["
		   "\"__alloc_pages+0x10\",\"filemap_alloc+0x30\","
		   "\"squashfs_cache_get+0x20 [squashfs]\","
		   "\"do_syscall_64+0x40\"]}\n"), "a stack of a module");
	tap_ok(has(text, "\n{\"type\":\"stack\",\"owner\":\"task:200\","
		   "\"now_pages\":128,\"peak_pages\":128,\"frames\":[]}\n"),
	       "pages of a task without a stack");
	tap_ok(has(text, "\n{\"type\":\"stack\",\"owner\":\"task:(irq)\","),
	       "a row of the program's own");
	tap_ok(has(text, "\n{\"type\":\"end\",\"records\":32,"
		   "\"records_cut\":0,\"frames\":28,"
		   "\"unnamed_frames\":2}\n") && f->got.lines == 33,
	       "the end counts the lines before it");
	free(f);
}

/* 20 modules and tasks of different sizes and several stacks each. */
static void many(struct fixture *f)
{
	for (uint32_t i = 1; i <= 20; i++) {
		uint64_t base = MODULE_TEXT + i * 0x10000;
		char name[16];

		snprintf(name, sizeof(name), "name%02u", i);
		named(f, EVENT_COMM, 100 + i, name);
		range(f, name, base);
		for (uint32_t n = 0; n <= i / 2; n++) {
			const uint64_t chain[] = { base + 0x10 + n, 0 };
			uint64_t pfn = hold(f, 100 + i, 8, chain);

			drop(f, pfn, n & 7 ? 1 : 4);
		}
		hold(f, 100 + i, 2, NULL);
	}
}

static void check_sums(const char *text, const char *what)
{
	static const struct {
		const char *rows, *rest, *name, *total;
	} sums[] = {
		{ "{\"type\":\"module\"",
		  "{\"type\":\"rest\",\"of\":\"module\"",
		  "now_pages", "now_pages" },
		{ "{\"type\":\"module\"",
		  "{\"type\":\"rest\",\"of\":\"module\"",
		  "at_peak_pages", "peak_pages" },
		{ "{\"type\":\"task\"",
		  "{\"type\":\"rest\",\"of\":\"task\"",
		  "now_pages", "now_pages" },
		{ "{\"type\":\"task\"",
		  "{\"type\":\"rest\",\"of\":\"task\"",
		  "at_peak_pages", "peak_pages" },
	};

	for (size_t i = 0; i < ARRAY_LEN(sums); i++)
		tap_ok(sum(text, sums[i].rows, sums[i].name) +
		       sum(text, sums[i].rest, sums[i].name) ==
		       number(text, sums[i].total), "%s: %s add up: %s",
		       what, sums[i].rows + 9, sums[i].name);
}

/* Of every row, its stacks and what is not shown of them. */
static void check_stacks(const char *text, const char *what)
{
	uint64_t row = 0, stacks = 0;
	size_t wrong = 0, rows = 0;

	for (; *text; text = strchr(text, '\n') + 1) {
		if (!strncmp(text, "{\"type\":\"module\"", 16) ||
		    !strncmp(text, "{\"type\":\"task\"", 14)) {
			wrong += row != stacks;
			row = number(text, "now_pages");
			stacks = 0;
			rows++;
		} else if (has(text, "\"owner\":") &&
			   strstr(text, "\"owner\":") < strchr(text, '\n')) {
			stacks += number(text, "now_pages");
		}
	}
	wrong += row != stacks;
	tap_ok(!wrong && rows, "%s: the stacks of %zu rows add up", what, rows);
}

/* Pages of a module without a stack; init text. */
static void test_unknown(void)
{
	static const uint64_t chain[] = { MODULE_TEXT + 0x804f, 0 };
	struct fixture *f = fixture_new();
	const char *text;

	range_of(f, "virtio_blk", MODULE_TEXT + 0x8000, EVENT_INIT_TEXT);
	hold(f, 7, 1, chain);
	hold(f, 7, 2, NULL);
	text = fixture_print(f, 2, report_json);
	tap_ok(has(text, "\n{\"type\":\"stack\","
		   "\"owner\":\"module:(no module)\",\"now_pages\":2,"
		   "\"peak_pages\":null,\"frames\":[]}\n"),
	       "a peak that is not known is null");
	tap_ok(has(text, "\n{\"type\":\"stack\",\"owner\":\"task:7\","
		   "\"now_pages\":1,\"peak_pages\":1,\"frames\":["
		   "\"(init)+0x4f [virtio_blk]\"]}\n") &&
	       has(text, "\"frames\":2,\"unnamed_frames\":0}\n"),
	       "init text is named by its module");
	f->report.top = 1;
	text = fixture_print(f, 2, report_json);
	tap_ok(has(text, "\n{\"type\":\"rest\",\"of\":\"stack\","
		   "\"owner\":\"task:7\",\"rows\":1,\"now_pages\":1,"
		   "\"peak_pages\":null}\n"), "stacks not shown are summed");
	hold(f, 8, 4, NULL);
	text = fixture_print(f, 1, report_json);
	tap_ok(has(text, "\n{\"type\":\"rest\",\"of\":\"task\",\"rows\":1,"
		   "\"now_pages\":3,\"peak_pages\":null,"
		   "\"at_peak_pages\":3}\n"), "rows not shown too");
	free(f);
}

static void test_sums(void)
{
	struct fixture *f = fixture_new();
	const char *text;

	many(f);
	tap_ok(!ledger_check(&f->ledger), "the books balance");
	for (uint32_t level = 1; level <= 3; level++) {
		char what[32];

		for (uint32_t top = 0; top < 30; top += 7) {
			f->report.top = top;
			text = fixture_print(f, level, report_json);
			snprintf(what, sizeof(what), "level %u, top %u",
				 level, top);
			check_lines(&f->got, what);
			check_sums(text, what);
			if (level > 1)
				check_stacks(text, what);
		}
	}
	f->report.top = 0;
	f->report.throttle_percent = 50;
	text = fixture_print(f, 2, report_json);
	check_sums(text, "half of it");
	check_stacks(text, "half of it");
	tap_ok(count(text, "{\"type\":\"rest\"") > 2, "and the rest is there");
	free(f);
}

static void test_unsampled(void)
{
	struct fixture *f = fixture_new();
	const char *text = fixture_print(f, 1, report_json);

	tap_ok(has(text, ",\"free_start_kib\":null,\"free_now_kib\":null,"
		   "\"free_lowest_kib\":null,\"free_lowest_ns\":null,"
		   "\"now_pages\":0,"),
	       "free memory that was not sampled is null");
	tap_ok(!has(text, "{\"type\":\"peak\"") &&
	       !has(text, "\"type\":\"advice\""),
	       "and nothing is said of how much was free at the peak");
	check_lines(&f->got, "an empty ledger");
	free(f);
}

/* The longest line of each kind. */
static void test_extremes(void)
{
	struct fixture *f = fixture_new();
	uint64_t chain[CHAIN_FRAMES_MAX + 1];
	char name[MODULE_NAME_BYTES];
	const char *text;

	memset(name, 0xfe, sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	named(f, EVENT_COMM, UINT32_MAX, name);
	range(f, name, MODULE_TEXT);
	for (size_t i = 0; i < CHAIN_FRAMES_MAX; i++)
		chain[i] = MODULE_TEXT + 0x10 + i;
	chain[CHAIN_FRAMES_MAX] = 0;
	hold(f, UINT32_MAX, 1, chain);
	memset(&f->ledger.total, 0xff, sizeof(f->ledger.total));
	f->ledger.memory_sampled = 1;
	f->ledger.free_start_pages = UINT64_MAX;
	f->ledger.free_lowest_pages = UINT64_MAX - 1;
	f->ledger.free_lowest_ns = UINT64_MAX - 1;
	f->ledger.free_now_pages = UINT64_MAX;
	f->ledger.peak_ns = UINT64_MAX;
	f->ledger.tasks.full = f->ledger.tasks.recycled = UINT64_MAX;
	f->ledger.tasks.recycled_peak = UINT64_MAX;
	f->ledger.modules.full = f->ledger.modules.recycled = UINT64_MAX;
	f->ledger.modules.recycled_peak = UINT64_MAX;
	f->ledger.modules.ranges_full = f->ledger.stacks.full = UINT64_MAX;
	f->ledger.owners.full = f->ledger.owners.recycled = UINT64_MAX;
	f->ledger.owners.recycled_peak = UINT64_MAX;
	memset(&f->session, 0xff, sizeof(f->session));
	text = fixture_print(f, 3, report_json);
	check_lines(&f->got, "all at their greatest");
	tap_ok(count(text, "\"cpu_ns\":18446744073709551615}") == 1 &&
	       count(text, "\"before_frees\":18446744073709551615}") == 1,
	       "no line lost its end");
	tap_ok(count(strstr(text, "{\"type\":\"stack\""), "0xffff") / 2 ==
	       CHAIN_FRAMES_MAX, "all frames are shown");
	tap_ok(count(text, "{\"type\":\"note\"") == NOTES_MAX, "all notes");
	free(f);
}

/* Names of every length: a line is full at every distance from its end. */
static void test_splits(void)
{
	for (size_t len = 1; len < MODULE_NAME_BYTES; len++) {
		struct fixture *f = fixture_new();
		uint64_t chain[CHAIN_FRAMES_MAX + 1];
		char name[MODULE_NAME_BYTES] = "", what[32];
		const char *text;

		memset(name, 'm', len);
		range(f, name, MODULE_TEXT);
		for (size_t i = 0; i < CHAIN_FRAMES_MAX; i++)
			chain[i] = MODULE_TEXT + 0x10 + i;
		chain[CHAIN_FRAMES_MAX] = 0;
		hold(f, 1, 1, chain);
		text = fixture_print(f, 2, report_json);
		tap_ok(count(text, "{\"type\":\"frames\"") ==
		       count(text, "],\"more\":1}\n") &&
		       has(text, "\"more\""), "a chain goes on");
		tap_ok(count(text, "[mmm") + count(text, "[mm]") +
		       count(text, "[m]") == 2 * CHAIN_FRAMES_MAX,
		       "with all of its frames");
		snprintf(what, sizeof(what), "a name of %zu", len);
		check_lines(&f->got, what);
		free(f);
	}
}

static void test_counters(void)
{
	struct fixture *f = fixture_new();
	struct ledger *g = &f->ledger;
	const struct {
		const char *name;
		uint64_t *value;
	} counters[] = {
		{ "lost", &g->total.lost }, { "late", &g->total.late },
		{ "settled_pages", &g->total.settled_pages },
		{ "missed_frees", &g->total.missed_frees },
		{ "untracked_pages", &g->total.untracked_pages },
		{ "outside_ram", &g->total.outside_ram },
		{ "bad_records", &g->total.bad_records },
		{ "failed_allocs", &g->total.failed_allocs },
		{ "tasks_full", &g->tasks.full },
		{ "tasks_recycled", &g->tasks.recycled },
		{ "tasks_recycled_peak", &g->tasks.recycled_peak },
		{ "modules_full", &g->modules.full },
		{ "modules_recycled", &g->modules.recycled },
		{ "modules_recycled_peak", &g->modules.recycled_peak },
		{ "ranges_full", &g->modules.ranges_full },
		{ "areas_full", &g->areas.full },
		{ "stacks_full", &g->stacks.full },
		{ "owners_full", &g->owners.full },
		{ "owners_recycled", &g->owners.recycled },
		{ "owners_recycled_peak", &g->owners.recycled_peak },
		{ "anon_pages", &g->total.anon_pages },
		{ "before_frees", &g->total.before_frees },
	};
	const char *text;

	for (size_t i = 0; i < ARRAY_LEN(counters); i++)
		*counters[i].value = 1000 + i;
	text = strstr(fixture_print(f, 1, report_json), "\"counters\"");
	for (size_t i = 0; i < ARRAY_LEN(counters); i++)
		tap_ok(number(text, counters[i].name) == 1000 + i, "%s",
		       counters[i].name);
	free(f);
}

int main(void)
{
	test_fields();
	test_unknown();
	test_sums();
	test_unsampled();
	test_extremes();
	test_splits();
	test_counters();
	return tap_plan_done();
}
