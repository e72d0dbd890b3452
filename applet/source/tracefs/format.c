/* SPDX-License-Identifier: MIT */
/* Files of tracefs, formats, and what is traced: see tracefs.h, files, format
 * and traced. */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include "base/base.h"
#include "base/system.h"
#include "source/tracefs/tracefs.h"

/* Before 4.1 tracefs was a directory of debugfs. */
static const char *find_root(void)
{
	static const char *const roots[] = {
		"/sys/kernel/tracing", "/sys/kernel/debug/tracing",
	};
	char path[64];
	struct stat st;

	for (unsigned int i = 0; i < ARRAY_LEN(roots); i++) {
		print_to(path, sizeof(path), "%s/events", roots[i]);
		if (!system_stat_path(path, &st))
			return roots[i];
	}
	return roots[0];
}

const char *tracefs_path(char path[PATH_BYTES], const char *name)
{
	print_to(path, PATH_BYTES, "%s/%s", find_root(), name);
	return path;
}

int tracefs_has(const char *name)
{
	char path[PATH_BYTES];
	struct stat st;

	return !system_stat_path(tracefs_path(path, name), &st);
}

ssize_t tracefs_text(const char *name, char *text, size_t size)
{
	char path[PATH_BYTES];

	return readfile(tracefs_path(path, name), text, size);
}

int tracefs_set(const char *name, const char *text)
{
	char path[PATH_BYTES];

	return writefile(tracefs_path(path, name), text);
}

/* --- format */

static const char *find_in(const char *text, const char *end, const char *what)
{
	return find_text(text, (size_t)(end - text), what);
}

static int is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

/* A number at `text`, decimal or 0x…. 0 or an error. */
static int number_at(const char *text, const char *end, uint64_t *value)
{
	struct word rest = { text, (size_t)(end - text) };

	return word_take_number(&rest, value);
}

/* The number behind a key, at most UINT32_MAX, or an error. */
static int64_t number_after(const char *text, const char *end, const char *key)
{
	struct word rest = { text, (size_t)(end - text) };
	uint64_t value;

	if (word_seek(&rest, key))
		return -ENOENT;
	return word_take_number(past_blanks(&rest), &value) ||
	       value > UINT32_MAX ? -EINVAL : (int64_t)value;
}

int format_id(const char *text, size_t len, uint32_t *id)
{
	int64_t number = number_after(text, text + len, "\nID:");

	*id = (uint32_t)number;
	return number < 0 ? (int)number : 0;
}

/* "\tfield:unsigned long pfn;\toffset:8;\tsize:8;\tsigned:0;" */
static int parse_field(const char *line, const char *end, struct field *f)
{
	int64_t offset = number_after(line, end, "offset:");
	int64_t size = number_after(line, end, "size:");
	int64_t is_signed = number_after(line, end, "signed:");

	if (offset < 0 || offset > UINT16_MAX ||
	    size <= 0 || size > UINT16_MAX || is_signed < 0 || is_signed > 1)
		return -EINVAL;
	f->offset = (uint16_t)offset;
	f->size = (uint16_t)size;
	f->is_signed = (uint16_t)is_signed;
	f->is_data_loc = find_in(line, end, "__data_loc ") != NULL;
	return 0;
}

/* The declared name is the last word before ';' or before its [size]. */
static int declares(const char *line, const char *end, const char *name)
{
	const char *stop = memchr(line, ';', (size_t)(end - line));
	struct word w;

	if (stop && stop > line && stop[-1] == ']')
		stop = memchr(line, '[', (size_t)(stop - line));
	if (!stop)
		return 0;
	for (w.at = stop; w.at > line && is_word(w.at[-1]); w.at--)
		;
	w.len = (size_t)(stop - w.at);
	return word_is(&w, name);
}

int format_field(const char *text, size_t len, const char *name,
		 struct field *f)
{
	const char *end = text + len, *line = text;

	*f = (struct field){ 0 };
	while ((line = find_in(line, end, "\tfield:"))) {
		const char *stop = memchr(line, '\n', (size_t)(end - line));

		if (!stop)
			stop = end;
		line += strlen("\tfield:");
		if (declares(line, stop, name))
			return parse_field(line, stop, f);
		line = stop;
	}
	return -ENOENT;
}

/* The value in "{( unsigned long)(( gfp_t)0x100u), " or "{( unsigned long)((
 * gfp_t)((((1UL))) << (8))), " is the last number; behind a shift, this is the
 * number of a bit. A combination of flags is not accepted. */
static int flag_value(const char *at, const char *end, uint64_t *value)
{
	const char *number = NULL, *shift = find_in(at, end, "<<");

	for (; at < end; at++) {
		if (*at == '|' || *at == '&' || *at == '~')
			return -EINVAL;
		if (*at >= '0' && *at <= '9' && !is_word(at[-1]))
			number = at;
	}
	if (!number || number < shift || number_at(number, end, value) ||
	    (shift && *value > 63))
		return -EINVAL;
	if (shift)
		*value = (uint64_t)1 << *value;
	return *value ? 0 : -EINVAL;
}

int format_flag(const char *text, size_t len, const char *name,
		uint64_t *value)
{
	const char *stop, *start;
	char quoted[64];

	print_to(quoted, sizeof(quoted), "\"%s\"", name);
	stop = find_text(text, len, quoted);
	if (!stop)
		return -ENOENT;
	while (stop > text && *stop != ',')
		stop--;
	for (start = stop; start > text && *start != '{'; start--)
		;
	return *start == '{' && start < stop ?
	       flag_value(start + 1, stop, value) : -EINVAL;
}

