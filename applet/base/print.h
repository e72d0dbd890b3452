/*
 * Text with numbers in it, in 400 bytes instead of the C library's 13 KiB,
 * which are a fifth of what this program may weigh.
 *
 * Conversions: %s %.*s %u %d %x, the numbers also with `ll`; %%. Nothing else:
 * the compiler checks types, a test that every format in the source keeps to
 * these. What does not fit is cut; the text is always ended.
 */
#ifndef MEMSTRACK_PRINT_H
#define MEMSTRACK_PRINT_H

#include <stdarg.h>
#include <stddef.h>
#include <sys/types.h>

/* Bytes written, without the end byte. */
__attribute__((format(printf, 3, 4)))
size_t print_to(char *out, size_t size, const char *format, ...);
__attribute__((format(printf, 3, 0)))
size_t vprint_to(char *out, size_t size, const char *format, va_list *args);

/* With a newline, in one write of less than LINE_BYTES: what that returns. */
__attribute__((format(printf, 2, 3)))
ssize_t print_line(int fd, const char *format, ...);

/* "memstrack: WHAT: …" as a line on standard error, with no more than
 * PATH_BYTES of WHAT. Returns 1, the exit status of what failed. */
__attribute__((format(printf, 2, 3)))
int complain(const char *what, const char *format, ...);

/* Texts in a row, end bytes between: an array of pointers would cost as much
 * again as what it points to. */
const char *text_after(const char *text);
const char *text_at(const char *texts, unsigned int index);

/* What an errno, of either sign, says: the usual words for those that can
 * happen here, else "unknown error". */
const char *error_text(int error);

#endif
