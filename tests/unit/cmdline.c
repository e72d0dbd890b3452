/* SPDX-License-Identifier: MIT */
/*
 * config/: words and quotes of the kernel command line, every parameter in and
 * out of its range, options.
 *
 * The bounds of numbers are read from the text that the parser itself gives
 * for a refused value: what it says is accepted must be what it accepts.
 *
 * main.c: a kernel command line of any length is read, for what init is told
 * by it is needed whatever else fails; of one that is longer than can be, the
 * words that fit.
 */
#include <stddef.h>
#include "base/system.h"
#include "config/config.h"
#include "output/output.h"
#include "cases.h"
#include "config/options.c"

/* What the parser made of a text. */
static struct {
	struct config config;
	char told[OUTCOME_BYTES]; /* problems, one behind the other */
	int warned;
} came;

/* What differs from the defaults: "level=1 out=3 out_path=/a b". */
static const char *changes(void)
{
#define FIELD(name) { #name, offsetof(struct config, name) }
	static const struct {
		const char *name;
		size_t at;
	} numbers[] = {
		FIELD(level), FIELD(backend), FIELD(out), FIELD(format),
		FIELD(top), FIELD(throttle_percent), FIELD(heartbeat_s),
		FIELD(keep), FIELD(frames), FIELD(mem_bytes),
		FIELD(pages_bytes), FIELD(stacks), FIELD(tasks),
		FIELD(modules), FIELD(ring_bytes), FIELD(ring_mib), FIELD(by),
		FIELD(min_bytes), FIELD(fail_bytes),
	}, texts[] = {
		FIELD(check), FIELD(book), FIELD(sections), FIELD(init),
		FIELD(out_path),
		FIELD(beside[0]), FIELD(beside[1]), FIELD(beside[2]),
	};
	static char text[OUTCOME_BYTES];
	const struct config *c = &came.config;
	struct config d;

	config_defaults(&d);
	text[0] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		uint32_t now, before;

		memcpy(&now, (const char *)c + numbers[i].at, sizeof(now));
		memcpy(&before, (const char *)&d + numbers[i].at,
		       sizeof(before));
		if (now != before)
			append(text, " %s=%u", numbers[i].name, now);
	}
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		const char *value = (const char *)c + texts[i].at;

		if (*value && (value != c->out_path || c->out == OUT_FILE))
			append(text, " %s=%s", texts[i].name, value);
	}
	if (!text[0] && (c->wait_s != d.wait_s || c->lines || c->oom ||
			 c->slab_bytes || c->slab_chains))
		append(text, " another field");
	return text[0] ? text + 1 : text;
}

static void hear(void *ctx, const char *problem)
{
	came.warned += ctx == &came;
	append(came.told, "%s%s", *came.told ? " + " : "", problem);
}

static void begin(void)
{
	config_defaults(&came.config);
	came.told[0] = '\0';
	came.warned = 0;
}

/* The changes, and behind a ! what was refused. */
static int outcome_is(const char *want)
{
	char got[2 * OUTCOME_BYTES];
	const char *change = changes();

	snprintf(got, sizeof(got), "%s%s%s%s", change,
		 *change && came.warned ? " " : "", came.warned ? "! " : "",
		 came.told);
	if (strcmp(got, want))
		printf("# %s\n", got);
	return !strcmp(got, want);
}

/* Are all that it warns of counted? */
static int boot(const char *text, size_t len)
{
	begin();
	return cmdline_parse(&came.config, exact_once(text, len), len,
			     hear, &came) == came.warned;
}

/* @ stands for rd.memstrack. The bytes, and an end. */
static size_t whole(char text[OUTCOME_BYTES], const char *from, size_t len)
{
	char *at = text;

	for (; len; len--, from++)
		at += *from == '@' ? sprintf(at, "rd.memstrack") :
				     sprintf(at, "%c", *from);
	*at = '\0';
	return (size_t)(at - text);
}

static void test_boot(struct cases *c)
{
	char line[OUTCOME_BYTES], want[OUTCOME_BYTES];
	const size_t len = whole(line, c->text, c->len);

	whole(want, c->want, strcmp(c->want, "defaults") ? strlen(c->want) : 0);
	tap_ok(boot(line, len) && outcome_is(want), "%.100s", line);
}

