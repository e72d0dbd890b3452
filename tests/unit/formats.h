/* SPDX-License-Identifier: MIT */
/*
 * `format` files of tracepoints as kernels print them, for the tests of
 * source/tracefs/ and perf. The lists of flags are shortened, and of most files
 * what is behind the fields is left out: nothing is read there.
 */
#ifndef FORMATS_H
#define FORMATS_H

#define FIELD(what, offset, size, is_signed) \
	"\tfield:" what ";\toffset:" #offset ";\tsize:" #size ";\tsigned:" \
	#is_signed ";\n"

#define FORMAT(name, id) \
	"name: " name "\nID: " #id "\nformat:\n" FORMAT_COMMON

#define FORMAT_COMMON \
	FIELD("unsigned short common_type", 0, 2, 0) \
	FIELD("unsigned char common_flags", 2, 1, 0) \
	FIELD("unsigned char common_preempt_count", 3, 1, 0) \
	FIELD("int common_pid", 4, 4, 1) "\n"

#define FORMAT_ALLOC_FIELDS \
	FIELD("unsigned long pfn", 8, 8, 0) \
	FIELD("unsigned int order", 16, 4, 0) \
	FIELD("unsigned long gfp_flags", 24, 8, 0) \
	FIELD("int migratetype", 32, 4, 1) "\n"

#define FORMAT_ALLOC_PRINT \
	"print fmt: \"page=%p pfn=0x%lx order=%d migratetype=%d gfp_flags=%s" \
	"\", REC->pfn != -1UL ? (((struct page *)vmemmap_base) + (REC->pfn))" \
	" : ((void *)0), REC->pfn != -1UL ? REC->pfn : 0, REC->order, " \
	"REC->migratetype, (REC->gfp_flags) ? __print_flags(REC->gfp_flags, " \
	"\"|\", "

/* 6.18, x86-64. */
static const char format_alloc[] =
	FORMAT("mm_page_alloc", 653) FORMAT_ALLOC_FIELDS FORMAT_ALLOC_PRINT
	"{( unsigned long)((((( gfp_t)(((((1UL))) << (10))|((((1UL))) << (11)"
	"))) | (( gfp_t)((((1UL))) << (6)))) | (( gfp_t)((((1UL))) << (1)))) |"
	" (( gfp_t)((((1UL))) << (3)))), \"GFP_HIGHUSER_MOVABLE\"}, "
	"{( unsigned long)((( gfp_t)((((1UL))) << (5)))|(( gfp_t)((((1UL)))"
	" << (11)))), \"GFP_ATOMIC\"}, "
	"{( unsigned long)(( gfp_t)((((1UL))) << (0))), \"__GFP_DMA\"}, "
	"{( unsigned long)(( gfp_t)((((1UL))) << (1))), \"__GFP_HIGHMEM\"}, "
	"{( unsigned long)(( gfp_t)((((1UL))) << (3))), \"__GFP_MOVABLE\"}, "
	"{( unsigned long)(( gfp_t)((((1UL))) << (8))), \"__GFP_ZERO\"}, "
	"{( unsigned long)(( gfp_t)((((1UL))) << (23))), \"__GFP_ZEROTAGS\"}, "
	"{ 0, ((void *)0) } ) : \"none\"\n";

/* 6.1, x86-64. */
static const char format_alloc_6_1[] =
	FORMAT("mm_page_alloc", 542) FORMAT_ALLOC_FIELDS FORMAT_ALLOC_PRINT
	"{( unsigned long)((((( gfp_t)(0x400u|0x800u)) | (( gfp_t)0x40u)) | ("
	"( gfp_t)0x02u)) | (( gfp_t)0x08u)), \"GFP_HIGHUSER_MOVABLE\"}, "
	"{( unsigned long)(( gfp_t)0x01u), \"GFP_DMA\"}, "
	"{( unsigned long)(( gfp_t)0x02u), \"__GFP_HIGHMEM\"}, "
	"{( unsigned long)(( gfp_t)0x100u), \"__GFP_ZERO\"}, "
	"{( unsigned long)(( gfp_t)0x08u), \"__GFP_MOVABLE\"}, "
	"{( unsigned long)(( gfp_t)0x2000u), \"__GFP_NOWARN\"}, "
	"{( unsigned long)(( gfp_t)0x10000u), \"__GFP_NORETRY\"}, "
	"{( unsigned long)(( gfp_t)0x100000u), \"__GFP_HARDWALL\"}, "
	"{( unsigned long)(( gfp_t)(0x400u|0x800u)), \"__GFP_RECLAIM\"}, "
	"{( unsigned long)(( gfp_t)0x800000u), \"__GFP_ZEROTAGS\"}"
	" ) : \"none\"\n";

