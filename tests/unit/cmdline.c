/* SPDX-License-Identifier: MIT */
/*
 * config/cmdline.c: words and quotes of the kernel command line, every
 * parameter in and out of its range, options, strict numbers.
 *
 * The bounds of numbers are read from the text that the parser itself gives
 * for a refused value: what it says is accepted must be what it accepts.
 */
#include <errno.h>
#include <string.h>
#include "base/number.h"
#include "config/cmdline.h"
#include "tap.h"

struct told {
	char name[64], value[600], why[128];
	size_t value_len;
	int count;
};

/* As much as there is room for. */
static void keep(char *to, size_t room, const char *text, size_t len)
{
	if (len > room - 1)
		len = room - 1;
	if (len)
		memcpy(to, text, len);
	to[len] = '\0';
}

static void warn(void *ctx, const struct cmdline_word *w, const char *why)
{
	struct told *t = ctx;

	t->count++;
	t->value_len = w->value_len;
	keep(t->name, sizeof(t->name), w->name, w->name_len);
	keep(t->value, sizeof(t->value), w->value, w->value_len);
	keep(t->why, sizeof(t->why), why, strlen(why));
}

static int boot_bytes(struct config *c, struct told *t, const char *text,
		      size_t len)
{
	const struct cmdline_warn w = { warn, t };
	/* No end byte behind it: AddressSanitizer sees a byte too many. */
	char *exact = malloc(len ? len : 1);
	int warnings;

	memset(t, 0, sizeof(*t));
	memcpy(exact, text, len);
	config_defaults(c);
	warnings = cmdline_parse(c, exact, len, &w);
	free(exact);
	return warnings;
}

static int boot(struct config *c, struct told *t, const char *text)
{
	return boot_bytes(c, t, text, strlen(text));
}

static int is_default(const struct config *c)
{
	struct config d;

	config_defaults(&d);
	return memcmp(c, &d, sizeof(d)) == 0;
}

/* 0 to 2 arguments; *moved is how far the index went. */
static int option(struct config *c, struct told *t, char *one, char *two,
		  int *moved)
{
	const struct cmdline_warn w = { warn, t };
	char *const argv[] = { "memstrack", one, two, NULL };
	int index = 1, result;

	memset(t, 0, sizeof(*t));
	config_defaults(c);
	result = option_parse(c, "diff", two ? 3 : one ? 2 : 1, argv, &index, &w);
	*moved = index - 1;
	return result;
}

static void test_defaults(void)
{
	struct config c;

	memset(&c, 0xff, sizeof(c));
	config_defaults(&c);
	tap_ok(c.level == 0 && c.backend == BACKEND_AUTO &&
	       c.out == OUT_AUTO && c.format == FORMAT_TEXT,
	       "default: no tracing, all choices automatic");
	tap_ok(c.top == 0 && c.throttle_percent == 100 && c.heartbeat_s == 0 &&
	       c.keep == 0 && c.wait_s == 10 && c.frames == 0,
	       "default: rows as the level says, all of them");
	tap_ok(c.by == DIFF_BY_PEAK && c.min_bytes == 64u << 10 &&
	       c.fail_bytes == UINT32_MAX,
	       "default of diff: peaks, 64 KiB and more, no failure");
	tap_ok(c.mem_bytes == 0 && c.pages_bytes == 0 && c.stacks == 0 &&
	       c.tasks == 0 && c.modules == 0 && c.ring_bytes == 0 &&
	       c.init[0] == 0 && c.out_path[0] == 0,
	       "default: every table its share, the kernel's init");
}

