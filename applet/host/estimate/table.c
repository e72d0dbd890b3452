/* SPDX-License-Identifier: MIT */
/*
 * The table of what the capture kernel will hold, and the crashkernel= for it: see
 * estimate.h, table.
 *
 * Three moments can need most: while the kernel unpacks the image, of which the
 * packed bytes still stand beside the content; in the image, with its drivers
 * and, maybe, an encrypted disk to unlock; and in the real root, where the image
 * is gone but all drivers of the machine and systemd run. An image that has
 * makedumpfile itself writes the dump, so there is no third moment.
 */
#include <string.h>
#include <unistd.h>
#include "host/estimate/estimate.h"
#include "report/report.h"

#define STEP_KIB (4u << 10)

/* Sections of memory: x86 and most others since 2021 have page structs for each,
 * as a whole. */
#define SECTION_KIB (128u << 10)
#define SECTION_STRUCTS_KIB (2u << 10)

#define SWIOTLB_KIB (64u << 10)
#define SRAT "/sys/firmware/acpi/tables/SRAT"

/* Debian's kernel 6.1 on one CPU, while it unpacks its image: slab, stacks, page
 * tables, areas of vmalloc, watermarks; measured. */
#define OWN_KIB (19u << 10)
/* Measured, too: udev, kmod and a shell in an image; systemd with its journal, and
 * the dump, with those pages of their files that run again and again. */
#define PROGRAMS_KIB (8u << 10)
#define SYSTEM_KIB (20u << 10)
#define DUMPER_KIB (4u << 10)

#define BIT(m) (1u << (m))
#define ALWAYS (BIT(UNPACKING) | BIT(IN_IMAGE) | BIT(IN_ROOT))

/* Ends in the column of its moment. */
static void put_size(struct line *l, unsigned int moment, const char *template,
		     uint64_t kib)
{
	line_figure(l, 27 + 11 * moment, template, kib * 10 >> 10);
}

/* One row, in the columns of `moments`. */
__attribute__((format(printf, 5, 6)))
static void row(struct estimate *e, const char *name, unsigned int moments,
		uint64_t kib, const char *format, ...)
{
	char text[LINE_BYTES], source[PATH_BYTES + 100];
	struct line l = { .text = text };
	va_list args;

	if (e->dumps)
		moments &= ~BIT(IN_ROOT);
	if (!moments)
		return;
	va_start(args, format);
	vprint_to(source, sizeof(source), format, &args);
	va_end(args);
	line_str(&l, name);
	for (unsigned int m = UNPACKING; m + (unsigned)e->dumps < MOMENTS; m++) {
		if (moments & BIT(m))
			e->need_kib[m] += kib;
		put_size(&l, m, moments & BIT(m) ? "%eM" : "-", kib);
	}
	print_line(STDOUT_FILENO, "%.*s  %s", (int)l.len, text, source);
}

static void row_of_sums(const struct estimate *e)
{
	char text[LINE_BYTES];
	struct line l = { .text = text };

	line_str(&l, "sum");
	for (unsigned int m = UNPACKING; m + (unsigned)e->dumps < MOMENTS; m++)
		put_size(&l, m, "%eM", e->need_kib[m]);
	print_line(STDOUT_FILENO, "%.*s", (int)l.len, text);
}

/* The value of the last NAME= on the capture kernel's command line, or NULL. */
static const char *parameter(const struct estimate *e, const char *name)
{
	const size_t len = strlen(name);
	const char *found = NULL;

	for (const char *at = e->cmdline; *at; at++)
		if (!strncmp(at, name, len) &&
		    (at == e->cmdline || strchr(" \"'", at[-1])))
			found = at + len;
	return found;
}

static uint64_t parameter_number(const struct estimate *e, const char *name,
				 uint64_t otherwise)
{
	const char *text = parameter(e, name);
	size_t digits = 10;

	if (text)
		parse_digits(text, &digits, 10, &otherwise);
	return otherwise;
}

static void put_kernel(struct estimate *e)
{
	const char *file = e->config.kernel;

	if (!*file)
		e->kernel_kib = e->machine.kernel_bytes >> 10;
	row(e, "kernel", ALWAYS, e->kernel_kib, "%s", *file ? file :
	    "/proc/iomem: this kernel, from its code to its bss");
	row(e, "its own memory", ALWAYS, OWN_KIB,
	    "slab, stacks, watermarks: measured, Linux 6.1");
}

static void put_cpus(struct estimate *e)
{
	const struct machine *m = &e->machine;
	const uint64_t cpus = parameter_number(e, "nr_cpus=", 1);
	const uint32_t possible = m->cpus ? m->cpus : 1;

	row(e, "per-CPU memory", ALWAYS, m->percpu_kib * cpus / possible,
	    "/proc/meminfo: %llu of %u CPUs (nr_cpus=)",
	    (unsigned long long)cpus, possible);
}

/* A table of bounce buffers is made if RAM is known above 4 GiB. The capture kernel
 * has none there, but the firmware's table of nodes speaks of it. */
