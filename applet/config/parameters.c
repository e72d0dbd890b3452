/* SPDX-License-Identifier: MIT */
/*
 * The table of parameters, and the functions that store a value.
 *
 * What must hold: a value is stored whole or not at all, every stored value is
 * in its range, every stored path is shorter than PATH_BYTES and has an end
 * byte.
 */
#include <string.h>
#include "base/base.h"
#include "config/config.h"

/* The kinds whose value is a number come first. */
enum kind {
	LEVEL, FLAG, SHARE, NUMBER, MEGABYTES, KEYWORD, WHERE, LIST, INIT, BOOK,
};

struct parameter {
	const char *name;		/* "NAME", or "NAME|ALIAS" */
	const char *operand;		/* --NAME=OPERAND; "": a flag */
	const char *text;		/* line of --help */
	const char *accepts;		/* config.h, value */
	uint16_t offset;		/* in struct config */
	uint16_t of;			/* enum parameter_of */
	uint8_t kind;			/* enum kind */
	uint8_t begins_sizes;		/* the first one that sizes a table */
};

#define EVERY_TRACER (OF_BOOT | OF_TRACE | OF_RUN)
#define EVERY_REPORT (OF_BOOT | OF_TRACE | OF_REPLAY | OF_KMEMTRACE | OF_VIEW)
#define EVERY_OUTPUT (EVERY_REPORT | OF_CHECK | OF_RUN | OF_DIFF)

