/* SPDX-License-Identifier: MIT */
/*
 * TAP for unit tests in C: three functions, one test file a program; and those
 * headers of the C library that most of them need.
 *
 * Every tap_ok() prints its line at once, so that a crash later on still
 * leaves what was shown before it. The plan comes last: a program that dies
 * has none, and prove counts that as a failure.
 *
 *	int main(void)
 *	{
 *		tap_ok(1 + 1 == 2, "one and %s is two", "one");
 *		return tap_plan_done();
 *	}
 */
#ifndef TAP_H
#define TAP_H

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct tap {
	int run, failed;
};

static inline struct tap *tap_state(void)
{
	static struct tap state;

	return &state;
}

/* The name of one test; '#' would start a directive, a newline a new line. */
__attribute__((format(printf, 4, 5)))
static inline void tap_ok_at(const char *file, int line, int cond,
		      const char *fmt, ...)
{
	struct tap *t = tap_state();
	char name[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(name, sizeof(name), fmt, args);
	va_end(args);
	for (char *c = name; *c; c++)
		if (*c == '#' || *c == '\n')
			*c = ' ';
	t->run++;
	t->failed += !cond;
	printf("%sok %d - %s\n", cond ? "" : "not ", t->run, name);
	if (!cond)
		printf("# %s:%d\n", file, line);
	fflush(stdout);
}

/* The one macro: only the preprocessor knows the caller's line. */
#define tap_ok(...) tap_ok_at(__FILE__, __LINE__, __VA_ARGS__)

/* The whole file cannot run here. Before the first tap_ok(). */
__attribute__((noreturn))
static inline void tap_skip(const char *why)
{
	printf("1..0 # SKIP %s\n", why);
	fflush(stdout);
	exit(0);
}

/* A step that prepares a test, and cannot fail; or what always holds. */
static inline void must(int is_done)
{
	if (!is_done)
		abort();
}

/* 0: all passed, at least one ran; 1 otherwise. main() returns it. */
static inline int tap_plan_done(void)
{
	const struct tap *t = tap_state();

	printf("1..%d\n", t->run);
	fflush(stdout);
	return t->failed != 0 || t->run == 0;
}

#endif
