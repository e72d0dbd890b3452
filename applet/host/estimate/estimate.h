/* SPDX-License-Identifier: MIT */
/*
 * memstrack estimate: which crashkernel= this machine's kdump image will need,
 * before the first crash.
 *
 * Sources: Documentation/driver-api/early-userspace/buffer-format.rst and
 * init/initramfs.c; Documentation/arch/x86/boot.rst; cryptsetup's LUKS2 on-disk
 * format; kernel/dma/swiotlb.c with arch/x86/kernel/pci-dma.c.
 */
#ifndef MEMSTRACK_HOST_ESTIMATE_ESTIMATE_H
#define MEMSTRACK_HOST_ESTIMATE_ESTIMATE_H

#include <stdint.h>
#include "base/system.h"
#include "config/config.h"
#include "limits.h"

/* The page of the kernel that is estimated. */
#define PAGE_BYTES 4096u

/* --- image: an initramfs, read once, in order, as the kernel unpacks it */

struct packer {
	const char *magic, *unpack;	/* the command */
	uint32_t window_kib;		/* that the kernel takes for it */
};

struct image {
	int fd, error;
	const char *why;		/* it is refused */
	uint64_t at;			/* of the next byte, in the file */
	uint64_t files, content_kib;	/* in whole pages */
	const struct packer *packer;	/* of what begins at `at`; or NULL */
	void (*take)(void *context, const char *path);	/* an ordinary file */
	void *context;
	size_t next, filled;		/* of `buf` */
	unsigned char buf[64u << 10];
	char name[4096];		/* the kernel's PATH_MAX */
};

/* Reads to the end, or to the first packed byte. 0; or -EINVAL: `why`, and `at`
 * which byte. */
int image_read(struct image *i);

/* --- machine: what this machine says of its capture kernel */

struct machine {
	uint64_t kernel_bytes, ram_end;
	uint64_t percpu_kib;
	uint32_t cpus;			/* possible ones; 0: not known */
	uint32_t modules, reported;	/* of `module`: all, with a report */
	int64_t page_bytes;		/* of the report */
	struct loaded {
		char name[MODULE_NAME_BYTES];
		uint64_t kib;
		int in_image;
	} module[ESTIMATE_MODULES];
};

/* 0, or 1 after a message. */
int machine_read(struct machine *m);
/* A loaded module, also by the name of its file; or NULL. */
struct loaded *machine_module(struct machine *m, const char *name, size_t len);
/* What a boot report in JSON has of the loaded modules. 0, or 1 after a
 * message. */
int machine_report(struct machine *m, const char *path, struct text *t);

/* What a bzImage or a vmlinux takes in memory. buf holds KERNEL_HEAD_BYTES. 0;
 * -ENOEXEC: it is neither; or -errno. */
#define KERNEL_HEAD_BYTES 4096u
int kernel_size(const char *path, char *buf, uint64_t *kib);

/* What unlocking a LUKS2 device takes, 0 without argon2. -ENODATA: no LUKS
 * header; or -errno. buf holds LUKS_HEAD_BYTES. */
#define LUKS_HEAD_BYTES (20u << 10)
int luks_memory(const char *path, char *buf, uint64_t *kib);

/* --- table: what the capture kernel will hold, moment by moment */

enum { UNPACKING, IN_IMAGE, IN_ROOT, MOMENTS };

struct estimate {
	struct config config;
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
	int is_nested;			/* its files are in one within it */
	int is_utils;			/* kdump-utils loads it */
	int failed;
	uint64_t need_kib[MOMENTS];
};

/* Prints the table and the crashkernel=. Returns the exit status. */
int estimate_write(struct estimate *e);

/* --- estimate: memstrack estimate [OPTIONS] [REPORT] */

/* Returns the exit status. */
int estimate_main(int argc, char *argv[]);

#endif
