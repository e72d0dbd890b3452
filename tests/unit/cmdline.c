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
static const char *changes(const struct config *c)
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

/* "name=value: why", one behind the other. */
static void warn(void *ctx, const struct cmdline_word *w, const char *why)
{
	add(ctx, "%s%.*s=%.*s: %s", *(char *)ctx ? "; " : "",
	    (int)w->name_len, w->name, (int)w->value_len,
	    w->value_len ? w->value : "", why);
}

/* The number of warnings. */
static int boot(struct config *c, char told[TEXT_BYTES], const char *text,
		size_t len)
{
	const struct cmdline_warn w = { warn, told };
	char *copy = exact(text, len);
	int warnings;

	told[0] = '\0';
	config_defaults(c);
	warnings = cmdline_parse(c, copy, len, &w);
	free(copy);
	return warnings;
}

static int told_is(const struct config *c, const char *told,
		   const char *change, const char *refused)
{
	const int right = !strcmp(changes(c), change) &&
			  !strcmp(told, refused ? refused : "");

	if (!right)
		printf("# %s; %s\n", changes(c), told);
	return right;
}

#define OUT_WHY ": auto|kmsg|console|/PATH[,/FILE.json]"
#define SVG_WHY "rd.memstrack.format=svg: for a log: rd.memstrack.out=/FILE " \
	"is missing"
#define BACKEND_WHY ": auto|perf|ftrace|sampled"

