/* SPDX-License-Identifier: MIT */
/*
 * config/cmdline.c: words and quotes of the kernel command line, every
 * parameter in and out of its range, options.
 *
 * The bounds of numbers are read from the text that the parser itself gives
 * for a refused value: what it says is accepted must be what it accepts.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include "config/cmdline.h"
#include "exact.h"
#include "tap.h"

#define TEXT_BYTES 1000

/* What the parser made of a text. */
static struct {
	struct config config;
	char told[TEXT_BYTES];	/* "name=value: why", one behind the other */
	int warned;
} came;

/* Adds to a text that ends. */
__attribute__((format(printf, 2, 3)))
static void add(char text[TEXT_BYTES], const char *format, ...)
{
	const size_t len = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + len, TEXT_BYTES - len, format, args);
	va_end(args);
}

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
		FIELD(modules), FIELD(ring_bytes), FIELD(by),
		FIELD(min_bytes), FIELD(fail_bytes),
	}, texts[] = {
		FIELD(check), FIELD(sections), FIELD(init), FIELD(out_path),
		FIELD(beside[0]), FIELD(beside[1]), FIELD(beside[2]),
	};
	static char text[TEXT_BYTES];
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
			add(text, " %s=%u", numbers[i].name, now);
	}
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		const char *value = (const char *)c + texts[i].at;

		if (*value && (value != c->out_path || c->out == OUT_FILE))
			add(text, " %s=%s", texts[i].name, value);
	}
	if (!text[0] && (c->wait_s != d.wait_s || c->lines || c->oom ||
			 c->slab_bytes || c->slab_chains))
		add(text, " another field");
	return text[0] ? text + 1 : text;
}

static void warn(void *ctx, const struct cmdline_word *w, const char *why)
{
	came.warned += ctx == &came;
	add(came.told, "%s%.*s=%.*s: %s", *came.told ? "; " : "",
	    (int)w->name_len, w->name, (int)w->value_len,
	    w->value_len ? w->value : "", why);
}

static const struct cmdline_warn warns = { warn, &came };

static void begin(void)
{
	config_defaults(&came.config);
	came.told[0] = '\0';
	came.warned = 0;
}

/* The changes, and behind a ! what was refused. */
static int outcome_is(const char *want)
{
	char got[2 * TEXT_BYTES];
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
			     &warns) == came.warned;
}

#define OUT_WHY ": auto|kmsg|console|/PATH[,/FILE.json]"

