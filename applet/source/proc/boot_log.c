/* SPDX-License-Identifier: MIT */
/*
 * Lines of the kernel's log about memory that was reserved at boot, or
 * allocated in whole pages before the first process, and about memory that was
 * given back: see proc.h, boot log and ram.
 *
 * Sources: mm/percpu.c (pcpu_embed_first_chunk, pcpu_dump_alloc_info),
 * kernel/printk/printk.c (setup_log_buf), kernel/dma/swiotlb.c
 * (swiotlb_print_info), kernel/dma/pool.c, kernel/trace/ftrace.c, mm/mm_init.c,
 * mm/kfence/core.c, arch/x86/mm/numa.c of 5.10, 6.1, 6.12 and 7.2;
 * mm/page_alloc.c (alloc_large_system_hash, free_reserved_area),
 * arch/x86/mm/init.c, init/main.c, init/initramfs.c of 5.10, 6.1 and 6.12.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/system.h"
#include "source/proc/proc.h"

/* The bytes of a range "[mem 0x0fdd8000-0x0ffdffff]"; 0: no such range. The
 * second address is that of the last byte; for swiotlb, of the byte behind. */
static uint64_t range_bytes(struct word rest)
{
	struct word w;
	uint64_t first, last;

	word_to(&rest, '[', &w);
	word_to(&rest, 'x', &w);
	if (!word_is(&w, "mem 0") || number_to(&rest, '-', 16, &first) ||
	    !word_is(word_to(&rest, 'x', &w), "0") ||
	    number_to(&rest, ']', 16, &last) || last < first ||
	    last == UINT64_MAX)
		return 0;
	return last - first + (last & 1);
}

static void ramdisk(struct ram_reader *r, struct word rest)
{
	r->ramdisk = range_bytes(rest);
}

/* All nodes have the same size. */
static void node_data(struct ram_reader *r, struct word rest)
{
	const uint64_t bytes = range_bytes(rest);

	ram_emit_named(r, RAM_RESERVED, RAM_NODES, bytes);
	if (!r->node_data)
		ram_emit_named(r, RAM_SUM, RAM_NODES_EACH, bytes);
	r->node_data = bytes;
}

/* "2097152 bytes for 255 objects at …" */
static void kfence(struct ram_reader *r, struct word rest)
{
	uint64_t bytes;

	if (!number_to(&rest, ' ', 10, &bytes))
		ram_emit_named(r, RAM_RESERVED, RAM_KFENCE, bytes);
}

static void swiotlb(struct ram_reader *r, struct word rest)
{
	r->swiotlb = range_bytes(rest);
}

/* "Embedded 62 pages/cpu s217088 r8192 d28672 u2097152", "62 4K pages/cpu
 * s217088 …". The kernel gives back the part of a unit behind these pages. */
static void percpu(struct ram_reader *r, struct word rest)
{
	uint64_t pages, unit;
	struct word w;

	if (word_number(next_word(&rest, &w), 10, &pages) &&
	    word_number(next_word(&rest, &w), 10, &pages))
		return;
	r->percpu_pages = pages;
	while (rest.len)
		if (next_word(&rest, &w)->len && *w.at == 'u') {
			w.at++;
			w.len--;
			if (!number_to(&w, '\n', 10, &unit))
				r->percpu_unit = unit;
		}
}

/* "s217088 r8192 d28672 u2097152 alloc=1*2097152": the units of one allocation
 * follow from its size. */
static void percpu_alloc(struct ram_reader *r, struct word rest)
{
	uint64_t count, bytes;
	struct word w;

	word_to(&rest, '=', &w);
	if (!number_to(&rest, '*', 10, &count) &&
	    !number_to(&rest, '\n', 10, &bytes))
		r->percpu_alloc = bytes;
}

/* "1048576 bytes". Without this line the buffer is in the kernel's bss. */
static void log_buffer(struct ram_reader *r, struct word rest)
{
	uint64_t bytes;

	if (!number_to(&rest, ' ', 10, &bytes))
		r->log_buffer = bytes;
	r->log_made = 1;
}

/* "131072 + 557056 = 688128 bytes", since 6.11. If the command line sets the
 * size of the buffer, this line comes early, which is the only sign in 7.2. */
static void log_all(struct ram_reader *r, struct word rest)
{
	struct word w;
	uint64_t bytes;

	word_to(&rest, '=', &w);
	if (!number_to(past_blanks(&rest), ' ', 10, &bytes))
		r->log_all = bytes;
	r->log_made |= !r->percpu_pages;
}

/* "max cpu contribution: 4096 bytes": many CPUs need a larger buffer. */
static void log_of_cpus(struct ram_reader *r, struct word rest)
{
	(void)rest;
	r->log_made = 1;
}

/* "184 pages with 4 groups" */
static void ftrace(struct ram_reader *r, struct word rest)
{
	uint64_t pages;

	if (!number_to(&rest, ' ', 10, &pages) && pages < UINT32_MAX)
		ram_emit_named(r, RAM_BEFORE, "ftrace", pages * r->page_size);
}

