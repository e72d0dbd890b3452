/*
 * Functions of the C library, made smaller: musl's own read long strings a word
 * at a time, and ours are names and lines. Not in the sanitized builds, whose own
 * check what is read.
 */
#include <stdint.h>
#include <string.h>
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

int memcmp(const void *a, const void *b, size_t len)
{
	const unsigned char *at = a, *other = b;

	for (; len; at++, other++, len--)
		if (*at != *other)
			return *at - *other;
	return 0;
}

/* Up or down, for they may overlap. */
void *memmove(void *to, const void *from, size_t len)
{
	unsigned char *at = to;
	const unsigned char *old = from;

	if (at < old)
		for (; len; len--)
			*at++ = *old++;
	else
		while (len--)
			at[len] = old[len];
	return to;
}

int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}
