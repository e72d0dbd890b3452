/* SPDX-License-Identifier: MIT */
/*
 * source/tracefs/format.c: fields and flags out of `format` files as several
 * kernels write them; a field is read from a record only where it lies in it.
 * Every text is in memory of its exact size.
 */
#include <errno.h>
#include <string.h>
#include "limits.h"
#include "source/tracefs/format.h"
#include "exact.h"
#include "formats.h"
#include "tap.h"

static int id_of(const char *text, uint32_t *id)
{
	char *copy = exact(text, strlen(text));
	int error = format_id(copy, strlen(text), id);

	free(copy);
	return error;
}

static int field_of(const char *text, const char *name, struct field *f)
{
	char *copy = exact(text, strlen(text));
	int error = format_field(copy, strlen(text), name, f);

	free(copy);
	return error;
}

static int flag_of(const char *text, const char *name, uint64_t *value)
{
	char *copy = exact(text, strlen(text));
	int error = format_flag(copy, strlen(text), name, value);

	free(copy);
	return error;
}

static void test_id(void)
{
	static const struct { const char *text; int error; uint32_t id; }
	t[] = {
		{ format_alloc, 0, 653 },
		{ "name: x\nID: 4294967295\n", 0, UINT32_MAX },
		{ "name: x\nID:7", 0, 7 },
		{ "name: x\nID: 4294967296\n", -EINVAL, 0 },
		{ "name: x\nID: 99999999999999999999999\n", -EINVAL, 0 },
		{ "name: x\nID: 18446744073709551617\n", -EINVAL, 0 },
		{ "name: x\nID: 0x10000000000000001\n", -EINVAL, 0 },
		{ "name: x\nID: \n", -EINVAL, 0 },
		{ "name: x\nID: x7\n", -EINVAL, 0 },
		{ "name: x\nID:", -EINVAL, 0 },
		{ "name: x\nID: ", -EINVAL, 0 },
		{ "name: ID: 5\n", -ENOENT, 0 },
		{ "", -ENOENT, 0 },
		{ "\nI", -ENOENT, 0 },
	};

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		uint32_t id = 0;
		int error = id_of(t[i].text, &id);

		tap_ok(error == t[i].error && (error || id == t[i].id),
		       "id %zu: %d, %u", i, error, id);
	}
}

static int field_is(const char *text, const char *name, unsigned int offset,
		    unsigned int size, unsigned int is_signed)
{
	struct field f;

	return field_of(text, name, &f) == 0 && f.offset == offset &&
	       f.size == size && f.is_signed == is_signed &&
	       !f.is_data_loc;
}

static void test_fields(void)
{
	struct field f;

	tap_ok(field_is(format_alloc, "common_flags", 2, 1, 0) &&
	       field_is(format_alloc, "common_pid", 4, 4, 1) &&
	       field_is(format_alloc, "pfn", 8, 8, 0) &&
	       field_is(format_alloc, "order", 16, 4, 0) &&
	       field_is(format_alloc, "migratetype", 32, 4, 1),
	       "an allocation on 64 bits");
	tap_ok(field_is(format_alloc_32, "pfn", 8, 4, 0) &&
	       field_is(format_alloc_32, "order", 12, 4, 0), "on 32 bits");
	tap_ok(field_is(format_alloc_s390, "pfn", 24, 8, 0) &&
	       field_is(format_alloc_s390, "order", 16, 8, 0) &&
	       field_is(format_alloc_s390, "gfp_flags", 8, 4, 0),
	       "sizes and order of their own");
	tap_ok(!field_of(format_module_load, "name", &f) && f.is_data_loc &&
	       f.offset == 12 && f.size == 4, "a string behind the record");
	tap_ok(field_of(format_alloc_old, "pfn", &f) == -ENOENT && !f.size,
	       "a field that is not there");
	tap_ok(field_of(format_alloc, "common", &f) == -ENOENT &&
	       field_of(format_alloc, "fn", &f) == -ENOENT &&
	       field_of(format_alloc, "pfn2", &f) == -ENOENT &&
	       field_of(format_alloc, "long", &f) == -ENOENT &&
	       field_of(format_alloc, "", &f) == -ENOENT,
	       "a name is the whole word");
}

