/* SPDX-License-Identifier: MIT */
/*
 * base/print.c: its few conversions print what the C library's do, into any
 * room; errno has the usual words.
 */
#include <limits.h>
#include "limits.h"
#include "base/print.h"
#include "tap.h"

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

int main(void)
{
	test_conversions();
	test_lines();
	test_errors();
	return tap_plan_done();
}
