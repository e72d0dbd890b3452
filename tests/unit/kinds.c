/* SPDX-License-Identifier: MIT */
/*
 * ledger/kinds.c and ledger/kind_rules.c: the table of functions can be
 * searched; chains of real kernels are of the kind that they are for; what is
 * known late is moved, not counted twice.
 */
#include "ledger_fixture.h"

#define FUNCTION_BYTES 0x1000u
#define CORE 0xffffffff81000000u
#define MODULES 0xffffffffc0000000u

/*
 * Call chains with the kind of memory that each is for, as a human reads them:
 * of boots of these kernels (initramfs/demo, level 3), the last ones of the
 * kernel's source. Only frames are here that a rule or a module decides by; a
 * chain that a later kernel has as well stands at the first.
 */
static const struct {
	const char *kernel;
	enum page_kind kind;
	const char *chains;	/* innermost first: "a < b [module], c" */
} known_chains[] = {
	{ "5.10", KIND_ANON, "handle_mm_fault, "
	  "wp_page_copy < handle_mm_fault" },
	{ "5.10", KIND_CACHE, "do_read_cache_page, "
	  "page_cache_ra_unbounded < generic_file_buffered_read, "
	  "pagecache_get_page" },
	{ "5.10", KIND_DRIVER, "blk_mq_alloc_rqs < virtblk_probe [virtio_blk], "
	  "virtblk_probe [virtio_blk], vring_alloc_queue [virtio_ring]" },
	{ "5.10", KIND_IMAGE,
	  "page_cache_ra_unbounded < loop_queue_work [loop], "
	  "squashfs_bio_read [squashfs]" },
	{ "5.10", KIND_SLAB, "kmalloc_large_node, kmalloc_order, "
	  "allocate_slab < ovl_alloc_inode [overlay]" },
	{ "5.10", KIND_STACKS,
	  "__vmalloc_area_node < copy_process < kernel_clone" },
	{ "5.10", KIND_TABLES, "__change_page_attr_set_clr < load_module, "
	  "__pmd_alloc, __pte_alloc_kernel < __vmalloc_area_node, "
	  "__pud_alloc < handle_mm_fault, pgd_alloc, "
	  "pte_alloc_one < copy_page_range" },
	{ "5.10", KIND_TMPFS, "shmem_alloc_page" },
	{ "5.10", KIND_VMALLOC, "__vmalloc_area_node, load_module, "
	  "pcpu_populate_chunk" },
	{ "6.1", KIND_ANON, "do_fault < __handle_mm_fault, "
	  "wp_page_copy < __handle_mm_fault" },
	{ "6.1", KIND_CACHE, "__filemap_get_folio < pagecache_get_page, "
	  "do_read_cache_folio, page_cache_ra_unbounded < filemap_get_pages" },
	{ "6.1", KIND_DRIVER, "blk_mq_alloc_map_and_rqs < loop_add [loop]" },
	{ "6.1", KIND_IMAGE,
	  "page_cache_ra_unbounded < loop_process_work [loop], "
	  "readahead_expand < squashfs_readahead [squashfs]" },
	{ "6.1", KIND_SLAB, "__kmalloc_large_node < kvmalloc_node" },
	{ "6.1", KIND_TABLES, "__p4d_alloc, __pud_alloc" },
	{ "6.1", KIND_TMPFS, "shmem_alloc_folio" },
	{ "6.12", KIND_ANON, "do_wp_page < __handle_mm_fault" },
	{ "6.12", KIND_CACHE, "__filemap_get_folio" },
	{ "6.12", KIND_DRIVER, "vring_alloc_queue_split" },
	{ "6.12", KIND_IMAGE,
	  "page_cache_ra_unbounded < lo_rw_aio.isra.0 [loop]" },
	{ "6.12", KIND_SLAB, "___kmalloc_large_node < __kvmalloc_node_noprof" },
	{ "6.12", KIND_TABLES, "__pmd_alloc < copy_page_range, "
	  "__pte_alloc_kernel < __vmalloc_node_range_noprof" },
	{ "6.12", KIND_VMALLOC, "__vmalloc_node_range_noprof < execmem_alloc" },
	{ "7.2", KIND_CACHE, "__filemap_get_folio_mpol, "
	  "page_cache_ra_unbounded < do_page_cache_ra" },
	{ "7.2", KIND_DRIVER, "vring_alloc_queue" },
	{ "7.2", KIND_IMAGE, "page_cache_ra_order < lo_rw_aio.isra.0 [loop]" },
	{ "7.2", KIND_STACKS,
	  "__vmalloc_node_range_noprof < copy_process < kernel_clone" },
	{ "7.2", KIND_TABLES, "__change_page_attr_set_clr < execmem_alloc_rw, "
	  "__pud_alloc < copy_page_range, tlb_remove_table" },
	{ "7.2", KIND_VMALLOC, "__vmalloc_node_range_noprof" },
	{ "source", KIND_NET, "skb_page_frag_refill, "
	  "page_frag_alloc_align < __napi_alloc_skb, "
	  "__kmalloc_large_node < kmalloc_reserve < __alloc_skb, "
	  "alloc_skb_with_frags < sock_alloc_send_pskb, "
	  "page_pool_alloc_pages < mlx5e_post_rx_wqes [mlx5_core]" },
	{ "source", KIND_SLAB, "allocate_slab < __alloc_skb" },
	{ "source", KIND_DRIVER, "__dma_direct_alloc_pages < dma_alloc_attrs, "
	  "ttm_pool_alloc" },
	{ "source", KIND_TMPFS, "__filemap_get_folio < simple_write_begin, "
	  "shmem_alloc_folio < __do_fault" },
	{ "source", KIND_IMAGE, "page_cache_ra_unbounded < loop_process_work" },
	{ "source", KIND_STACKS, "alloc_thread_stack_node < dup_task_struct" },
	{ "source", KIND_VMALLOC, "pcpu_populate_chunk < pcpu_alloc, "
	  "__vmalloc_area_node < kvmalloc_node < copy_process" },
};