#define LINE "\n\tfield:"

static void test_odd_fields(void)
{
	static const struct { const char *text, *why; int error; } t[] = {
		{ LINE "char pfn[16];\toffset:8;\tsize:16;\tsigned:1;",
		  "an array, at the end of the text", 0 },
		{ LINE "unsigned long args[6];\toffset:8;\tsize:8;\tsigned:0;\n"
		  LINE "char a;\toffset:1;\tsize:1;\tsigned:0;\n",
		  "another array only", -ENOENT },
		{ LINE "char pfn;\toffset:8;\tsize:0;\tsigned:0;\n",
		  "of no size", -EINVAL },
		{ LINE "char pfn;\toffset:65536;\tsize:1;\tsigned:0;\n",
		  "an offset out of range", -EINVAL },
		{ LINE "char pfn;\toffset:65535;\tsize:65535;\tsigned:1;\n",
		  "the largest offset and size", 0 },
		{ LINE "char pfn;\toffset:8;\tsize:65536;\tsigned:0;\n",
		  "a size out of range", -EINVAL },
		{ LINE "char pfn;\toffset:8;\tsize:8;\tsigned:2;\n",
		  "neither signed nor not", -EINVAL },
		{ LINE "char pfn;\toffset:8;\tsize:8;\n",
		  "signed is not told", -EINVAL },
		{ LINE "char pfn;\tsize:8;\tsigned:0;\n",
		  "no offset", -EINVAL },
		{ LINE "char pfn;\toffset:-8;\tsize:8;\tsigned:0;\n",
		  "a negative offset", -EINVAL },
		{ LINE "char pfn;\n\toffset:8;\tsize:8;\tsigned:0;\n",
		  "told on the next line", -EINVAL },
		{ LINE "char pfn\toffset:8\tsize:8\tsigned:0\n",
		  "no semicolon", -ENOENT },
		{ LINE "pfn;\toffset:8;\tsize:8;\tsigned:0;\n",
		  "a name without a type", 0 },
		{ LINE "];\toffset:8;\tsize:8;\tsigned:0;\n",
		  "a bracket without its other", -ENOENT },
		{ "field:char pfn;\toffset:8;\tsize:8;\tsigned:0;\n",
		  "no tab before it", -ENOENT },
		{ "\tfield:", "nothing behind it", -ENOENT },
		{ "", "no text", -ENOENT },
	};

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct field f;
		int error = field_of(t[i].text, "pfn", &f);

		tap_ok(error == t[i].error, "%s: %d", t[i].why, error);
	}
}

static int flag_is(const char *text, const char *name, uint64_t want)
{
	uint64_t value = 0;

	return flag_of(text, name, &value) == 0 && value == want;
}

static void test_flags(void)
{
	static const char *const texts[] = {
		format_alloc, format_alloc_6_1, format_alloc_5_10,
	};
	uint64_t value;

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		tap_ok(flag_is(texts[i], "__GFP_ZERO", 0x100) &&
		       flag_is(texts[i], "__GFP_MOVABLE", 0x8) &&
		       flag_is(texts[i], "__GFP_HIGHMEM", 0x2),
		       "the three flags of anonymous memory, spelling %zu", i);
	tap_ok(flag_is(format_alloc, "__GFP_ZEROTAGS", 1u << 23) &&
	       flag_is(format_alloc_6_1, "__GFP_ZEROTAGS", 1u << 23),
	       "a longer name is another flag");
	tap_ok(flag_is(format_alloc, "__GFP_DMA", 1), "bit 0");
	tap_ok(flag_of(format_alloc, "GFP_HIGHUSER_MOVABLE", &value) == -EINVAL
	       && flag_of(format_alloc, "GFP_ATOMIC", &value) == -EINVAL &&
	       flag_of(format_alloc_6_1, "__GFP_RECLAIM", &value) == -EINVAL,
	       "a sum of flags is none");
	tap_ok(flag_of(format_alloc, "GFP_ZERO", &value) == -ENOENT &&
	       flag_of(format_alloc, "__GFP_NONE", &value) == -ENOENT &&
	       flag_of(format_free, "__GFP_ZERO", &value) == -ENOENT,
	       "a flag that is not there");
}

