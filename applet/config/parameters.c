/* SPDX-License-Identifier: MIT */
/*
 * The table of parameters, and the functions that store a value.
 *
 * What must hold: a value is stored whole or not at all, every stored value is
 * in its range, every stored path is shorter than PATH_BYTES and has an end
 * byte.
 */
#include <errno.h>
#include <string.h>
#include "base/base.h"
#include "config/config.h"

/* The kinds whose value is a number come first. A SIZE may end with K, M or G;
 * a SHARE is a SIZE that is also a flag. */
enum kind {
	LEVEL, FLAG, SHARE, SIZE, NUMBER,
	KEYWORD, WHERE, LIST, INIT, BOOK, INPUT,
};

#define BIT_OF(feature) ((uint8_t)(__builtin_ctz(feature) + 1))

struct parameter {
	const char *name;		/* "NAME", or "NAME|ALIAS" */
	const char *operand;		/* --NAME=OPERAND; NULL: a flag */
	const char *text;		/* line of --help */
	union {
		struct { uint32_t min, max; };	/* of a number */
		const char *accepts;		/* words, or a description */
	};
	uint16_t offset;		/* in struct config */
	uint16_t of;			/* enum parameter_of */
	uint8_t needs;			/* BIT_OF(enum feature); 0: none */
	uint8_t kind;			/* enum kind */
	int8_t none;			/* what 0 stands for, if it is no
					 * limit; -1: UINT32_MAX */
};

#define EVERY_TRACER (OF_BOOT | OF_TRACE | OF_RUN)
#define EVERY_REPORT (OF_BOOT | OF_TRACE | OF_REPLAY | OF_KMEMTRACE | OF_VIEW)
#define EVERY_OUTPUT (EVERY_REPORT | OF_CHECK | OF_RUN | OF_DIFF)

static const struct parameter of_reports[] = {
	{ .name = "level", .of = EVERY_REPORT | OF_CHECK | OF_RUN,
	  .operand = "N",
	  .text = "detail of the report", .kind = LEVEL, .max = 3,
	  .offset = offsetof(struct config, level) },
	{ .name = "output|out", .of = EVERY_OUTPUT, .operand = "WHERE",
	  .text = "report", .kind = WHERE,
	  .accepts = "auto|kmsg|console|/PATH[,/FILE.json]",
	  .offset = offsetof(struct config, out) },
	{ .name = "format", .of = EVERY_OUTPUT, .operand = "FORMAT",
	  .text = "format of the report", .kind = KEYWORD,
	  .accepts = FORMAT_NAMES, .offset = offsetof(struct config, format) },
	{ .name = "report", .of = OF_BOOT | OF_TRACE | OF_REPLAY | OF_VIEW,
	  .operand = "LIST",
	  .text = "legacy report sections", .kind = LIST,
	  .accepts = SECTION_TYPES,
	  .offset = offsetof(struct config, sections),
	  .needs = BIT_OF(FEATURE_SECTIONS) },
	{ .name = "top", .of = EVERY_OUTPUT, .operand = "N",
	  .text = "rows of each table", .kind = NUMBER, .max = 10000,
	  .none = -1, .offset = offsetof(struct config, top) },
	{ .name = "cover|throttle",
	  .of = OF_BOOT | OF_TRACE | OF_REPLAY | OF_VIEW, .operand = "PERCENT",
	  .text = "rows up to this share", .kind = NUMBER, .max = 100,
	  .none = 100, .offset = offsetof(struct config, throttle_percent) },
	{ .name = "lines", .of = EVERY_REPORT | OF_RUN | OF_DIFF,
	  .operand = "N",
	  .text = "maximum lines of a report", .kind = NUMBER, .min = 16,
	  .max = 1000000, .offset = offsetof(struct config, lines) },
	{ .name = "oom", .of = OF_BOOT | OF_TRACE, .operand = "WHAT",
	  .text = "report when memory runs out", .kind = KEYWORD,
	  .accepts = "report|line|off",
	  .offset = offsetof(struct config, oom) },
	{ .name = "heartbeat", .of = OF_BOOT | OF_TRACE, .operand = "SECONDS",
	  .text = "seconds between status lines", .kind = NUMBER, .max = 86400,
	  .offset = offsetof(struct config, heartbeat_s) },
	{ .name = "keep", .of = EVERY_TRACER,
	  .text = "keep tracing after switch-root", .kind = FLAG, .max = 1,
	  .offset = offsetof(struct config, keep) },
	{ .name = "wait", .of = OF_BOOT | OF_TRACE, .operand = "SECONDS",
	  .text = "seconds switch_root waits for reports", .kind = NUMBER,
	  .max = 60, .offset = offsetof(struct config, wait_s) },
	{ .name = "backend", .of = OF_TRACE, .operand = "NAME",
	  .text = "source of events", .kind = KEYWORD,
	  .accepts = "auto|perf|ftrace|sampled|pageowner",
	  .offset = offsetof(struct config, backend), .needs = BIT_OF(FEATURE_VIEW) },
	{ .name = "backend", .of = EVERY_TRACER, .operand = "NAME",
	  .text = "source of events", .kind = KEYWORD,
	  .accepts = "auto|perf|ftrace|sampled",
	  .offset = offsetof(struct config, backend) },
	{ .name = "pageowner-file", .of = OF_TRACE, .operand = "FILE",
	  .text = "what pageowner reads", .kind = INPUT, .accepts = "a path",
	  .offset = offsetof(struct config, book), .needs = BIT_OF(FEATURE_VIEW) },
	{ .name = "frames", .of = OF_BOOT | OF_TRACE, .operand = "N",
	  .text = "maximum frames of a call chain", .kind = NUMBER, .min = 1,
	  .max = 64, .offset = offsetof(struct config, frames) },
};