/* A line, what it changes, and what of it is refused. */
static const struct {
	const char *line, *change, *refused;
} boots[] = {
	{ "BOOT_IMAGE=/vmlinuz root=/dev/vda ro rd.memstrack=2 "
	  "rd.memstrack.init=/lib/systemd/systemd rd.memstrack.mem=2M "
	  "rd.memstrack.pages=384k rd.memstrack.stacks=4096 "
	  "rd.memstrack.tasks=128 rd.memstrack.modules=64 "
	  "rd.memstrack.ring=1M rd.memstrack.backend=perf "
	  "rd.memstrack.out=/run/memstrack.txt rd.memstrack.format=json "
	  "rd.memstrack.top=12 rd.memstrack.throttle=80 "
	  "rd.memstrack.heartbeat=5 rd.memstrack.keep=1 "
	  "rd.memstrack.frames=16 quiet\n",
	  "level=2 backend=1 out=3 format=1 top=12 throttle_percent=80 "
	  "heartbeat_s=5 keep=1 frames=16 mem_bytes=2097152 "
	  "pages_bytes=393216 stacks=4096 tasks=128 modules=64 "
	  "ring_bytes=1048576 init=/lib/systemd/systemd "
	  "out_path=/run/memstrack.txt", NULL },
	{ "rd.memstrack.level=3", "level=3", NULL },
	{ "rd.memstrack rd.memstrack.keep", "level=1 keep=1", NULL },
	{ "rd.memstrack.report=task_top:top=3,module_top",
	  "sections=task_top:top=3,module_top", NULL },

	/* Words. All white space of ASCII parts them. */
	{ "", "", NULL },
	{ " \t\n ", "", NULL },
	{ "\trd.memstrack=1\n", "level=1", NULL },
	{ "a\vrd.memstrack=1\frd.memstrack.top=7\r", "level=1 top=7", NULL },
	{ "xrd.memstrack=1 rd.memstrackx=1 RD.MEMSTRACK=1 "
	  "rd.memstrack_level=1 rd.memstrac=1 memstrack=1 a=rd.memstrack=1",
	  "", NULL },
	{ "rd.memstrack=1 rd.memstrack=3", "level=3", NULL },
	{ "rd.memstrack=1 -- rd.memstrack=3", "level=1", NULL },
	{ "--=1 --x rd.memstrack=3", "level=3", NULL },

	/* Quotes after the = or around the word go, those inside stay, as the
	 * kernel has it. What is in somebody's quotes is not ours. */
	{ "rd.memstrack.out=\"/a b\" rd.memstrack=1",
	  "level=1 out=3 out_path=/a b", NULL },
	{ "\"rd.memstrack.out=/a b\" rd.memstrack=1",
	  "level=1 out=3 out_path=/a b", NULL },
	{ "rd.memstrack.out=/a\" \"b", "out=3 out_path=/a\" \"b", NULL },
	{ "x=\" rd.memstrack=3 \" rd.memstrack=2", "level=2", NULL },
	{ "x=\"a -- b\" rd.memstrack=2", "level=2", NULL },
	{ "\"--\" rd.memstrack=2", "", NULL },
	{ "rd.memstrack.out=\"/a b rd.memstrack=1",
	  "out=3 out_path=/a b rd.memstrack=1", NULL },
	{ "\"", "", NULL }, { "\"\"", "", NULL }, { "=\"", "", NULL },
	{ "\"=", "", NULL },
	{ "rd.memstrack.top=\"", "", "rd.memstrack.top=: 1 to 10000" },
	{ "\"rd.memstrack.top=\"\"", "", "rd.memstrack.top=: 1 to 10000" },
	{ "rd.memstrack.top=\"\"", "", "rd.memstrack.top=: 1 to 10000" },
	{ "rd.memstrack=\"1\" rd.memstrack.top=\"7\"", "level=1 top=7", NULL },

	/* Whoever gives a level wants to trace. */
	{ "rd.memstrack=4", "level=1", "rd.memstrack=4: 0 to 3" },
	{ "rd.memstrack.level=yes", "level=1",
	  "rd.memstrack.level=yes: 0 to 3" },
	{ "rd.memstrack=", "level=1", "rd.memstrack=: 0 to 3" },
	{ "rd.memstrack=9 rd.memstrack=0", "", "rd.memstrack=9: 0 to 3" },
	{ "rd.memstrack.top=x rd.memstrack.lev=1", "",
	  "rd.memstrack.top=x: 1 to 10000; rd.memstrack.lev=1: a parameter" },

	/* A bad value leaves what stood, the rest is read. */
	{ "rd.memstrack=2 rd.memstrack=x rd.memstrack.top=y "
	  "rd.memstrack.keep=1", "level=2 keep=1",
	  "rd.memstrack=x: 0 to 3; rd.memstrack.top=y: 1 to 10000" },
	{ "rd.memstrack.top", "", "rd.memstrack.top=: 1 to 10000" },
	{ "rd.memstrack.mem", "", "rd.memstrack.mem=: 256K to 1G" },
	{ "rd.memstrack.init", "", "rd.memstrack.init=: a path from /" },
	{ "rd.memstrack.init=sbin/init", "",
	  "rd.memstrack.init=sbin/init: a path from /" },
	{ "rd.memstrack.colour=red", "",
	  "rd.memstrack.colour=red: a parameter" },
	{ "rd.memstrack.=1", "", "rd.memstrack.=1: a parameter" },
	{ "rd.memstrack.toppp=1", "", "rd.memstrack.toppp=1: a parameter" },
	{ "rd.memstrack.to=1", "", "rd.memstrack.to=1: a parameter" },
	{ "rd.memstrack.Top=1", "", "rd.memstrack.Top=1: a parameter" },
	{ "rd.memstrack.by=now rd.memstrack.check=/a", "",
	  "rd.memstrack.by=now: a parameter; "
	  "rd.memstrack.check=/a: a parameter" },
	/* A keyword must be whole. */
	{ "rd.memstrack.backend=auto|perf", "",
	  "rd.memstrack.backend=auto|perf" BACKEND_WHY },
	{ "rd.memstrack.backend=autoperf", "",
	  "rd.memstrack.backend=autoperf" BACKEND_WHY },
	{ "rd.memstrack.backend=", "", "rd.memstrack.backend=" BACKEND_WHY },
	{ "rd.memstrack.format=xml", "",
	  "rd.memstrack.format=xml: " FORMAT_NAMES },

	/* Where the report goes: a keyword, or a file that begins with a
	 * slash. */
	{ "rd.memstrack.out=kmsg", "out=1", NULL },
	{ "rd.memstrack.out=console", "out=2", NULL },
	{ "rd.memstrack.out=/a rd.memstrack.out=auto", "", NULL },
	{ "rd.memstrack.out=/a rd.memstrack.out=kmsg", "out=1", NULL },
	{ "rd.memstrack.out=konsole", "", "rd.memstrack.out=konsole" OUT_WHY },
	{ "rd.memstrack.out=kms", "", "rd.memstrack.out=kms" OUT_WHY },
	{ "rd.memstrack.out=kmsg|", "", "rd.memstrack.out=kmsg|" OUT_WHY },
	{ "rd.memstrack.out=a/b", "", "rd.memstrack.out=a/b" OUT_WHY },
	{ "rd.memstrack.out", "", "rd.memstrack.out=" OUT_WHY },
	/* Files beside it, each with its suffix; a path may have commas of its
	 * own. */
	{ "rd.memstrack.out=kmsg,/run/m.json,/run/m.txt",
	  "out=1 beside[0]=/run/m.json beside[1]=/run/m.txt", NULL },
	{ "rd.memstrack.out=/run/m.json,/a.txt",
	  "out=3 format=1 out_path=/run/m.json beside[0]=/a.txt", NULL },
	{ "rd.memstrack.out=kmsg,/a.json rd.memstrack.out=console", "out=2",
	  NULL },
	{ "rd.memstrack.out=/a.json,/b.json rd.memstrack.out=kmsg,/c",
	  "out=3 format=1 out_path=/a.json beside[0]=/b.json",
	  "rd.memstrack.out=kmsg,/c" OUT_WHY },
	{ "rd.memstrack.out=/a,b:c=1,d", "out=3 out_path=/a,b:c=1,d", NULL },
	{ "rd.memstrack.out=/a,b,/c,/d.json,/e.txt",
	  "out=3 out_path=/a,b,/c beside[0]=/d.json beside[1]=/e.txt", NULL },
	{ "rd.memstrack.out=kmsg,", "", "rd.memstrack.out=kmsg," OUT_WHY },
	{ "rd.memstrack.out=,/a.json", "",
	  "rd.memstrack.out=,/a.json" OUT_WHY },
	{ "rd.memstrack.out=kmsg,a.json", "",
	  "rd.memstrack.out=kmsg,a.json" OUT_WHY },
	{ "rd.memstrack.out=kmsg,/.json,/a.jso", "",
	  "rd.memstrack.out=kmsg,/.json,/a.jso" OUT_WHY },
	{ "rd.memstrack.out=/a,/1.json,/2.json,/3.json,/4.json,/5.json", "",
	  "rd.memstrack.out=/a,/1.json,/2.json,/3.json,/4.json,/5.json: "
	  "at most 4 files beside the report" },
	/* The suffix of the report's own file; a picture goes to the file that
	 * is named for it, never to a log. */
	{ "rd.memstrack.out=/a.line", "out=3 format=2 out_path=/a.line", NULL },
	{ "rd.memstrack.out=/a.txt", "out=3 out_path=/a.txt", NULL },
	{ "rd.memstrack.out=/a.svg,/b.json rd.memstrack.format=svg",
	  "out=3 format=7 out_path=/a.svg beside[0]=/b.json", NULL },
	{ "rd.memstrack.format=svg rd.memstrack.out=/a",
	  "out=3 format=7 out_path=/a", NULL },
	{ "rd.memstrack.format=svg", "",
	  SVG_WHY },
	{ "rd.memstrack.format=svg rd.memstrack.out=kmsg,/a.svg",
	  "out=1 beside[0]=/a.svg", SVG_WHY },
};