static const struct parameter table[] = {
	{
		.name = "level", .of = EVERY_REPORT | OF_CHECK | OF_RUN,
		.operand = "N",
		.text = "detail of the report", .accepts = "0 to 3",
		.offset = offsetof(struct config, level), .kind = LEVEL,
	},
	{
		.name = "output|out", .of = EVERY_OUTPUT, .operand = "WHERE",
		.text = "report",
		.accepts = "auto|kmsg|console|/PATH[,/FILE.json]",
		.offset = offsetof(struct config, out), .kind = WHERE,
	},
	{
		.name = "format", .of = EVERY_OUTPUT, .operand = "FORMAT",
		.text = "format of the report", .accepts = FORMAT_NAMES,
		.offset = offsetof(struct config, format), .kind = KEYWORD,
	},
	{
		.name = "report", .of = OF_BOOT | OF_TRACE | OF_REPLAY,
		.operand = "LIST",
		.text = "legacy report sections", .accepts = SECTION_TYPES,
		.offset = offsetof(struct config, sections), .kind = LIST,
	},
	{
		.name = "top", .of = EVERY_OUTPUT, .operand = "N",
		.text = "rows of each table", .accepts = "1 to 10000",
		.offset = offsetof(struct config, top), .kind = NUMBER,
	},
	{
		.name = "cover|throttle",
		.of = OF_BOOT | OF_TRACE | OF_REPLAY | OF_VIEW,
		.operand = "PERCENT",
		.text = "rows up to this share", .accepts = "1 to 100",
		.offset = offsetof(struct config, throttle_percent),
		.kind = NUMBER,
	},
	{
		.name = "lines", .of = EVERY_REPORT | OF_RUN | OF_DIFF,
		.operand = "N",
		.text = "maximum lines of a report", .accepts = "16 to 1000000",
		.offset = offsetof(struct config, lines), .kind = NUMBER,
	},
	{
		.name = "oom", .of = OF_BOOT | OF_TRACE, .operand = "WHAT",
		.text = "report when memory runs out",
		.accepts = "report|line|off",
		.offset = offsetof(struct config, oom), .kind = KEYWORD,
	},
	{
		.name = "heartbeat", .of = OF_BOOT | OF_TRACE,
		.operand = "SECONDS",
		.text = "seconds between status lines", .accepts = "0 to 86400",
		.offset = offsetof(struct config, heartbeat_s), .kind = NUMBER,
	},
	{
		.name = "keep", .of = EVERY_TRACER, .operand = "",
		.text = "keep tracing after switch-root", .accepts = "0 to 1",
		.offset = offsetof(struct config, keep), .kind = FLAG,
	},
	{
		.name = "wait", .of = OF_BOOT | OF_TRACE, .operand = "SECONDS",
		.text = "seconds switch_root waits for reports",
		.accepts = "0 to 60",
		.offset = offsetof(struct config, wait_s), .kind = NUMBER,
	},
	{
		.name = "backend", .of = EVERY_TRACER, .operand = "NAME",
		.text = "source of events",
		.accepts = "auto|perf|ftrace|sampled",
		.offset = offsetof(struct config, backend), .kind = KEYWORD,
	},
	{
		.name = "frames", .of = OF_BOOT | OF_TRACE, .operand = "N",
		.text = "maximum frames of a call chain", .accepts = "1 to 64",
		.offset = offsetof(struct config, frames), .kind = NUMBER,
	},
	{
		.name = "by", .of = OF_DIFF, .operand = "FIGURE",
		.text = "the figure that diff compares", .accepts = "peak|now",
		.offset = offsetof(struct config, by), .kind = KEYWORD,
	},
	{
		.name = "min", .of = OF_DIFF, .operand = "SIZE",
		.text = "smallest change that diff shows", .accepts = "0 to 1G",
		.offset = offsetof(struct config, min_bytes), .kind = NUMBER,
	},
	{
		.name = "fail", .of = OF_DIFF, .operand = "SIZE",
		.text = "growth that makes diff fail", .accepts = "0 to 1G",
		.offset = offsetof(struct config, fail_bytes), .kind = NUMBER,
	},
#ifndef WITHOUT_VIEW
	{
		.name = "check", .of = OF_CHECK, .operand = "BOOK",
		.text = "compare page by page with",
		.accepts = "page_owner|/PATH",
		.offset = offsetof(struct config, check), .kind = BOOK,
	},
#endif
	{
		.name = "once", .of = OF_TOP, .operand = "",
		.text = "print the rows of top once", .accepts = "0 to 1",
		.offset = offsetof(struct config, once), .kind = FLAG,
	},
	{
		.name = "interval", .of = OF_TOP, .operand = "SECONDS",
		.text = "seconds between updates of top",
		.accepts = "1 to 3600",
		.offset = offsetof(struct config, interval_s), .kind = NUMBER,
	},
	{
		.name = "mem", .of = EVERY_TRACER | OF_REPLAY,
		.operand = "SIZE",
		.text = "the tracer's memory limit", .accepts = "512K to 1G",
		.offset = offsetof(struct config, mem_bytes), .kind = NUMBER,
		.begins_sizes = 1,
	},
	{
		.name = "pages", .of = EVERY_TRACER | OF_REPLAY,
		.operand = "SIZE",
		.text = "page table", .accepts = "4K to 1G",
		.offset = offsetof(struct config, pages_bytes), .kind = NUMBER,
	},
	{
		.name = "ring", .of = EVERY_TRACER | OF_REPLAY,
		.operand = "SIZE",
		.text = "rings of all CPUs", .accepts = "4K to 1G",
		.offset = offsetof(struct config, ring_bytes), .kind = NUMBER,
	},
	{
		.name = "buf-size", .of = EVERY_TRACER | OF_REPLAY,
		.operand = "MIB",
		.text = "the same in MiB", .accepts = "1 to 1024",
		.offset = offsetof(struct config, ring_bytes),
		.kind = MEGABYTES,
	},
	{
		.name = "stacks", .of = EVERY_TRACER | OF_REPLAY | OF_VIEW,
		.operand = "ROWS",
		.text = "stack table", .accepts = "16 to 16M",
		.offset = offsetof(struct config, stacks), .kind = NUMBER,
	},
	{
		.name = "tasks", .of = EVERY_TRACER | OF_REPLAY | OF_VIEW,
		.operand = "ROWS",
		.text = "task table", .accepts = "16 to 16M",
		.offset = offsetof(struct config, tasks), .kind = NUMBER,
	},
	{
		.name = "modules", .of = EVERY_TRACER | OF_REPLAY | OF_VIEW,
		.operand = "ROWS",
		.text = "module table", .accepts = "16 to 1M",
		.offset = offsetof(struct config, modules), .kind = NUMBER,
	},
	{
		.name = "slab",
		.of = OF_BOOT | OF_TRACE | OF_REPLAY | OF_KMEMTRACE,
		.operand = "SIZE",
		.text = "memory to trace slab objects",
		.accepts = "0 to 1G",
		.offset = offsetof(struct config, slab_bytes), .kind = SHARE,
	},
	{
		.name = "slab-stacks|slab_stacks", .of = OF_BOOT | OF_TRACE,
		.operand = "",
		.text = "with their call chains", .accepts = "0 to 1",
		.offset = offsetof(struct config, slab_chains), .kind = FLAG,
	},
	{
		.name = "init", .of = OF_BOOT, .operand = "PATH",
		.text = "the real init", .accepts = "a path from /",
		.offset = offsetof(struct config, init), .kind = INIT,
	},
	{
		.name = "ready", .of = OF_BOOT, .operand = "SECONDS",
		.text = "that PID 1 waits for the tracer",
		.accepts = "1 to 255",
		.offset = offsetof(struct config, ready_s), .kind = NUMBER,
	},
};

