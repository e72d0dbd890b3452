/* SPDX-License-Identifier: MIT */
/* What this machine, its boot report, its kernel and its disks tell: see
 * estimate.h, machine. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "host/estimate/estimate.h"
#include "source/proc/proc.h"

/* All that was free less after loading, by the size of the images: 2.6 times with
 * 52 modules of 7.3 MiB, 2.1 times with 30 of 7.5 (Linux 6.1, no hardware). */
#define MODULE_FACTOR 3u

static void take_meminfo(void *context, char *line, size_t len)
{
	struct machine *m = context;
	struct word name;
	uint64_t kib;

	if (meminfo_kib(line, len, &name, &kib))
		return;
	if (word_is(&name, "Percpu"))
		m->percpu_kib = kib;
}

static void ignore(struct event_out *o, const struct event *e)
{
	(void)o;
	(void)e;
}

/* RAM, and the kernel's image as one range, from its code to its bss, with what
 * the kernel frees of it later. 0 or -errno. */
static int read_iomem(struct machine *m)
{
	struct event_out none = { ignore };
	struct ram_reader r = { .out = &none, .page_size = PAGE_BYTES };
	const int error = each_line("/proc/iomem", ram_map_line, &r);

	m->ram_end = r.ram_end;
	m->kernel_bytes = r.image_end - r.image_start;
	return error;
}

static void take_module(void *context, char *line, size_t len)
{
	struct machine *m = context;
	struct loaded *new = m->module + m->modules;
	struct event e;

	if (m->modules == ESTIMATE_MODULES ||
	    module_line(line, len, PAGE_BYTES, &e))
		return;
	memcpy(new->name, e.name, sizeof(new->name));
	new->kib = e.pages * (PAGE_BYTES >> 10) * MODULE_FACTOR;
	m->modules++;
}

int machine_read(struct machine *m)
{
	const int error = read_iomem(m);

	if (error)
		return complain_error("/proc/iomem", error);
	if (!m->ram_end)
		return complain("/proc/iomem", "no RAM in it: only root reads "
				"its addresses");
	each_line("/proc/meminfo", take_meminfo, m);
	each_line("/proc/modules", take_module, m);
	m->cpus = proc_possible_cpus();
	return 0;
}

/* A dash in the name of a file is an underscore in that of its module. */
static int is_module(const char *name, const char *file, size_t len)
{
	size_t i;

	for (i = 0; i < len && name[i]; i++)
		if (name[i] != (file[i] == '-' ? '_' : file[i]))
			return 0;
	return i == len && !name[i];
}

struct loaded *machine_module(struct machine *m, const char *name, size_t len)
{
	for (struct loaded *l = m->module; l < m->module + m->modules; l++)
		if (is_module(l->name, name, len))
			return l;
	return NULL;
}

/* A report of a boot, with anything around its lines; the last one counts. */
static void take_report_line(struct machine *m, const char *line, size_t len)
{
	const char *at = find_text(line, len, "{\"type\":\"");
	const struct word *type, *name;
	struct loaded *l;
	struct parsed o;
	int64_t pages = -1;

	if (!at || !parsed_object(&o, at, len - (size_t)(at - line)))
		return;
	type = parsed_string(&o, "type");
	if (!type)
		return;
	if (word_is(type, "head")) {
		m->page_bytes = PAGE_BYTES;
		parsed_number(&o, "page_bytes", &m->page_bytes);
		m->reported = 0;
		return;
	}
	name = parsed_string(&o, "name");
	if (!word_is(type, "module") || !name || !m->page_bytes ||
	    !parsed_number(&o, "held_peak_pages", &pages) || pages < 0 ||
	    pages > UINT32_MAX)
		return;
	l = machine_module(m, name->at, name->len);
	if (!l)
		return;
	l->kib = (uint64_t)pages * (uint64_t)m->page_bytes / 1024;
	m->reported++;
}

int machine_report(struct machine *m, const char *path, struct text *t)
{
	const int fd = system_open_input(path);
	const char *line;
	size_t len;

	if (fd < 0)
		return complain_error(path, errno);
	text_begin(t, fd, TEXT_READ_BYTES);
	while ((line = text_next(t, &len)))
		take_report_line(m, line, len);
	close(fd);
	return t->error ? complain_error(path, t->error) :
	       m->page_bytes ? 0 : complain(path, "no report in JSON");
}

static uint32_t little(const unsigned char *at)
{
	return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
	       (uint32_t)at[3] << 24;
}

/* The sum of what ELF's loaded segments take. 64 bits, this byte order. */
static uint64_t elf_bytes(const unsigned char *image, size_t len)
{
	uint64_t at, first = UINT64_MAX, end = 0, segment[7];
	uint16_t count;

	memcpy(&at, image + 32, sizeof(at));
	memcpy(&count, image + 56, sizeof(count));
	for (; count && at <= len - sizeof(segment); count--, at += 56) {
		memcpy(segment, image + at, sizeof(segment));
		if ((uint32_t)segment[0] != 1)
			continue;
		if (segment[3] < first)
			first = segment[3];
		if (segment[3] + segment[5] > end)
			end = segment[3] + segment[5];
	}
	return end > first ? end - first : 0;
}

/* init_size, since version 2.10 of the boot protocol. */
static uint64_t bzimage_bytes(const unsigned char *image)
{
	return memcmp(image + 0x202, "HdrS", 4) || image[0x207] < 2 ||
	       (image[0x207] == 2 && image[0x206] < 10) ? 0 :
	       little(image + 0x260);
}

int kernel_size(const char *path, char *buf, uint64_t *kib)
{
	const ssize_t len = readfile(path, buf, KERNEL_HEAD_BYTES);
	const unsigned char *image = (unsigned char *)buf;
	uint64_t bytes = 0;

	if (len < 0 && len != -EFBIG)
		return (int)len;
	if (len == -EFBIG)
		bytes = memcmp(image, "\177ELF\2", 5) ? bzimage_bytes(image) :
			elf_bytes(image, KERNEL_HEAD_BYTES - 1);
	if (!bytes || bytes >> 31)
		return -ENOEXEC;
	*kib = (bytes + 1023) >> 10;
	return 0;
}

/* LUKS2: the magic number, version 2, and JSON from byte 4096 on, where each
 * keyslot has "memory", in KiB, if argon2 is its function. */
int luks_memory(const char *path, char *buf, uint64_t *kib)
{
	const ssize_t got = readfile(path, buf, LUKS_HEAD_BYTES);
	struct word rest = { buf + 4096, 0 };

	*kib = 0;
	if (got < 0 && got != -EFBIG)
		return (int)got;
	if (got != -EFBIG || memcmp(buf, "LUKS\xba\xbe", 6))
		return -ENODATA;
	if (buf[6] || buf[7] != 2)
		return 0;
	rest.len = strnlen(rest.at, LUKS_HEAD_BYTES - 1 - 4096);
	while (!word_seek(&rest, "\"memory\":")) {
		uint64_t n;

		if (!word_take_number(&rest, &n) && n < UINT32_MAX && n > *kib)
			*kib = n;
	}
	return 0;
}
