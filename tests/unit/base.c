/* SPDX-License-Identifier: MIT */
/*
 * base/base.c: pieces are untouched, aligned, apart from each other and never
 * more than there is; after the seal there are none (cases/arena). Numbers: all
 * of a text is the number, in range, or the value stays as it was (cases/number).
 * print.c: its few conversions print what the C library's do, into any room; errno has
 * the usual words. files.c: small files whole (cases/readfile), and lines of
 * a pipe; those of files, of any length: tests/fuzz/texts.c.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include "limits.h"
#include "base/base.h"
#include "base/system.h"
#include "cases.h"

/* --- arena --- */

#define BYTES 1024u

static _Alignas(64) unsigned char block[BYTES];

static void arena_step(const char *text, char *out)
{
	static struct arena arena;
	unsigned long long n, size;
	const unsigned char *piece;

	if (sscanf(text, "block %llu", &n) == 1) {
		memset(block, 0xff, sizeof(block));
		arena_init(&arena, block, n);
	} else if (sscanf(text, "take %llu %llu", &n, &size) == 2) {
		piece = arena_take(&arena, n, size);
		append(out, "%s", *out ? " " : "");
		if (piece)
			append(out, "%td", piece - block);
		else
			append(out, "none");
	} else if (!strcmp(text, "seal")) {
		arena_seal(&arena);
	} else {
		append(out, "; used %zu", arena.used_bytes);
		for (size_t i = 0; i < sizeof(block); i++)
			must(block[i] == 0xff);
	}
}

/* --- numbers --- */

#define BEFORE 0x5a5a5a5a5a5a5a5au

/* What a reader of cases/number takes. */
static const struct range {
	const char *name;
	unsigned int base;	/* 0: a size */
	uint64_t min, max;
} ranges[] = {
	{ "decimal", 10, 0, UINT64_MAX }, { "hexadecimal", 16, 0, UINT64_MAX },
	{ "size", 0, 0, UINT64_MAX }, { "5 to 7", 10, 5, 7 },
	{ "4K to 8K", 0, 4096, 8192 },
};

static void test_number(struct cases *c)
{
	const struct range *r = ranges;
	char *text = exact(c->text, c->len), got[32];
	uint64_t value = BEFORE;
	int error;

	while (strcmp(r->name, c->reader))
		must(++r < ranges + ARRAY_LEN(ranges));
	error = r->base ? parse_u64(text, c->len, r->base, r->min, r->max,
				    &value) :
			  parse_size(text, c->len, r->min, r->max, &value);
	free(text);
	snprintf(got, sizeof(got), "%" PRIu64, value);
	case_is(c, !error ? got : value != BEFORE ? "changed" :
		   error == -ERANGE ? "out of range" : "none");
}

/* Every byte behind a digit: a digit of the base, or refused. */
static void test_digits(void)
{
	static const char digits[] = "0123456789abcdefABCDEF";
	uint32_t wrong = 0;

	for (int byte = 0; byte < 256; byte++) {
		const char text[2] = { '1', (char)byte };
		const char *at = memchr(digits, byte, sizeof(digits) - 1);
		uint64_t value;

		wrong += (parse_u64(text, 2, 16, 0, UINT64_MAX, &value) == 0)
			 != (at != NULL);
		wrong += (parse_u64(text, 2, 10, 0, UINT64_MAX, &value) == 0)
			 != (at && at < digits + 10);
	}
	tap_ok(!wrong, "any byte as a digit: %u wrong", wrong);
}

/* --- print.c --- */

#define ROOM 256

__attribute__((format(printf, 2, 3)))
static void same(const char *what, const char *format, ...)
{
	char want[ROOM], got[ROOM];
	size_t bad = 0, len;
	va_list args;

	va_start(args, format);
	len = (size_t)vsnprintf(want, sizeof(want), format, args);
	va_end(args);
	for (size_t size = 1; size <= len + 2; size++) {
		size_t fits = len < size ? len : size - 1, said;

		memset(got, '#', sizeof(got));
		va_start(args, format);
		said = vprint_to(got, size, format, &args);
		va_end(args);
		bad += said != fits || got[fits] || memcmp(got, want, fits) ||
		       got[size] != '#';
	}
	tap_ok(!bad, "%s: '%s', in any room", what, want);
}

static void test_conversions(void)
{
	static const char unended[3] = { 'a', 'b', 'c' };

	same("no conversion", "plain text");
	same("nothing", "%s", "");
	same("strings, percent, bytes above 127", "<%s|%s> 100%% %s%%", "one",
	     "two", "\xc3\xa4");
	same("precisions, of a string without end too",
	     "<%.*s|%.*s|%.*s|%.*s|%.*s>", 3, "abcdef", 9, "abc", 0, "abc",
	     -1, "abc", 3, unended);
	same("narrow", "%u %u %u %d %d %d %d %x %x", 0u, 7u, UINT_MAX, 0, -1,
	     INT_MAX, INT_MIN, 0u, 0xdeadbeefu);
	same("wide", "%llu %llu %lld %lld %lld %llx", 0ull, ULLONG_MAX, -1ll,
	     LLONG_MIN, LLONG_MAX, 0xfedcba9876543210ull);
	same("wide and narrow mixed", "%u %llu %d %lld %x", 1u, 1ull << 63,
	     -2, -(1ll << 62), 3u);
}

/* What the pipe has is this, or (NULL) a line of the greatest length. */
static int reads(int fd, const char *want)
{
	char text[LINE_BYTES * 2] = "";
	const ssize_t n = read(fd, text, sizeof(text) - 1);

	return want ? !strcmp(text, want) :
		      n == LINE_BYTES - 1 && text[n - 1] == '\n';
}

