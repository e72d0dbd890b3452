/*
 * Parameters: one table for the kernel command line, the options, --help and
 * (by tests/unit/help.t) the man page.
 *
 * What must hold: a value is stored whole or not at all, every stored value is
 * in its range, every stored path is shorter than PATH_BYTES and ended. The
 * text of /proc/cmdline comes from a boot loader, a bootconfig or a virtual
 * machine's operator: nothing about it is trusted, and nothing in it can stop
 * the boot.
 *
 * Words and quotes are read as lib/cmdline.c:next_arg() and
 * kernel/params.c:parse_args() read them (Linux 6.1; "--" since 3.15), with
 * one difference: white space is ASCII. The kernel also splits at byte 0xa0,
 * which is half of a letter in UTF-8.
 */
#include <errno.h>
#include <string.h>
#include "../print.h"
#include "cmdline.h"

enum kind { NUMBER, SIZE, WORD, WHERE, INIT };

#define BOOT_ONLY 1u	/* no option of this name */
#define BARE_IS_1 2u	/* on the kernel command line, without "=" */

struct parameter {
	const char *name;
	enum kind kind;
	uint32_t flags;
	uint64_t min, max;
	size_t offset;		/* of 4 bytes; SIZE: 8; INIT: a path */
	const char *operand, *help;
	const char *accepts;	/* WORD, WHERE: the keywords are read from it */
};

_Static_assert(sizeof(enum backend) == 4 && sizeof(enum out_kind) == 4 &&
	       sizeof(enum format) == 4, "WORD stores 4 bytes");

static const char backend_words[] = "auto or perf";
static const char format_words[] = "text or json";
static const char where_words[] = "auto, kmsg, console or a path";
static const char boot_where_words[] = "auto, kmsg, console or a path from /";
static const char rows[] = "a number from 16 to 16M";
static const char size[] = "a size from 4K to 1G";

static const struct parameter table[] = {
	{ "level", NUMBER, BARE_IS_1, 0, 3, offsetof(struct config, level),
	  "N", "detail of the report", "0 to 3" },
	{ "out", WHERE, 0, OUT_AUTO, OUT_CONSOLE, offsetof(struct config, out),
	  "WHERE", "report to", where_words },
	{ "format", WORD, 0, FORMAT_TEXT, FORMAT_JSON,
	  offsetof(struct config, format),
	  "FORMAT", "report as", format_words },
	{ "top", NUMBER, 0, 1, 10000, offsetof(struct config, top),
	  "N", "rows of each table", "a number from 1 to 10000" },
	{ "throttle", NUMBER, 0, 1, 100,
	  offsetof(struct config, throttle_percent),
	  "PERCENT", "rows until they hold so much", "a number from 1 to 100" },
	{ "heartbeat", NUMBER, 0, 0, 86400,
	  offsetof(struct config, heartbeat_s),
	  "SECONDS", "between status lines", "a number from 0 to 86400" },
	{ "keep", NUMBER, BARE_IS_1, 0, 1, offsetof(struct config, keep),
	  "N", "trace on after switch-root", "0 or 1" },
	{ "backend", WORD, 0, BACKEND_AUTO, BACKEND_PERF,
	  offsetof(struct config, backend),
	  "NAME", "source of events", backend_words },
	{ "mem", SIZE, 0, 256u << 10, 1u << 30,
	  offsetof(struct config, mem_bytes),
	  "SIZE", "all memory of ours", "a size from 256K to 1G" },
	{ "pages", SIZE, 0, 4u << 10, 1u << 30,
	  offsetof(struct config, pages_bytes), "SIZE", "page table", size },
	{ "ring", SIZE, 0, 4u << 10, 1u << 30,
	  offsetof(struct config, ring_bytes),
	  "SIZE", "rings of all CPUs", size },
	{ "stacks", SIZE, 0, 16, 16u << 20, offsetof(struct config, stacks),
	  "ROWS", "stack table", rows },
	{ "tasks", SIZE, 0, 16, 16u << 20, offsetof(struct config, tasks),
	  "ROWS", "task table", rows },
	{ "modules", SIZE, 0, 16, 16u << 20, offsetof(struct config, modules),
	  "ROWS", "module table", rows },
	{ "init", INIT, BOOT_ONLY, 0, 0, offsetof(struct config, init),
	  "PATH", "the real init", "a path from /" },
};