/* A line and its outcome, where @ stands for rd.memstrack. */
static const struct {
	const char *line, *outcome;
} boots[] = {
	{ "BOOT_IMAGE=/vmlinuz root=/dev/vda ro @=2 "
	  "@.init=/lib/systemd/systemd @.mem=2M @.pages=384k @.stacks=4096 "
	  "@.tasks=128 @.modules=64 @.ring=1M @.backend=perf "
	  "@.out=/run/memstrack.txt @.format=json @.top=12 @.throttle=80 "
	  "@.heartbeat=5 @.keep=1 @.frames=16 quiet\n", "level=2 backend=1 "
	  "out=3 format=1 top=12 throttle_percent=80 heartbeat_s=5 keep=1 "
	  "frames=16 mem_bytes=2097152 pages_bytes=393216 stacks=4096 "
	  "tasks=128 modules=64 ring_bytes=1048576 "
	  "init=/lib/systemd/systemd out_path=/run/memstrack.txt" },
	{ "@.level=3", "level=3" },
	{ "@ @.keep", "level=1 keep=1" },
	{ "@.report=task_top:top=3,module_top",
	  "sections=task_top:top=3,module_top" },
	/* Words. All white space of ASCII parts them. */
	{ "", "" }, { " \t\n ", "" },
	{ "\t@=1\n", "level=1" },
	{ "a\v@=1\f@.top=7\r", "level=1 top=7" },
	{ "x@=1 @x=1 RD.MEMSTRACK=1 @_level=1 rd.memstrac=1 memstrack=1 "
	  "a=@=1", "" },
	{ "@=1 @=3", "level=3" },
	{ "@=1 -- @=3", "level=1" },
	{ "--=1 --x @=3", "level=3" },
	/* Quotes after the = or around the word go, those inside stay, as the
	 * kernel has it. What is in somebody's quotes is not ours. */
	{ "@.out=\"/a b\" @=1", "level=1 out=3 out_path=/a b" },
	{ "\"@.out=/a b\" @=1", "level=1 out=3 out_path=/a b" },
	{ "@.out=/a\" \"b", "out=3 out_path=/a\" \"b" },
	{ "x=\" @=3 \" @=2", "level=2" },
	{ "x=\"a -- b\" @=2", "level=2" },
	{ "\"--\" @=2", "" },
	{ "@.out=\"/a b @=1", "out=3 out_path=/a b rd.memstrack=1" },
	{ "\"", "" }, { "\"\"", "" }, { "=\"", "" }, { "\"=", "" },
	{ "@.top=\"", "! @.top=: 1 to 10000" },
	{ "\"@.top=\"\"", "! @.top=: 1 to 10000" },
	{ "@.top=\"\"", "! @.top=: 1 to 10000" },
	{ "@=\"1\" @.top=\"7\"", "level=1 top=7" },
	/* Whoever gives a level wants to trace. */
	{ "@=4", "level=1 ! @=4: 0 to 3" },
	{ "@.level=yes", "level=1 ! @.level=yes: 0 to 3" },
	{ "@=", "level=1 ! @=: 0 to 3" },
	{ "@=9 @=0", "! @=9: 0 to 3" },
	{ "@.top=x @.lev=1", "! @.top=x: 1 to 10000; @.lev=1: a parameter" },
	/* A bad value leaves what stood, the rest is read. */
	{ "@=2 @=x @.top=y @.keep=1",
	  "level=2 keep=1 ! @=x: 0 to 3; @.top=y: 1 to 10000" },
	{ "@.top", "! @.top=: 1 to 10000" },
	{ "@.mem", "! @.mem=: 256K to 1G" },
	{ "@.init", "! @.init=: a path from /" },
	{ "@.init=sbin/init", "! @.init=sbin/init: a path from /" },
	{ "@.colour=red", "! @.colour=red: a parameter" },
	{ "@.=1", "! @.=1: a parameter" },
	{ "@.toppp=1", "! @.toppp=1: a parameter" },
	{ "@.to=1", "! @.to=1: a parameter" },
	{ "@.Top=1", "! @.Top=1: a parameter" },
	{ "@.by=now @.check=/a",
	  "! @.by=now: a parameter; @.check=/a: a parameter" },
	/* A keyword must be whole. */
	{ "@.backend=auto|perf",
	  "! @.backend=auto|perf: auto|perf|ftrace|sampled" },
	{ "@.backend=autoperf",
	  "! @.backend=autoperf: auto|perf|ftrace|sampled" },
	{ "@.backend=", "! @.backend=: auto|perf|ftrace|sampled" },
	{ "@.format=xml", "! @.format=xml: " FORMAT_NAMES },
	/* Where the report goes: a keyword, or a file that begins with a
	 * slash. */
	{ "@.out=kmsg", "out=1" },
	{ "@.out=console", "out=2" },
	{ "@.out=/a @.out=auto", "" },
	{ "@.out=/a @.out=kmsg", "out=1" },
	{ "@.out=konsole", "! @.out=konsole" OUT_WHY },
	{ "@.out=kms", "! @.out=kms" OUT_WHY },
	{ "@.out=kmsg|", "! @.out=kmsg|" OUT_WHY },
	{ "@.out=a/b", "! @.out=a/b" OUT_WHY },
	{ "@.out", "! @.out=" OUT_WHY },
	/* Files beside it, each with its suffix; a path may have commas of its
	 * own. */
	{ "@.out=kmsg,/run/m.json,/run/m.txt",
	  "out=1 beside[0]=/run/m.json beside[1]=/run/m.txt" },
	{ "@.out=/run/m.json,/a.txt",
	  "out=3 format=1 out_path=/run/m.json beside[0]=/a.txt" },
	{ "@.out=kmsg,/a.json @.out=console", "out=2" },
	{ "@.out=/a.json,/b.json @.out=kmsg,/c",
	  "out=3 format=1 out_path=/a.json beside[0]=/b.json ! @.out=kmsg,/c"
	  OUT_WHY },
	{ "@.out=/a,b:c=1,d", "out=3 out_path=/a,b:c=1,d" },
	{ "@.out=/a,b,/c,/d.json,/e.txt",
	  "out=3 out_path=/a,b,/c beside[0]=/d.json beside[1]=/e.txt" },
	{ "@.out=kmsg,", "! @.out=kmsg," OUT_WHY },
	{ "@.out=,/a.json", "! @.out=,/a.json" OUT_WHY },
	{ "@.out=kmsg,a.json", "! @.out=kmsg,a.json" OUT_WHY },
	{ "@.out=kmsg,/.json,/a.jso", "! @.out=kmsg,/.json,/a.jso" OUT_WHY },
	{ "@.out=/a,/1.json,/2.json,/3.json,/4.json,/5.json",
	  "! @.out=/a,/1.json,/2.json,/3.json,/4.json,/5.json: at most 4 "
	  "files beside the report" },
	/* The suffix of the report's own file; a picture goes to the file that
	 * is named for it, never to a log. */
	{ "@.out=/a.line", "out=3 format=2 out_path=/a.line" },
	{ "@.out=/a.txt", "out=3 out_path=/a.txt" },
	{ "@.out=/a.svg,/b.json @.format=svg",
	  "out=3 format=7 out_path=/a.svg beside[0]=/b.json" },
	{ "@.format=svg @.out=/a", "out=3 format=7 out_path=/a" },
	{ "@.format=svg", "! @.format=svg: for a log: @.out=/FILE is missing" },
	{ "@.format=svg @.out=kmsg,/a.svg", "out=1 beside[0]=/a.svg ! "
	  "@.format=svg: for a log: @.out=/FILE is missing" },
};

