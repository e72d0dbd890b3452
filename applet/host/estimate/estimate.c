/* SPDX-License-Identifier: MIT */
/*
 * memstrack estimate: a table of what the capture kernel will hold, and the
 * crashkernel= for it: see estimate.h.
 *
 * Three moments can need most: while the kernel unpacks the image, of which the
 * packed bytes still stand beside the content; in the image, with its drivers
 * and, maybe, an encrypted disk to unlock; and in the real root, where the image
 * is gone but all drivers of the machine and systemd run. An image that has
 * makedumpfile itself writes the dump, so there is no third moment.
 */
#include <errno.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "host/estimate/estimate.h"
#include "source/proc/proc.h"

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

enum moment { UNPACKING, IN_IMAGE, IN_ROOT, MOMENTS };
#define BIT(m) (1u << (m))
#define ALWAYS (BIT(UNPACKING) | BIT(IN_IMAGE) | BIT(IN_ROOT))

/* The arguments: options, and a boot report. */
enum argument { INITRD, PACKED, KERNEL, LUKS, REPORT, ARGUMENTS };
static const char *const options[] = {
	"--initrd", "--packed", "--kernel", "--luks",
};

struct estimate {
	const char *given[ARGUMENTS];	/* NULL: not given */
	struct machine machine;
	struct image image;
	struct text text;
	char cmdline[8192];		/* of the capture kernel */
	const char *cmdline_of;
	char buf[LUKS_HEAD_BYTES];
	char path[PATH_BYTES];
	const char *packed;		/* the image's own file */
	uint64_t packed_kib, window_kib, luks_kib, kernel_kib;
	char luks[PATH_BYTES];		/* the device that needs most */
	int dumps, unlocks, is_system;	/* the image has the program */
	int failed;
	uint64_t need_kib[MOMENTS];
};

/* With the kernel's release between, or one name. */
static const struct { const char *before, *after; } initrds[] = {
	{ "/var/lib/kdump/initrd.img", NULL },
	{ "/boot/initramfs-", "kdump.img" },
	{ "/boot/initrd-", "-kdump" },
};

/* Ends in this column; returns the length of the line. */
static size_t put_size(char *line, size_t len, size_t room, size_t end,
		       uint64_t kib)
{
	char size[24];
	const size_t n = kib == UINT64_MAX ? print_to(size, sizeof(size), "-") :
		print_to(size, sizeof(size), "%llu.%lluM",
			 (unsigned long long)(kib >> 10),
			 (unsigned long long)((kib & 1023) * 10 >> 10));

	while (len + n < end)
		line[len++] = ' ';
	return len + print_to(line + len, room - len, "%s", size);
}

/* One row, in the columns of `moments`. */
__attribute__((format(printf, 5, 6)))
static void row(struct estimate *e, const char *name, unsigned int moments,
		uint64_t kib, const char *format, ...)
{
	char line[80], source[PATH_BYTES + 100];
	size_t len = print_to(line, sizeof(line), "%s", name);
	va_list args;

	if (e->dumps)
		moments &= ~BIT(IN_ROOT);
	if (!moments)
		return;
	va_start(args, format);
	vprint_to(source, sizeof(source), format, &args);
	va_end(args);
	for (unsigned int m = UNPACKING; m + (unsigned)e->dumps < MOMENTS; m++) {
		if (moments & BIT(m))
			e->need_kib[m] += kib;
		len = put_size(line, len, sizeof(line), 27 + 11 * m,
			       moments & BIT(m) ? kib : UINT64_MAX);
	}
	print_line(STDOUT_FILENO, "%s  %s", line, source);
}

