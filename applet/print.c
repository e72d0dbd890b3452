/* Text with numbers in it: see print.h. */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include "limits.h"
#include "print.h"

struct text {
	char *at, *end;		/* end: where the end byte goes at the latest */
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

static void put_signed(struct text *t, int64_t value)
{
	if (value < 0)
		put(t, "-", 1);
	put_number(t, value < 0 ? -(uint64_t)value : (uint64_t)value, 10);
}

/* A signed argument is taken as the unsigned one of its width: va_arg() of
 * either finds the other's bits. */
size_t vprint_to(char *out, size_t size, const char *format, va_list args)
{
	struct text t = { out, out + size - 1 };

	for (; *format; format++) {
		size_t precision = SIZE_MAX;
		const char *s;
		uint64_t bits;
		int wide = 0;

		if (*format != '%') {
			put(&t, format, 1);
			continue;
		}
		if (*++format == '.') {
			precision = (size_t)va_arg(args, int);
			format += 2;
		}
		for (; *format == 'l'; format++)
			wide = 1;
		switch (*format) {
		case 's':
			s = va_arg(args, const char *);
			put(&t, s, strnlen(s, precision));
			break;
		case 'd':
		case 'u':
		case 'x':
			bits = wide ? va_arg(args, unsigned long long) :
			       va_arg(args, unsigned int);
			if (*format == 'd')
				put_signed(&t, wide ? (int64_t)bits :
					   (int32_t)bits);
			else
				put_number(&t, bits, *format == 'u' ? 10 : 16);
			break;
		default:
			put(&t, format, 1);
		}
	}
	*t.at = '\0';
	return (size_t)(t.at - out);
}

size_t print_to(char *out, size_t size, const char *format, ...)
{
	va_list args;
	size_t len;

	va_start(args, format);
	len = vprint_to(out, size, format, args);
	va_end(args);
	return len;
}

void print_fd(int fd, const char *format, ...)
{
	char line[LINE_BYTES];
	va_list args;
	size_t len;

	va_start(args, format);
	len = vprint_to(line, sizeof(line), format, args);
	va_end(args);
	while (write(fd, line, len) < 0 && errno == EINTR)
		;
}

int complain(const char *what, const char *format, ...)
{
	char text[LINE_BYTES], line[LINE_BYTES - 1];
	va_list args;

	va_start(args, format);
	vprint_to(text, sizeof(text), format, args);
	va_end(args);
	print_to(line, sizeof(line), "memstrack: %.*s: %s", PATH_BYTES, what,
		 text);
	print_fd(STDERR_FILENO, "%s\n", line);
	return 1;
}

const char *text_after(const char *text)
{
	while (*text++)
		;
	return text;
}

const char *text_at(const char *texts, unsigned int index)
{
	while (index--)
		texts = text_after(texts);
	return texts;
}

static CLOSE_UP const uint8_t numbers[] = {
	EPERM, ENOENT, EIO, ENXIO, ENOEXEC, EAGAIN, ENOMEM, EACCES, EBUSY,
	ENODEV, ENOTDIR, EISDIR, EINVAL, EMFILE, ENOSPC, EROFS, EPIPE,
	ENAMETOOLONG, ENOSYS, ELOOP, EOPNOTSUPP, EADDRINUSE, ETIMEDOUT,
	EEXIST, ETXTBSY, EFBIG, ENODATA,
};

/* In the same order. */
static CLOSE_UP const char texts[] =
	"Operation not permitted\0No such file or directory\0"
	"Input/output error\0No such device or address\0"
	"Exec format error\0Resource temporarily unavailable\0"
	"Cannot allocate memory\0Permission denied\0"
	"Device or resource busy\0No such device\0Not a directory\0"
	"Is a directory\0Invalid argument\0Too many open files\0"
	"No space left on device\0Read-only file system\0"
	"Broken pipe\0File name too long\0Function not implemented\0"
	"Too many levels of symbolic links\0Operation not supported\0"
	"Address already in use\0Connection timed out\0File exists\0"
	"Text file busy\0File too large\0No data available\0";

const char *error_text(int error)
{
	for (unsigned int i = 0; i < ARRAY_LEN(numbers); i++)
		if (numbers[i] == error || numbers[i] == -error)
			return text_at(texts, i);
	return "unknown error";
}
