/* SPDX-License-Identifier: MIT */
/* Parsing of values: keywords, formats, sections, paths: see
 * config.h. */
#include <errno.h>
#include <string.h>
#include "base/base.h"
#include "config/config.h"

/* --- value */

int value_keyword(const char *words, const char *value, size_t len)
{
	for (int i = 0;; i++) {
		const size_t word = length_to(words, '|');

		if (word == len && !memcmp(words, value, len))
			return i;
		words += word;
		if (!*words++)
			return -EINVAL;
	}
}

/* --- formats */

const char not_here[] = "in this build of memstrack; a host's has it";

static const struct {
	const char *suffix;
	uint32_t needs;		/* a feature; 0: always there */
} formats[FORMATS] = {
	[FORMAT_TEXT] = { ".txt", 0 },
	[FORMAT_JSON] = { ".json", FEATURE_JSON },
	[FORMAT_LINE] = { ".line", 0 },
	[FORMAT_FOLDED_PEAK] = { ".peak.folded", FEATURE_FOLDED },
	[FORMAT_FOLDED_TASKS] = { ".tasks.folded", FEATURE_FOLDED },
	[FORMAT_FOLDED] = { ".folded", FEATURE_FOLDED },
	[FORMAT_PROMETHEUS] = { ".prom", FEATURE_PROMETHEUS },
	[FORMAT_SVG] = { ".svg", FEATURE_SVG },
	[FORMAT_CHROME] = { ".chrome", FEATURE_CHROME },
};

int format_is_here(enum format f)
{
	return !formats[f].needs || has_feature(formats[f].needs);
}

enum format format_of_file(const char *name, size_t len)
{
	enum format f = FORMAT_TEXT;

	for (; f < FORMATS; f++) {
		const char *suffix = formats[f].suffix;
		const size_t bytes = strlen(suffix);

		if (len > bytes && !memcmp(name + len - bytes, suffix, bytes))
			break;
	}
	return f;
}

const char *format_name(enum format f, size_t *len)
{
	const char *name = FORMAT_NAMES;

	for (; f; f--)
		name += length_to(name, '|') + 1;
	*len = length_to(name, '|');
	return name;
}

/* --- sections */

/* Returns 0 if the text is a valid argument of a section. */
static int take_argument(struct section *s, const char *text, size_t len)
{
	size_t name_len = length_to(text, '=') + 1;
	uint64_t n = 0;
	int which, error;

	if (name_len > len)
		name_len = len;
	which = value_keyword("sort_by_alloc|sort_by_peak|top=|throttle=", text,
			      name_len);
	text += name_len;
	len -= name_len;
	if (which < 2) {
		s->by_peak = which;
		return which < 0;
	}
	error = parse_u64(text, len, 10, 0, which == 2 ? 10000 : 100, &n);
	if (which == 2)
		s->top = n ? (uint32_t)n : UINT32_MAX;
	else
		s->throttle_percent = n ? (uint32_t)n : 100;
	return error;
}

/* The length of the text before the first comma or colon. */
static size_t part_length(const char *text)
{
	const size_t section = length_to(text, ',');
	const size_t part = length_to(text, ':');

	return part < section ? part : section;
}

const char *section_next(const char **list, struct section *s)
{
	const char *at = *list;
	size_t len = part_length(at);
	const int type = value_keyword(SECTION_TYPES, at, len);

	if (type < 0)
		return SECTION_TYPES;
	*s = (struct section){
		.name = at, .name_len = len, .type = (enum section_type)type,
	};
	for (at += len; *at == ':'; at += len) {
		len = part_length(++at);
		if (take_argument(s, at, len))
			return "sort_by_alloc|sort_by_peak|top=0 to 10000|"
			       "throttle=0 to 100";
	}
	*list = *at ? at + 1 : NULL;
	return NULL;
}

const char *sections_check(const char *list)
{
	const char *accepted = NULL;
	struct section section;

	while (list && !accepted)
		accepted = section_next(&list, &section);
	return accepted;
}

/* --- where: the outputs of the report */

#define WHERE_WORDS "auto|kmsg|console"

