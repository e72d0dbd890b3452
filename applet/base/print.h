/* SPDX-License-Identifier: MIT */
/*
 * Text with numbers in it, in 400 bytes. The C library's printf takes 13 KiB.
 *
 * Conversions: %s %.*s %u %d %x, the numbers also with `ll`, and %%. Nothing
 * else: the compiler checks the types, and a test checks that every format in
 * the source uses only these. A text that does not fit is cut. It always gets
 * its end byte.
 */
#ifndef MEMSTRACK_PRINT_H
#define MEMSTRACK_PRINT_H

#include <stdarg.h>
#include <stddef.h>
#include <sys/types.h>

/* Both return the bytes written, without the end byte. */
__attribute__((format(printf, 3, 4)))
size_t print_to(char *out, size_t size, const char *format, ...);
__attribute__((format(printf, 3, 0)))
size_t vprint_to(char *out, size_t size, const char *format, va_list *args);

/* One line, in one write of less than LINE_BYTES. Returns what write()
 * returns. */
__attribute__((format(printf, 2, 3)))
ssize_t print_line(int fd, const char *format, ...);

/* Writes the line "memstrack: WHAT: …" to standard error, with at most
 * PATH_BYTES of WHAT. Returns 1, the exit status of a failure. */
__attribute__((format(printf, 2, 3)))
int complain(const char *what, const char *format, ...);

/* The same, with the text of an errno. */
int complain_error(const char *what, int error);

/* Tells standard error what is wrong with the arguments. Returns EXIT_USAGE. */
int refuse_usage(const char *problem);

/* The text of an errno of either sign: the usual words for the errors that can
 * happen here, else "unknown error". */
const char *error_text(int error);

#endif
