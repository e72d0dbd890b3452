/* SPDX-License-Identifier: MIT */
/*
 * source/proc/vmallocinfo.c: lines of /proc/vmallocinfo as kernels write them, cut
 * off anywhere, and as no kernel does. Each in memory of its exact size.
 */
#include <errno.h>
#include <string.h>
#include "limits.h"
#include "source/proc/proc.h"
#include "exact.h"
#include "tap.h"

static int vmallocinfo(const char *text, size_t len, struct event *e)
{
	char *copy = exact(text, len);
	int error;

	memset(e, 0x5a, sizeof(*e));
	error = vmallocinfo_line(copy, len, e);
	free(copy);
	return error;
}

/* A name of 51 letters. */
#define N51 "0123456789_123456789_123456789_123456789_123456789_"

static void test_vmallocinfo(void)
{
	static const struct {
		const char *line, *name;
		uint64_t base, pages;
	} t[] = {
		{ "0xffffc90000000000-0xffffc90000005000   20480 "
		  "kernel_clone+0xbf/0x430 pages=4 vmalloc N0=4",
		  "kernel_clone+0xbf/0x430", 0xffffc90000000000, 4 },
		{ "0xffffffffc0200000-0xffffffffc0209000   36864 "
		  "planted_init+0x40/0x90 [planted] pages=8 vmalloc",
		  "planted_init+0x40/0x90 [planted]", 0xffffffffc0200000, 8 },
		{ "0xf0800000-0xf0802000    8192 0xc1000010 pages=1",
		  "0xc1000010", 0xf0800000, 1 },
		{ "0x1-0x2 3 x pages=4294967295 vpages", "x", 1, UINT32_MAX },
		/* A caller is cut, its module's name stays whole. */
		{ "0x1-0x2 3 " N51 "234 pages=1", N51 "234", 1, 1 },
		{ "0x1-0x2 3 " N51 "2345 pages=1", N51 "234", 1, 1 },
		{ "0x1-0x2 3 " N51 " [m] pages=1", N51 " [m]", 1, 1 },
		{ "0x1-0x2 3 " N51 "2 [m] pages=1", N51 " [m]", 1, 1 },
		{ "0x1-0x2 3 x [" N51 "2] pages=1", " [" N51 "2]", 1, 1 },
		{ "0x1-0x2 3 x [" N51 "23] pages=1", "x", 1, 1 },
	};
	static const char *const refused[] = {
		"", "-", "0x-", "0x0-0x1 1 x pages=", "0x1", "0x1-",
		"0x1-0x2 8192", "0x1-0x2 8192 x", "0x1-0x2 8192 x ",
		"0x1-0x2 8192 x pages=", "0x1-0x2 8192 x pages=0",
		"0x1-0x2 8192 x pages=-1", "0x1-0x2 8192 x pages=4294967296",
		"0x1-0x2 8192 x pages=1x", "0x1-0x2 8192 x phys=0xfed00000 "
		"ioremap", "0x1-0x2 8192 x vmap", "0xg-0x2 8192 x pages=1",
		"(____ptrval____)-(____ptrval____) 8192 x pages=1",
		"0x10000000000000000-0x2 8192 x pages=1",
		"0x1-0x2 8192 x [planted]", "0x1-0x2 8192 vm_map_ram",
	};
	struct event e;
	uint32_t wrong = 0;

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		tap_ok(!vmallocinfo(t[i].line, strlen(t[i].line), &e) &&
		       e.type == EVENT_AREA_SEEN && e.base == t[i].base &&
		       e.pages == t[i].pages && !strcmp(e.name, t[i].name),
		       "%s", t[i].line);
		for (size_t len = 0; len < strlen(t[i].line); len++)
			wrong += !vmallocinfo(t[i].line, len, &e) &&
				 (strcmp(e.name, t[i].name) || !e.pages ||
				  e.pages > t[i].pages);
	}
	tap_ok(!wrong, "cut anywhere: none, or fewer digits");
	for (size_t i = 0; i < ARRAY_LEN(refused); i++)
		tap_ok(vmallocinfo(refused[i], strlen(refused[i]), &e) ==
		       -EINVAL, "none: \"%s\"", refused[i]);
}

/* As kptr_restrict has it. */
static void test_hidden(void)
{
	static const char hidden[] = "0x0000000000000000-0x0000000000000000 "
		"20480 kernel_clone+0xbf/0x430 pages=4 vmalloc N0=4";
	static const char hashed[] = "0x00000000a191453a-0x00000000d0234ef8 "
		"8192 load_module+0xbb7/0x21a0 pages=1 vmalloc N0=1";
	struct event e;

	tap_ok(vmallocinfo(hidden, strlen(hidden), &e) == -EPERM,
	       "an area without its address");
	tap_ok(!vmallocinfo(hashed, strlen(hashed), &e) &&
	       e.base == 0xa191453a, "an area by its hashed address");
}

int main(void)
{
	test_vmallocinfo();
	test_hidden();
	return tap_plan_done();
}