/* Of tools for a host: an image does without their rows. */
#define TOOLS (FEATURE_DIFF | FEATURE_VIEW | FEATURE_TOP | FEATURE_ESTIMATE)
static const struct parameter of_tools[] = {
	{ .name = "by", .of = OF_DIFF, .operand = "FIGURE",
	  .text = "the figure that diff compares", .kind = KEYWORD,
	  .accepts = "peak|now", .offset = offsetof(struct config, by) },
	{ .name = "min", .of = OF_DIFF, .operand = "SIZE",
	  .text = "smallest change that diff shows", .kind = SIZE,
	  .max = 1u << 30, .offset = offsetof(struct config, min_bytes) },
	{ .name = "fail", .of = OF_DIFF, .operand = "SIZE",
	  .text = "growth that makes diff fail", .kind = SIZE, .max = 1u << 30,
	  .offset = offsetof(struct config, fail_bytes) },
	{ .name = "check", .of = OF_CHECK, .operand = "BOOK",
	  .text = "compare page by page with", .kind = BOOK,
	  .accepts = "page_owner|/PATH",
	  .offset = offsetof(struct config, check) },
	{ .name = "once", .of = OF_TOP,
	  .text = "print the rows of top once", .kind = FLAG, .max = 1,
	  .offset = offsetof(struct config, once) },
	{ .name = "interval", .of = OF_TOP, .operand = "SECONDS",
	  .text = "seconds between updates of top", .kind = NUMBER, .min = 1,
	  .max = 3600, .offset = offsetof(struct config, interval_s) },
	{ .name = "initrd", .of = OF_ESTIMATE, .operand = "FILE",
	  .text = "the image for estimate, unpacked", .kind = INPUT,
	  .accepts = "a path", .offset = offsetof(struct config, initrd) },
	{ .name = "packed", .of = OF_ESTIMATE, .operand = "FILE",
	  .text = "the same image, still packed", .kind = INPUT,
	  .accepts = "a path", .offset = offsetof(struct config, packed) },
	{ .name = "kernel", .of = OF_ESTIMATE, .operand = "FILE",
	  .text = "its kernel, bzImage or vmlinux", .kind = INPUT,
	  .accepts = "a path", .offset = offsetof(struct config, kernel) },
	{ .name = "luks", .of = OF_ESTIMATE, .operand = "DEVICE",
	  .text = "the disk that it unlocks", .kind = INPUT,
	  .accepts = "a path", .offset = offsetof(struct config, luks) },
};