static void test_every_parameter(void)
{
	struct config c;
	struct told t;
	int warnings;

	warnings = boot(&c, &t, "BOOT_IMAGE=/vmlinuz root=/dev/vda ro "
		"rd.memstrack=2 rd.memstrack.init=/lib/systemd/systemd "
		"rd.memstrack.mem=2M rd.memstrack.pages=384k "
		"rd.memstrack.stacks=4096 rd.memstrack.tasks=128 "
		"rd.memstrack.modules=64 rd.memstrack.ring=1M "
		"rd.memstrack.backend=perf rd.memstrack.out=/run/memstrack.txt "
		"rd.memstrack.format=json rd.memstrack.top=12 "
		"rd.memstrack.throttle=80 rd.memstrack.heartbeat=5 "
		"rd.memstrack.keep=1 rd.memstrack.frames=16 quiet\n");
	tap_ok(warnings == 0 && t.count == 0, "every parameter at once");
	tap_ok(c.level == 2 && c.backend == BACKEND_PERF && c.out == OUT_FILE &&
	       c.format == FORMAT_JSON && c.top == 12 &&
	       c.throttle_percent == 80 && c.heartbeat_s == 5 && c.keep == 1 &&
	       c.frames == 16,
	       "... numbers and keywords in their fields");
	tap_ok(c.mem_bytes == 2u << 20 && c.pages_bytes == 384u << 10 &&
	       c.stacks == 4096 && c.tasks == 128 && c.modules == 64 &&
	       c.ring_bytes == 1u << 20, "... sizes in their fields");
	tap_ok(!strcmp(c.init, "/lib/systemd/systemd") &&
	       !strcmp(c.out_path, "/run/memstrack.txt"),
	       "... paths in their fields");
	tap_ok(!boot(&c, &t, "rd.memstrack.out=auto") && c.out == OUT_AUTO &&
	       !boot(&c, &t, "rd.memstrack.out=kmsg") && c.out == OUT_KMSG &&
	       !boot(&c, &t, "rd.memstrack.out=console") &&
	       c.out == OUT_CONSOLE, "the keywords of out");
	tap_ok(!boot(&c, &t, "rd.memstrack.level=3") && c.level == 3,
	       "level by its long name");
	tap_ok(!boot(&c, &t, "rd.memstrack.report=task_top:top=3,module_top") &&
	       !strcmp(c.sections, "task_top:top=3,module_top") &&
	       boot(&c, &t, "rd.memstrack.report=task_tops") == 1 &&
	       is_default(&c), "a list of sections");
}

static void test_words(void)
{
	struct config c;
	struct told t;

	tap_ok(!boot(&c, &t, "") && is_default(&c), "an empty line");
	tap_ok(!boot(&c, &t, " \t\n ") && is_default(&c), "only white space");
	tap_ok(!boot(&c, &t, "\trd.memstrack=1\n") && c.level == 1,
	       "tab before, newline after");
	tap_ok(!boot(&c, &t, "a\vrd.memstrack=1\frd.memstrack.top=7\r") &&
	       c.level == 1 && c.top == 7, "all white space of ASCII parts words");
	tap_ok(!boot(&c, &t, "xrd.memstrack=1 rd.memstrackx=1 RD.MEMSTRACK=1 "
		     "rd.memstrack_level=1 rd.memstrac=1 memstrack=1 "
		     "a=rd.memstrack=1") && is_default(&c),
	       "words of others are left alone");
	tap_ok(!boot(&c, &t, "rd.memstrack=1 rd.memstrack=3") && c.level == 3,
	       "the last one wins");
	tap_ok(!boot(&c, &t, "rd.memstrack.out=/a rd.memstrack.out=kmsg") &&
	       c.out == OUT_KMSG, "the last one wins: a keyword over a file");
	tap_ok(!boot(&c, &t, "rd.memstrack=1 -- rd.memstrack=3") &&
	       c.level == 1, "what follows -- is the init's");
	tap_ok(!boot(&c, &t, "--=1 --x rd.memstrack=3") && c.level == 3,
	       "only a bare -- ends");
	tap_ok(!boot(&c, &t, "rd.memstrack") && c.level == 1 &&
	       !boot(&c, &t, "rd.memstrack.keep") && c.keep == 1,
	       "level and keep without a value are 1");
}

