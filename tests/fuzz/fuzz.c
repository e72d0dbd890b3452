/* SPDX-License-Identifier: MIT */
/* The list of targets, and what they share; a strict reader of JSON: see fuzz.h. */
#include "fuzz.h"
#include "limits.h"

#define JSON_DEPTH_MAX 4

const struct target *targets(void)
{
	static const struct target all[] = {
		{ "allocinfo", fuzz_allocinfo, 0 },
		{ "boot_entries", fuzz_boot_entries, 0 },
		{ "cmdline", fuzz_cmdline, 0 },
		{ "control", fuzz_control, 0 },
		{ "diff", fuzz_diff, 0 },
		{ "dt_cells", fuzz_dt_cells, 0 },
		{ "estimate", fuzz_estimate, 0 },
		{ "format", fuzz_format, 0 },
		{ "ftrace", fuzz_ftrace, 0 },
		{ "iomem", fuzz_iomem, 0 },
		{ "kallsyms", fuzz_kallsyms, 0 },
		{ "kmemtrace", fuzz_kmemtrace, 0 },
		{ "lines", fuzz_lines, 0 },
		{ "page_owner", fuzz_page_owner, 0 },
		{ "perf", fuzz_perf, 0 },
		{ "picture", fuzz_picture, 0 },
		{ "proc", fuzz_proc, 0 },
		{ "ram", fuzz_ram, 0 },
		{ "report", fuzz_report, REPORT_HEAD_BYTES },
		{ "ring_page", fuzz_ring_page, 0 },
		{ "taskstats", fuzz_taskstats, 0 },
		{ "texts", fuzz_texts, 0 },
		{ "top", fuzz_top, 0 },
		{ "verdict", fuzz_verdict, 0 },
		{ "vmallocinfo", fuzz_vmallocinfo, 0 },
		{ "zoneinfo", fuzz_zoneinfo, 0 },
		{ NULL, NULL, 0 },
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

/* --- JSON --- */

struct json {
	const char *at, *end;
};

static int json_char(struct json *j, char c)
{
	if (j->at == j->end || *j->at != c)
		return 0;
	j->at++;
	return 1;
}

static int json_hex(const char *at)
{
	return (*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'f');
}

static int take_string(struct json *j)
{
	if (!json_char(j, '"'))
		return 0;
	while (j->at < j->end && *j->at != '"') {
		if (*j->at < 0x20 || *j->at > 0x7e)
			return 0;
		if (*j->at++ != '\\')
			continue;
		if (j->end - j->at < 5 || memcmp(j->at, "u00", 3) ||
		    !json_hex(j->at + 3) || !json_hex(j->at + 4))
			return 0;
		j->at += 5;
	}
	return json_char(j, '"');
}

/* No zeroes in front, which JSON does not have. */
static int take_number(struct json *j)
{
	const char *first;

	if (j->end - j->at >= 4 && !memcmp(j->at, "null", 4)) {
		j->at += 4;
		return 1;
	}
	json_char(j, '-');
	first = j->at;
	while (j->at < j->end && *j->at >= '0' && *j->at <= '9')
		j->at++;
	return j->at > first && (*first != '0' || j->at == first + 1);
}

static int take_name(struct json *j)
{
	const char *at;

	if (!json_char(j, '"'))
		return 0;
	for (at = j->at; j->at < j->end && ((*j->at >= 'a' && *j->at <= 'z') ||
	     *j->at == '_'); j->at++)
		;
	return j->at > at && json_char(j, '"') && json_char(j, ':');
}

/* Depth by a stack of the brackets that are open, each by the one that closes
 * it: no recursion. */
int json_whole(const char *text, size_t len)
{
	struct json j = { text, text + len };
	char open[JSON_DEPTH_MAX];
	size_t depth = 0;
	int value = 1;			/* is what must come next */

	do {
		if (value && depth && open[depth - 1] == '}' && !take_name(&j))
			return 0;
		if (value && (json_char(&j, '{') || json_char(&j, '['))) {
			if (depth == JSON_DEPTH_MAX)
				return 0;
			open[depth++] = j.at[-1] == '{' ? '}' : ']';
			value = !(j.at < j.end && *j.at == open[depth - 1]);
		} else if (value) {
			if (!depth || (!take_string(&j) && !take_number(&j)))
				return 0;
			value = 0;
		} else if (json_char(&j, ',')) {
			value = 1;
		} else if (json_char(&j, open[depth - 1])) {
			depth--;
		} else {
			return 0;
		}
	} while (depth);
	return j.at == j.end;
}

int json_is(const char *text, size_t len, const char *type)
{
	const size_t n = strlen(type);

	return len > 10 + n && !memcmp(text, "{\"type\":\"", 9) &&
	       !memcmp(text + 9, type, n) && text[9 + n] == '"';
}

int64_t json_get(const char *text, size_t len, const char *name)
{
	const size_t n = strlen(name);
	int64_t value = 0;

	for (; len > n + 3; text++, len--)
		if (text[0] == '"' && !memcmp(text + 1, name, n) &&
		    text[n + 1] == '"' && text[n + 2] == ':')
			break;
	if (len <= n + 3 || text[n + 3] < '0' || text[n + 3] > '9')
		return -1;
	for (text += n + 3; *text >= '0' && *text <= '9'; text++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, *text - '0', &value))
			return -1;
	return value;
}

/* --- reports --- */

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
