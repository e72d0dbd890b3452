/* SPDX-License-Identifier: MIT */
/*
 * Code that every room may use and that makes no system calls (but for
 * print_line() and what calls it): text, numbers, printing, and the memory that
 * is allocated once.
 */
#ifndef MEMSTRACK_BASE_BASE_H
#define MEMSTRACK_BASE_BASE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * --- text
 *
 * Searching and hashing text. These functions make no system calls, so ledger/
 * and config/ may use them.
 */

/* Number of bytes before the first `stop` or the end. */
size_t length_to(const char *text, char stop);

/* The text behind the last `mark`; without a mark, the whole text. */
const char *past_last(const char *text, char mark);

/* The first occurrence of `what` in the text, or NULL. The C library's memmem()
 * is made for long texts and takes 1.2 KiB. */
const char *find_text(const char *text, size_t len, const char *what);

/* Continues the FNV-1a hash `hash` with these bytes. The hash does not resist
 * bytes that somebody chooses to collide. */
#define TEXT_HASH_BEGIN 2166136261u
uint32_t text_hash(uint32_t hash, const void *bytes, size_t len);

/*
 * --- features
 *
 * What this program has. All objects but two are the same in every
 * configuration: features.o and main.o are compiled for each with the bits of
 * its words (WITH: see FEATURES and APPLETS in the Makefile). `features` is
 * constant, so the linker, which optimizes all files as one unit, drops the
 * code behind a feature that is missing. Numbers of formats, sources and events
 * are the same in every configuration.
 */

enum feature {
	/* Of a tracer. */
	FEATURE_TRACEFS = 1 << 0,	/* events from tracefs' buffers */
	FEATURE_SAMPLES = 1 << 1,	/* without tracepoints: sample /proc */
	FEATURE_BEFORE = 1 << 2,	/* the kernel's record from before init */
	FEATURE_SLAB = 1 << 3,		/* objects of slab */
	FEATURE_RAM = 1 << 4,		/* the table of where all of RAM is */
	FEATURE_JSON = 1 << 5,
	FEATURE_SECTIONS = 1 << 6,	/* of the older memstrack's reports */
	FEATURE_RECORD = 1 << 7,	/* every event, into a file */
	FEATURE_LIVE = 1 << 8,		/* answers `top` and `report --check` */
	/* Of a host: applets and formats. */
	FEATURE_REPLAY = 1 << 16,
	FEATURE_KMEMTRACE = 1 << 17,
	FEATURE_TOP = 1 << 18,
	FEATURE_RUN = 1 << 19,
	FEATURE_DIFF = 1 << 20,
	FEATURE_VIEW = 1 << 21,
	FEATURE_FOLDED = 1 << 22,
	FEATURE_PROMETHEUS = 1 << 23,
	FEATURE_SVG = 1 << 24,
	FEATURE_CHROME = 1 << 25,
	FEATURE_ESTIMATE = 1 << 26,
};

/* The tests have all. */
#ifndef WITH
#define WITH UINT32_MAX
#endif

extern const uint32_t features;

/* For functions that are constant without a feature: as calls they would not be
 * constant for the compiler. */
#define FEATURE_INLINE static inline __attribute__((always_inline))

FEATURE_INLINE int has_feature(uint32_t one)
{
	return (features & one) != 0;
}

/*
 * --- number
 *
 * Strict numbers, for every parser: the whole text must be a number in range.
 * Functions return 0, -EINVAL or -ERANGE. On an error *value keeps its old
 * value, except with parse_digits().
 */

int parse_u64(const char *text, size_t len, unsigned int base, uint64_t min,
	      uint64_t max, uint64_t *value);
/* The digits at the start of a text: *len becomes their count. -EINVAL: the
 * text does not start with a digit. */
int parse_digits(const char *text, size_t *len, unsigned int base,
		 uint64_t *value);
/* A number that K, M or G may follow. */
int parse_size(const char *text, size_t len, uint64_t min, uint64_t max,
	       uint64_t *value);

/*
 * --- print
 *
 * Text with numbers in it, in 400 bytes of code. The C library's printf takes
 * 13 KiB.
 *
 * Conversions: %s %.*s %u %d %x, the numbers also with `ll`, and %%. Nothing
 * else: the compiler checks the types, and a test checks that every format in
 * the source uses only these conversions. Text that does not fit is cut; the
 * output always gets an end byte.
 */

/* Both return the number of bytes written, without the end byte. */
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

/* Prints what is wrong with the arguments to standard error. Returns
 * EXIT_USAGE. */
int refuse_usage(const char *problem);

/* The text of an errno of either sign: strerror()'s words for the errors that
 * can happen here, else "unknown error". */
const char *error_text(int error);

/*
 * --- arena
 *
 * The program's one block of memory: divided at start, then sealed.
 *
 * The caller maps the block, which must be zero, and owns the block. The arena
 * hands out pieces in order and never takes one back. After arena_seal() every
 * request fails, so a table that would grow while tracing fails in the first
 * test.
 */

struct arena {
	unsigned char *base;
	size_t size_bytes, used_bytes;
	int sealed;
	int failed;		/* -ENOMEM: a request has failed */
};

void arena_init(struct arena *a, void *base, size_t size_bytes);

/* A piece of the block, zero, aligned to 64 bytes; NULL when sealed or full. */
void *arena_take(struct arena *a, size_t count, size_t each_bytes);

void arena_seal(struct arena *a);

/*
 * --- hash
 *
 * One mixing function for every table: a multiplication by an odd constant and
 * a fold. The function spreads pids, addresses and row numbers well enough for
 * chained buckets. It does not resist input that somebody chooses to collide;
 * but the kernel chooses pids and kernel addresses.
 */

/* The first row of each chain; each row holds the number of the next row. 0:
 * no row. */
struct hash {
	uint32_t *bucket;
	uint32_t mask;
};

static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
	uint64_t x = (a ^ (b >> 32 | b << 32)) * 0x9e3779b97f4a7c15u;

	return x ^ x >> 29;
}

/* The smallest power of two that is at least n and at least 16. */
uint32_t hash_buckets(uint32_t n);

/* Takes the buckets for this many rows. If they do not fit, arena->failed is
 * set. */
void hash_init(struct hash *h, struct arena *a, uint32_t rows);
uint64_t hash_bytes(uint32_t rows);
uint32_t *hash_bucket(const struct hash *h, uint64_t a, uint64_t b);

#endif