static void test_quotes(void)
{
	struct config c;
	struct told t;

	tap_ok(!boot(&c, &t, "rd.memstrack.out=\"/a b\" rd.memstrack=1") &&
	       !strcmp(c.out_path, "/a b") && c.level == 1,
	       "quotes after = keep a space and go");
	tap_ok(!boot(&c, &t, "\"rd.memstrack.out=/a b\" rd.memstrack=1") &&
	       !strcmp(c.out_path, "/a b") && c.level == 1,
	       "quotes around the word keep a space and go");
	tap_ok(!boot(&c, &t, "rd.memstrack.out=/a\" \"b") &&
	       !strcmp(c.out_path, "/a\" \"b"),
	       "quotes inside protect and stay, as the kernel has it");
	tap_ok(!boot(&c, &t, "x=\" rd.memstrack=3 \" rd.memstrack=2") &&
	       c.level == 2, "a parameter inside somebody's quotes is not ours");
	tap_ok(!boot(&c, &t, "x=\"a -- b\" rd.memstrack=2") && c.level == 2,
	       "-- inside quotes does not end");
	tap_ok(!boot(&c, &t, "\"--\" rd.memstrack=2") && c.level == 0,
	       "a quoted -- does");
	tap_ok(!boot(&c, &t, "rd.memstrack.out=\"/a b rd.memstrack=1") &&
	       !strcmp(c.out_path, "/a b rd.memstrack=1") && c.level == 0,
	       "a quote never closed runs to the end");
	tap_ok(!boot(&c, &t, "\"") && !boot(&c, &t, "\"\"") &&
	       !boot(&c, &t, "=\"") && !boot(&c, &t, "\"=") && is_default(&c),
	       "quotes and nothing else");
	tap_ok(boot(&c, &t, "rd.memstrack=\"") == 1 && t.value_len == 0 &&
	       boot(&c, &t, "\"rd.memstrack=\"\"") == 1 && t.value_len == 0 &&
	       boot(&c, &t, "rd.memstrack=\"\"") == 1 && t.value_len == 0,
	       "an empty value in quotes is empty");
	tap_ok(!boot(&c, &t, "rd.memstrack=\"1\" rd.memstrack.top=\"7\"") &&
	       c.level == 1 && c.top == 7, "every value quoted (bootconfig)");
}