struct word {
	const char *name, *value;	/* value NULL: no "=" */
	size_t name_len, value_len;
};

void config_defaults(struct config *c)
{
	memset(c, 0, sizeof(*c));
	c->throttle_percent = 100;
}

/* Bytes before the first `a` or `b`, or the end. */
static size_t length_to(const char *text, char a, char b)
{
	size_t len = 0;

	while (text[len] && text[len] != a && text[len] != b)
		len++;
	return len;
}

/* Which of the `count` keywords that stand first in `words` the text is. */
static int parse_word(const char *words, uint64_t count, const char *text,
		      size_t len, uint32_t *index)
{
	for (*index = 0; *index < count; ++*index) {
		size_t word_len = length_to(words, ',', ' ');

		if (len == word_len && memcmp(text, words, len) == 0)
			return 0;
		words += word_len;
		while (*words == ',' || *words == ' ')
			words++;
		if (strncmp(words, "or ", 3) == 0)
			words += 3;
	}
	return -EINVAL;
}

static const char *set_path(char *path, const char *text, size_t len)
{
	if (len >= PATH_BYTES)
		return "at most 255 bytes";
	memcpy(path, text, len);
	path[len] = 0;
	return NULL;
}

static const char *set_where(struct config *c, const struct word *w,
			     uint32_t word, int boot)
{
	const char *why = NULL;

	if (word > OUT_CONSOLE) {
		if (w->value_len == 0 || (boot && w->value[0] != '/'))
			return boot ? boot_where_words : where_words;
		why = set_path(c->out_path, w->value, w->value_len);
	}
	if (!why)
		c->out = (enum out_kind)word;
	return why;
}

/* NULL, or what the parameter would have accepted; then *c is unchanged. */
static const char *set_value(struct config *c, const struct parameter *p,
			     const struct word *w, int boot)
{
	char *field = (char *)c + p->offset;
	uint64_t number;
	uint32_t word;

	switch (p->kind) {
	case NUMBER:
		if (parse_u64(w->value, w->value_len, 10, p->min, p->max,
			      &number))
			return p->accepts;
		word = (uint32_t)number;
		break;
	case SIZE:
		if (parse_size(w->value, w->value_len, p->min, p->max, &number))
			return p->accepts;
		memcpy(field, &number, sizeof(number));
		return NULL;
	case WORD:
		if (parse_word(p->accepts, p->max + 1, w->value, w->value_len,
			       &word))
			return p->accepts;
		break;
	case WHERE:
		parse_word(p->accepts, p->max + 1, w->value, w->value_len,
			   &word);
		return set_where(c, w, word, boot);
	default:
		if (w->value_len == 0 || w->value[0] != '/')
			return p->accepts;
		return set_path(field, w->value, w->value_len);
	}
	memcpy(field, &word, sizeof(word));
	return NULL;
}

/* No name of ours has a dash or an underscore, so the kernel's rule that the
 * two are equal in names needs nothing here. */
static const struct parameter *find_parameter(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		const char *n = table[i].name;

		if (strlen(n) == len && memcmp(n, name, len) == 0)
			return &table[i];
	}
	return NULL;
}

