/* SPDX-License-Identifier: MIT */
/*
 * base/readfile.c: small files whole, and lines of a pipe. Those of files, of any
 * length: tests/fuzz/lines.c.
 */
#include <fcntl.h>
#include "limits.h"
#include "base/readfile.h"
#include "cases.h"

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

static void test_number(const struct cases *c)
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

static void test_lines(void)
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
	struct cases c = { .file = NULL };

	test_whole();
	while (next_case(&c, "readfile"))
		test_number(&c);
	test_lines();
	return tap_plan_done();
}