static void put_swiotlb(struct estimate *e)
{
	const char *iommu = parameter(e, "iommu=");
	uint64_t kib = SWIOTLB_KIB;
	struct stat st;

	if (e->machine.ram_end <= UINT64_C(1) << 32 ||
	    system_stat_path(SRAT, &st) || (iommu && !strncmp(iommu, "off", 3)))
		kib = 0;
	if (kib)
		kib = parameter_number(e, "swiotlb=", kib / 2) * 2;
	row(e, "swiotlb", ALWAYS, kib, kib ? "bounce buffers: " SRAT
	    " has memory above 4G" : "none: no memory above 4G in " SRAT);
}

static void put_image(struct estimate *e)
{
	const struct image *i = &e->image;

	row(e, "image, packed", BIT(UNPACKING), e->packed_kib, "size of %s",
	    strcmp(e->packed, "-") ? e->packed :
	    "standard input: without --packed=FILE, as if it were not packed");
	if (e->window_kib)
		row(e, "unpacker", BIT(UNPACKING), e->window_kib,
		    "window of the kernel's code for it");
	row(e, "image, unpacked", BIT(UNPACKING) | BIT(IN_IMAGE), i->content_kib,
	    "%llu files, in whole pages", (unsigned long long)i->files);
	/* Half of the memory that is left is for rootfs. kdump-utils appends
	 * initramfs_options=size=90%, which not every kernel knows. */
	if ((e->is_utils || !parameter(e, "root=")) && i->content_kib > OWN_KIB)
		row(e, "limit of rootfs", BIT(UNPACKING),
		    i->content_kib - OWN_KIB,
		    "no root= in %s: rootfs holds half of memory",
		    e->is_utils ? "what kdump-utils loads" : e->cmdline_of);
}

static void put_modules(struct estimate *e)
{
	const struct machine *m = &e->machine;
	const char *how = m->page_bytes ? "boot report" : "/proc/modules x 3";
	uint64_t all_kib = 0, image_kib = 0;
	uint32_t here = 0;

	for (const struct loaded *l = m->module; l < m->module + m->modules;
	     l++) {
		all_kib += l->kib;
		if (l->in_image || e->is_nested) {
			image_kib += l->kib;
			here++;
		}
	}
	row(e, "modules of it", BIT(IN_IMAGE), image_kib,
	    e->is_nested ? "%s: all %u that are loaded here" :
	    "%s: %u of it are loaded here", how, here);
	row(e, "all modules", BIT(IN_ROOT), all_kib,
	    "%s: %u are loaded here", how, m->modules);
}

static void put_programs(struct estimate *e)
{
	const uint64_t bitmap_kib = e->machine.ram_end >> 10 >> 14;

	if (e->luks_kib)
		row(e, "LUKS", BIT(e->unlocks || e->dumps ? IN_IMAGE : IN_ROOT),
		    e->luks_kib, "%s: argon2 of its header", e->luks);
	row(e, "programs", BIT(IN_IMAGE), e->is_system ? SYSTEM_KIB :
	    PROGRAMS_KIB, e->is_system ? "systemd, udev: measured" :
	    "udev, kmod, a shell: measured");
	row(e, "system", BIT(IN_ROOT), SYSTEM_KIB, "systemd: measured");
	row(e, "makedumpfile", BIT(e->dumps ? IN_IMAGE : IN_ROOT),
	    DUMPER_KIB + bitmap_kib,
	    "measured, and 2 bits a page of RAM in /proc/iomem");
}

/* The crashkernel= that holds `need` and what grows with it: page structs for
 * each section, the first one of RAM and one that is cut included, hash tables
 * and watermarks. */
static uint64_t enough_kib(uint64_t need_kib, uint64_t *structs_kib,
			   uint64_t *reserve_kib)
{
	uint64_t kib = need_kib / STEP_KIB * STEP_KIB;

	do {
		kib += STEP_KIB;
		*structs_kib = ((kib + SECTION_KIB - 1) / SECTION_KIB + 2) *
			       SECTION_STRUCTS_KIB;
		*reserve_kib = kib / 20;
	} while (need_kib + *structs_kib + *reserve_kib > kib);
	return kib;
}

int estimate_write(struct estimate *e)
{
	uint64_t need_kib = 0, structs_kib, reserve_kib, kib;

	print_line(STDOUT_FILENO, "%s", e->dumps ?
		   "                  unpacking   in image  source" :
		   "                  unpacking   in image    in root  source");
	put_kernel(e);
	put_cpus(e);
	put_swiotlb(e);
	put_image(e);
	put_modules(e);
	put_programs(e);
	for (unsigned int m = UNPACKING; m < MOMENTS; m++)
		if (e->need_kib[m] > need_kib)
			need_kib = e->need_kib[m];
	kib = enough_kib(need_kib, &structs_kib, &reserve_kib);
	row(e, "page structs", ALWAYS, structs_kib,
	    "64 bytes a page of each section of 128M");
	row(e, "reserve", ALWAYS, reserve_kib,
	    "a twentieth: hash tables, what differs");
	row_of_sums(e);
	return print_line(STDOUT_FILENO, "crashkernel=%lluM",
			  (unsigned long long)(kib >> 10)) < 0;
}