static void test_refused(void)
{
	struct config c;
	struct told t;

	tap_ok(boot(&c, &t, "rd.memstrack=4") == 1 && t.count == 1 &&
	       !strcmp(t.name, "rd.memstrack") && !strcmp(t.value, "4") &&
	       !strcmp(t.why, "0 to 3"), "level 4: name, value and why are told");
	tap_ok(boot(&c, &t, "rd.memstrack.top=") == 1 &&
	       !strcmp(t.name, "rd.memstrack.top") && t.value_len == 0 &&
	       is_default(&c), "an empty value");
	tap_ok(boot(&c, &t, "rd.memstrack.top") == 1 && t.value_len == 0 &&
	       boot(&c, &t, "rd.memstrack.init") == 1 &&
	       boot(&c, &t, "rd.memstrack.out") == 1 &&
	       boot(&c, &t, "rd.memstrack.mem") == 1 && is_default(&c),
	       "a value is missing");
	tap_ok(boot(&c, &t, "rd.memstrack.colour=red") == 1 &&
	       !strcmp(t.name, "rd.memstrack.colour") &&
	       !strcmp(t.value, "red") && !strcmp(t.why, "a parameter"),
	       "an unknown parameter");
	tap_ok(boot(&c, &t, "rd.memstrack.=1") == 1 &&
	       boot(&c, &t, "rd.memstrack.toppp=1") == 1 &&
	       boot(&c, &t, "rd.memstrack.to=1") == 1 &&
	       boot(&c, &t, "rd.memstrack.Top=1") == 1 && is_default(&c),
	       "a name must be whole");
	tap_ok(boot(&c, &t, "rd.memstrack=2 rd.memstrack=x rd.memstrack.top=y "
		    "rd.memstrack.keep=1") == 2 && c.level == 2 && c.keep == 1,
	       "a bad value leaves what stood, the rest is read");
	tap_ok(boot(&c, &t, "rd.memstrack.out=konsole") == 1 &&
	       !strcmp(t.why, "auto|kmsg|console|/PATH[,/FILE.json]") &&
	       boot(&c, &t, "rd.memstrack.out=a/b") == 1 && is_default(&c),
	       "out is a keyword or begins with a slash");
	tap_ok(!boot(&c, &t, "rd.memstrack.out=kmsg,/run/m.json,/run/m.txt") &&
	       c.out == OUT_KMSG && !c.out_path[0] &&
	       !strcmp(c.beside[0], "/run/m.json") &&
	       !strcmp(c.beside[1], "/run/m.txt") && !c.beside[2][0] &&
	       !boot(&c, &t, "rd.memstrack.out=/run/m.json,/a.txt") &&
	       c.out == OUT_FILE && !strcmp(c.out_path, "/run/m.json") &&
	       !strcmp(c.beside[0], "/a.txt") && !c.beside[1][0],
	       "files beside the report, each with its suffix");
	tap_ok(!boot(&c, &t, "rd.memstrack.out=kmsg,/a.json "
		     "rd.memstrack.out=console") && c.out == OUT_CONSOLE &&
	       !c.beside[0][0] &&
	       boot(&c, &t, "rd.memstrack.out=/a.json,/b.json "
		    "rd.memstrack.out=kmsg,/c") == 1 &&
	       c.out == OUT_FILE && !strcmp(c.beside[0], "/b.json"),
	       "the last one wins, a bad one changes nothing");
	tap_ok(!boot(&c, &t, "rd.memstrack.out=/a,b:c=1,d") &&
	       !strcmp(c.out_path, "/a,b:c=1,d") && !c.beside[0][0] &&
	       !boot(&c, &t, "rd.memstrack.out=/a,b,/c,/d.json,/e.txt") &&
	       !strcmp(c.out_path, "/a,b,/c") &&
	       !strcmp(c.beside[0], "/d.json") &&
	       !strcmp(c.beside[1], "/e.txt") && !c.beside[2][0],
	       "a path may have commas of its own");
	tap_ok(!boot(&c, &t, "rd.memstrack.out=/a.svg,/b.json "
		     "rd.memstrack.format=svg") && c.out == OUT_FILE &&
	       !strcmp(c.out_path, "/a.svg") &&
	       !strcmp(c.beside[0], "/b.json") && !c.beside[1][0] &&
	       !boot(&c, &t, "rd.memstrack.format=svg rd.memstrack.out=/a") &&
	       c.format == FORMAT_SVG && !strcmp(c.out_path, "/a"),
	       "a picture goes to the file that is named for it");
	tap_ok(boot(&c, &t, "rd.memstrack.format=svg") == 1 &&
	       !strcmp(t.value, "svg") && c.format == FORMAT_TEXT &&
	       boot(&c, &t, "rd.memstrack.format=svg "
		    "rd.memstrack.out=kmsg,/a.svg") == 1 &&
	       c.format == FORMAT_TEXT && !strcmp(c.beside[0], "/a.svg"),
	       "it never goes to a log");
	tap_ok(boot(&c, &t, "rd.memstrack.out=kmsg,") == 1 &&
	       boot(&c, &t, "rd.memstrack.out=,/a.json") == 1 &&
	       boot(&c, &t, "rd.memstrack.out=kmsg,a.json") == 1 &&
	       boot(&c, &t, "rd.memstrack.out=kmsg,/.json,/a.jso") == 1 &&
	       boot(&c, &t, "rd.memstrack.out=kmsg,/1.json,/2.json,/3.json,"
		    "/4.json,/5.json") == 1 && is_default(&c),
	       "without a suffix, a name or room for one: refused");
	tap_ok(boot(&c, &t, "rd.memstrack.out=/a,/1.json,/2.json,/3.json,"
		    "/4.json,/5.json") == 1 &&
	       !strcmp(t.why, "at most 4 files beside the report"),
	       "how many are too many");
	tap_ok(!boot(&c, &t, "rd.memstrack.out=/a.json") &&
	       c.format == FORMAT_JSON && c.out == OUT_FILE &&
	       !boot(&c, &t, "rd.memstrack.out=/a.line") &&
	       c.format == FORMAT_LINE &&
	       !boot(&c, &t, "rd.memstrack.out=/a.txt") &&
	       c.format == FORMAT_TEXT &&
	       !boot(&c, &t, "rd.memstrack.out=kmsg,/a.json") &&
	       c.format == FORMAT_TEXT, "the suffix of the report's own file");
	tap_ok(boot(&c, &t, "rd.memstrack.out=kms") == 1 &&
	       boot(&c, &t, "rd.memstrack.out=kmsg|") == 1 &&
	       boot(&c, &t, "rd.memstrack.backend=auto|perf") == 1 &&
	       boot(&c, &t, "rd.memstrack.backend=auto|perf|ftrace") == 1 &&
	       boot(&c, &t, "rd.memstrack.backend=autoperf") == 1 &&
	       boot(&c, &t, "rd.memstrack.backend=") == 1 &&
	       boot(&c, &t, "rd.memstrack.format=xml") == 1 &&
	       !strcmp(t.why, FORMAT_NAMES) && is_default(&c),
	       "a keyword must be whole");
	tap_ok(boot(&c, &t, "rd.memstrack.init=") == 1 &&
	       boot(&c, &t, "rd.memstrack.init=sbin/init") == 1 &&
	       !strcmp(t.why, "a path from /") && is_default(&c),
	       "init begins with a slash");
}