/* What else is on such chains and decides nothing. */
static const char neutral[] =
	"alloc_frozen_pages_noprof alloc_pages_exact alloc_pages_mpol "
	"alloc_pages_nodemask alloc_pages_vma bdev_open "
	"blk_mq_init_queue blkdev_get do_init_module do_one_initcall "
	"do_sys_clone dup_fd dup_mmap exc_page_fault exit_mmap "
	"ext4_iget folio_alloc_mpol_noprof free_pgtables "
	"ftrace_process_locs generic_file_splice_read "
	"generic_perform_write get_free_pages getblk_slow "
	"kernel_read_file kmalloc_node kmem_cache_alloc kthread "
	"kvmemdup load_elf_binary map_kernel_range_noflush mm_init "
	"module_enable_ro move_page_tables pcpu_balance_workfn "
	"pcs_replace_empty_main percpu_counter_init read_pages "
	"setup_vq shift_arg_pages slab_alloc sk_page_frag_refill "
	"tcp_sendmsg tlb_next_batch tlb_remove_page_size unmap_vmas "
	"vma_alloc_folio vmap_small_pages_range_noflush "
	"vring_create_virtqueue";

static void tell(struct fixture *f, uint32_t type, const char *name,
		 uint64_t base, uint64_t size)
{
	struct event e = { .type = type, .base = base, .size = size };

	snprintf(e.name, sizeof(e.name), "%s", name);
	apply(f, &e);
}

/* A function of its own; if it is a module's, that module has its text. Where a
 * call of it returns to. */
static uint64_t tell_frame(struct fixture *f, const char *text)
{
	const uint64_t at = f->now_ns * FUNCTION_BYTES;
	char name[64], module[32];

	if (sscanf(text, "%63[^ ,] [%31[^]]", name, module) == 2) {
		tell(f, EVENT_MODULE_RANGE, module, MODULES + at,
		     FUNCTION_BYTES);
		return MODULES + at + 0x10;
	}
	tell(f, EVENT_FUNCTION, name, CORE + at, FUNCTION_BYTES);
	return CORE + at + 0x10;
}

