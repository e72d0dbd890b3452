/* SPDX-License-Identifier: MIT */
/*
 * `format` files of tracepoints as kernels print them, for the tests of
 * source/tracefs/ and perf. The lists of flags are shortened, and of most files
 * what is behind the fields is left out: nothing is read there.
 */
#ifndef FORMATS_H
#define FORMATS_H

#define FORMAT_COMMON \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;" \
	"\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

#define FORMAT_ALLOC_FIELDS \
	"\tfield:unsigned long pfn;\toffset:8;\tsize:8;\tsigned:0;\n" \
	"\tfield:unsigned int order;\toffset:16;\tsize:4;\tsigned:0;\n" \
	"\tfield:unsigned long gfp_flags;\toffset:24;\tsize:8;\tsigned:0;\n" \
	"\tfield:int migratetype;\toffset:32;\tsize:4;\tsigned:1;\n\n"

#define FORMAT_ALLOC_PRINT \
	"print fmt: \"page=%p pfn=0x%lx order=%d migratetype=%d gfp_flags=%s" \
	"\", REC->pfn != -1UL ? (((struct page *)vmemmap_base) + (REC->pfn))" \
	" : ((void *)0), REC->pfn != -1UL ? REC->pfn : 0, REC->order, " \
	"REC->migratetype, (REC->gfp_flags) ? __print_flags(REC->gfp_flags, " \
	"\"|\", "

/* 6.18, x86-64. */
static const char format_alloc[] =
	"name: mm_page_alloc\nID: 653\nformat:\n"
	FORMAT_COMMON FORMAT_ALLOC_FIELDS FORMAT_ALLOC_PRINT
	"{( unsigned long)((((( gfp_t)(((((1UL))) << (10))|((((1UL))) << (11)"
	"))) | (( gfp_t)((((1UL))) << (6)))) | (( gfp_t)((((1UL))) << (1)))) |"
	" (( gfp_t)((((1UL))) << (3)))), \"GFP_HIGHUSER_MOVABLE\"}, "
	"{( unsigned long)((( gfp_t)((((1UL))) << (5)))|(( gfp_t)((((1UL)))"
	" << (11)))), \"GFP_ATOMIC\"}, "
	"{( unsigned long)(( gfp_t)((((1UL))) << (0))), \"__GFP_DMA\"}, "
	"{( unsigned long)(( gfp_t)((((1UL))) << (1))), \"__GFP_HIGHMEM\"}, "
	"{( unsigned long)(( gfp_t)((((1UL))) << (2))), \"__GFP_DMA32\"}, "
	"{( unsigned long)(( gfp_t)((((1UL))) << (3))), \"__GFP_MOVABLE\"}, "
	"{( unsigned long)(( gfp_t)((((1UL))) << (8))), \"__GFP_ZERO\"}, "
	"{( unsigned long)(( gfp_t)((((1UL))) << (23))), \"__GFP_ZEROTAGS\"}, "
	"{ 0, ((void *)0) } ) : \"none\"\n";

/* 6.1, x86-64. */
static const char format_alloc_6_1[] =
	"name: mm_page_alloc\nID: 542\nformat:\n"
	FORMAT_COMMON FORMAT_ALLOC_FIELDS FORMAT_ALLOC_PRINT
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
	"name: mm_page_alloc\nID: 459\nformat:\n"
	FORMAT_COMMON FORMAT_ALLOC_FIELDS FORMAT_ALLOC_PRINT
	"{(unsigned long)((( gfp_t)(0x400u|0x800u)) | (( gfp_t)0x40u)), "
	"\"GFP_NOFS\"}, {(unsigned long)(( gfp_t)0x02u), \"__GFP_HIGHMEM\"}, "
	"{(unsigned long)(( gfp_t)0x100u), \"__GFP_ZERO\"}, "
	"{(unsigned long)(( gfp_t)0x08u), \"__GFP_MOVABLE\"} ) : \"none\"\n";

/* A machine of 32 bits. */
static const char format_alloc_32[] =
	"name: mm_page_alloc\nID: 300\nformat:\n" FORMAT_COMMON
	"\tfield:unsigned long pfn;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned int order;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long gfp_flags;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:int migratetype;\toffset:20;\tsize:4;\tsigned:1;\n\n"
	FORMAT_ALLOC_PRINT "{( unsigned long)(( gfp_t)((((1UL))) << (8))), "
	"\"__GFP_ZERO\"} ) : \"none\"\n";

/* Every field of another size, as on s390, and out of order. */
static const char format_alloc_s390[] =
	"name: mm_page_alloc\nID: 301\nformat:\n" FORMAT_COMMON
	"\tfield:gfp_t gfp_flags;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long order;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long pfn;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:int migratetype;\toffset:32;\tsize:4;\tsigned:1;\n\n"
	FORMAT_ALLOC_PRINT "{( unsigned long)(( gfp_t)0x100u), "
	"\"__GFP_ZERO\"} ) : \"none\"\n";

/* Before 4.1: no pfn. */
static const char format_alloc_old[] =
	"name: mm_page_alloc\nID: 200\nformat:\n" FORMAT_COMMON
	"\tfield:struct page * page;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned int order;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:gfp_t gfp_flags;\toffset:20;\tsize:4;\tsigned:0;\n";