static const struct parameter sizes[] = {
	{ .name = "mem", .of = EVERY_TRACER | OF_REPLAY, .operand = "SIZE",
	  .text = "the tracer's memory limit", .kind = SIZE, .min = 512u << 10,
	  .max = 1u << 30, .offset = offsetof(struct config, mem_bytes) },
	{ .name = "pages", .of = EVERY_TRACER | OF_REPLAY, .operand = "SIZE",
	  .text = "page table", .kind = SIZE, .min = 4u << 10, .max = 1u << 30,
	  .offset = offsetof(struct config, pages_bytes) },
	{ .name = "ring", .of = EVERY_TRACER | OF_REPLAY, .operand = "SIZE",
	  .text = "rings of all CPUs", .kind = SIZE, .min = 4u << 10,
	  .max = 1u << 30, .offset = offsetof(struct config, ring_bytes) },
	{ .name = "buf-size", .of = EVERY_TRACER, .operand = "MIB",
	  .text = "ring of each CPU, in MiB", .kind = NUMBER, .min = 1,
	  .max = 1024, .offset = offsetof(struct config, ring_mib) },
	{ .name = "stacks", .of = EVERY_TRACER | OF_REPLAY | OF_VIEW,
	  .operand = "ROWS",
	  .text = "stack table", .kind = SIZE, .min = 16, .max = 16u << 20,
	  .offset = offsetof(struct config, stacks) },
	{ .name = "tasks", .of = EVERY_TRACER | OF_REPLAY | OF_VIEW,
	  .operand = "ROWS",
	  .text = "task table", .kind = SIZE, .min = 16, .max = 16u << 20,
	  .offset = offsetof(struct config, tasks) },
	{ .name = "modules", .of = EVERY_TRACER | OF_REPLAY | OF_VIEW,
	  .operand = "ROWS",
	  .text = "module table", .kind = SIZE, .min = 16, .max = 1u << 20,
	  .offset = offsetof(struct config, modules) },
	{ .name = "slab", .of = OF_BOOT | OF_TRACE | OF_REPLAY | OF_KMEMTRACE,
	  .operand = "SIZE",
	  .text = "memory to trace slab objects", .kind = SHARE,
	  .max = 1u << 30, .offset = offsetof(struct config, slab_bytes),
	  .needs = BIT_OF(FEATURE_SLAB) },
	{ .name = "slab-stacks", .of = OF_BOOT | OF_TRACE,
	  .text = "with their call chains", .kind = FLAG, .max = 1,
	  .offset = offsetof(struct config, slab_chains),
	  .needs = BIT_OF(FEATURE_SLAB) },
	{ .name = "init", .of = OF_BOOT, .operand = "PATH",
	  .text = "the real init", .kind = INIT, .accepts = "a path from /",
	  .offset = offsetof(struct config, init) },
	{ .name = "ready", .of = OF_BOOT, .operand = "SECONDS",
	  .text = "that PID 1 waits for the tracer", .kind = NUMBER, .min = 1,
	  .max = 255, .offset = offsetof(struct config, ready_s) },
};

/* The rows of all these, in the order of --help; NULL behind the last one. */
static const struct parameter *row(size_t index)
{
	if (index < ARRAY_LEN(of_reports))
		return of_reports + index;
	index -= ARRAY_LEN(of_reports);
	if (has_feature(TOOLS)) {
		if (index < ARRAY_LEN(of_tools))
			return of_tools + index;
		index -= ARRAY_LEN(of_tools);
	}
	return index < ARRAY_LEN(sizes) ? sizes + index : NULL;
}