/* 5.10: the same without the blanks of the casts. */
static const char format_alloc_5_10[] =
	FORMAT("mm_page_alloc", 459) FORMAT_ALLOC_FIELDS FORMAT_ALLOC_PRINT
	"{(unsigned long)((( gfp_t)(0x400u|0x800u)) | (( gfp_t)0x40u)), "
	"\"GFP_NOFS\"}, {(unsigned long)(( gfp_t)0x02u), \"__GFP_HIGHMEM\"}, "
	"{(unsigned long)(( gfp_t)0x100u), \"__GFP_ZERO\"}, "
	"{(unsigned long)(( gfp_t)0x08u), \"__GFP_MOVABLE\"} ) : \"none\"\n";

/* A machine of 32 bits. */
static const char format_alloc_32[] = FORMAT("mm_page_alloc", 300)
	FIELD("unsigned long pfn", 8, 4, 0)
	FIELD("unsigned int order", 12, 4, 0)
	FIELD("unsigned long gfp_flags", 16, 4, 0)
	FIELD("int migratetype", 20, 4, 1) "\n"
	FORMAT_ALLOC_PRINT "{( unsigned long)(( gfp_t)((((1UL))) << (8))), "
	"\"__GFP_ZERO\"} ) : \"none\"\n";

/* Every field of another size, as on s390, and out of order. */
static const char format_alloc_s390[] = FORMAT("mm_page_alloc", 301)
	FIELD("gfp_t gfp_flags", 8, 4, 0)
	FIELD("unsigned long order", 16, 8, 0)
	FIELD("unsigned long pfn", 24, 8, 0)
	FIELD("int migratetype", 32, 4, 1) "\n"
	FORMAT_ALLOC_PRINT "{( unsigned long)(( gfp_t)0x100u), "
	"\"__GFP_ZERO\"} ) : \"none\"\n";

/* Before 4.1: no pfn. */
static const char format_alloc_old[] = FORMAT("mm_page_alloc", 200)
	FIELD("struct page * page", 8, 8, 0)
	FIELD("unsigned int order", 16, 4, 0)
	FIELD("gfp_t gfp_flags", 20, 4, 0);

static const char format_free[] = FORMAT("mm_page_free", 655)
	FIELD("unsigned long pfn", 8, 8, 0)
	FIELD("unsigned int order", 16, 4, 0);

static const char format_module_load[] = FORMAT("module_load", 357)
	FIELD("unsigned int taints", 8, 4, 0)
	FIELD("__data_loc char[] name", 12, 4, 1);

static const char format_module_free[] = FORMAT("module_free", 356)
	FIELD("__data_loc char[] name", 8, 4, 0);

static const char format_enter[] = FORMAT("sys_enter_finit_module", 348)
	FIELD("int __syscall_nr", 8, 4, 1)
	FIELD("int fd", 16, 8, 0)
	FIELD("const char * uargs", 24, 8, 0)
	FIELD("int flags", 32, 8, 0);

static const char format_exit[] = FORMAT("sys_exit_finit_module", 347)
	FIELD("int __syscall_nr", 8, 4, 1)
	FIELD("long ret", 16, 8, 1);

static const char format_raw_enter[] = FORMAT("sys_enter", 22)
	FIELD("long id", 8, 8, 1)
	FIELD("unsigned long args[6]", 16, 48, 0);