const char *path_set(char *path, const char *value, size_t len, int from_root,
		     const char *accepts)
{
	if (!len || (from_root && *value != '/'))
		return accepts;
	if (len >= PATH_BYTES)
		return "at most 255 bytes";
	memcpy(path, value, len);
	path[len] = 0;
	return NULL;
}

_Static_assert(BESIDE_FILES == 4, "the text says how many");
static const char too_many[] = "at most 4 files beside the report";

/* A keyword before a comma is not a path with a comma in it: the file behind
 * the comma has an unknown suffix. */
static int is_word_and_more(const char *name, size_t len)
{
	size_t word = 0;

	while (word < len && name[word] != ',')
		word++;
	return word < len && value_keyword(WHERE_WORDS, name, word) >= 0;
}

/* One name of WHERE[,FILE...]. A file that is not the first name, or whose
 * suffix stands for a format that is for files alone, is written beside the
 * report. */
static const char *set_file(struct config *c, const char *name, size_t len,
			    int first, int boot, const char *accepts)
{
	const enum format f = format_of_file(name, len);
	const int keyword = value_keyword(WHERE_WORDS, name, len);
	size_t i = 0;

	if (first && keyword >= 0) {
		c->out = (enum out_kind)keyword;
		return NULL;
	}
	if (f != FORMATS && !format_is_here(f))
		return not_here;
	if (first && (f == FORMATS || !format_is_for_files(f))) {
		c->out = OUT_FILE;
		return is_word_and_more(name, len) ? accepts :
		       path_set(c->out_path, name, len, boot, accepts);
	}
	while (i < BESIDE_FILES && c->beside[i][0])
		i++;
	return i == BESIDE_FILES ? too_many : f == FORMATS ? accepts :
	       path_set(c->beside[i], name, len, boot, accepts);
}

/* A path may contain commas. A comma ends the path only if a name with the
 * suffix of a format follows. */
static const char *file_end(const char *at, const char *end)
{
	for (; at < end; at++) {
		const char *next = at + 1, *stop = next;

		while (stop < end && *stop != ',')
			stop++;
		if (*at == ',' &&
		    format_of_file(next, (size_t)(stop - next)) < FORMATS)
			break;
	}
	return at;
}

const char *where_set(struct config *c, const char *value, size_t len, int boot,
		      const char *accepts)
{
	const char *at = value, *end = value + len, *why;

	c->out = OUT_AUTO;
	memset(c->beside, 0, sizeof(c->beside));
	do {
		const char *name = at;

		at = file_end(at, end);
		why = set_file(c, name, (size_t)(at - name), name == value,
			       boot, accepts);
	} while (!why && at++ < end);
	return why;
}

/* --- config */

int config_has(const struct config *c, int (*is_such)(enum format f))
{
	int has = is_such(c->format);

	for (size_t i = 0; i < BESIDE_FILES && c->beside[i][0]; i++)
		has |= is_such(format_of_file(c->beside[i],
					      strlen(c->beside[i])));
	return has;
}

static int is_json(enum format f)
{
	return f == FORMAT_JSON;
}

int config_wants_history(const struct config *c)
{
	struct config files = *c;

	if (!has_feature(FEATURE_JSON | FEATURE_SVG | FEATURE_CHROME))
		return 0;
	if (c->out != OUT_FILE)
		files.format = FORMAT_TEXT;
	return config_has(c, format_is_picture) || config_has(&files, is_json);
}

/* A text report in a file X.json would mislead, unless the user asked for
 * text. */
static void take_suffix(struct config *c)
{
	const enum format f = format_of_file(c->out_path, strlen(c->out_path));

	if (c->out == OUT_FILE && f != FORMATS && !c->format_given)
		c->format = f;
}

int config_settle(struct config *c)
{
	const char *first = c->beside[0];

	take_suffix(c);
	if (!format_is_for_files(c->format) || c->out == OUT_FILE)
		return 0;
	if (c->out != OUT_AUTO ||
	    format_of_file(first, strlen(first)) != c->format)
		return -EINVAL;
	c->out = OUT_FILE;
	memcpy(c->out_path, first, PATH_BYTES);
	memmove(c->beside[0], c->beside[1], sizeof(c->beside) - PATH_BYTES);
	c->beside[BESIDE_FILES - 1][0] = 0;
	return 0;
}