static void test_table(void)
{
	uint32_t wrong = 0;

	for (uint32_t i = 0; i < KIND_RULES; i++) {
		const struct kind_rule *r = &kind_rules[i];
		const size_t len = strnlen(r->begins, sizeof(r->begins));

		wrong += !len || len == sizeof(r->begins) ||
			 r->begins[0] == '_' || !r->kind ||
			 kinds_rule(r->begins, len) != r;
		if (i)
			wrong += strcmp(r[-1].begins, r->begins) >= 0 ||
				 !strncmp(r[-1].begins, r->begins,
					  strlen(r[-1].begins));
	}
	tap_ok(!wrong, "the table is sorted, and each rule is found");
	tap_ok(kinds_rule("__pte_alloc_one.constprop.0", 27) ==
	       kinds_rule("pte_alloc", 9), "a suffix and underscores are no "
	       "other function");
	for (const char *at = neutral; *at; at += strspn(at, " ")) {
		wrong += kinds_rule(at, strcspn(at, " ")) != NULL;
		at += strcspn(at, " ");
	}
	tap_ok(!wrong, "functions that tell no kind");
	tap_ok(!kinds_rule("pte_allo", 8) && !kinds_rule("", 0) &&
	       !kinds_rule("____", 4) && !kinds_rule("zzz", 3) &&
	       !kinds_rule("a", 1), "a beginning of a beginning is none");
}

static void test_chains(const char *kernel, enum page_kind kind,
			const char *chains)
{
	struct fixture *f = fixture_new();

	for (const char *at = chains, *text; *at; at += strspn(at, ", ")) {
		uint64_t chain[CHAIN_FRAMES_MAX];
		uint32_t len = 0;

		text = at;
		for (; *at && *at != ','; at += strspn(at, " <")) {
			chain[len++] = tell_frame(f, at);
			at += strcspn(at, "<,");
		}
		tap_ok(kinds_of_chain(&f->ledger.kinds, &f->ledger.modules,
				      chain, len) == kind, "%s: %.*s", kernel,
		       (int)(at - text), text);
	}
	free(f);
}

/* The reading of names was cut short, and began again. */
static void test_again(void)
{
	struct fixture *f = fixture_new();
	struct kinds *k = &f->ledger.kinds;

	for (uint32_t i = 0; i < 3 * 150; i++)
		tell(f, EVENT_FUNCTION, "shmem_fault",
		     CORE + i % 150 * FUNCTION_BYTES, 16);
	tap_ok(k->ranges == 150 && !k->full && !f->ledger.total.rejected,
	       "functions that are told three times count once");
	tell(f, EVENT_FUNCTIONS_END, "", 0, 0);
	tap_ok(k->known, "then the kinds are known");
	free(f);
}

/* Addresses hidden by kptr_restrict: nothing is known, and nothing made up. */
static void test_hidden(void)
{
	struct fixture *f = fixture_new();
	struct kinds *k = &f->ledger.kinds;

	tell(f, EVENT_FUNCTION, "allocate_slab", 0, 0);
	tell(f, EVENT_FUNCTION, "no_such_function", CORE, 16);
	tell(f, EVENT_FUNCTIONS_END, "", 0, 0);
	tap_ok(!k->known && !k->ranges, "no function, no kinds");
	for (uint32_t i = 0; i < KIND_RANGES_MAX + 9; i++)
		tell(f, EVENT_FUNCTION, "shmem_fault",
		     CORE + (i * 7919u % 1000) * 32, 16);
	tell(f, EVENT_FUNCTIONS_END, "", 0, 0);
	tap_ok(k->ranges == KIND_RANGES_MAX && k->full &&
	       !ledger_check(&f->ledger),
	       "more than there is room for is counted");
	free(f);
}

int main(void)
{
	test_table();
	for (size_t i = 0; i < ARRAY_LEN(known_chains); i++)
		test_chains(known_chains[i].kernel, known_chains[i].kind,
			    known_chains[i].chains);
	test_again();
	test_hidden();
	return tap_plan_done();
}
