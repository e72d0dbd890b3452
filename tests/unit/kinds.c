/* SPDX-License-Identifier: MIT */
/*
 * ledger/kinds.c and ledger/kind_rules.c: the table of functions can be
 * searched; chains of real kernels are of the kind that they are for; what is
 * known late is moved, not counted twice.
 */
#include "ledger_fixture.h"

#define NAMES_MAX 1024
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
	const char *frames;	/* innermost first; "name [module]" */
} known_chains[] = {
	{ "5.10", KIND_ANON, "handle_mm_fault" },
	{ "5.10", KIND_ANON, "wp_page_copy < handle_mm_fault" },
	{ "5.10", KIND_CACHE, "do_read_cache_page" },
	{ "5.10", KIND_CACHE,
	  "page_cache_ra_unbounded < generic_file_buffered_read" },
	{ "5.10", KIND_CACHE, "pagecache_get_page" },
	{ "5.10", KIND_DRIVER,
	  "blk_mq_alloc_rqs < virtblk_probe [virtio_blk]" },
	{ "5.10", KIND_DRIVER, "virtblk_probe [virtio_blk]" },
	{ "5.10", KIND_DRIVER, "vring_alloc_queue [virtio_ring]" },
	{ "5.10", KIND_IMAGE,
	  "page_cache_ra_unbounded < loop_queue_work [loop]" },
	{ "5.10", KIND_IMAGE, "squashfs_bio_read [squashfs]" },
	{ "5.10", KIND_SLAB, "kmalloc_large_node" },
	{ "5.10", KIND_SLAB, "kmalloc_order" },
	{ "5.10", KIND_SLAB, "allocate_slab < ovl_alloc_inode [overlay]" },
	{ "5.10", KIND_STACKS,
	  "__vmalloc_area_node < copy_process < kernel_clone" },
	{ "5.10", KIND_TABLES, "__change_page_attr_set_clr < load_module" },
	{ "5.10", KIND_TABLES, "__pmd_alloc" },
	{ "5.10", KIND_TABLES, "__pte_alloc_kernel < __vmalloc_area_node" },
	{ "5.10", KIND_TABLES, "__pud_alloc < handle_mm_fault" },
	{ "5.10", KIND_TABLES, "pgd_alloc" },
	{ "5.10", KIND_TABLES, "pte_alloc_one < copy_page_range" },
	{ "5.10", KIND_TMPFS, "shmem_alloc_page" },
	{ "5.10", KIND_VMALLOC, "__vmalloc_area_node" },
	{ "5.10", KIND_VMALLOC, "load_module" },
	{ "5.10", KIND_VMALLOC, "pcpu_populate_chunk" },
	{ "6.1", KIND_ANON, "do_fault < __handle_mm_fault" },
	{ "6.1", KIND_ANON, "wp_page_copy < __handle_mm_fault" },
	{ "6.1", KIND_CACHE, "__filemap_get_folio < pagecache_get_page" },
	{ "6.1", KIND_CACHE, "do_read_cache_folio" },
	{ "6.1", KIND_CACHE, "page_cache_ra_unbounded < filemap_get_pages" },
	{ "6.1", KIND_DRIVER, "blk_mq_alloc_map_and_rqs < loop_add [loop]" },
	{ "6.1", KIND_IMAGE,
	  "page_cache_ra_unbounded < loop_process_work [loop]" },
	{ "6.1", KIND_IMAGE,
	  "readahead_expand < squashfs_readahead [squashfs]" },
	{ "6.1", KIND_SLAB, "__kmalloc_large_node < kvmalloc_node" },
	{ "6.1", KIND_TABLES, "__p4d_alloc" },
	{ "6.1", KIND_TABLES, "__pud_alloc" },
	{ "6.1", KIND_TMPFS, "shmem_alloc_folio" },
	{ "6.12", KIND_ANON, "do_wp_page < __handle_mm_fault" },
	{ "6.12", KIND_CACHE, "__filemap_get_folio" },
	{ "6.12", KIND_DRIVER, "vring_alloc_queue_split" },
	{ "6.12", KIND_IMAGE,
	  "page_cache_ra_unbounded < lo_rw_aio.isra.0 [loop]" },
	{ "6.12", KIND_SLAB, "___kmalloc_large_node < __kvmalloc_node_noprof" },
	{ "6.12", KIND_TABLES, "__pmd_alloc < copy_page_range" },
	{ "6.12", KIND_TABLES,
	  "__pte_alloc_kernel < __vmalloc_node_range_noprof" },
	{ "6.12", KIND_VMALLOC, "__vmalloc_node_range_noprof < execmem_alloc" },
	{ "7.2", KIND_CACHE, "__filemap_get_folio_mpol" },
	{ "7.2", KIND_CACHE, "page_cache_ra_unbounded < do_page_cache_ra" },
	{ "7.2", KIND_DRIVER, "vring_alloc_queue" },
	{ "7.2", KIND_IMAGE, "page_cache_ra_order < lo_rw_aio.isra.0 [loop]" },
	{ "7.2", KIND_STACKS,
	  "__vmalloc_node_range_noprof < copy_process < kernel_clone" },
	{ "7.2", KIND_TABLES, "__change_page_attr_set_clr < execmem_alloc_rw" },
	{ "7.2", KIND_TABLES, "__pud_alloc < copy_page_range" },
	{ "7.2", KIND_TABLES, "tlb_remove_table" },
	{ "7.2", KIND_VMALLOC, "__vmalloc_node_range_noprof" },
	{ "source", KIND_NET, "skb_page_frag_refill" },
	{ "source", KIND_NET, "page_frag_alloc_align < __napi_alloc_skb" },
	{ "source", KIND_NET,
	  "__kmalloc_large_node < kmalloc_reserve < __alloc_skb" },
	{ "source", KIND_NET, "alloc_skb_with_frags < sock_alloc_send_pskb" },
	{ "source", KIND_NET,
	  "page_pool_alloc_pages < mlx5e_post_rx_wqes [mlx5_core]" },
	{ "source", KIND_SLAB, "allocate_slab < __alloc_skb" },
	{ "source", KIND_DRIVER, "__dma_direct_alloc_pages < dma_alloc_attrs" },
	{ "source", KIND_DRIVER, "ttm_pool_alloc" },
	{ "source", KIND_TMPFS, "__filemap_get_folio < simple_write_begin" },
	{ "source", KIND_TMPFS, "shmem_alloc_folio < __do_fault" },
	{ "source", KIND_IMAGE, "page_cache_ra_unbounded < loop_process_work" },
	{ "source", KIND_STACKS, "alloc_thread_stack_node < dup_task_struct" },
	{ "source", KIND_VMALLOC, "pcpu_populate_chunk < pcpu_alloc" },
	{ "source", KIND_VMALLOC,
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

/* Every function of the chains, at an address of its own. */
static struct function {
	char name[64], module[32];
	uint64_t base;
} functions[NAMES_MAX];
static uint32_t functions_used;

static struct function *function(const char *text, size_t len)
{
	const char *open = memchr(text, '[', len);
	size_t name = open ? (size_t)(open - text) - 1 : len;
	struct function f = { .name = "" };

	snprintf(f.name, sizeof(f.name), "%.*s", (int)name, text);
	if (open)
		snprintf(f.module, sizeof(f.module), "%.*s",
			 (int)(len - name - 3), open + 1);
	for (uint32_t i = 0; i < functions_used; i++)
		if (!strcmp(functions[i].name, f.name) &&
		    !strcmp(functions[i].module, f.module))
			return &functions[i];
	if (functions_used == NAMES_MAX)
		abort();
	f.base = (open ? MODULES : CORE) + functions_used * FUNCTION_BYTES;
	functions[functions_used] = f;
	return &functions[functions_used++];
}

/* The return addresses of "a < b [module] < c". */
static uint32_t chain_of(const char *text, uint64_t chain[CHAIN_FRAMES_MAX])
{
	uint32_t len = 0;

	while (*text) {
		const char *end = strstr(text, " < ");
		size_t n = end ? (size_t)(end - text) : strlen(text);

		chain[len++] = function(text, n)->base + 0x10;
		text += n + (end ? 3 : 0);
	}
	return len;
}

static void tell(struct fixture *f, uint32_t type, const char *name,
		 uint64_t base, uint64_t size)
{
	struct event e = { .type = type, .base = base, .size = size };

	snprintf(e.name, sizeof(e.name), "%s", name);
	apply(f, &e);
}

/* What the kernel's symbols tell of these functions; modules are ranges. */
static void tell_functions(struct fixture *f)
{
	for (uint32_t i = 0; i < functions_used; i++) {
		const struct function *n = &functions[i];

		if (*n->module)
			tell(f, EVENT_MODULE_RANGE, n->module, n->base,
			     FUNCTION_BYTES);
		else if (kinds_rule(n->name, strlen(n->name)))
			tell(f, EVENT_FUNCTION, n->name, n->base,
			     FUNCTION_BYTES);
	}
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
		const size_t len = strcspn(at, " ");

		wrong += kinds_rule(at, len) != NULL;
		at += len;
	}
	tap_ok(!wrong, "functions that tell no kind");
	tap_ok(!kinds_rule("pte_allo", 8) && !kinds_rule("", 0) &&
	       !kinds_rule("____", 4) && !kinds_rule("zzz", 3) &&
	       !kinds_rule("a", 1), "a beginning of a beginning is none");
}

static void test_chains(void)
{
	struct fixture *f = fixture_new();
	uint64_t chain[CHAIN_FRAMES_MAX];

	for (uint32_t i = 0; i < ARRAY_LEN(known_chains); i++)
		chain_of(known_chains[i].frames, chain);
	tell_functions(f);
	tell(f, EVENT_FUNCTIONS_END, "", 0, 0);
	for (uint32_t i = 0; i < ARRAY_LEN(known_chains); i++) {
		const uint32_t len = chain_of(known_chains[i].frames, chain);

		tap_ok(kinds_of_chain(&f->ledger.kinds, &f->ledger.modules,
				      chain, len) == known_chains[i].kind,
		       "%s: %s", known_chains[i].kernel,
		       known_chains[i].frames);
	}
	free(f);
}

/* The reading of names was cut short, and began again. */
static void test_again(void)
{
	struct fixture *f = fixture_new();
	struct kinds *k = &f->ledger.kinds;

	for (int reading = 0; reading < 3; reading++)
		for (uint32_t i = 0; i < 150; i++)
			tell(f, EVENT_FUNCTION, "shmem_fault",
			     CORE + i * FUNCTION_BYTES, 16);
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

	tell(f, EVENT_FUNCTION, "allocate_slab", 0, 0);
	tell(f, EVENT_FUNCTION, "no_such_function", CORE, 16);
	tell(f, EVENT_FUNCTIONS_END, "", 0, 0);
	tap_ok(!f->ledger.kinds.known && !f->ledger.kinds.ranges,
	       "no function, no kinds");
	for (uint32_t i = 0; i < KIND_RANGES_MAX + 9; i++)
		tell(f, EVENT_FUNCTION, "shmem_fault",
		     CORE + (i * 7919u % 1000) * 32, 16);
	tell(f, EVENT_FUNCTIONS_END, "", 0, 0);
	tap_ok(f->ledger.kinds.ranges == KIND_RANGES_MAX &&
	       f->ledger.kinds.full && !ledger_check(&f->ledger),
	       "more than there is room for is counted");
	free(f);
}

int main(void)
{
	test_table();
	test_chains();
	test_again();
	test_hidden();
	return tap_plan_done();
}