static void test_defaults(void)
{
	struct config c;

	memset(&c, 0xff, sizeof(c));
	config_defaults(&c);
	tap_ok(c.throttle_percent == 100 && c.wait_s == 10 &&
	       c.by == DIFF_BY_PEAK && c.min_bytes == 64u << 10 &&
	       c.fail_bytes == UINT32_MAX && !c.level && !c.init[0] &&
	       c.backend == BACKEND_AUTO && c.out == OUT_AUTO &&
	       c.format == FORMAT_TEXT, "the defaults");
}

static void test_long_path(void)
{
	char path[PATH_BYTES + 32] = "rd.memstrack.init=";
	const size_t head = strlen(path);

	path[head] = '/';
	memset(path + head + 1, 'x', PATH_BYTES - 1);
	tap_ok(boot(path, head + PATH_BYTES - 1) && !came.warned &&
	       strlen(came.config.init) == PATH_BYTES - 1, "the longest path");
	for (int out = 0; out < 2; out++) {
		memcpy(path, out ? "rd.memstrack.out=/" : "rd.memstrack.init=",
		       head);
		tap_ok(boot(path, head + PATH_BYTES) && came.warned == 1 &&
		       strstr(came.told, ": not at most 255 bytes") &&
		       !*changes(),
		       "%.*s: a path one byte too long", (int)head, path);
	}
}

/* Up to 2 arguments, parted by a blank; *moved is how far the index went. */
static int option(const char *text, int *moved)
{
	char copy[80], *argv[4] = { "memstrack", copy };
	char problem[REFUSAL_BYTES];
	int index = 1, count = text ? 2 : 1, result;

	snprintf(copy, sizeof(copy), "%s", text ? text : "");
	if (strchr(copy, ' ')) {
		argv[count++] = strchr(copy, ' ') + 1;
		*strchr(copy, ' ') = '\0';
	}
	begin();
	result = option_parse(&came.config, ~(uint32_t)OF_BOOT, count, argv,
			      &index, problem);
	if (result == -EINVAL)
		hear(&came, problem);
	*moved = index - 1;
	return result;
}

/* If no argument is used, it is no option. */
static void test_option(struct cases *c)
{
	const int is_option = strcmp(c->want, "none") != 0;
	const char *want = is_option ? c->want + 3 : "";
	int used, result = option(c->text, &used);

	tap_ok(result == (!is_option ? -ENOENT : came.warned ? -EINVAL : 0) &&
	       used == (is_option ? c->want[0] - '0' : 0) && outcome_is(want),
	       "%s", c->text);
}

/* A text that was cut off somewhere: its last word may be half of one. */
static void test_cut(struct cases *c)
{
	char got[32];

	snprintf(got, sizeof(got), "%zu",
		 cmdline_whole(exact_once(c->text, c->len), c->len));
	case_is(c, got);
}

/* Try `--name=number` with a size's letter behind it. */
static int takes(const char *name, unsigned long long number, char letter)
{
	char text[80];
	int n;

	snprintf(text, sizeof(text), "%s=%llu%c", name, number, letter);
	return option(text, &n) == 0;
}

/* "512K to 1G", "0 to 3": both bounds, and one past each. */
static void check_bounds(const char *name, const char *why)
{
	unsigned long long low, high, unit = 1;
	const char *at = strpbrk(why, "0123456789");
	char *end;

	low = strtoull(at, &end, 10);
	if (*end == 'K')
		low <<= 10;
	high = strtoull(end + strcspn(end, "0123456789"), &end, 10);
	if (*end == 'M')
		unit = 1u << 20;
	if (*end == 'G')
		unit = 1u << 30;
	high *= unit;
	tap_ok(takes(name, low, 0) && takes(name, high, 0),
	       "%s takes both ends of: %s", name, why);
	tap_ok(!takes(name, high + 1, 0) && !takes(name, low - 1, 0),
	       "%s takes nothing past the ends", name);
	tap_ok(takes(name, low, 'K') == (unit > 1 && low <= high >> 10),
	       "%s takes K where it is a size or a number of rows", name);
}

