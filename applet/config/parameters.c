/*
 * The table of parameters, and what it takes to store one.
 *
 * What must hold: a value is stored whole or not at all, every stored value is
 * in its range, every stored path is shorter than PATH_BYTES and ended.
 */
#include <errno.h>
#include <string.h>
#include "base/print.h"
#include "config/parameters.h"
#include "config/sections.h"
#include "config/value.h"

/* Numbers first. */
enum kind { LEVEL, NUMBER, MEGABYTES, KEYWORD, WHERE, LIST, INIT };

struct parameter {
	uint8_t words;		/* offset, in 4 bytes: of such, or of a text */
	uint8_t kind;
};

#define FIELD(name, kind) { offsetof(struct config, name) / 4, kind }

static const struct parameter table[] = {
	FIELD(level, LEVEL),
	FIELD(out, WHERE),
	FIELD(format, KEYWORD),
	FIELD(sections, LIST),
	FIELD(top, NUMBER),
	FIELD(throttle_percent, NUMBER),
	FIELD(lines, NUMBER),
	FIELD(oom, KEYWORD),
	FIELD(heartbeat_s, NUMBER),
	FIELD(keep, LEVEL),
	FIELD(backend, KEYWORD),
	FIELD(mem_bytes, NUMBER),
	FIELD(pages_bytes, NUMBER),
	FIELD(ring_bytes, NUMBER),
	FIELD(ring_bytes, MEGABYTES),
	FIELD(stacks, NUMBER),
	FIELD(tasks, NUMBER),
	FIELD(modules, NUMBER),
	FIELD(init, INIT),
};

/* In the same order: what --help prints, and the parser reads it: the name,
 * and behind a colon and a blank what is accepted. The last is no option. */
static const char texts[] =
	"level=N detail of the report: 0 to 3\0"
	"out=WHERE report to: auto|kmsg|console|/PATH\0"
	"format=FORMAT report as: text|json\0"
	"report=LIST sections, as of old:\n" SECTION_TYPES "\0"
	"top=N rows of each table: 1 to 10000\0"
	"throttle=PERCENT rows until they hold so much: 1 to 100\0"
	"lines=N lines of a report at most: 16 to 1000000\0"
	"oom=WHAT when memory runs out: report|line|off\0"
	"heartbeat=SECONDS between status lines: 0 to 86400\0"
	"keep=N trace on after switch-root: 0 to 1\0"
	"backend=NAME source of events: auto|perf\0"
	"mem=SIZE all memory of ours: 256K to 1G\0"
	"pages=SIZE page table: 4K to 1G\0"
	"ring=SIZE rings of all CPUs: 4K to 1G\0"
	"buf-size=MIB the same: 1 to 1024\0"
	"stacks=ROWS stack table: 16 to 16M\0"
	"tasks=ROWS task table: 16 to 16M\0"
	"modules=ROWS module table: 16 to 1M\0"
	"init=PATH the real init: a path from /";

#define OPTIONS (ARRAY_LEN(table) - 1)

int parameter_is_switch(const struct parameter *p)
{
	return p->kind == LEVEL;
}

int parameter_is_option(const struct parameter *p)
{
	return p < table + OPTIONS;
}

_Static_assert(sizeof(enum backend) == 4 && sizeof(enum out_kind) == 4 &&
	       sizeof(enum format) == 4 && sizeof(enum oom) == 4,
	       "a KEYWORD is stored as 4 bytes");

void config_defaults(struct config *c)
{
	memset(c, 0, sizeof(*c));
	c->throttle_percent = 100;
}

static const char *text_of(const struct parameter *p)
{
	return text_at(texts, (unsigned int)(p - table));
}

static const char *accepted_by(const struct parameter *p)
{
	const char *text = text_of(p);

	return text + length_to(text, ':') + 2;
}

/* NULL, or what would have been accepted. */
static const char *set_path(char *path, const struct cmdline_word *w,
			    int from_root, const char *accepts)
{
	if (!w->value_len || (from_root && w->value[0] != '/'))
		return accepts;
	if (w->value_len >= PATH_BYTES)
		return "at most 255 bytes";
	memcpy(path, w->value, w->value_len);
	path[w->value_len] = 0;
	return NULL;
}

/* The same; then *c may have changed. */
static const char *try_value(struct config *c, const struct parameter *p,
			     const struct cmdline_word *w, int boot)
{
	uint32_t *field = (uint32_t *)c + p->words;
	const char *accepts = accepted_by(p), *why;
	int error;

	if (p->kind == INIT)
		return set_path((char *)field, w, 1, accepts);
	if (p->kind == LIST) {
		why = set_path((char *)field, w, 0, accepts);
		return why ? why : sections_check((char *)field);
	}
	if (p->kind < KEYWORD) {
		error = value_within(accepts, w->value, w->value_len, field);
	} else {
		error = value_keyword(accepts, w->value, w->value_len);
		*field = (uint32_t)error;
	}
	if (p->kind == MEGABYTES)
		*field <<= 20;
	if (p->kind == WHERE && *field >= OUT_FILE) {
		*field = OUT_FILE;
		return set_path(c->out_path, w, boot, accepts);
	}
	return error < 0 ? accepts : NULL;
}

const char *parameter_set(struct config *c, const struct parameter *p,
			  const struct cmdline_word *w, int boot)
{
	const struct config before = *c;
	const char *why = try_value(c, p, w, boot);

	if (why)
		*c = before;
	return why;
}

/* The kernel takes a dash and an underscore in names for the same. We do not:
 * the one name of ours that has one is of the older program's options. */
const struct parameter *parameter_find(const char *name, size_t len)
{
	const char *text = texts;

	for (size_t i = 0; i < ARRAY_LEN(table); i++, text = text_after(text))
		if (length_to(text, '=') == len && !memcmp(text, name, len))
			return &table[i];
	return NULL;
}

const char *option_help(unsigned int index, char *buf)
{
	const char *text;
	size_t len, name_len;

	if (index >= OPTIONS)
		return NULL;
	text = text_of(&table[index]);
	name_len = length_to(text, ' ');
	len = print_to(buf, LINE_BYTES, "  --%.*s", (int)name_len, text);
	while (len < 23)
		buf[len++] = ' ';
	print_to(buf + len, LINE_BYTES - len, "%s", text + name_len);
	return buf;
}