/* isspace() would ask the locale. */
static int is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static int next_word(struct word *w, const char *text, size_t len, size_t *at)
{
	size_t i = *at, start, end, equals = 0;
	int in_quote, quoted;

	while (i < len && is_space(text[i]))
		i++;
	*at = i;
	if (i == len)
		return 0;
	in_quote = quoted = text[i] == '"';
	start = i += (size_t)quoted;
	for (; i < len && (in_quote || !is_space(text[i])); i++) {
		if (text[i] == '=' && equals == 0)
			equals = i;
		if (text[i] == '"')
			in_quote = !in_quote;
	}
	*at = end = i;
	w->value = NULL;
	w->value_len = 0;
	w->name = text + start;
	if (equals) {
		w->name_len = equals - start;
		start = equals + 1;
		if (start < end && text[start] == '"') {
			quoted = 1;
			start++;
		}
	}
	if (quoted && end > start && text[end - 1] == '"')
		end--;
	if (equals) {
		w->value = text + start;
		w->value_len = end - start;
	} else {
		w->name_len = end - start;
	}
	return 1;
}

/* Why a word of ours was not taken; NULL: it was, or it is none of ours. */
static const char *take_word(struct config *c, struct word *w)
{
	static const char prefix[] = "rd.memstrack";
	const size_t prefix_len = sizeof(prefix) - 1;
	const struct parameter *p = &table[0];

	if (w->name_len < prefix_len ||
	    memcmp(w->name, prefix, prefix_len) != 0)
		return NULL;
	if (w->name_len > prefix_len) {
		if (w->name[prefix_len] != '.')
			return NULL;
		p = find_parameter(w->name + prefix_len + 1,
				   w->name_len - prefix_len - 1);
	}
	if (!p)
		return "no such parameter";
	if (!w->value) {
		w->value = "1";
		w->value_len = (p->flags & BARE_IS_1) != 0;
	}
	return set_value(c, p, w, 1);
}

int cmdline_parse(struct config *c, const char *text, size_t len,
		  const struct cmdline_warn *w)
{
	const char *end = len ? memchr(text, 0, len) : NULL;
	int warnings = 0;
	struct word word;
	size_t at = 0;

	if (end)
		len = (size_t)(end - text);
	while (next_word(&word, text, len, &at)) {
		const char *why;

		if (!word.value && word.name_len == 2 &&
		    memcmp(word.name, "--", 2) == 0)
			break;
		why = take_word(c, &word);
		if (!why)
			continue;
		warnings++;
		w->warn(w->ctx, word.name, word.name_len,
			word.value ? word.value : "", word.value_len, why);
	}
	return warnings;
}

int option_parse(struct config *c, int argc, char *const argv[], int *index,
		 const struct cmdline_warn *w)
{
	const struct parameter *p;
	struct word word;
	const char *why;

	if (*index >= argc || strncmp(argv[*index], "--", 2) != 0)
		return -ENOENT;
	word.name = argv[*index];
	word.name_len = length_to(word.name, '=', '=');
	p = find_parameter(word.name + 2, word.name_len - 2);
	if (!p || (p->flags & BOOT_ONLY))
		return -ENOENT;
	++*index;
	word.value = word.name + word.name_len;
	if (*word.value == '=')
		word.value++;
	else if (*index < argc)
		word.value = argv[(*index)++];
	word.value_len = strlen(word.value);
	why = set_value(c, p, &word, 0);
	if (!why)
		return 0;
	w->warn(w->ctx, word.name, word.name_len, word.value, word.value_len,
		why);
	return -EINVAL;
}

const char *option_help(unsigned int index, char *buf)
{
	const struct parameter *p = table;
	size_t len;

	for (; p < table + ARRAY_LEN(table); p++)
		if (!(p->flags & BOOT_ONLY) && index-- == 0)
			break;
	if (p == table + ARRAY_LEN(table))
		return NULL;
	len = print_to(buf, LINE_BYTES, "  --%s=%s", p->name, p->operand);
	do
		buf[len++] = ' ';
	while (len < 24);
	print_to(buf + len, LINE_BYTES - len, "%s: %s", p->help, p->accepts);
	return buf;
}