static const char format_raw_exit[] = FORMAT("sys_exit", 21)
	FIELD("long id", 8, 8, 1)
	FIELD("long ret", 16, 8, 1);

static const char format_initcall[] = FORMAT("initcall_finish", 24)
	FIELD("initcall_t func", 8, 8, 0)
	FIELD("int ret", 16, 4, 1);

/* A kretprobe of our own with one number, and a kprobe without. */
static const char format_bulk[] = FORMAT("bulk", 1540)
	FIELD("unsigned long __probe_func", 8, 8, 0)
	FIELD("u64 n", 16, 8, 0);

static const char format_area_enter[] = FORMAT("enter", 1541)
	FIELD("unsigned long __probe_ip", 8, 8, 0)
	FIELD("u64 c", 16, 8, 0);

/* 6.1: with the area's name first; 5.10 had cma_alloc. */
static const char format_cma[] = FORMAT("cma_alloc_finish", 480)
	FIELD("__data_loc char[] name", 8, 4, 1)
	FIELD("unsigned long pfn", 16, 8, 0)
	FIELD("const struct page * page", 24, 8, 0)
	FIELD("unsigned long count", 32, 8, 0)
	FIELD("unsigned int align", 40, 4, 0);

/* Our own probe, as every kernel shows it. */
static const char format_move[] = FORMAT("move", 1601)
	FIELD("unsigned long __probe_ip", 8, 8, 0)
	FIELD("u64 to", 16, 8, 0)
	FIELD("u64 from", 24, 8, 0);

static const char format_cma_5_10[] = FORMAT("cma_alloc", 400)
	FIELD("unsigned long pfn", 8, 8, 0)
	FIELD("const struct page * page", 16, 8, 0)
	FIELD("unsigned int count", 24, 4, 0)
	FIELD("unsigned int align", 28, 4, 0);

/* 5.10; since 6.9 with a name and more. */
static const char format_victim[] = FORMAT("mark_victim", 455)
	FIELD("int pid", 8, 4, 1);

static const char format_victim_6_18[] = FORMAT("mark_victim", 609)
	FIELD("int pid", 8, 4, 1)
	FIELD("__data_loc char[] comm", 12, 4, 0)
	FIELD("unsigned long total_vm", 16, 8, 0)
	FIELD("uid_t uid", 48, 4, 0);

#define FORMAT_OBJECT \
	FIELD("unsigned long call_site", 8, 8, 0) \
	FIELD("const void * ptr", 16, 8, 0)

#define FORMAT_OBJECT_BYTES \
	FIELD("size_t bytes_req", 24, 8, 0) \
	FIELD("size_t bytes_alloc", 32, 8, 0) \
	FIELD("unsigned long gfp_flags", 40, 8, 0) \
	FIELD("int node", 48, 4, 1)

/* 6.1. */
static const char format_kmalloc[] = FORMAT("kmalloc", 470)
	FORMAT_OBJECT FORMAT_OBJECT_BYTES;

/* 6.1 and 6.12. */
static const char format_cache_alloc[] = FORMAT("kmem_cache_alloc", 471)
	FORMAT_OBJECT FORMAT_OBJECT_BYTES
	FIELD("bool accounted", 52, 1, 0);

/* 7.2. */
static const char format_cache_alloc_named[] = FORMAT("kmem_cache_alloc", 472)
	FORMAT_OBJECT
	FIELD("__data_loc char[] name", 24, 4, 0)
	FIELD("size_t bytes_req", 32, 8, 0)
	FIELD("size_t bytes_alloc", 40, 8, 0)
	FIELD("unsigned long gfp_flags", 48, 8, 0);

/* 5.10 to 7.2; of kmem_cache_free, 5.10. */
static const char format_kfree[] = FORMAT("kfree", 473)
	FORMAT_OBJECT;

/* 6.1 to 7.2. */
static const char format_cache_free[] = FORMAT("kmem_cache_free", 474)
	FORMAT_OBJECT
	FIELD("__data_loc char[] name", 24, 4, 1);

#endif