/* To a pipe, which is standard error meanwhile. */
static void test_lines(void)
{
	char words[LINE_BYTES * 2], want[LINE_BYTES];
	int pipes[2], before = dup(2);

	if (pipe(pipes) || before < 0)
		abort();
	dup2(pipes[1], 2);
	memset(words, 'x', sizeof(words) - 1);
	words[sizeof(words) - 1] = '\0';
	print_line(pipes[1], "%s", words);
	tap_ok(reads(pipes[0], NULL), "cut to a line's length, and ended");
	tap_ok(complain("it", "%d of %s", 2, "these") == 1 &&
	       reads(pipes[0], "memstrack: it: 2 of these\n"),
	       "to complain is to fail; what and why, in one line");
	complain(words, "%s", "why");
	snprintf(want, sizeof(want), "memstrack: %.*s: why\n", PATH_BYTES,
		 words);
	tap_ok(reads(pipes[0], want), "why is said of a long what");
	complain("it", "%s", words);
	tap_ok(reads(pipes[0], NULL), "a long why is cut, the line is ended");
	dup2(before, 2);
	close(pipes[0]);
	close(pipes[1]);
	close(before);
	tap_ok(print_line(pipes[1], "nobody") < 0,
	       "a closed descriptor is no endless loop");
}

/* As glibc has them; musl has other words for some. */
static void test_errors(void)
{
	static const char unknown[] = "unknown error";
	int known = 0, wrong = 0;

	for (int error = 0; error <= 4095; error++) {
		const char *text = error_text(error);

		wrong += strcmp(text, error_text(-error)) != 0;
		if (!strcmp(text, unknown))
			continue;
		known++;
#ifdef __GLIBC__
		wrong += strcmp(text, strerror(error)) != 0;
#endif
	}
	tap_ok(known == 30 && !wrong, "%d errnos have words, %d wrong ones",
	       known, wrong);
}

/* --- files.c --- */

static void test_whole(void)
{
	const char *path = file_of("12345", 5);
	char buf[16];

	memset(buf, '#', sizeof(buf));
	tap_ok(readfile(path, buf, 6) == 5 && !memcmp(buf, "12345\0#", 7),
	       "a file, ended with 0");
	tap_ok(readfile(path, buf, 5) == -EFBIG, "no room for the end");
	tap_ok(readfile(path, buf, 3) == -EFBIG && !strcmp(buf, "12"),
	       "nor for more: what fits is there, and ended");
	tap_ok(!writefile(path, "new") && readfile(path, buf, 16) == 5 &&
	       !strcmp(buf, "new45"), "written over, as a setting of /proc is");
	unlink(path);
	tap_ok(readfile(path, buf, sizeof(buf)) == -ENOENT &&
	       read_number(path, 10, &(uint64_t){ 0 }) == -ENOENT &&
	       writefile(path, "x") == -ENOENT && access(path, F_OK),
	       "one that is not there, and is not made");
	path = file_of("", 0);
	memset(buf, '#', sizeof(buf));
	tap_ok(readfile(path, buf, sizeof(buf)) == 0 && !buf[0] &&
	       buf[1] == '#', "an empty one");
	unlink(path);
	tap_ok(readfile("/", buf, sizeof(buf)) == -EISDIR &&
	       writefile("/proc/self/stat", "x") < 0,
	       "what cannot be read, or written");
	tap_ok(readfile("/proc/sys/kernel/ostype", buf, sizeof(buf)) == 6 &&
	       !strcmp(buf, "Linux\n"), "one of /proc");
}

static void test_file_number(struct cases *c)
{
	const char *path = file_of(c->text, c->len);
	uint64_t value = 7;
	char got[32];
	int error = read_number(path, c->reader[6] == '0' ? 10 : 16, &value);

	snprintf(got, sizeof(got), "%llu", (unsigned long long)value);
	case_is(c, !error ? got : value != 7 ? "changed" :
		   error == -ERANGE ? "out of range" :
		   error == -EFBIG ? "too large" :
		   error == -EINVAL ? "none" : "?");
	unlink(path);
}

/* All lines of the file, which is closed, are these, one behind the other, each
 * with an end. */
static int fd_has(int fd, const char *want)
{
	struct lines l;
	const char *line;
	size_t len;
	int right = 1;

	lines_begin(&l, fd);
	while (right && (line = lines_next(&l, &len))) {
		right = strlen(line) == len && !strncmp(want, line, len) &&
			want[len] == '\n';
		want += right ? len + 1 : 0;
	}
	right = right && !*want && !lines_next(&l, &len);
	close(fd);
	return right;
}

static void test_lines_of_fd(void)
{
	int pipes[2];

	tap_ok(fd_has(-1, ""), "no file, no line");
	/* A read of this pipe ends where a write did. */
	if (pipe2(pipes, O_DIRECT) || write(pipes[1], "fir", 3) != 3 ||
	    write(pipes[1], "st\nsecond\n", 10) != 10)
		abort();
	close(pipes[1]);
	tap_ok(fd_has(pipes[0], "first\nsecond\n"), "a line in two pieces");
}

int main(void)
{
	each_step("arena", NULL, arena_step);
	each_case("number", NULL, test_number);
	test_digits();
	test_conversions();
	test_lines();
	test_errors();
	test_whole();
	each_case("readfile", NULL, test_file_number);
	test_lines_of_fd();
	return tap_plan_done();
}
