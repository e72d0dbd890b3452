/*
 * Functions of the C library, made smaller; they take 900 bytes less than
 * musl's own, which read long strings a word at a time and let a thread be
 * cancelled while it waits. Ours are names and lines, and there are no threads.
 * Not in the sanitized builds, whose own check what is read.
 */
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

void *memchr(const void *text, int c, size_t len)
{
	const unsigned char *at = text;

	for (; len; at++, len--)
		if (*at == (unsigned char)c)
			return (void *)at;
	return NULL;
}

size_t strnlen(const char *text, size_t most)
{
	size_t len = 0;

	while (len < most && text[len])
		len++;
	return len;
}

size_t strlen(const char *text)
{
	return strnlen(text, PTRDIFF_MAX);
}

int strncmp(const char *a, const char *b, size_t len)
{
	for (; len; a++, b++, len--)
		if (!*a || *a != *b)
			return (unsigned char)*a - (unsigned char)*b;
	return 0;
}

int strcmp(const char *a, const char *b)
{
	return strncmp(a, b, PTRDIFF_MAX);
}

ssize_t read(int fd, void *buf, size_t size)
{
	return syscall(SYS_read, fd, buf, size);
}

ssize_t write(int fd, const void *buf, size_t size)
{
	return syscall(SYS_write, fd, buf, size);
}

int close(int fd)
{
	return (int)syscall(SYS_close, fd);
}

int ioctl(int fd, int request, ...)
{
	va_list args;
	void *argument;

	va_start(args, request);
	argument = va_arg(args, void *);
	va_end(args);
	return (int)syscall(SYS_ioctl, fd, request, argument);
}