static const char format_free[] =
	"name: mm_page_free\nID: 655\nformat:\n" FORMAT_COMMON
	"\tfield:unsigned long pfn;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned int order;\toffset:16;\tsize:4;\tsigned:0;\n";

static const char format_module_load[] =
	"name: module_load\nID: 357\nformat:\n" FORMAT_COMMON
	"\tfield:unsigned int taints;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc char[] name;\toffset:12;\tsize:4;\tsigned:1;\n";

static const char format_module_free[] =
	"name: module_free\nID: 356\nformat:\n" FORMAT_COMMON
	"\tfield:__data_loc char[] name;\toffset:8;\tsize:4;\tsigned:0;\n";

static const char format_enter[] =
	"name: sys_enter_finit_module\nID: 348\nformat:\n" FORMAT_COMMON
	"\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:int fd;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:const char * uargs;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:int flags;\toffset:32;\tsize:8;\tsigned:0;\n";

static const char format_exit[] =
	"name: sys_exit_finit_module\nID: 347\nformat:\n" FORMAT_COMMON
	"\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n";

static const char format_raw_enter[] =
	"name: sys_enter\nID: 22\nformat:\n" FORMAT_COMMON
	"\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n";

static const char format_raw_exit[] =
	"name: sys_exit\nID: 21\nformat:\n" FORMAT_COMMON
	"\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n";

static const char format_initcall[] =
	"name: initcall_finish\nID: 24\nformat:\n" FORMAT_COMMON
	"\tfield:initcall_t func;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:int ret;\toffset:16;\tsize:4;\tsigned:1;\n";

/* A kretprobe of our own with one number, and a kprobe without. */
static const char format_bulk[] =
	"name: bulk\nID: 1540\nformat:\n" FORMAT_COMMON
	"\tfield:unsigned long __probe_func;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:u64 n;\toffset:16;\tsize:8;\tsigned:0;\n";

static const char format_area_enter[] =
	"name: enter\nID: 1541\nformat:\n" FORMAT_COMMON
	"\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:u64 c;\toffset:16;\tsize:8;\tsigned:0;\n";

/* 6.1: with the area's name first; 5.10 had cma_alloc. */
static const char format_cma[] =
	"name: cma_alloc_finish\nID: 480\nformat:\n" FORMAT_COMMON
	"\tfield:__data_loc char[] name;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned long pfn;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:const struct page * page;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long count;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned int align;\toffset:40;\tsize:4;\tsigned:0;\n";

static const char format_cma_5_10[] =
	"name: cma_alloc\nID: 400\nformat:\n" FORMAT_COMMON
	"\tfield:unsigned long pfn;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:const struct page * page;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned int count;\toffset:24;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned int align;\toffset:28;\tsize:4;\tsigned:0;\n";

/* 5.10; since 6.9 with a name and more. */
static const char format_victim[] =
	"name: mark_victim\nID: 455\nformat:\n" FORMAT_COMMON
	"\tfield:int pid;\toffset:8;\tsize:4;\tsigned:1;\n";

static const char format_victim_6_18[] =
	"name: mark_victim\nID: 609\nformat:\n" FORMAT_COMMON
	"\tfield:int pid;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:__data_loc char[] comm;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long total_vm;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:uid_t uid;\toffset:48;\tsize:4;\tsigned:0;\n";

/* 6.1. */
static const char format_kmalloc[] =
	"name: kmalloc\nID: 470\nformat:\n" FORMAT_COMMON
	"\tfield:unsigned long call_site;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:const void * ptr;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:size_t bytes_req;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:size_t bytes_alloc;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long gfp_flags;\toffset:40;\tsize:8;\tsigned:0;\n"
	"\tfield:int node;\toffset:48;\tsize:4;\tsigned:1;\n";

/* 6.1 and 6.12. */
static const char format_cache_alloc[] =
	"name: kmem_cache_alloc\nID: 471\nformat:\n" FORMAT_COMMON
	"\tfield:unsigned long call_site;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:const void * ptr;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:size_t bytes_req;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:size_t bytes_alloc;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long gfp_flags;\toffset:40;\tsize:8;\tsigned:0;\n"
	"\tfield:int node;\toffset:48;\tsize:4;\tsigned:1;\n"
	"\tfield:bool accounted;\toffset:52;\tsize:1;\tsigned:0;\n";

/* 7.2. */
static const char format_cache_alloc_named[] =
	"name: kmem_cache_alloc\nID: 472\nformat:\n" FORMAT_COMMON
	"\tfield:unsigned long call_site;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:const void * ptr;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] name;\toffset:24;\tsize:4;\tsigned:0;\n"
	"\tfield:size_t bytes_req;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:size_t bytes_alloc;\toffset:40;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long gfp_flags;\toffset:48;\tsize:8;\tsigned:0;\n";

/* 5.10 to 7.2; of kmem_cache_free, 5.10. */
static const char format_kfree[] =
	"name: kfree\nID: 473\nformat:\n" FORMAT_COMMON
	"\tfield:unsigned long call_site;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:const void * ptr;\toffset:16;\tsize:8;\tsigned:0;\n";

/* 6.1 to 7.2. */
static const char format_cache_free[] =
	"name: kmem_cache_free\nID: 474\nformat:\n" FORMAT_COMMON
	"\tfield:unsigned long call_site;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:const void * ptr;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] name;\toffset:24;\tsize:4;\tsigned:1;\n";

#endif
