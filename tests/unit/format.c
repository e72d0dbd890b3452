/* SPDX-License-Identifier: MIT */
/*
 * source/tracefs/format.c: fields and flags out of `format` files as several
 * kernels write them, in memory of their exact size; numbers of all sizes;
 * strings at their bounds. Others are in cases/records.
 */
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

/* Of a field at 3, which is not aligned. */
static uint64_t read_as(const unsigned char *raw, unsigned int size,
			unsigned int is_signed)
{
	const struct field f = {
		.offset = 3, .size = (uint16_t)size,
		.is_signed = (uint16_t)is_signed,
	};
	uint64_t value;

	must(!field_u64(&f, raw, 3 + size, &value));
	return value;
}

static void test_u64(void)
{
	const void *const minus_two[] = {
		&(int8_t){ -2 }, &(int16_t){ -2 }, &(int32_t){ -2 },
		&(int64_t){ -2 },
	};
	unsigned char raw[11] = { 0 };
	uint64_t value;

	for (unsigned int i = 0; i < ARRAY_LEN(minus_two); i++) {
		const unsigned int size = 1u << i;

		memcpy(raw + 3, minus_two[i], size);
		tap_ok(read_as(raw, size, 1) == UINT64_MAX - 1 &&
		       read_as(raw, size, 0) ==
		       (UINT64_MAX >> (64 - 8 * size)) - 1, "%u bytes", size);
	}
	tap_ok(field_u64(&(struct field){ .size = 3 }, raw, 11, &value) ==
	       -EINVAL, "another size is no number");
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
		{ ARRAY, "..abcdef", 8, 0, 0, 7, "abcdef", "to the byte" },
		{ ARRAY, "..abcdef", 8, 0, 0, 6, "abcde", "a byte less" },
		{ ARRAY, "..abcde", 7, 0, 0, 16, NULL, "beyond the record" },
		{ { .offset = 2 }, "..abcdef", 8, 0, 0, 16, NULL, "no field" },
		{ DATA_LOC, BEHIND, 20, 12, 8, 5, "squa", "cut, too" },
		{ DATA_LOC, BEHIND, 20, 20, 0, 16, "", "empty, at the end" },
		{ { .offset = 8, .size = 8, .is_data_loc = 1 }, BEHIND, 20,
		  0, 8, 16, NULL, "no 4 bytes" },
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
	test_u64();
	test_strings();
	return tap_plan_done();
}
