/* SPDX-License-Identifier: MIT */
/*
 * Lines of the kernel's log about memory that was reserved at boot, or
 * allocated in whole pages before the first process: see proc.h, ram.
 *
 * Sources: mm/percpu.c (pcpu_embed_first_chunk, pcpu_dump_alloc_info),
 * kernel/printk/printk.c (setup_log_buf), kernel/dma/swiotlb.c
 * (swiotlb_print_info), kernel/dma/pool.c, kernel/trace/ftrace.c, mm/mm_init.c,
 * mm/kfence/core.c, arch/x86/mm/numa.c of 5.10, 6.1, 6.12 and 7.2.
 */
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

/* "211188K/261624K available (14343K kernel code, 2327K rwdata, …)" */
static void memory(struct ram_reader *r, struct word rest)
{
	static const char *const names[][2] = {
		{ "kernel code", "code" }, { "rwdata", "data" },
		{ "rodata", "rodata" }, { "bss", "bss" },
	};
	struct word figure;
	uint64_t kib;

	r->late = 1;
	word_to(&rest, '(', &figure);
	while (word_to(&rest, ',', &figure)->len) {
		if (number_to(past_blanks(&figure), 'K', 10, &kib) ||
		    kib > UINT32_MAX)
			continue;
		past_blanks(&figure);
		for (uint32_t i = 0; i < ARRAY_LEN(names); i++)
			if (word_is(&figure, names[i][0]) &&
			    r->log_images < ARRAY_LEN(r->log_image)) {
				r->log_image[r->log_images].name = names[i][1];
				r->log_image[r->log_images++].bytes =
					kib * 1024;
			}
	}
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
	{ "  ", memmap },
};

void ram_log_line(struct ram_reader *r, const struct word *text)
{
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		struct word rest = *text;

		if (!word_skip(&rest, lines[i].begins) && rest.len)
			lines[i].take(r, rest);
	}
}

/* Tables from memblock and the page allocator are whole pages; tables from
 * vmalloc are in the figure of vmalloc. */
void ram_log_hash(struct ram_reader *r, const struct word *name,
		  uint64_t bytes, int by_vmalloc)
{
	const uint32_t flags = !r->late ? RAM_RESERVED :
			       by_vmalloc ? RAM_BEFORE | RAM_WITHIN :
					    RAM_BEFORE;

	if (bytes <= UINT64_MAX - r->page_size)
		ram_emit(r, flags, name, (bytes + r->page_size - 1) /
			 r->page_size * r->page_size);
}

void ram_log_freed(struct ram_reader *r, const struct word *what, uint64_t kib)
{
	if (word_is(what, "initrd ")) {
		r->freed_initrd += kib * 1024;
	} else if (word_is(what, "unused decrypted ")) {
		r->freed_bss += kib * 1024;
	} else {
		r->freed_image += kib * 1024;
		r->image_freed |= word_begins(what, "unused kernel");
	}
}