static void whole(char text[TEXT_BYTES], const char *from)
{
	text[0] = '\0';
	for (; *from; from++)
		add(text, *from == '@' ? "rd.memstrack" : "%c", *from);
}

static void test_boots(void)
{
	char line[TEXT_BYTES], want[TEXT_BYTES];
	struct config c;

	for (size_t i = 0; i < ARRAY_LEN(boots); i++) {
		whole(line, boots[i].line);
		whole(want, boots[i].outcome);
		tap_ok(boot(line, strlen(line)) && outcome_is(want), "%.100s",
		       line);
	}
	memset(&c, 0xff, sizeof(c));
	config_defaults(&c);
	tap_ok(c.throttle_percent == 100 && c.wait_s == 10 &&
	       c.by == DIFF_BY_PEAK && c.min_bytes == 64u << 10 &&
	       c.fail_bytes == UINT32_MAX && !c.level && !c.init[0] &&
	       c.backend == BACKEND_AUTO && c.out == OUT_AUTO &&
	       c.format == FORMAT_TEXT, "the defaults");
}

static void test_bytes(void)
{
	static const char nul[] = "rd.memstrack=1\0 rd.memstrack=2";
	static const char in_path[] = "rd.memstrack.out=/a\0b";
	static const char high[] =
		"\xff\xfe\x80 rd.memstrack.out=/\xc3\xa0/x rd.memstrack=\xb2";
	char path[PATH_BYTES + 32] = "rd.memstrack.init=";
	const size_t head = strlen(path);
	const struct config *c = &came.config;

	tap_ok(boot(nul, sizeof(nul)) && outcome_is("level=1"),
	       "the text ends at a NUL");
	tap_ok(boot(in_path, sizeof(in_path) - 1) &&
	       outcome_is("out=3 out_path=/a"), "... also inside a value");
	tap_ok(boot(high, sizeof(high) - 1) &&
	       outcome_is("level=1 out=3 out_path=/\xc3\xa0/x ! "
			  "rd.memstrack=\xb2: 0 to 3"),
	       "bytes from 0x80 up are bytes");
	path[head] = '/';
	memset(path + head + 1, 'x', PATH_BYTES - 1);
	tap_ok(boot(path, head + PATH_BYTES - 1) && !came.warned &&
	       strlen(c->init) == PATH_BYTES - 1, "the longest path");
	for (int out = 0; out < 2; out++) {
		memcpy(path, out ? "rd.memstrack.out=/" : "rd.memstrack.init=",
		       head);
		tap_ok(boot(path, head + PATH_BYTES) && came.warned == 1 &&
		       strstr(came.told, ": at most 255 bytes") && !*changes(),
		       "%.*s: a path one byte too long", (int)head, path);
	}
}