int parameter_is_switch(const struct parameter *p)
{
	return p->kind <= SHARE;
}

int parameter_is_flag(const struct parameter *p)
{
	return p->kind == FLAG || p->kind == SHARE;
}

_Static_assert(sizeof(enum backend) == 4 && sizeof(enum out_kind) == 4 &&
	       sizeof(enum format) == 4 && sizeof(enum oom) == 4 &&
	       sizeof(enum diff_by) == 4,
	       "a KEYWORD is stored as 4 bytes");

static int has_what_it_needs(const struct parameter *p)
{
	return !p->needs || has_feature(1u << (p->needs - 1));
}

static int is_here(const struct parameter *p, uint32_t applets)
{
	return p->of & applets && has_what_it_needs(p);
}

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

static int is_size(const struct parameter *p)
{
	return p->kind == SIZE || p->kind == SHARE;
}

/* Takes a unit out of a number: 524288 becomes 512, and "K" is returned. */
static const char *unit_of(uint32_t *n)
{
	const char *unit = "\0\0K\0M\0G";

	for (; *n && *n % 1024 == 0; *n /= 1024)
		unit += 2;
	return unit;
}

#define BOUNDS_BYTES sizeof(FORMAT_NAMES)

static int is_format(const struct parameter *p)
{
	return p->offset == offsetof(struct config, format);
}

/* The formats of this configuration. */
static const char *formats_here(char names[BOUNDS_BYTES])
{
	const char *name = FORMAT_NAMES;
	char *end = names;

	for (enum format f = FORMAT_TEXT; f < FORMATS; f++) {
		const size_t len = length_to(name, '|') + 1;

		if (format_is_here(f)) {
			memcpy(end, name, len);
			end += len;
		}
		name += len;
	}
	end[-1] = '\0';
	return names;
}

/* The text of what is accepted: "512K to 1G", "text|json". */
static const char *accepts(const struct parameter *p,
			   char bounds[BOUNDS_BYTES])
{
	const char *low = "", *high = "";
	uint32_t min = p->min, max = p->max;

	if (is_format(p))
		return formats_here(bounds);
	if (p->kind >= KEYWORD)
		return p->accepts;
	if (is_size(p)) {
		low = unit_of(&min);
		high = unit_of(&max);
	}
	print_to(bounds, BOUNDS_BYTES, "%u%s to %u%s", min, low, max, high);
	return bounds;
}

/* For a size whose lower bound has a unit, a small number lacks its unit:
 * the first one with which it is not too small. Then no number of four digits
 * is too large. */
static const char *missing_unit(const struct parameter *p,
				const struct cmdline_word *w)
{
	uint64_t n;

	if (p->kind != SIZE || p->min < 1024 || w->value_len > 4 ||
	    parse_u64(w->value, w->value_len, 10, 1, 9999, &n))
		return "";
	return n << 10 < p->min ? "M?" : "K?";
}

int word_refusal(char problem[REFUSAL_BYTES], const struct cmdline_word *w,
		 const char *accepted, const char *unit, int boot)
{
	const int len = (int)w->value_len, hint = *unit ? len : 0;

	print_to(problem, REFUSAL_BYTES, len ?
		 "%.*s: %.*s: not %s%s%.*s%s%s" :
		 "%.*s: %.*sneeds a value: %s%s%.*s%s%s",
		 (int)w->name_len, w->name, len, w->value ? w->value : "",
		 accepted, hint ? ": " : "", hint, w->value ? w->value : "",
		 unit, boot ? "; it is ignored" : "");
	return -EINVAL;
}

/* NULL, or the text of what would have been accepted, "" for that of accepts():
 * then *c may have changed. */
