/*
 * What would save most of the memory that the advice says is needed: figures
 * that were measured, each with what to change. A saving is by how much the
 * need falls: only as far as no other moment (advice.h) then needs more.
 *
 *	module		what it held for itself at the peak: no files, no pages
 *			of programs, because these would be elsewhere then
 *	initramfs	the files of rootfs; twice that if the advice is for
 *			rootfs; and the compressed image while it is unpacked.
 *			This is the most that a smaller one can save
 *	nr_cpus		per-CPU memory of all CPUs but one. All of it is saved,
 *			but Linux 6.1 takes 2.7 MiB more of vmalloc with one
 *			CPU than with four: less may be saved in all
 *	swiotlb		bounce buffers but for the smallest table
 *	crashkernel	what is reserved for a dump; the most that a smaller
 *			one can save
 */
#ifndef MEMSTRACK_SAVES_H
#define MEMSTRACK_SAVES_H

#include "report/sheet.h"

#define SAVES_MAX 3

enum saves_what {
	SAVES_MODULE, SAVES_INITRAMFS, SAVES_CPUS, SAVES_SWIOTLB,
	SAVES_CRASHKERNEL,
};

struct saving {
	enum saves_what what;
	uint32_t row;		/* of the module; of swiotlb, the slots left */
	uint64_t kib, of_kib;	/* saved, of what is held now */
};

/* The largest first, none below a 50th of the advised memory, or 1 MiB if that
 * is less. Returns how many; 0 if there is no advice. */
unsigned int saves_get(const struct report *r, const uint64_t value[FIGURES],
		       struct saving best[SAVES_MAX]);

/* Lines of a report. */
void saves_text(struct sheet *s);
void saves_json(struct sheet *s);

#endif
