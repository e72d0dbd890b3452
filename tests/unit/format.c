/* SPDX-License-Identifier: MIT */
/*
 * source/tracefs/format.c: fields and flags out of `format` files as several
 * kernels write them; a field is read from a record only where it lies in it.
 * Every text is in memory of its exact size.
 */
#include "limits.h"
#include "source/tracefs/tracefs.h"
#include "cases.h"
#include "formats.h"

enum what { ID, SIZE, FLAG };

/* The id of an event, the size of a field, or a flag. */
static int find(enum what what, const char *text, const char *name,
		uint64_t *value)
{
	const size_t len = strlen(text);
	const char *copy = exact_once(text, len);
	uint32_t id = 0;
	struct field f = { 0 };
	int error;

	*value = 0;
	if (what == FLAG)
		return format_flag(copy, len, name, value);
	error = what == ID ? format_id(copy, len, &id) :
			     format_field(copy, len, name, &f);
	*value = what == SIZE ? f.size : error ? 0 : id;
	return error;
}

/* The outcome of a text, as in cases/format. */
static const char *outcome(enum what what, const char *text, const char *name)
{
	static char number[20];
	uint64_t value;
	const int error = find(what, text, name, &value);

	snprintf(number, sizeof(number), "%llx", (unsigned long long)value);
	return !error ? number : error == -ENOENT ? "not there" :
	       error == -EINVAL ? "none" : "?";
}

/* "FILE, field NAME" or "FILE, flag NAME"; the id of a file alone. */
static const char *of_file(const char *text)
{
	char file[40], kind[8] = "", name[40] = "";

	must(sscanf(text, "%39[^,], %7s %39s", file, kind, name) >= 1);
	return outcome(!*kind ? ID : !strcmp(kind, "field") ? SIZE : FLAG,
		       format_text(file), name);
}

static void test_case(struct cases *c)
{
	case_is(c, c->reader[0] == 'I' ? outcome(ID, c->text, "") :
		   c->reader[0] == 's' ? outcome(SIZE, c->text, "a") :
		   c->reader[0] == 'o' ? of_file(c->text) :
					 outcome(FLAG, c->text, "F"));
}

/* A text that ends anywhere: no byte behind it is read. */
static void test_prefixes(const char *text)
{
	size_t whole = 0;

	for (size_t len = 0; len <= strlen(text); len++) {
		const char *copy = exact_once(text, len);
		uint64_t value;
		struct field f;
		uint32_t id;

		whole += !format_id(copy, len, &id) &&
			 !format_field(copy, len, "order", &f) &&
			 !format_flag(copy, len, "__GFP_ZERO", &value) &&
			 value == 0x100;
	}
	tap_ok(whole > 10, "cut off anywhere, whole at the end (%zu)", whole);
}

static uint64_t read_as(const unsigned char *raw, unsigned int offset,
			unsigned int size, unsigned int is_signed)
{
	const struct field f = {
		.offset = (uint16_t)offset, .size = (uint16_t)size,
		.is_signed = (uint16_t)is_signed,
	};
	uint64_t value = 0x5a5a;

	if (field_u64(&f, raw, 24, &value))
		return 0xbad;
	return value;
}