int parameter_is_switch(const struct parameter *p)
{
	return p->kind <= SHARE;
}

int parameter_is_flag(const struct parameter *p)
{
	return p->kind == FLAG || p->kind == SHARE;
}

int parameter_is_of(const struct parameter *p, uint32_t applets)
{
	return (applets & p->of) != 0;
}

_Static_assert(sizeof(enum backend) == 4 && sizeof(enum out_kind) == 4 &&
	       sizeof(enum format) == 4 && sizeof(enum oom) == 4 &&
	       sizeof(enum diff_by) == 4,
	       "a KEYWORD is stored as 4 bytes");

void config_defaults(struct config *c)
{
	memset(c, 0, sizeof(*c));
	c->throttle_percent = 100;
	c->wait_s = SWITCH_WAIT_S;
	c->ready_s = READY_S;
	c->min_bytes = DIFF_MIN_BYTES;
	c->fail_bytes = UINT32_MAX;
	c->interval_s = TOP_INTERVAL_S;
}

/* Like parameter_set(), but on an error *c may have changed. */
static const char *try_value(struct config *c, const struct parameter *p,
			     const struct cmdline_word *w, int boot)
{
	uint32_t *field = (uint32_t *)((char *)c + p->offset);
	const char *accepts = p->accepts, *why;
	int error;

	if (p->kind == INIT)
		return path_set((char *)field, w->value, w->value_len, 1, accepts);
	if (p->kind == BOOK)
		return path_set((char *)field, w->value, w->value_len,
				value_keyword(accepts, w->value,
					      w->value_len) != 0, accepts);
	if (p->kind == LIST) {
		why = path_set((char *)field, w->value, w->value_len, 0, accepts);
		return why ? why : sections_check((char *)field);
	}
	if (p->kind == WHERE)
		return where_set(c, w->value, w->value_len, boot, accepts);
	if (p->kind < KEYWORD) {
		error = value_within(accepts, w->value, w->value_len, field);
	} else {
		error = value_keyword(accepts, w->value, w->value_len);
		*field = (uint32_t)error;
	}
	if (p->kind == MEGABYTES)
		*field <<= 20;
	if (p->offset == offsetof(struct config, format))
		c->format_given = 1;
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

/* The kernel treats a dash and an underscore in a name as equal. Here a name
 * with a dash needs an alias with an underscore in the table. */
const struct parameter *parameter_find(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		if (value_keyword(table[i].name, name, len) >= 0)
			return &table[i];
	return NULL;
}

/* A longer list of names gets its own line. */
#define ACCEPTS_WITHIN 50u

const char *option_help(unsigned int index, uint32_t applets, char *buf)
{
	const struct parameter *p = table;
	const char *other, *end = buf + LINE_BYTES;
	char *line = buf;
	size_t len;

	if (index >= ARRAY_LEN(table))
		return NULL;
	p += index;
	*buf = '\0';
	if (!(p->of & applets & ~(uint32_t)OF_BOOT))
		return buf;
	if (p->begins_sizes)
		line += print_to(line, LINE_BYTES, "\nSizes, if a report says "
				 "that a table was too small:\n");
	len = length_to(p->name, '|');
	other = p->name + len;
	len = print_to(line, (size_t)(end - line), "  --%.*s%s%s", (int)len,
		       p->name, *p->operand ? "=" : "", p->operand);
	while (len < 23)
		line[len++] = ' ';
	line += len;
	line += print_to(line, (size_t)(end - line), " %s:%s%s", p->text,
			 strlen(p->accepts) > ACCEPTS_WITHIN ? "\n" : " ",
			 p->accepts);
	if (*other)
		print_to(line, (size_t)(end - line), " (or --%s)", other + 1);
	return buf;
}
