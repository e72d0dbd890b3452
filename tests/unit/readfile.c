/* SPDX-License-Identifier: MIT */
/*
 * base/readfile.c: small files whole, large ones line by line, whatever the
 * buffer's end cuts through.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "limits.h"
#include "base/readfile.h"
#include "random.h"
#include "tap.h"

/* A file with this content, by its name. */
struct file {
	char path[64];
};

static const char *file_of(struct file *f, const char *bytes, size_t len)
{
	int fd;

	strcpy(f->path, "/tmp/memstrack-readfile-XXXXXX");
	fd = mkstemp(f->path);
	if (fd < 0 || write(fd, bytes, len) != (ssize_t)len)
		abort();
	close(fd);
	return f->path;
}

static void test_whole(void)
{
	char buf[16];
	struct file f;

	memset(buf, '#', sizeof(buf));
	tap_ok(readfile(file_of(&f, "12345", 5), buf, 6) == 5 &&
	       !memcmp(buf, "12345\0#", 7), "a file, ended with 0");
	tap_ok(readfile(f.path, buf, 5) == -EFBIG, "no room for the end");
	tap_ok(readfile(f.path, buf, 3) == -EFBIG && !strcmp(buf, "12"),
	       "nor for more: what fits is there, and ended");
	unlink(f.path);
	memset(buf, '#', sizeof(buf));
	tap_ok(readfile(file_of(&f, "", 0), buf, sizeof(buf)) == 0 &&
	       !buf[0] && buf[1] == '#', "an empty one");
	unlink(f.path);
	tap_ok(readfile(f.path, buf, sizeof(buf)) == -ENOENT,
	       "one that is not there");
	tap_ok(readfile("/", buf, sizeof(buf)) == -EISDIR,
	       "what cannot be read");
	tap_ok(readfile("/proc/sys/kernel/ostype", buf, sizeof(buf)) == 6 &&
	       !strcmp(buf, "Linux\n"), "one of /proc");
}

static void test_write(void)
{
	char buf[16];
	struct file f;

	file_of(&f, "old text", 8);
	tap_ok(writefile(f.path, "new") == 0, "written over");
	tap_ok(readfile(f.path, buf, sizeof(buf)) == 8 &&
	       !strcmp(buf, "new text"), "as a setting of /proc is");
	unlink(f.path);
	tap_ok(writefile(f.path, "x") == -ENOENT &&
	       access(f.path, F_OK), "nothing is made");
	tap_ok(writefile("/proc/self/stat", "x") < 0, "nothing is forced");
}

static void test_number(void)
{
	static const struct {
		const char *text;
		unsigned int base;
		int error;
		uint64_t value;
	} t[] = {
		{ "67584\n", 10, 0, 67584 },
		{ "0", 10, 0, 0 },
		{ "0xffffffffc0a12000\n", 16, 0, 0xffffffffc0a12000 },
		{ "a12\n", 16, 0, 0xa12 },
		{ "0x10\n", 10, -EINVAL, 7 },
		{ "0x\n", 16, -EINVAL, 7 },
		{ "-1\n", 10, -EINVAL, 7 },
		{ "\n", 10, -EINVAL, 7 },
		{ "", 10, -EINVAL, 7 },
		{ "1234567890123456789012345678901", 10, -ERANGE, 7 },
		{ "12345678901234567890123456789012", 10, -EFBIG, 7 },
	};
	struct file f;

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		uint64_t value = 7;
		int error = read_number(file_of(&f, t[i].text,
						strlen(t[i].text)),
					t[i].base, &value);

		tap_ok(error == t[i].error && value == t[i].value,
		       "number %zu: %d, %llu", i, error,
		       (unsigned long long)value);
		unlink(f.path);
	}
	tap_ok(read_number(f.path, 10, &(uint64_t){ 0 }) == -ENOENT,
	       "of no file");
}

static int lines_open(struct lines *l, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int error = fd < 0 ? -errno : 0;

	lines_begin(l, fd);
	return error;
}

static void lines_close(struct lines *l)
{
	close(l->fd);
}