/* "128 KiB GFP_KERNEL pool for atomic allocations" */
static void dma_pool(struct ram_reader *r, struct word rest)
{
	uint64_t kib;

	if (!number_to(&rest, ' ', 10, &kib) && kib < UINT32_MAX)
		ram_emit_named(r, RAM_BEFORE, "DMA pools", kib * 1024);
}

/* After these lines memory comes from the page allocator. */
static void allocator_is_ready(struct ram_reader *r, struct word rest)
{
	(void)rest;
	r->late = 1;
}

static int put(struct ram_reader *r, const struct word *name, uint64_t kib)
{
	if (baseline_figure(&r->event, name, kib))
		return 0;
	r->out->event(r->out, &r->event);
	return 1;
}

static int put_named(struct ram_reader *r, const char *name, uint64_t kib)
{
	return put(r, &(struct word){ name, strlen(name) }, kib);
}

/* Emits the size of the page structs of all RAM. Reserved memory includes them
 * and the kernel's image. */
static int put_page_structs(struct ram_reader *r, uint64_t ram_kib,
			    uint64_t reserved_kib, uint64_t image_kib)
{
	const uint64_t most_kib = reserved_kib > image_kib ?
				  reserved_kib - image_kib : 0;
	uint64_t kib = ram_kib * PAGE_STRUCT_BYTES / r->page_size;

	return put_named(r, BASELINE_PAGE_STRUCTS, kib < most_kib ? kib :
								    most_kib);
}

/* A part of the image, for machines whose iomem has none. */
static void keep_image(struct ram_reader *r, const struct word *name,
		       uint64_t kib)
{
	static const char *const names[][2] = {
		{ "kernel code", "code" }, { "rwdata", "data" },
		{ "rodata", "rodata" }, { "bss", "bss" },
	};

	for (uint32_t i = 0; i < ARRAY_LEN(names) && kib <= UINT32_MAX; i++)
		if (word_is(name, names[i][0]) &&
		    r->log_images < ARRAY_LEN(r->log_image)) {
			r->log_image[r->log_images].name = names[i][1];
			r->log_image[r->log_images++].bytes = kib * 1024;
		}
}

/* "211188K/261624K available (14343K kernel code, 2327K rwdata, …, 50232K
 * reserved, 0K cma-reserved)": emits each figure in the parentheses, and the
 * page structs. The figures before "reserved" add up to the image. */
static void memory(struct ram_reader *r, struct word rest)
{
	uint64_t ram_kib = 0, image_kib = 0;
	struct word all, w;

	if (r->figures)
		return;
	r->late = 1;
	word_to(&rest, '(', &w);
	word_to(&rest, ')', &all);
	word_to(&w, '/', &rest);
	if (number_to(&w, 'K', 10, &ram_kib) || ram_kib > UINT64_MAX / 1024)
		ram_kib = 0;
	while (all.len) {
		struct word name;
		uint64_t kib;

		word_to(&all, ',', &name);
		if (number_to(past_blanks(&name), 'K', 10, &kib) ||
		    name.len < 2 || *name.at != ' ' ||
		    !put(r, past_blanks(&name), kib))
			continue;
		r->figures++;
		keep_image(r, &name, kib);
		if (word_is(&name, BASELINE_RESERVED))
			r->figures += put_page_structs(r, ram_kib, kib,
						       image_kib);
		image_kib += kib;
	}
}

/* "initrd memory: 59732K", "unused kernel image (initmem) memory: 2612K" */
static void freed(struct ram_reader *r, struct word rest)
{
	static const char behind[] = "memory: ";
	struct word what = rest;
	uint64_t kib;

	if (word_seek(&rest, behind))
		return;
	what.len -= rest.len + sizeof(behind) - 1;
	if (number_to(&rest, 'K', 10, &kib) || kib > UINT32_MAX)
		return;
	if (word_is(&what, "initrd ")) {
		r->freed_initrd += kib * 1024;
	} else if (word_is(&what, "unused decrypted ")) {
		r->freed_bss += kib * 1024;
	} else {
		r->freed_image += kib * 1024;
		r->image_freed |= word_begins(&what, "unused kernel");
	}
}

/* The first error counts: the kernel may unpack an image twice. */
static void unpack_error(struct ram_reader *r, struct word rest, char stop)
{
	struct word error;

	word_to(&rest, stop, &error);
	if (!r->unpack_error[0])
		word_copy(&error, r->unpack_error, sizeof(r->unpack_error));
}

/* "write error" */
static void unpacking(struct ram_reader *r, struct word rest)
{
	unpack_error(r, rest, '\n');
}

/* "XZ-compressed data is corrupt); looks like an initrd" */
static void no_initramfs(struct ram_reader *r, struct word rest)
{
	unpack_error(r, rest, ')');
}

