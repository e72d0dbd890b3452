/* SPDX-License-Identifier: MIT */
/*
 * base/print.c: its few conversions print what the C library's do, into any room;
 * errno has the usual words.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>
#include "limits.h"
#include "base/print.h"
#include "random.h"
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
	same("string", "<%s|%s>", "one", "two");
	same("percent", "100%% of %s%%", "x");
	same("precision", "<%.*s>", 3, "abcdef");
	same("precision longer than the string", "<%.*s>", 9, "abc");
	same("precision of nothing", "<%.*s>", 0, "abc");
	same("negative precision is none", "<%.*s>", -1, "abc");
	same("precision of a string without end", "<%.*s>", 3, unended);
	same("unsigned", "%u %u %u", 0u, 7u, UINT_MAX);
	same("signed", "%d %d %d %d", 0, -1, INT_MAX, INT_MIN);
	same("hex", "%x %x", 0u, 0xdeadbeefu);
	same("wide unsigned", "%llu %llu", 0ull, ULLONG_MAX);
	same("wide signed", "%lld %lld %lld", -1ll, LLONG_MIN, LLONG_MAX);
	same("wide hex", "%llx", 0xfedcba9876543210ull);
	same("wide and narrow mixed", "%u %llu %d %lld %x", 1u, 1ull << 63,
	     -2, -(1ll << 62), 3u);
	same("bytes above 127", "%s", "\xc3\xa4");
}

static void test_random(uint64_t seed)
{
	struct random r = { seed };
	uint32_t wrong = 0;

	for (uint32_t i = 0; i < 20000; i++) {
		uint64_t v = random_u64(&r) >> random_below(&r, 64);
		unsigned long long u = v;
		char want[ROOM], got[ROOM];

		snprintf(want, sizeof(want), "%llu %llx %lld %u %d", u, u,
			 (long long)v, (unsigned int)v, (int)v);
		print_to(got, sizeof(got), "%llu %llx %lld %u %d", u, u,
			 (long long)v, (unsigned int)v, (int)v);
		wrong += strcmp(want, got) != 0;
	}
	tap_ok(!wrong, "20000 random numbers: %u wrong", wrong);
}

static void test_fd(void)
{
	char text[LINE_BYTES * 2], *long_word = text;
	int pipes[2];
	ssize_t n;

	if (pipe(pipes))
		abort();
	print_line(pipes[1], "%s: %d", "fd", 4);
	n = read(pipes[0], text, sizeof(text));
	tap_ok(n == 6 && !memcmp(text, "fd: 4\n", 6), "a line to a fd");
	memset(long_word, 'x', sizeof(text));
	long_word[sizeof(text) - 1] = '\0';
	print_line(pipes[1], "%s", long_word);
	n = read(pipes[0], text, sizeof(text));
	tap_ok(n == LINE_BYTES - 1 && text[n - 1] == '\n',
	       "cut to a line's length, and ended: %zd", n);
	close(pipes[0]);
	close(pipes[1]);
	tap_ok(print_line(pipes[1], "nobody") < 0,
	       "a closed descriptor is no endless loop");
}

/* Standard error is a pipe meanwhile. */
static void test_complain(void)
{
	char what[LINE_BYTES * 2], text[LINE_BYTES * 2];
	int pipes[2], before = dup(2);
	ssize_t n;

	if (pipe(pipes) || before < 0)
		abort();
	dup2(pipes[1], 2);
	memset(what, 'x', sizeof(what));
	what[sizeof(what) - 1] = '\0';
	tap_ok(complain("it", "%d of %s", 2, "these") == 1,
	       "to complain is to fail");
	n = read(pipes[0], text, sizeof(text));
	tap_ok(n == 26 && !memcmp(text, "memstrack: it: 2 of these\n", 26),
	       "what and why, in one line: %zd", n);
	complain(what, "%s", "why");
	n = read(pipes[0], text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	tap_ok(strstr(text, "x: why\n") != NULL, "why is said of a long what");
	complain("it", "%s", what);
	n = read(pipes[0], text, sizeof(text));
	tap_ok(n == LINE_BYTES - 1 && text[n - 1] == '\n',
	       "a long why is cut, the line is ended");
	dup2(before, 2);
	close(pipes[0]);
	close(pipes[1]);
	close(before);
}

static void test_errors(void)
{
	/* As the C library of most systems has them. */
	static const struct { int error; const char *text; } words[] = {
		{ EPERM, "Operation not permitted" },
		{ ENOENT, "No such file or directory" },
		{ EIO, "Input/output error" },
		{ ENXIO, "No such device or address" },
		{ ENOEXEC, "Exec format error" },
		{ EAGAIN, "Resource temporarily unavailable" },
		{ ENOMEM, "Cannot allocate memory" },
		{ EACCES, "Permission denied" },
		{ EBUSY, "Device or resource busy" },
		{ ENODEV, "No such device" }, { ENOTDIR, "Not a directory" },
		{ EISDIR, "Is a directory" }, { EINVAL, "Invalid argument" },
		{ EMFILE, "Too many open files" },
		{ ENOSPC, "No space left on device" },
		{ EROFS, "Read-only file system" }, { EPIPE, "Broken pipe" },
		{ ENAMETOOLONG, "File name too long" },
		{ ENOSYS, "Function not implemented" },
		{ ELOOP, "Too many levels of symbolic links" },
		{ EOPNOTSUPP, "Operation not supported" },
		{ EADDRINUSE, "Address already in use" },
		{ ETIMEDOUT, "Connection timed out" },
		{ EEXIST, "File exists" }, { ETXTBSY, "Text file busy" },
		{ EFBIG, "File too large" }, { ENODATA, "No data available" },
		{ EOVERFLOW, "Value too large for defined data type" },
		{ ECONNRESET, "Connection reset by peer" },
	};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		tap_ok(!strcmp(error_text(words[i].error), words[i].text) &&
		       !strcmp(error_text(-words[i].error), words[i].text),
		       "errno %d: %s", words[i].error, words[i].text);
	tap_ok(!strcmp(error_text(0), "unknown error") &&
	       !strcmp(error_text(4095), "unknown error") &&
	       !strcmp(error_text(-4095), "unknown error"),
	       "what is no errno of ours is unknown");
}

int main(void)
{
	test_conversions();
	test_random(1);
	test_fd();
	test_complain();
	test_errors();
	return tap_plan_done();
}