static void row_of_sums(const struct estimate *e)
{
	char line[80];
	size_t len = print_to(line, sizeof(line), "sum");

	for (unsigned int m = UNPACKING; m + (unsigned)e->dumps < MOMENTS; m++)
		len = put_size(line, len, sizeof(line), 27 + 11 * m,
			       e->need_kib[m]);
	print_line(STDOUT_FILENO, "%s", line);
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

/* kdump-tools keeps the call of kexec(8). Other tools build the command line from
 * that of this kernel. */
static void read_cmdline(struct estimate *e)
{
	static const char *const files[] = {
		"/var/crash/kexec_cmd", "/proc/cmdline",
	};

	for (unsigned int i = 0; i < ARRAY_LEN(files); i++) {
		e->cmdline_of = files[i];
		if (readfile(files[i], e->cmdline, sizeof(e->cmdline)) > 0)
			return;
	}
	e->cmdline[0] = '\0';
}

static void take_file(void *context, const char *path)
{
	struct estimate *e = context;
	const char *name = past_last(path, '/');
	size_t len = strlen(name), dot;
	struct loaded *l;

	e->dumps |= !strcmp(name, "makedumpfile");
	e->unlocks |= !strcmp(name, "cryptsetup");
	e->is_system |= !strcmp(name, "systemd");
	for (dot = 0; dot < len; dot++)
		if (!strncmp(name + dot, ".ko", 3) &&
		    (!name[dot + 3] || name[dot + 3] == '.'))
			break;
	l = dot < len ? machine_module(&e->machine, name, dot) : NULL;
	if (l)
		l->in_image = 1;
}

/* One archive, or two: the packed file for what stands before its packed part, then
 * the rest from a pipe. 0, or 1 after a message. */
static int read_image(struct estimate *e, const char *path)
{
	struct image *i = &e->image;
	off_t size;
	int status = 0;

	i->fd = system_open_input(path);
	if (i->fd < 0)
		return complain_error(path, errno);
	i->at = i->next = i->filled = 0;
	i->take = take_file;
	i->context = e;
	size = lseek(i->fd, 0, SEEK_END);
	if (size >= 0)
		lseek(i->fd, 0, SEEK_SET);
	if (image_read(i))
		status = complain(i->fd == STDIN_FILENO ? "standard input" :
				  path, "byte %llu: %s",
				  (unsigned long long)i->at, i->why);
	if (path == e->packed)
		e->packed_kib = ((size < 0 ? i->at : (uint64_t)size) + 1023) >>
				10;
	if (i->fd != STDIN_FILENO)
		close(i->fd);
	return status;
}

static int refuse_packed(const struct image *i, const char *path)
{
	const unsigned long long at = i->at;

	if (!strcmp(path, "-"))
		return complain("standard input", "byte %llu: still packed, for "
				"`%s`", at, i->packer->unpack);
	complain(path, "byte %llu: packed from here on; type:", at);
	if (at)
		print_line(STDERR_FILENO, "tail -c +%llu '%s' | %s | memstrack "
			   "estimate --initrd=- --packed='%s'", at + 1, path,
			   i->packer->unpack, path);
	else
		print_line(STDERR_FILENO, "%s <'%s' | memstrack estimate "
			   "--initrd=- --packed='%s'", i->packer->unpack,
			   path, path);
	return 1;
}

/* The image that kdump-tools or kdump-utils made for this kernel. */
static const char *find_initrd(struct estimate *e)
{
	struct utsname u;
	struct stat st;

	uname(&u);
	for (unsigned int i = 0; i < ARRAY_LEN(initrds); i++) {
		print_to(e->path, sizeof(e->path), "%s%s%s", initrds[i].before,
			 initrds[i].after ? u.release : "", initrds[i].after ?
			 initrds[i].after : "");
		if (!system_stat_path(e->path, &st))
			return e->path;
	}
	complain("estimate", "no image of kdump-tools or kdump-utils here: "
		 "--initrd=FILE names it");
	return NULL;
}

/* 0, or 1 after a message. */
static int take_image(struct estimate *e)
{
	const char *packed = e->given[PACKED];
	const char *path = e->given[INITRD] ? e->given[INITRD] : find_initrd(e);

	if (!path)
		return 1;
	e->packed = packed ? packed : path;
	if (packed) {
		if (read_image(e, packed))
			return 1;
		if (!e->image.packer)
			return complain(packed, "nothing in it is packed: "
					"--initrd=FILE is enough");
		e->window_kib = e->image.packer->window_kib;
		e->image.packer = NULL;
	}
	if (read_image(e, path))
		return 1;
	if (e->image.packer)
		return refuse_packed(&e->image, path);
	return 0;
}

static int take_kernel(struct estimate *e, const char *path)
{
	const int error = kernel_size(path, e->buf, &e->kernel_kib);

	return error == -ENOEXEC ?
	       complain(path, "byte 0: neither a bzImage (boot protocol 2.10) "
			"nor a vmlinux") :
	       error ? complain_error(path, error) : 0;
}

static void take_luks(struct estimate *e, const char *path, int is_given)
{
	uint64_t kib;
	const int error = luks_memory(path, e->buf, &kib);

	if (is_given && error)
		e->failed = error == -ENODATA ?
			    complain(path, "byte 0: no header of LUKS") :
			    complain_error(path, error);
	if (error || kib < e->luks_kib || !kib)
		return;
	e->luks_kib = kib;
	print_to(e->luks, sizeof(e->luks), "%s", path);
}

static void take_disk(void *context, const char *name)
{
	char path[PATH_BYTES];

	print_to(path, sizeof(path), "/dev/%s", name);
	take_luks(context, path, 0);
}

static void put_kernel(struct estimate *e)
{
	const char *file = e->given[KERNEL];

	if (!file)
		e->kernel_kib = e->machine.kernel_bytes >> 10;
	row(e, "kernel", ALWAYS, e->kernel_kib, "%s", file ? file :
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
	/* Half of the memory that is left is for rootfs. */
	if (!parameter(e, "root=") && i->content_kib > OWN_KIB)
		row(e, "limit of rootfs", BIT(UNPACKING),
		    i->content_kib - OWN_KIB,
		    "no root= in %s: rootfs holds half of memory",
		    e->cmdline_of);
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
		image_kib += l->in_image ? l->kib : 0;
		here += l->in_image != 0;
	}
	row(e, "modules of it", BIT(IN_IMAGE), image_kib,
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

static int estimate(struct estimate *e)
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

static int refuse(const char *argument, const char *why)
{
	char problem[LINE_BYTES];

	print_to(problem, sizeof(problem), "%s: %s", argument, why);
	return refuse_usage(problem);
}

/* --NAME=VALUE or --NAME VALUE; and one operand. 0, or EXIT_USAGE. */
static int parse(struct estimate *e, int argc, char *argv[])
{
	for (int i = 1; i < argc; i++) {
		const char *text = argv[i], *value;
		const size_t len = text[0] == '-' && text[1] ?
				   length_to(text, '=') : 0;
		unsigned int which = REPORT;

		for (; which && len; which--)
			if (!strncmp(options[which - 1], text, len) &&
			    !options[which - 1][len])
				break;
		if (len && !which)
			return refuse(argv[i], "no such option of estimate");
		if (!len && e->given[REPORT])
			return refuse(argv[i], "one argument too many for "
				      "estimate");
		value = !len ? argv[i] : text[len] ? text + len + 1 :
			argv[++i];
		if (!value || !*value)
			return refuse(options[which - 1],
				      "needs a value: a path");
		e->given[len ? which - 1 : REPORT] = value;
	}
	return 0;
}

int estimate_main(int argc, char *argv[])
{
	struct estimate *e = system_memory(sizeof(*e));

	if (!e)
		return complain_error("memory", errno);
	if (parse(e, argc, argv))
		return EXIT_USAGE;
	if (geteuid())
		return complain("estimate", "only root can read the addresses of "
				"/proc/iomem");
	read_cmdline(e);
	if (machine_read(&e->machine) ||
	    (e->given[REPORT] &&
	     machine_report(&e->machine, e->given[REPORT], &e->text)) ||
	    (e->given[KERNEL] && take_kernel(e, e->given[KERNEL])) ||
	    take_image(e))
		return 1;
	if (e->given[LUKS])
		take_luks(e, e->given[LUKS], 1);
	else
		proc_each_entry("/sys/class/block", take_disk, e);
	return e->failed ? 1 : estimate(e);
}