static void test_lines(void)
{
	static const char text[] = "one\n\nthree\nlast";
	static const char *const want[] = { "one", "", "three", "last" };
	struct lines l;
	struct file f;
	size_t len, i;
	char *line;

	tap_ok(lines_open(&l, file_of(&f, text, sizeof(text) - 1)) == 0,
	       "four lines");
	for (i = 0; (line = lines_next(&l, &len)); i++)
		tap_ok(i < 4 && !strcmp(line, want[i]) &&
		       len == strlen(want[i]), "'%s'", line);
	tap_ok(i == 4 && !lines_next(&l, &len), "and no more");
	lines_close(&l);
	unlink(f.path);
	tap_ok(lines_open(&l, f.path) == -ENOENT, "a file that is not there");
	lines_open(&l, file_of(&f, "", 0));
	tap_ok(!lines_next(&l, &len), "an empty file has no line");
	lines_close(&l);
	unlink(f.path);
	lines_open(&l, file_of(&f, "a\nlonger last", 13));
	lines_next(&l, &len);
	line = lines_next(&l, &len);
	tap_ok(line && !strcmp(line, "longer last") && len == 11,
	       "a last line without newline, longer than what is before it: "
	       "'%s'", line);
	lines_close(&l);
	unlink(f.path);
	lines_open(&l, file_of(&f, "\n", 1));
	line = lines_next(&l, &len);
	tap_ok(line && !*line && !len && !lines_next(&l, &len),
	       "a newline is one empty line");
	lines_close(&l);
	unlink(f.path);
}

/* One line of this length between two short ones. */
static void long_line(size_t length, int ended)
{
	char *text = malloc(length + 16);
	struct lines l;
	struct file f;
	size_t len, kept = length < 4095 ? length : 4095;
	int right;
	char *line;

	if (!text)
		abort();
	memcpy(text, "ab\n", 3);
	for (size_t i = 0; i < length; i++)
		text[3 + i] = (char)('a' + i % 26);
	memcpy(text + 3 + length, "\nyz\n", 4);
	lines_open(&l, file_of(&f, text, 3 + length + (ended ? 4 : 0)));
	line = lines_next(&l, &len);
	right = line && !strcmp(line, "ab") && len == 2;
	line = lines_next(&l, &len);
	right = right && line && len == kept && strlen(line) == kept &&
		!memcmp(line, text + 3, kept);
	line = lines_next(&l, &len);
	if (ended) {
		right = right && line && !strcmp(line, "yz") && len == 2;
		line = lines_next(&l, &len);
	}
	tap_ok(right && !line, "a line of %zu bytes%s is %s", length,
	       ended ? "" : " without newline",
	       kept < length ? "cut, its rest passed over" : "whole");
	lines_close(&l);
	unlink(f.path);
	free(text);
}

/* Lines come back as they were written, wherever the buffer ends. */
static void test_random(uint64_t seed)
{
	static char text[1 << 17];
	struct random r = { seed };
	size_t used = 0, at = 0, len;
	uint32_t wrong = 0, n = 0;
	struct lines l;
	struct file f;
	char *line;

	while (used < sizeof(text) - 4096) {
		uint32_t length = random_below(&r, random_one_in(&r, 20) ?
					       4095 : 90);

		for (uint32_t i = 0; i < length; i++)
			text[used++] = (char)('!' + random_below(&r, 90));
		text[used++] = '\n';
	}
	lines_open(&l, file_of(&f, text, used));
	for (; (line = lines_next(&l, &len)) && !wrong; n++) {
		wrong += strlen(line) != len || at + len >= used ||
			 memcmp(line, text + at, len) ||
			 text[at + len] != '\n';
		at += len + 1;
	}
	tap_ok(!wrong && at == used, "seed %u: %u lines",
	       (unsigned int)seed, n);
	lines_close(&l);
	unlink(f.path);
}

/* A pipe gives what it has: lines are put together from pieces. */
static void test_pieces(void)
{
	int pipes[2];
	struct lines l;
	char path[32], *line;
	size_t len;

	if (pipe(pipes))
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", pipes[0]);
	if (lines_open(&l, path))
		abort();
	if (write(pipes[1], "fir", 3) != 3)
		abort();
	if (!fork()) {
		usleep(1000);
		_exit(write(pipes[1], "st\nsecond\n", 10) != 10);
	}
	close(pipes[1]);
	line = lines_next(&l, &len);
	tap_ok(line && !strcmp(line, "first"), "a line in two pieces");
	line = lines_next(&l, &len);
	tap_ok(line && !strcmp(line, "second") && !lines_next(&l, &len),
	       "and the rest");
	lines_close(&l);
	close(pipes[0]);
}

int main(void)
{
	static const size_t lengths[] = {
		4091, 4092, 4093, 4094, 4095, 4096, 4097, 8189, 8190, 8191,
		8192, 12288, 70000,
	};

	test_whole();
	test_write();
	test_number();
	test_lines();
	for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
		long_line(lengths[i], 1);
		long_line(lengths[i], 0);
	}
	for (uint64_t seed = 1; seed <= 4; seed++)
		test_random(seed);
	test_pieces();
	return tap_plan_done();
}
