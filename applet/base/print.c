/* SPDX-License-Identifier: MIT */
/* Text with numbers in it: see base.h, print. */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include "limits.h"
#include "base/base.h"

struct text {
	char *at, *end;		/* end: the last place for the end byte */
};

static void put(struct text *t, const char *s, size_t len)
{
	size_t room = (size_t)(t->end - t->at);

	if (len > room)
		len = room;
	memcpy(t->at, s, len);
	t->at += len;
}

static void put_number(struct text *t, uint64_t value, unsigned int base)
{
	char digits[20];
	size_t at = sizeof(digits);

	do
		digits[--at] = "0123456789abcdef"[value % base];
	while (value /= base);
	put(t, digits + at, sizeof(digits) - at);
}

/* Reads signed numbers and addresses as unsigned numbers of the same width:
 * va_arg() returns the same bits. */
static uint64_t next(va_list *args, int wide)
{
	return wide ? va_arg(*args, unsigned long long) :
		va_arg(*args, unsigned int);
}

size_t vprint_to(char *out, size_t size, const char *format, va_list *args)
{
	struct text t = { out, out + size - 1 };

	for (; *format; format++) {
		size_t precision = SIZE_MAX;
		const char *s;
		uint64_t bits;
		int wide = 0;

		if (*format != '%' || *++format == '%') {
			put(&t, format, 1);
			continue;
		}
		if (*format == '.') {
			precision = (size_t)next(args, 0);
			format += 2;
		}
		for (; *format == 'l'; format++)
			wide = 1;
		if (*format == 's')
			wide = sizeof(s) > sizeof(int);
		bits = next(args, wide);
		if (*format == 's') {
			s = (const char *)(uintptr_t)bits;
			put(&t, s, strnlen(s, precision));
			continue;
		}
		if (*format == 'd') {
			if (!wide)
				bits = (uint64_t)(int32_t)bits;
			if ((int64_t)bits < 0) {
				put(&t, "-", 1);
				bits = -bits;
			}
		}
		put_number(&t, bits, *format == 'x' ? 16 : 10);
	}
	*t.at = '\0';
	return (size_t)(t.at - out);
}

size_t print_to(char *out, size_t size, const char *format, ...)
{
	va_list args;
	size_t len;

	va_start(args, format);
	len = vprint_to(out, size, format, &args);
	va_end(args);
	return len;
}

static ssize_t write_line(int fd, const char *what, const char *format,
			  va_list *args)
{
	char line[LINE_BYTES];
	size_t len = 0;
	ssize_t n;

	if (what)
		len = print_to(line, sizeof(line), "memstrack: %.*s: ",
			       PATH_BYTES, what);
	len += vprint_to(line + len, sizeof(line) - len - 1, format, args);
	line[len++] = '\n';
	do
		n = write(fd, line, len);
	while (n < 0 && errno == EINTR);
	return n;
}

ssize_t print_line(int fd, const char *format, ...)
{
	va_list args;
	ssize_t n;

	va_start(args, format);
	n = write_line(fd, NULL, format, &args);
	va_end(args);
	return n;
}

int complain(const char *what, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	write_line(STDERR_FILENO, what, format, &args);
	va_end(args);
	return 1;
}

int complain_error(const char *what, int error)
{
	return complain(what, "%s", error_text(error));
}

int refuse_usage(const char *problem)
{
	print_line(STDERR_FILENO, "memstrack: %s; try --help", problem);
	return EXIT_USAGE;
}

static const struct {
	int number;
	const char *text;
} errors[] = {
	{ EPERM, "Operation not permitted" },
	{ ENOENT, "No such file or directory" },
	{ EIO, "Input/output error" },
	{ ENXIO, "No such device or address" },
	{ ENOEXEC, "Exec format error" },
	{ EBADF, "Bad file descriptor" },
	{ EAGAIN, "Resource temporarily unavailable" },
	{ ENOMEM, "Cannot allocate memory" },
	{ EACCES, "Permission denied" },
	{ EBUSY, "Device or resource busy" },
	{ EEXIST, "File exists" },
	{ ENODEV, "No such device" },
	{ ENOTDIR, "Not a directory" },
	{ EISDIR, "Is a directory" },
	{ EINVAL, "Invalid argument" },
	{ EMFILE, "Too many open files" },
	{ ETXTBSY, "Text file busy" },
	{ EFBIG, "File too large" },
	{ ENOSPC, "No space left on device" },
	{ EROFS, "Read-only file system" },
	{ EPIPE, "Broken pipe" },
	{ ENAMETOOLONG, "File name too long" },
	{ ENOSYS, "Function not implemented" },
	{ ELOOP, "Too many levels of symbolic links" },
	{ ENODATA, "No data available" },
	{ EOVERFLOW, "Value too large for defined data type" },
	{ EOPNOTSUPP, "Operation not supported" },
	{ EADDRINUSE, "Address already in use" },
	{ ECONNRESET, "Connection reset by peer" },
	{ ETIMEDOUT, "Connection timed out" },
};

const char *error_text(int error)
{
	for (unsigned int i = 0; i < ARRAY_LEN(errors); i++)
		if (errors[i].number == error || errors[i].number == -error)
			return errors[i].text;
	return "unknown error";
}