/* Up to 2 arguments, parted by a blank; *moved is how far the index went. */
static int option(const char *text, int *moved)
{
	char copy[80], *argv[4] = { "memstrack", copy };
	int index = 1, count = text ? 2 : 1, result;

	snprintf(copy, sizeof(copy), "%s", text ? text : "");
	if (strchr(copy, ' ')) {
		argv[count++] = strchr(copy, ' ') + 1;
		*strchr(copy, ' ') = '\0';
	}
	begin();
	result = option_parse(&came.config, "diff", count, argv, &index,
			      &warns);
	*moved = index - 1;
	return result;
}

/* Arguments, how many of them are used, and the outcome; if none is used, that
 * is no option. */
static const struct {
	const char *text;
	int used;
	const char *outcome;
} options[] = {
	{ "--top=5 x", 1, "top=5" },
	{ "--top 5", 2, "top=5" },
	{ "--top=0", 1, "! --top=0: 1 to 10000" },
	{ "--top 0", 2, "! --top=0: 1 to 10000" },
	{ "--top", 1, "! --top=: 1 to 10000" },
	{ "--level=3", 1, "level=3" },
	{ "--keep 0", 1, "keep=1" },
	{ "--mem=1M", 1, "mem_bytes=1048576" },
	/* The rings', in MiB. */
	{ "--buf-size=4", 1, "ring_bytes=4194304" },
	{ "--buf-size=1024", 1, "ring_bytes=1073741824" },
	/* Any path; a suffix behind a word is a known one. */
	{ "--out=a/b", 1, "out=3 out_path=a/b" },
	{ "--output=a/b", 1, "out=3 out_path=a/b" },
	{ "--out console", 2, "out=2" },
	{ "--out=", 1, "! --out=" OUT_WHY },
	{ "--out=auto,a.foo", 1, "! --out=auto,a.foo" OUT_WHY },
	{ "--out=auto,a.foo,b.json", 1, "! --out=auto,a.foo,b.json" OUT_WHY },
	/* Two names of one option. */
	{ "--cover 80", 2, "throttle_percent=80" },
	{ "--throttle=70", 1, "throttle_percent=70" },
	{ "--cove=1", 0, "" },
	{ "--cover|throttle=1", 0, "" },
	{ "--by=now", 1, "by=1" },
	{ "--min 2M", 2, "min_bytes=2097152" },
	{ "--fail=0", 1, "fail_bytes=0" },
	/* The book, or a path from the root. */
	{ "--check=page_owner", 1, "check=page_owner" },
	{ "--check /a", 2, "check=/a" },
	{ "--check=a", 1, "! --check=a: page_owner|/PATH" },
	{ "--check=", 1, "! --check=: page_owner|/PATH" },
	{ "--check=page_owne", 1, "! --check=page_owne: page_owner|/PATH" },
	/* Not options of ours: nothing moves. */
	{ "--init=/x", 0, "" },
	{ "--", 0, "" }, { "--=1", 0, "" }, { "-top=1", 0, "" },
	{ "top=1", 0, "" }, { "--topp=1", 0, "" }, { "--to=1", 0, "" },
	{ "", 0, "" }, { NULL, 0, "" },
};

static void test_options(void)
{
	for (size_t i = 0; i < ARRAY_LEN(options); i++) {
		int used, result = option(options[i].text, &used);

		tap_ok(result == (!options[i].used ? -ENOENT :
				  came.warned ? -EINVAL : 0) &&
		       used == options[i].used &&
		       outcome_is(options[i].outcome), "%s",
		       options[i].text ? options[i].text : "nothing");
	}
}

