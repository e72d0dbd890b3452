/*
 * String functions of the C library, a byte at a time: musl's own read words
 * ahead, which pays for long strings and takes 650 bytes more. Ours are names
 * and lines. Not in the sanitized builds, whose own check what is read.
 */
#include <stdint.h>
#include <string.h>

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