/* Whoever gives a level wants to trace. */
static void test_refused_level(void)
{
	struct config c;
	struct told t;

	tap_ok(boot(&c, &t, "rd.memstrack=yes") == 1 && c.level == 1 &&
	       boot(&c, &t, "rd.memstrack.level=4") == 1 && c.level == 1 &&
	       boot(&c, &t, "rd.memstrack=") == 1 && c.level == 1,
	       "a level that cannot be read is 1, with a warning");
	tap_ok(boot(&c, &t, "rd.memstrack=9 rd.memstrack=0") == 1 &&
	       c.level == 0, "... unless a good one follows");
	tap_ok(boot(&c, &t, "rd.memstrack.top=x rd.memstrack.lev=1") == 2 &&
	       c.level == 0, "... and of the level alone");
}

static void test_bytes(void)
{
	static const char nul[] = "rd.memstrack=1\0 rd.memstrack=2";
	static const char in_path[] = "rd.memstrack.out=/a\0b";
	static const char high[] =
		"\xff\xfe\x80 rd.memstrack.out=/\xc3\xa0/x rd.memstrack=\xb2";
	char path[PATH_BYTES + 32] = "rd.memstrack.init=";
	const size_t head = strlen(path);
	struct config c;
	struct told t;

	tap_ok(!boot_bytes(&c, &t, nul, sizeof(nul)) && c.level == 1,
	       "the text ends at a NUL");
	tap_ok(!boot_bytes(&c, &t, in_path, sizeof(in_path) - 1) &&
	       !strcmp(c.out_path, "/a"), "... also inside a value");
	tap_ok(boot(&c, &t, high) == 1 && !strcmp(c.out_path, "/\xc3\xa0/x") &&
	       !strcmp(t.value, "\xb2"), "bytes from 0x80 up are bytes");
	path[head] = '/';
	memset(path + head + 1, 'x', PATH_BYTES - 2);
	tap_ok(!boot_bytes(&c, &t, path, head + PATH_BYTES - 1) &&
	       strlen(c.init) == PATH_BYTES - 1, "the longest path");
	path[head + PATH_BYTES - 1] = 'x';
	tap_ok(boot_bytes(&c, &t, path, head + PATH_BYTES) == 1 &&
	       !strcmp(t.why, "at most 255 bytes") && is_default(&c),
	       "a path one byte too long");
	memcpy(path, "rd.memstrack.out=/", head);
	tap_ok(boot_bytes(&c, &t, path, head + PATH_BYTES) == 1 &&
	       !strcmp(t.why, "at most 255 bytes") && is_default(&c),
	       "a file name too long leaves out as it was");
}