static void test_odd_flags(void)
{
	static const struct { const char *text; int error; uint64_t value; }
	t[] = {
		{ "{ 0x4, \"F\"}", 0, 4 },
		{ "{ 4, \"F\"}", 0, 4 },
		{ "{ (1UL << 12), \"F\" }", 0, 4096 },
		{ "{ ((((1UL))) << (63)), \"F\" }", 0, UINT64_C(1) << 63 },
		{ "{ ((((1UL))) << (64)), \"F\" }", -EINVAL, 0 },
		{ "{ 0x0, \"F\"}", -EINVAL, 0 },
		{ "{ 0x10000000000000000, \"F\"}", -EINVAL, 0 },
		{ "{ 0x1|0x2, \"F\"}", -EINVAL, 0 },
		{ "{ ~0x1, \"F\"}", -EINVAL, 0 },
		{ "{ FLAG, \"F\"}", -EINVAL, 0 },
		{ "{ (1UL) <<, \"F\"}", -EINVAL, 0 },
		{ "{ , \"F\"}", -EINVAL, 0 },
		{ "{\"F\"}", -EINVAL, 0 },
		/* FAILS as long as start < stop is not asked: reads on. */
		{ "{ 0x4 \"F\"}", -EINVAL, 0 },
		{ "{{{\"F\"}", -EINVAL, 0 },
		{ "0x4, \"F\"", -EINVAL, 0 },
		{ "{ 0x4, \"F", -ENOENT, 0 },
		{ "{ 0x4, F\"", -ENOENT, 0 },
		{ "\"F\"", -EINVAL, 0 },
		{ "F", -ENOENT, 0 },
		{ "", -ENOENT, 0 },
		{ "abc\"F\"", -EINVAL, 0 },
	};

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		uint64_t value = 0;
		int error = flag_of(t[i].text, "F", &value);

		tap_ok(error == t[i].error && (error || value == t[i].value),
		       "'%s': %d, %llx", t[i].text, error,
		       (unsigned long long)value);
	}
}

/* Digits of a hexadecimal number are 0 to f: what lies between 9 and A in
 * ASCII is not. */
static void test_hex(void)
{
	uint32_t id = 0;
	int error = id_of("\nID: 0x1f;", &id);

	tap_ok(!error && id == 0x1f,
	       "a number ends where its digits do: %x", id);
}