int field_u64(const struct field *f, const unsigned char *raw, size_t len,
	      uint64_t *value)
{
	union { uint8_t u8; uint16_t u16; uint32_t u32; uint64_t u64; } v;

	if (f->offset + f->size > len)
		return -EINVAL;
	raw += f->offset;
	switch (f->size) {
	case 1:
		memcpy(&v, raw, 1);
		*value = f->is_signed ? (uint64_t)(int8_t)v.u8 : v.u8;
		return 0;
	case 2:
		memcpy(&v, raw, 2);
		*value = f->is_signed ? (uint64_t)(int16_t)v.u16 : v.u16;
		return 0;
	case 4:
		memcpy(&v, raw, 4);
		*value = f->is_signed ? (uint64_t)(int32_t)v.u32 : v.u32;
		return 0;
	case 8:
		memcpy(&v, raw, 8);
		*value = v.u64;
		return 0;
	default:
		return -EINVAL;
	}
}

int field_string(const struct field *f, const unsigned char *raw, size_t len,
		 char *out, size_t size)
{
	size_t offset = f->offset, room = f->size;
	uint32_t loc;

	if (!f->size || f->offset + f->size > len)
		return -EINVAL;
	if (f->is_data_loc) {
		if (f->size != sizeof(loc))
			return -EINVAL;
		memcpy(&loc, raw + f->offset, sizeof(loc));
		offset = loc & 0xffff;
		room = loc >> 16;
		if (offset + room > len)
			return -EINVAL;
	}
	if (room >= size)
		room = size - 1;
	memcpy(out, raw + offset, room);
	out[room] = '\0';
	return 0;
}

/* --- traced: the events, and their filters */

/* Behind the page events a reboot comes first, because init may reboot at once.
 * An event that ends something comes before the event that begins it: an end
 * without a beginning is ignored. */
const struct traced traced[EVENTS_PER_CPU_MAX] = {
	{ .tp = TP_FREE },
	{ .tp = TP_ALLOC, .chain = 1 },
	{ .tp = TP_ALLOC, .anon = 1 },
	{ .tp = TP_REBOOT, .at_once = 1, .guarded = 1 },
	{ .tp = TP_ENTER_REBOOT, .at_once = 1 },
	{ .tp = TP_MODULE_LOAD, .at_once = 1 },
	{ .tp = TP_MODULE_FREE },
	{ .tp = TP_LOAD_EXIT },
	{ .tp = TP_LOAD_ENTER },
	{ .tp = TP_EXIT_INIT_MODULE },
	{ .tp = TP_EXIT_FINIT_MODULE },
	{ .tp = TP_ENTER_INIT_MODULE },
	{ .tp = TP_ENTER_FINIT_MODULE },
	{ .tp = TP_RAW_EXIT },
	{ .tp = TP_RAW_ENTER },
	{ .tp = TP_INITCALL },
	{ .tp = TP_AREA_FREE },
	{ .tp = TP_AREA_ALLOC, .chain = 1 },
	{ .tp = TP_AREA_ENTER },
	{ .tp = TP_BULK },
	{ .tp = TP_CMA },
	{ .tp = TP_COMPACTED },
	{ .tp = TP_COMPACTS },
	{ .tp = TP_MOVE },
	{ .tp = TP_VICTIM, .at_once = 1 },
	{ .tp = TP_LOW, .at_once = 1 },
	{ .tp = TP_RECLAIM, .at_once = 1 },
	{ .tp = TP_VMAP, .at_once = 1 },
	{ .tp = TP_VUNMAP },
	{ .tp = TP_KFREE },
	{ .tp = TP_CACHE_FREE },
	{ .tp = TP_KMALLOC, .chain = 2 },
	{ .tp = TP_KMALLOC_NODE, .chain = 2 },
	{ .tp = TP_CACHE_ALLOC, .chain = 2 },
	{ .tp = TP_CACHE_ALLOC_NODE, .chain = 2 },
};

/* Writes a filter for the system calls that load a module. */
static void write_loads(char *text, size_t size)
{
	print_to(text, size, "id == %d || id == %d", SYS_init_module,
		 SYS_finit_module);
}

/* Writes a filter for first touches of anonymous memory, which have all three
 * flags. */
static void write_touches(char *text, size_t size, const uint64_t *bit,
			  int anon)
{
	print_to(text, size, "%s((gfp_flags & 0x%llx) && "
		 "(gfp_flags & 0x%llx) && (gfp_flags & 0x%llx))",
		 anon ? "" : "!", (unsigned long long)bit[0],
		 (unsigned long long)bit[1], (unsigned long long)bit[2]);
}

const char *traced_filter(const struct tracefs *t, int split,
			  const struct traced *o, char *text, size_t size)
{
	switch (o->tp) {
	case TP_RAW_ENTER:
	case TP_RAW_EXIT:
		write_loads(text, size);
		return text;
	case TP_BULK:
		/* A single page has its own event. (Only if the per-CPU lists
		 * ran empty after one page, that page has no event and is not
		 * counted.) */
		return "n > 1";
	case TP_CMA:
		return "page != 0";	/* the allocation succeeded */
	case TP_LOW:
		/* Free and reclaimable memory together are too little, or a
		 * round of reclaim has freed nothing: the kernel gives up after
		 * 16 such rounds. Requests above order 3 may fail at any
		 * time. */
		return "order < 4 && "
		       "(wmark_check == 0 || no_progress_loops > 0)";
	case TP_REBOOT:
	case TP_ENTER_REBOOT:
		/* The commands that switch Ctrl-Alt-Del on and off do not
		 * count. */
		return "cmd != 0 && cmd != 0x89abcdef && "
		       "cmd != 0xffffffff89abcdef";
	case TP_ALLOC:
		if (!split)
			return NULL;
		write_touches(text, size, t->anon, o->anon);
		return text;
	default:
		return NULL;
	}
}