/* An option that one applet alone has. */
static void test_applet(void)
{
	struct config c;
	struct told t = { 0 };
	char text[LINE_BYTES];
	int n = 1;

	config_defaults(&c);
	tap_ok(option_parse(&c, "", 2, (char *[]){ "memstrack", "--by=now" },
			    &n, &(struct cmdline_warn){ warn, &t }) ==
	       -ENOENT && n == 1 && !t.count && is_default(&c),
	       "--by is of diff alone");
	option_refusal(text, "--by=now");
	tap_ok(!strcmp(text, "--by=now: only diff has this option"), "said so");
	option_refusal(text, "--byte=now");
	tap_ok(!strcmp(text, "--byte=now: no such option"), "a wrong one");
}

static void test_options(void)
{
	struct config c;
	struct told t;
	int n;

	tap_ok(option(&c, &t, "--top=5", "x", &n) == 0 && n == 1 && c.top == 5,
	       "--name=value");
	tap_ok(option(&c, &t, "--top", "5", &n) == 0 && n == 2 && c.top == 5,
	       "--name value");
	tap_ok(option(&c, &t, "--top=0", NULL, &n) == -EINVAL &&
	       !strcmp(t.name, "--top") && !strcmp(t.value, "0") &&
	       !strcmp(t.why, "1 to 10000") && is_default(&c),
	       "a bad value: name, value and why are told");
	tap_ok(option(&c, &t, "--top", "0", &n) == -EINVAL &&
	       !strcmp(t.name, "--top") && !strcmp(t.value, "0"),
	       "... in two words as well");
	tap_ok(option(&c, &t, "--top", NULL, &n) == -EINVAL &&
	       t.value_len == 0 && n == 1, "a value missing at the end");
	tap_ok(option(&c, &t, "--out=", NULL, &n) == -EINVAL &&
	       !strcmp(t.why, "auto|kmsg|console|/PATH[,/FILE.json]") &&
	       is_default(&c), "no file has an empty name");
	tap_ok(option(&c, &t, "--out=auto,a.foo", NULL, &n) == -EINVAL &&
	       option(&c, &t, "--out=auto,a.foo,b.json", NULL, &n) == -EINVAL &&
	       is_default(&c), "a suffix that is not known, behind a word");
	tap_ok(option(&c, &t, "--out=a/b", NULL, &n) == 0 &&
	       c.out == OUT_FILE && !strcmp(c.out_path, "a/b") &&
	       option(&c, &t, "--out", "console", &n) == 0 &&
	       c.out == OUT_CONSOLE, "--out takes any path, and the keywords");
	tap_ok(option(&c, &t, "--output=a/b", NULL, &n) == 0 &&
	       c.out == OUT_FILE && !strcmp(c.out_path, "a/b") &&
	       option(&c, &t, "--cover", "80", &n) == 0 &&
	       c.throttle_percent == 80 &&
	       option(&c, &t, "--throttle=70", NULL, &n) == 0 &&
	       c.throttle_percent == 70 &&
	       option(&c, &t, "--cove=1", NULL, &n) == -ENOENT &&
	       option(&c, &t, "--cover|throttle=1", NULL, &n) == -ENOENT,
	       "two names of one option mean the same, and no other does");
	tap_ok(option(&c, &t, "--level=3", NULL, &n) == 0 && c.level == 3 &&
	       option(&c, &t, "--keep=1", NULL, &n) == 0 && c.keep == 1 &&
	       option(&c, &t, "--keep", "0", &n) == 0 && n == 1 && c.keep == 1 &&
	       option(&c, &t, "--keep=0", NULL, &n) == 0 && c.keep == 0 &&
	       option(&c, &t, "--mem=1M", NULL, &n) == 0 &&
	       c.mem_bytes == 1u << 20, "--level, --keep, --mem");
	tap_ok(option(&c, &t, "--buf-size=4", NULL, &n) == 0 &&
	       c.ring_bytes == 4u << 20 &&
	       option(&c, &t, "--buf-size=1024", NULL, &n) == 0 &&
	       c.ring_bytes == 1u << 30 && !c.mem_bytes,
	       "--buf-size is the rings', in MiB");
	tap_ok(option(&c, &t, "--init=/x", NULL, &n) == -ENOENT && n == 0 &&
	       t.count == 0 && is_default(&c), "init is no option");
	tap_ok(option(&c, &t, "--by=now", NULL, &n) == 0 &&
	       c.by == DIFF_BY_NOW &&
	       option(&c, &t, "--min", "2M", &n) == 0 &&
	       c.min_bytes == 2u << 20 &&
	       option(&c, &t, "--fail=0", NULL, &n) == 0 && !c.fail_bytes,
	       "--by, --min, --fail");
	tap_ok(option(&c, &t, "--check=page_owner", NULL, &n) == 0 &&
	       !strcmp(c.check, "page_owner") &&
	       option(&c, &t, "--check", "/a", &n) == 0 &&
	       !strcmp(c.check, "/a") &&
	       option(&c, &t, "--check=a", NULL, &n) == -EINVAL &&
	       option(&c, &t, "--check=page_owne", NULL, &n) == -EINVAL &&
	       option(&c, &t, "--check=", NULL, &n) == -EINVAL,
	       "--check: the book, or a path from the root");
	tap_ok(boot(&c, &t, "rd.memstrack.by=now rd.memstrack.min=1 "
		    "rd.memstrack.check=/a rd.memstrack.fail=1") == 4 && is_default(&c),
	       "these are no parameters of a boot");
	tap_ok(option(&c, &t, "--", NULL, &n) == -ENOENT &&
	       option(&c, &t, "--=1", NULL, &n) == -ENOENT &&
	       option(&c, &t, "-top=1", NULL, &n) == -ENOENT &&
	       option(&c, &t, "top=1", NULL, &n) == -ENOENT &&
	       option(&c, &t, "--topp=1", NULL, &n) == -ENOENT &&
	       option(&c, &t, "--to=1", NULL, &n) == -ENOENT &&
	       option(&c, &t, "", NULL, &n) == -ENOENT &&
	       option(&c, &t, NULL, NULL, &n) == -ENOENT && n == 0 &&
	       t.count == 0, "not options of ours: nothing moves");
}