/* An option that one applet alone has. */
static void test_applet(void)
{
	char text[LINE_BYTES];
	int n = 1;

	begin();
	tap_ok(option_parse(&came.config, "", 2,
			    (char *[]){ "memstrack", "--by=now" }, &n,
			    &warns) == -ENOENT && n == 1 && outcome_is(""),
	       "--by is of diff alone");
	option_refusal(text, "--by=now");
	tap_ok(!strcmp(text, "--by=now: only diff has this option"), "said so");
	option_refusal(text, "--byte=now");
	tap_ok(!strcmp(text, "--byte=now: no such option"), "a wrong one");
}

/* Try `--name=number` with a size's letter behind it. */
static int takes(const char *name, unsigned long long number, char letter)
{
	char text[80];
	int n;

	snprintf(text, sizeof(text), "%s=%llu%c", name, number, letter);
	return option(text, &n) == 0;
}

/* "256K to 1G", "0 to 3": both bounds, and one past each. */
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
	unsigned int index, bounded = 0;
	char line[LINE_BYTES], name[32];
	int n;

	for (index = 0; option_help(index, line); index++) {
		/* A heading may stand before the line. */
		const char *own = *line == '\n' ? strstr(line, "\n  --") + 1 :
				  line;
		int len = (int)strcspn(own + 2, "= ");
		const char *why;

		snprintf(name, sizeof(name), "%.*s=", len, own + 2);
		option(name, &n);
		name[len] = 0;
		why = strstr(came.told, "=: ");
		tap_ok(strcspn(own, "\n") < 80 && strlen(strrchr(own, ':')) <
		       82 && !strncmp(own, "  --", 4) && why &&
		       strstr(own, why + 3),
		       "help of %s says what is accepted", name);
		if (why && strpbrk(why, "0123456789")) {
			check_bounds(name, why);
			bounded++;
		}
	}
	tap_ok(index == 26 && bounded == 19, "26 options, 19 of them numbers");
	tap_ok(!option_help(index + 1, line) && !option_help(UINT32_MAX, line),
	       "no help past the last");
}

/* A small number was meant with a unit, if there is one that fits. */
static void test_refusal(void)
{
	static const struct { const char *value, *accepts, *text; } t[] = {
		{ "", "256K to 1G",
		  "mem: needs a value: 256K to 1G; so it is" },
		{ "0", "256K to 1G", "mem: 0: not 256K to 1G; so it is" },
		{ "2", "256K to 1G", "mem: 2: not 256K to 1G: 2M?; so it is" },
		{ "512", "256K to 1G",
		  "mem: 512: not 256K to 1G: 512K?; so it is" },
		{ "51200", "256K to 1G",
		  "mem: 51200: not 256K to 1G; so it is" },
		{ "2", "16 to 16M", "mem: 2: not 16 to 16M; so it is" },
	};
	char text[REFUSAL_BYTES];

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		const struct cmdline_word w = {
			.name = "mem", .name_len = 3, .value = t[i].value,
			.value_len = strlen(t[i].value),
		};

		cmdline_refusal(text, &w, t[i].accepts, "; so it is");
		tap_ok(!strcmp(text, t[i].text), "%s", text);
	}
}

/* A text that was cut off somewhere: its last word may be half of one. */
static void test_cut(void)
{
	static const struct { const char *text; size_t whole; } t[] = {
		{ "", 0 }, { "quiet", 0 }, { "quiet ", 5 }, { " quiet", 0 },
		{ "quiet rd.memstrack.init=/sbin/in", 5 },
		{ "quiet rd.memstrack.init=/sbin/init ", 34 },
		{ "quiet rd.memstrack.init=\"/my in", 5 },
		{ "quiet rd.memstrack.init=\"/my init\" ro", 34 },
		{ "a  b\t\n", 4 }, { "a b\0c d", 1 },
	};

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		size_t len = strlen(t[i].text);

		tap_ok(cmdline_whole(exact_once(t[i].text, len), len) ==
		       t[i].whole, "cut off: '%s'", t[i].text);
	}
}

int main(void)
{
	test_cut();
	test_boots();
	test_bytes();
	test_options();
	test_applet();
	test_refusal();
	test_help();
	return tap_plan_done();
}