/* A text that ends anywhere: no byte behind it is read. */
static void test_prefixes(const char *text)
{
	size_t whole = 0;

	for (size_t len = 0; len <= strlen(text); len++) {
		char *copy = exact(text, len);
		uint64_t value;
		struct field f;
		uint32_t id;

		whole += !format_id(copy, len, &id) &&
			 !format_field(copy, len, "order", &f) &&
			 !format_flag(copy, len, "__GFP_ZERO", &value) &&
			 value == 0x100;
		free(copy);
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
	const int64_t minus = -2;
	unsigned char raw[24] = { 0 };
	struct field f = { .offset = 17, .size = 8 };
	uint64_t value;

	memcpy(raw + 3, &minus, 8);	/* not aligned */
	tap_ok(read_as(raw, 3, 8, 1) == UINT64_MAX - 1 &&
	       read_as(raw, 3, 8, 0) == UINT64_MAX - 1, "8 bytes");
	memcpy(raw + 3, &(int32_t){ -2 }, 4);
	tap_ok(read_as(raw, 3, 4, 1) == UINT64_MAX - 1 &&
	       read_as(raw, 3, 4, 0) == UINT32_MAX - 1, "4 bytes");
	memcpy(raw + 3, &(int16_t){ -2 }, 2);
	tap_ok(read_as(raw, 3, 2, 1) == UINT64_MAX - 1 &&
	       read_as(raw, 3, 2, 0) == UINT16_MAX - 1, "2 bytes");
	raw[3] = 0xfe;
	tap_ok(read_as(raw, 3, 1, 1) == UINT64_MAX - 1 &&
	       read_as(raw, 3, 1, 0) == 0xfe, "1 byte");
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

static int string_is(const struct field *f, const void *raw, size_t len,
		     size_t size, const char *want)
{
	char *copy = exact(raw, len), out[32];
	int right;

	memset(out, '#', sizeof(out));
	right = !field_string(f, (unsigned char *)copy, len, out, size) &&
		!strcmp(out, want) && out[size] == '#';
	free(copy);
	return right;
}

static int string_error(const struct field *f, const void *raw, size_t len)
{
	char *copy = exact(raw, len), out[32];
	int error = field_string(f, (unsigned char *)copy, len, out,
				 sizeof(out));

	free(copy);
	return error;
}

static void test_array(void)
{
	struct field f = { .offset = 2, .size = 6 };

	tap_ok(string_is(&f, "..abc\0\0\0", 8, 16, "abc"), "an ended array");
	tap_ok(string_is(&f, "..abcdef", 8, 16, "abcdef"), "one without end");
	tap_ok(string_is(&f, "..abcdef", 8, 4, "abc"), "cut to the room");
	tap_ok(string_is(&f, "..abcdef", 8, 7, "abcdef") &&
	       string_is(&f, "..abcdef", 8, 6, "abcde"), "to the byte");
	tap_ok(string_error(&f, "..abcde", 7) == -EINVAL,
	       "not all in the record");
	f.size = 0;
	tap_ok(string_error(&f, "..abcdef", 8) == -EINVAL, "no field");
}

/* A record of 8 bytes, the field, and a string. */
static void put_loc(unsigned char *raw, uint32_t offset, uint32_t room)
{
	const uint32_t loc = room << 16 | offset;

	memcpy(raw + 8, &loc, 4);
}

static void test_data_loc(void)
{
	struct field f = { .offset = 8, .size = 4, .is_data_loc = 1 };
	unsigned char raw[20] = "........____squashf";

	raw[19] = 's';
	put_loc(raw, 12, 8);
	tap_ok(string_is(&f, raw, 20, 16, "squashfs"), "a string behind");
	tap_ok(string_is(&f, raw, 20, 5, "squa"), "cut to the room");
	put_loc(raw, 12, 9);
	tap_ok(string_error(&f, raw, 20) == -EINVAL, "a byte too long");
	put_loc(raw, 20, 0);
	tap_ok(string_is(&f, raw, 20, 16, ""), "an empty one at the end");
	put_loc(raw, 21, 0);
	tap_ok(string_error(&f, raw, 20) == -EINVAL, "one beyond it");
	put_loc(raw, 0xffff, 0xffff);
	tap_ok(string_error(&f, raw, 20) == -EINVAL, "far beyond it");
	put_loc(raw, 0, 8);
	tap_ok(string_is(&f, raw, 20, 16, "........"), "from the first byte");
	f.size = 8;
	tap_ok(string_error(&f, raw, 20) == -EINVAL, "no 4 bytes");
	f.size = 4;
	tap_ok(string_error(&f, raw, 11) == -EINVAL,
	       "the field itself is cut off");
}

int main(void)
{
	test_id();
	test_fields();
	test_odd_fields();
	test_flags();
	test_hex();
	test_prefixes(format_alloc);
	test_prefixes(format_alloc_6_1);
	test_u64();
	test_array();
	test_data_loc();
	test_odd_flags();	/* may die of a byte too many */
	return tap_plan_done();
}