/* Try `--name=number` with a size's letter behind it. */
static int takes(const char *name, unsigned long long number, char letter)
{
	char text[80];
	struct config c;
	struct told t;
	int n;

	snprintf(text, sizeof(text), "%s=%llu%c", name, number, letter);
	return option(&c, &t, text, NULL, &n) == 0;
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
	struct config c;
	struct told t;
	int n;

	for (index = 0; option_help(index, line); index++) {
		/* A heading may stand before the line. */
		const char *own = *line == '\n' ? strstr(line, "\n  --") + 1 :
				  line;
		int len = (int)strcspn(own + 2, "= ");

		snprintf(name, sizeof(name), "%.*s=", len, own + 2);
		option(&c, &t, name, NULL, &n);
		name[len] = 0;
		tap_ok(strcspn(own, "\n") < 80 && strlen(strrchr(own, ':')) <
		       82 && !strncmp(own, "  --", 4) &&
		       t.count == 1 && strstr(own, t.why),
		       "help of %s says what is accepted", name);
		if (strpbrk(t.why, "0123456789")) {
			check_bounds(name, t.why);
			bounded++;
		}
	}
	tap_ok(index == 26 && bounded == 19, "26 options, 19 of them numbers");
	tap_ok(!option_help(index + 1, line) && !option_help(UINT32_MAX, line),
	       "no help past the last");
}