static void test_help(void)
{
	unsigned int index, shown = 0, bounded = 0;
	char line[LINE_BYTES], name[32];
	int n;

	for (index = 0; option_help(index, UINT32_MAX, line); index++) {
		/* A heading may stand before the line. */
		const char *own = *line == '\n' ? strstr(line, "\n  --") + 1 :
				  line;
		int len = (int)strcspn(own + 2, "= ");
		const char *why;

		if (!*line)
			continue;
		shown++;
		snprintf(name, sizeof(name), "%.*s=", len, own + 2);
		option(name, &n);
		name[len] = 0;
		why = strstr(came.told, "needs a value: ");
		tap_ok(strcspn(own, "\n") < 80 && strlen(strrchr(own, ':')) <
		       82 && !strncmp(own, "  --", 4) && why &&
		       strstr(own, why + 15),
		       "help of %s says what is accepted", name);
		if (why && strpbrk(why, "0123456789")) {
			check_bounds(name, why);
			bounded++;
		}
	}
	tap_ok(shown == 33 && bounded == 21, "33 options, 21 of them numbers");
	tap_ok(!option_help(index + 1, OF_TRACE, line) &&
	       !option_help(UINT32_MAX, OF_TRACE, line),
	       "no help past the last");
}

/* --- main.c --- */

static struct {
	const char *path;	/* of the file that stands for it */
	uint32_t said;
	char last[256];
} cmdline;

static ssize_t faked_readfile(const char *path, char *buf, size_t size)
{
	must(!strcmp(path, "/proc/cmdline"));
	return readfile(cmdline.path, buf, size);
}

static void faked_sink_say(struct sink *s, const char *format, ...)
{
	va_list args;

	(void)s;
	cmdline.said++;
	va_start(args, format);
	vsnprintf(cmdline.last, sizeof(cmdline.last), format, args);
	va_end(args);
}

#define main faked_main
#define readfile faked_readfile
#define sink_say faked_sink_say
#include "main.c"
#undef main
#undef readfile

/* A bootconfig's words, `before` bytes of them, then what we are told. */
static int read_after(size_t before, struct config *c)
{
	static const char ours[] =
		" rd.memstrack=2 rd.memstrack.init=\"/sbin/my init\" ro\n";
	static char text[3 * CMDLINE_BYTES];
	static struct sink sink;
	const size_t words = before / 21;
	int error;

	for (size_t i = 0; i < before; i++)
		text[i] = i / 21 < words ? "driver.key=\"a value\" "[i % 21] :
					   ' ';
	strcpy(text + before, ours);
	memset(&cmdline, 0, sizeof(cmdline));
	cmdline.path = file_of(text, strlen(text));
	config_defaults(c);
	error = read_cmdline(c, &sink);
	unlink(cmdline.path);
	return error;
}

static void test_long(void)
{
	static const size_t before[] = { 0, 2000, 4095, 4096, 9000, 65000 };
	struct config c;

	for (size_t i = 0; i < ARRAY_LEN(before); i++)
		tap_ok(!read_after(before[i], &c) && c.level == 2 &&
		       !strcmp(c.init, "/sbin/my init") && !cmdline.said,
		       "behind %zu bytes: rd.memstrack and its init",
		       before[i]);
	tap_ok(!read_after(CMDLINE_BYTES + 100, &c) && !c.level &&
	       cmdline.said == 1 && strstr(cmdline.last, "longer than 64 KiB"),
	       "more than can be read: what fits, and one warning");
	tap_ok(!read_after(CMDLINE_BYTES - 45, &c) && c.level == 2 &&
	       !c.init[0] && cmdline.said == 1,
	       "cut within the path of init: half of it is none");
}

int main(void)
{
	int used;

	each_case("cmdline", "boot", test_boot);
	each_case("cmdline", "option", test_option);
	each_case("cmdline", "cut off", test_cut);
	tap_ok(option(NULL, &used) == -ENOENT && !used, "no argument");
	test_defaults();
	test_long_path();
	test_help();
	test_long();
	return tap_plan_done();
}
