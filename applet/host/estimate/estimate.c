/* SPDX-License-Identifier: MIT */
/* What memstrack estimate is given or finds: the image, its kernel and command
 * line, the disks: see estimate.h, estimate. */
#include <errno.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "host/estimate/estimate.h"
#include "source/proc/proc.h"

/* With the kernel's release between, or one name. */
static const struct { const char *before, *after; } initrds[] = {
	{ "/var/lib/kdump/initrd.img", NULL },
	{ "/boot/initramfs-", "kdump.img" },
	{ "/boot/initrd-", "-kdump" },
};

/* Words that kdump-utils appends; the last one of a name counts. */
static void take_appended(void *context, char *line, size_t len)
{
	static const char name[] = "KDUMP_COMMANDLINE_APPEND=";
	struct estimate *e = context;
	const size_t at = strlen(e->cmdline);

	if (len > sizeof(name) && !strncmp(line, name, sizeof(name) - 1))
		print_to(e->cmdline + at, sizeof(e->cmdline) - at, " %s",
			 line + sizeof(name) - 1);
}

/* kdump-tools keeps the call of kexec(8). Other tools build the command line from
 * that of this kernel. */
static void read_cmdline(struct estimate *e)
{
	static const char *const files[] = {
		"/var/crash/kexec_cmd", "/proc/cmdline",
	};
	struct stat st;
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(files); i++) {
		e->cmdline_of = files[i];
		if (readfile(files[i], e->cmdline, sizeof(e->cmdline)) > 0)
			break;
		e->cmdline[0] = '\0';
	}
	e->is_utils = i && !system_stat_path("/etc/kdump.conf", &st);
	if (e->is_utils)
		each_line("/etc/sysconfig/kdump", take_appended, e);
}

/* The files of the image are in this one, which dracut has packed. */
static int is_nested(const char *name)
{
	return !strcmp(name, "squashfs-root.img") ||
	       !strcmp(name, "squash-root.img") ||
	       !strcmp(name, "erofs-root.img");
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
	e->is_nested |= is_nested(name);
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
	const struct config *c = &e->config;
	const char *packed = c->packed;
	const char *path = c->initrd[0] ? c->initrd : find_initrd(e);

	if (!path)
		return 1;
	e->packed = *packed ? packed : path;
	if (*packed) {
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
	/* What is in there is not read. That of kdump-utils dumps. */
	e->is_system |= e->is_nested;
	e->dumps |= e->is_nested && e->is_utils;
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

int estimate_main(int argc, char *argv[])
{
	const struct options o = { .of = OF_ESTIMATE, .most = 1 };
	struct estimate *e = system_memory(sizeof(*e));
	struct config *c;

	if (!e)
		return complain_error("memory", errno);
	c = &e->config;
	if (options_take(&o, c, argc, argv, refuse_usage) < 0)
		return EXIT_USAGE;
	if (geteuid())
		return complain("estimate", "only root can read the addresses of "
				"/proc/iomem");
	read_cmdline(e);
	if (machine_read(&e->machine) ||
	    (argv[1] && machine_report(&e->machine, argv[1], &e->text)) ||
	    (c->kernel[0] && take_kernel(e, c->kernel)) || take_image(e))
		return 1;
	if (c->luks[0])
		take_luks(e, c->luks, 1);
	else
		proc_each_entry("/sys/class/block", take_disk, e);
	return e->failed ? 1 : estimate_write(e);
}