/* "  DMA zone: 64 pages used for memmap", up to about 5.18. */
static void memmap(struct ram_reader *r, struct word rest)
{
	const int used = find_text(rest.at, rest.len,
				   " pages used for memmap") != NULL;
	struct word w;
	uint64_t pages;

	if (used && !word_seek(&rest, " zone: ") &&
	    !number_to(past_blanks(&rest), ' ', 10, &pages) &&
	    pages < UINT32_MAX && next_word(&rest, &w)->len)
		r->memmap_pages += pages;
}

static const struct {
	const char *begins;
	void (*take)(struct ram_reader *r, struct word rest);
} lines[] = {
	{ "RAMDISK: ", ramdisk },
	{ "NODE_DATA", node_data },
	{ "NUMA: NODE_DATA", node_data },
	{ "kfence: initialized - using ", kfence },
	{ "software IO TLB: mapped ", swiotlb },
	{ "percpu: ", percpu },
	{ "PERCPU: ", percpu },
	{ "pcpu-alloc: s", percpu_alloc },
	{ "printk: log_buf_len: ", log_buffer },
	{ "log_buf_len: ", log_buffer },
	{ "printk: log_buf_len individual ", log_of_cpus },
	{ "printk: log buffer data + meta data: ", log_all },
	{ "ftrace: allocated ", ftrace },
	{ "DMA: preallocated ", dma_pool },
	{ "mem auto-init: ", allocator_is_ready },
	{ "Memory: ", memory },
	{ "SLUB: ", allocator_is_ready },
	{ "Freeing ", freed },
	{ "Initramfs unpacking failed: ", unpacking },
	{ "rootfs image is not initramfs (", no_initramfs },
	{ "  ", memmap },
};

/* "Dentry cache hash table entries: 32768 (order: 6, 262144 bytes, linear)". A
 * table from memblock or the page allocator takes whole pages; a table from
 * vmalloc is in the figure of vmalloc. Such a line ends in a parenthesis, unlike
 * most other lines: so few lines are searched. */
static void hash_table(struct ram_reader *r, const struct word *text)
{
	struct word name = *text, rest = *text, w;
	uint64_t bytes;
	uint32_t flags = RAM_RESERVED;

	if (rest.len && rest.at[rest.len - 1] == '\n')
		rest.len--;
	if (!rest.len || rest.at[rest.len - 1] != ')' ||
	    word_seek(&rest, " hash table entries: "))
		return;
	name.len = (size_t)(rest.at - name.at) - sizeof(" entries: ") + 1;
	word_to(&rest, ',', &w);
	if (number_to(past_blanks(&rest), ' ', 10, &bytes) ||
	    !word_begins(&rest, "bytes") ||
	    bytes > UINT64_MAX / 1024 - r->hash_bytes)
		return;
	r->hash_bytes += bytes;
	if (r->late)
		flags = find_text(rest.at, rest.len, "vmalloc") ?
			RAM_BEFORE | RAM_WITHIN : RAM_BEFORE;
	ram_emit(r, flags, &name, (bytes + r->page_size - 1) / r->page_size *
				  r->page_size);
}

int boot_log_record(void *reader, const char *record, size_t len)
{
	struct ram_reader *r = reader;
	struct word text;

	if (log_text(record, len, &text))	/* a program's line */
		return 1;
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		struct word rest = text;

		if (!word_skip(&rest, lines[i].begins) && rest.len)
			lines[i].take(r, rest);
	}
	hash_table(r, &text);
	return !word_begins(&text, "Run ");
}

void boot_log_end(struct ram_reader *r)
{
	const uint64_t freed_bytes = r->freed_bss + r->freed_image;

	if (!r->figures)
		return;
	put_named(r, BASELINE_HASH_TABLES, r->hash_bytes / 1024);
	if (r->freed_initrd)
		put_named(r, BASELINE_INITRD, r->freed_initrd / 1024);
	if (freed_bytes)
		put_named(r, BASELINE_FREED, freed_bytes / 1024);
}

void boot_log_read(struct ram_reader *r, uint64_t time_ns, const char *rootfs)
{
	int fd = system_open_path("/dev/kmsg", O_NONBLOCK);
	struct event e;

	if (fd < 0)
		return;
	r->event.time_ns = time_ns;
	log_each(fd, BOOT_RECORDS, boot_log_record, r);
	close(fd);
	boot_log_end(r);
	if (!r->unpack_error[0] && rootfs_lacks_inodes(rootfs))
		memcpy(r->unpack_error, UNPACK_NO_INODE,
		       sizeof(UNPACK_NO_INODE));
	if (!r->unpack_error[0])
		return;
	event_named(&e, EVENT_UNPACK, time_ns, r->unpack_error);
	rootfs_room(&e, rootfs);
	r->out->event(r->out, &e);
	if (rootfs_last_file(&e, rootfs))
		r->out->event(r->out, &e);
}