static int number(const char *text, unsigned int base, uint64_t min,
		  uint64_t max, uint64_t *value)
{
	return parse_u64(text, strlen(text), base, min, max, value);
}

static int size(const char *text, uint64_t *value)
{
	return parse_size(text, strlen(text), 1, UINT64_MAX, value);
}

static void test_numbers(void)
{
	const uint64_t all = UINT64_MAX;
	uint64_t v = 77;

	tap_ok(number("", 10, 0, all, &v) == -EINVAL &&
	       number(" 1", 10, 0, all, &v) == -EINVAL &&
	       number("1 ", 10, 0, all, &v) == -EINVAL &&
	       number("+1", 10, 0, all, &v) == -EINVAL &&
	       number("-1", 10, 0, all, &v) == -EINVAL &&
	       number("1a", 10, 0, all, &v) == -EINVAL &&
	       number("0x1", 16, 0, all, &v) == -EINVAL &&
	       number("8", 8, 0, all, &v) == -EINVAL &&
	       number("fg", 16, 0, all, &v) == -EINVAL &&
	       parse_u64("1\0002", 3, 10, 0, all, &v) == -EINVAL && v == 77,
	       "not numbers, and the value is left alone");
	tap_ok(number("18446744073709551615", 10, 0, all, &v) == 0 &&
	       v == all, "the largest number");
	v = 77;
	tap_ok(number("18446744073709551616", 10, 0, all, &v) == -ERANGE &&
	       number("99999999999999999999999", 10, 0, all, &v) == -ERANGE &&
	       number("10000000000000000", 16, 0, all, &v) == -ERANGE &&
	       number("99999999999999999999x", 10, 0, all, &v) == -EINVAL &&
	       v == 77, "too large for 64 bits");
	tap_ok(number("4", 10, 5, 9, &v) == -ERANGE &&
	       number("10", 10, 5, 9, &v) == -ERANGE && v == 77,
	       "out of range");
	tap_ok(number("ffffFFFFffffFFFF", 16, 0, all, &v) == 0 && v == all &&
	       number("777", 8, 0, all, &v) == 0 && v == 0777 &&
	       number("0010", 10, 0, all, &v) == 0 && v == 10,
	       "bases, and zeros in front");
	tap_ok(parse_u64("123", 2, 10, 0, all, &v) == 0 && v == 12,
	       "not a byte past the length");
	tap_ok(size("3", &v) == 0 && v == 3 && size("3K", &v) == 0 &&
	       v == 3072 && size("3m", &v) == 0 && v == 3u << 20 &&
	       size("3g", &v) == 0 && v == 3ull << 30, "sizes");
	v = 77;
	tap_ok(size("", &v) == -EINVAL && size("K", &v) == -EINVAL &&
	       size("1KK", &v) == -EINVAL && size("1T", &v) == -EINVAL &&
	       size("K1", &v) == -EINVAL && size("1.5M", &v) == -EINVAL &&
	       size("0", &v) == -ERANGE && v == 77, "not sizes");
	tap_ok(size("17179869183G", &v) == 0 && v == 17179869183ull << 30 &&
	       size("17179869185G", &v) == -ERANGE &&
	       size("18014398509481985K", &v) == -ERANGE,
	       "a size past 64 bits does not wrap");
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
	struct config c;
	struct told told;

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		size_t len = strlen(t[i].text);
		char *exact = malloc(len + 1);

		memcpy(exact, t[i].text, len + 1);
		tap_ok(cmdline_whole(exact, len) == t[i].whole,
		       "cut off: '%s'", exact);
		free(exact);
	}
	boot_bytes(&c, &told, t[6].text, cmdline_whole(t[6].text,
						       strlen(t[6].text)));
	tap_ok(is_default(&c) && !told.count, "half a path is no path");
}

int main(void)
{
	test_cut();
	test_defaults();
	test_every_parameter();
	test_words();
	test_quotes();
	test_refused();
	test_refused_level();
	test_bytes();
	test_options();
	test_applet();
	test_help();
	test_numbers();
	return tap_plan_done();
}