static void test_boots(void)
{
	struct config c;
	char told[TEXT_BYTES];

	for (size_t i = 0; i < ARRAY_LEN(boots); i++) {
		const char *line = boots[i].line, *end = boots[i].refused;
		int warnings = boot(&c, told, line, strlen(line)), want = 0;

		for (; end; end = strstr(end + 1, "; "))
			want++;
		tap_ok(told_is(&c, told, boots[i].change, boots[i].refused) &&
		       warnings == want, "%.100s", line);
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
	char told[TEXT_BYTES];
	struct config c;

	tap_ok(!boot(&c, told, nul, sizeof(nul)) && c.level == 1,
	       "the text ends at a NUL");
	tap_ok(!boot(&c, told, in_path, sizeof(in_path) - 1) &&
	       !strcmp(c.out_path, "/a"), "... also inside a value");
	tap_ok(boot(&c, told, high, sizeof(high) - 1) == 1 &&
	       told_is(&c, told, "level=1 out=3 out_path=/\xc3\xa0/x",
		       "rd.memstrack=\xb2: 0 to 3"),
	       "bytes from 0x80 up are bytes");
	path[head] = '/';
	memset(path + head + 1, 'x', PATH_BYTES - 1);
	tap_ok(!boot(&c, told, path, head + PATH_BYTES - 1) &&
	       strlen(c.init) == PATH_BYTES - 1, "the longest path");
	tap_ok(boot(&c, told, path, head + PATH_BYTES) == 1 &&
	       strstr(told, ": at most 255 bytes") && !*changes(&c),
	       "a path one byte too long");
	memcpy(path, "rd.memstrack.out=/", head);
	tap_ok(boot(&c, told, path, head + PATH_BYTES) == 1 &&
	       strstr(told, ": at most 255 bytes") && !*changes(&c),
	       "a file name too long leaves out as it was");
}

/* 0 to 2 arguments; *moved is how far the index went. */
static int option(struct config *c, char told[TEXT_BYTES], const char *one,
		  const char *two, int *moved)
{
	const struct cmdline_warn w = { warn, told };
	char *const argv[] = { "memstrack", (char *)one, (char *)two, NULL };
	int index = 1, result;

	told[0] = '\0';
	config_defaults(c);
	result = option_parse(c, "diff", two ? 3 : one ? 2 : 1, argv, &index,
			      &w);
	*moved = index - 1;
	return result;
}

/* Arguments, how many are used, and what they change, or why they are refused;
 * no change and no refusal: that is no option. */
static const struct {
	const char *one, *two;
	int used;
	const char *change, *refused;
} options[] = {
	{ "--top=5", "x", 1, "top=5", NULL },
	{ "--top", "5", 2, "top=5", NULL },
	{ "--top=0", NULL, 1, "", "--top=0: 1 to 10000" },
	{ "--top", "0", 2, "", "--top=0: 1 to 10000" },
	{ "--top", NULL, 1, "", "--top=: 1 to 10000" },
	{ "--level=3", NULL, 1, "level=3", NULL },
	{ "--keep", "0", 1, "keep=1", NULL },
	{ "--mem=1M", NULL, 1, "mem_bytes=1048576", NULL },
	/* The rings', in MiB. */
	{ "--buf-size=4", NULL, 1, "ring_bytes=4194304", NULL },
	{ "--buf-size=1024", NULL, 1, "ring_bytes=1073741824", NULL },
	/* Any path; a suffix behind a word is a known one. */
	{ "--out=a/b", NULL, 1, "out=3 out_path=a/b", NULL },
	{ "--output=a/b", NULL, 1, "out=3 out_path=a/b", NULL },
	{ "--out", "console", 2, "out=2", NULL },
	{ "--out=", NULL, 1, "", "--out=" OUT_WHY },
	{ "--out=auto,a.foo", NULL, 1, "", "--out=auto,a.foo" OUT_WHY },
	{ "--out=auto,a.foo,b.json", NULL, 1, "",
	  "--out=auto,a.foo,b.json" OUT_WHY },
	/* Two names of one option. */
	{ "--cover", "80", 2, "throttle_percent=80", NULL },
	{ "--throttle=70", NULL, 1, "throttle_percent=70", NULL },
	{ "--cove=1", NULL, 0, "", NULL },
	{ "--cover|throttle=1", NULL, 0, "", NULL },
	{ "--by=now", NULL, 1, "by=1", NULL },
	{ "--min", "2M", 2, "min_bytes=2097152", NULL },
	{ "--fail=0", NULL, 1, "fail_bytes=0", NULL },
	/* The book, or a path from the root. */
	{ "--check=page_owner", NULL, 1, "check=page_owner", NULL },
	{ "--check", "/a", 2, "check=/a", NULL },
	{ "--check=a", NULL, 1, "", "--check=a: page_owner|/PATH" },
	{ "--check=", NULL, 1, "", "--check=: page_owner|/PATH" },
	{ "--check=page_owne", NULL, 1, "",
	  "--check=page_owne: page_owner|/PATH" },
	/* Not options of ours: nothing moves. */
	{ "--init=/x", NULL, 0, "", NULL },
	{ "--", NULL, 0, "", NULL }, { "--=1", NULL, 0, "", NULL },
	{ "-top=1", NULL, 0, "", NULL }, { "top=1", NULL, 0, "", NULL },
	{ "--topp=1", NULL, 0, "", NULL }, { "--to=1", NULL, 0, "", NULL },
	{ "", NULL, 0, "", NULL }, { NULL, NULL, 0, "", NULL },
};

static void test_options(void)
{
	for (size_t i = 0; i < ARRAY_LEN(options); i++) {
		char told[TEXT_BYTES];
		struct config c;
		int used, result = option(&c, told, options[i].one,
					  options[i].two, &used);

		tap_ok(result == (options[i].refused ? -EINVAL :
				  options[i].used ? 0 : -ENOENT) &&
		       used == options[i].used &&
		       told_is(&c, told, options[i].change,
			       options[i].refused), "%s %s",
		       options[i].one ? options[i].one : "nothing",
		       options[i].two ? options[i].two : "");
	}
}

/* An option that one applet alone has. */
static void test_applet(void)
{
	char told[TEXT_BYTES] = "", text[LINE_BYTES];
	struct config c;
	int n = 1;

	config_defaults(&c);
	tap_ok(option_parse(&c, "", 2, (char *[]){ "memstrack", "--by=now" },
			    &n, &(struct cmdline_warn){ warn, told }) ==
	       -ENOENT && n == 1 && !*told && !*changes(&c),
	       "--by is of diff alone");
	option_refusal(text, "--by=now");
	tap_ok(!strcmp(text, "--by=now: only diff has this option"), "said so");
	option_refusal(text, "--byte=now");
	tap_ok(!strcmp(text, "--byte=now: no such option"), "a wrong one");
}

/* Try `--name=number` with a size's letter behind it. */
static int takes(const char *name, unsigned long long number, char letter)
{
	char text[80], told[TEXT_BYTES];
	struct config c;
	int n;

	snprintf(text, sizeof(text), "%s=%llu%c", name, number, letter);
	return option(&c, told, text, NULL, &n) == 0;
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
	char line[LINE_BYTES], name[32], told[TEXT_BYTES];
	struct config c;
	int n;

	for (index = 0; option_help(index, line); index++) {
		/* A heading may stand before the line. */
		const char *own = *line == '\n' ? strstr(line, "\n  --") + 1 :
				  line;
		int len = (int)strcspn(own + 2, "= ");
		const char *why;

		snprintf(name, sizeof(name), "%.*s=", len, own + 2);
		option(&c, told, name, NULL, &n);
		name[len] = 0;
		why = strstr(told, "=: ");
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
		char *copy = exact(t[i].text, len);

		tap_ok(cmdline_whole(copy, len) == t[i].whole,
		       "cut off: '%s'", t[i].text);
		free(copy);
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