static const char *try_value(struct config *c, const struct parameter *p,
			     const struct cmdline_word *w, int boot)
{
	uint32_t *field = (uint32_t *)((char *)c + p->offset);
	const size_t len = w->value_len;
	uint64_t n = 0;
	int word;
	const char *why;

	if (!has_what_it_needs(p))
		return not_here;
	if (p->kind < KEYWORD) {
		const int wrong =
			parse_size(w->value, len, p->min, p->max, &n) ||
			(!is_size(p) && w->value[len - 1] > '9');

		*field = (uint32_t)(n ? n : (uint64_t)p->none);
		return wrong ? "" : NULL;
	}
	if (p->kind == WHERE)
		return where_set(c, w->value, len, boot, p->accepts);
	word = value_keyword(p->accepts, w->value, len);
	if (p->kind == KEYWORD) {
		*field = (uint32_t)word;
		if (word < 0)
			return "";
		if (!is_format(p))
			return NULL;
		c->format_given = 1;
		return format_is_here(c->format) ? NULL : not_here;
	}
	why = path_set((char *)field, w->value, len, p->kind == INIT ||
		       (p->kind == BOOK && word), p->accepts);
	if (why || p->kind != LIST || !has_feature(FEATURE_SECTIONS))
		return why;
	return sections_check((char *)field);
}

int parameter_set(struct config *c, const struct parameter *p,
		  const struct cmdline_word *w, int boot,
		  char problem[REFUSAL_BYTES])
{
	const struct config before = *c;
	const char *why = try_value(c, p, w, boot);
	char bounds[BOUNDS_BYTES];

	if (!why)
		return 0;
	*c = before;
	return word_refusal(problem, w, *why ? why : accepts(p, bounds),
			    missing_unit(p, w), boot);
}

/* As for the kernel's own parameters, a dash and an underscore are the same. One
 * that this binary lacks is found too, if no other has the name. */
const struct parameter *parameter_find(const char *name, size_t len,
				       uint32_t applets)
{
	const struct parameter *found = NULL, *p;
	char dashed[16];

	if (len > sizeof(dashed))
		return NULL;
	for (size_t i = 0; i < len; i++)
		dashed[i] = name[i] == '_' ? '-' : name[i];
	for (unsigned int i = 0; (p = row(i)); i++)
		if (p->of & applets &&
		    (!found || !is_here(found, applets)) &&
		    value_keyword(p->name, dashed, len) >= 0)
			found = p;
	return found;
}

/* A longer list of names gets its own line. */
#define ACCEPTS_WITHIN 50u

const char *option_help(unsigned int index, uint32_t applets, char *buf)
{
	const struct parameter *p = row(index);
	const struct parameter *before = index ? row(index - 1) : NULL;
	const char *operand, *other, *accepted, *end = buf + LINE_BYTES;
	char *line = buf, bounds[BOUNDS_BYTES];
	size_t len;

	if (!p)
		return NULL;
	*buf = '\0';
	applets &= ~(uint32_t)OF_BOOT;
	/* Of two with one name the first one stands for both. */
	if (!is_here(p, applets) || (before && is_here(before, applets) &&
				     !strcmp(before->name, p->name)))
		return buf;
	if (p->offset == offsetof(struct config, mem_bytes))
		line += print_to(line, LINE_BYTES, "\nSizes, if a report says "
				 "that a table was too small:\n");
	operand = p->operand ? p->operand : "";
	accepted = accepts(p, bounds);
	len = length_to(p->name, '|');
	other = p->name + len;
	len = print_to(line, (size_t)(end - line), "  --%.*s%s%s", (int)len,
		       p->name, *operand ? "=" : "", operand);
	while (len < 23)
		line[len++] = ' ';
	line += len;
	line += print_to(line, (size_t)(end - line), " %s:%s%s", p->text,
			 strlen(accepted) > ACCEPTS_WITHIN ? "\n" : " ",
			 accepted);
	if (*other)
		print_to(line, (size_t)(end - line), " (or --%s)", other + 1);
	return buf;
}