static void test_u64(void)
{
	const void *const minus_two[] = {
		&(int8_t){ -2 }, &(int16_t){ -2 }, &(int32_t){ -2 },
		&(int64_t){ -2 },
	};
	unsigned char raw[24] = { 0 };
	struct field f = { .offset = 17, .size = 8 };
	uint64_t value;

	for (unsigned int i = 0; i < ARRAY_LEN(minus_two); i++) {
		const unsigned int size = 1u << i;

		memcpy(raw + 3, minus_two[i], size);	/* not aligned */
		tap_ok(read_as(raw, 3, size, 1) == UINT64_MAX - 1 &&
		       read_as(raw, 3, size, 0) ==
		       (UINT64_MAX >> (64 - 8 * size)) - 1, "%u bytes", size);
	}
	tap_ok(read_as(raw, 0, 3, 0) == 0xbad &&
	       read_as(raw, 0, 16, 0) == 0xbad &&
	       read_as(raw, 0, 0, 0) == 0xbad, "other sizes are no numbers");
	tap_ok(read_as(raw, 16, 8, 0) != 0xbad &&
	       read_as(raw, 17, 8, 0) == 0xbad &&
	       read_as(raw, 65535, 8, 0) == 0xbad, "only within the record");
	tap_ok(field_u64(&f, raw, 7, &value) == -EINVAL &&
	       field_u64(&f, raw, 0, &value) == -EINVAL,
	       "a record smaller than the field");
}

#define ARRAY { .offset = 2, .size = 6 }
#define DATA_LOC { .offset = 8, .size = 4, .is_data_loc = 1 }
#define BEHIND "........____squashfs"

/* Of a record of so many bytes. At 8 stands where the string is, and how long,
 * if it is behind the record. */
static void test_strings(void)
{
	static const struct {
		struct field field;
		const char *raw;
		size_t len;
		uint32_t at, bytes;
		size_t room;
		const char *want, *name;	/* NULL: it is refused */
	} t[] = {
		{ ARRAY, "..abc\0\0\0", 8, 0, 0, 16, "abc", "an ended array" },
		{ ARRAY, "..abcdef", 8, 0, 0, 16, "abcdef", "without end" },
		{ ARRAY, "..abcdef", 8, 0, 0, 4, "abc", "cut to the room" },
		{ ARRAY, "..abcdef", 8, 0, 0, 7, "abcdef", "to the byte" },
		{ ARRAY, "..abcdef", 8, 0, 0, 6, "abcde", "a byte less" },
		{ ARRAY, "..abcde", 7, 0, 0, 16, NULL, "beyond the record" },
		{ { .offset = 2 }, "..abcdef", 8, 0, 0, 16, NULL, "no field" },
		{ DATA_LOC, BEHIND, 20, 12, 8, 16, "squashfs", "one behind" },
		{ DATA_LOC, BEHIND, 20, 12, 8, 5, "squa", "cut, too" },
		{ DATA_LOC, BEHIND, 20, 12, 9, 16, NULL, "a byte too long" },
		{ DATA_LOC, BEHIND, 20, 20, 0, 16, "", "empty, at the end" },
		{ DATA_LOC, BEHIND, 20, 21, 0, 16, NULL, "beyond the end" },
		{ DATA_LOC, BEHIND, 20, 65535, 65535, 16, NULL, "far beyond" },
		{ DATA_LOC, BEHIND, 20, 0, 8, 16, "........", "at the start" },
		{ { .offset = 8, .size = 8, .is_data_loc = 1 }, BEHIND, 20,
		  0, 8, 16, NULL, "no 4 bytes" },
		{ DATA_LOC, BEHIND, 11, 0, 8, 16, NULL, "a field cut off" },
	};

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		const uint32_t loc = t[i].bytes << 16 | t[i].at;
		char raw[20], out[32];
		int error;

		memcpy(raw, t[i].raw, t[i].len);
		if (t[i].field.is_data_loc)
			memcpy(raw + 8, &loc, 4);
		memset(out, '#', sizeof(out));
		error = field_string(&t[i].field, exact_once(raw, t[i].len),
				     t[i].len, out, t[i].room);
		tap_ok(t[i].want ? !error && !strcmp(out, t[i].want) &&
				   out[t[i].room] == '#' : error == -EINVAL,
		       "a string: %s", t[i].name);
	}
}

int main(void)
{
	each_case("format", NULL, test_case);
	test_prefixes(format_text("mm_page_alloc-6.18"));
	test_prefixes(format_text("mm_page_alloc-6.1"));
	test_u64();
	test_strings();
	return tap_plan_done();
}
