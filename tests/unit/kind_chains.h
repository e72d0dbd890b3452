/* SPDX-License-Identifier: MIT */
/*
 * Call chains of page allocations with the kind of memory that each is for, as
 * a human reads them. Those with a kernel's version were taken from boots of
 * that kernel (initramfs/demo, level 3), cut behind the frames that matter; the
 * last ones are of the kernel's source.
 */
#ifndef KIND_CHAINS_H
#define KIND_CHAINS_H

#include "ledger/kind_rules.h"

static const struct known_chain {
	const char *kernel;
	enum page_kind kind;
	const char *frames;	/* innermost first; "name [module]" */
} known_chains[] = {
	{ "5.10", KIND_OTHER,
	  "__alloc_pages_nodemask < __alloc_pages_nodemask < "
	  "__get_free_pages < __tlb_remove_page_size < unmap_page_range "
	  "< unmap_vmas < exit_mmap < mmput" },
	{ "5.10", KIND_ANON,
	  "__alloc_pages_nodemask < __alloc_pages_nodemask < "
	  "alloc_pages_vma < handle_mm_fault < do_user_addr_fault < "
	  "exc_page_fault" },
	{ "5.10", KIND_ANON,
	  "__alloc_pages_nodemask < __alloc_pages_nodemask < "
	  "alloc_pages_vma < wp_page_copy < handle_mm_fault < "
	  "do_user_addr_fault < exc_page_fault" },
	{ "5.10", KIND_CACHE,
	  "__alloc_pages_nodemask < __alloc_pages_nodemask < "
	  "do_read_cache_page < read_part_sector < read_lba < "
	  "efi_partition < blk_add_partitions < bdev_disk_changed" },
	{ "5.10", KIND_CACHE,
	  "__alloc_pages_nodemask < __alloc_pages_nodemask < "
	  "page_cache_ra_unbounded < generic_file_buffered_read < "
	  "do_iter_readv_writev < do_iter_read < ovl_read_iter [overlay] "
	  "< generic_file_splice_read" },
	{ "5.10", KIND_CACHE,
	  "__alloc_pages_nodemask < __alloc_pages_nodemask < "
	  "pagecache_get_page < __getblk_slow < "
	  "ext4_sb_breadahead_unmovable < __ext4_get_inode_loc < "
	  "__ext4_get_inode_loc_noinmem < __ext4_iget" },
	{ "5.10", KIND_DRIVER,
	  "__alloc_pages_nodemask < __alloc_pages_nodemask < "
	  "blk_mq_alloc_rqs < __blk_mq_alloc_map_and_request < "
	  "blk_mq_alloc_tag_set < virtblk_probe [virtio_blk] < "
	  "virtio_dev_probe [virtio] < really_probe" },
	{ "5.10", KIND_DRIVER,
	  "__alloc_pages_nodemask < __alloc_pages_nodemask < "
	  "__get_free_pages < blk_add_partitions < bdev_disk_changed < "
	  "__blkdev_get < blkdev_get < blkdev_get_by_dev < "
	  "__device_add_disk < virtblk_probe [virtio_blk]" },
	{ "5.10", KIND_DRIVER,
	  "__alloc_pages_nodemask < __alloc_pages_nodemask < "
	  "alloc_pages_exact < vring_alloc_queue [virtio_ring] < "
	  "vring_create_virtqueue [virtio_ring] < setup_vq [virtio_pci] "
	  "< vp_setup_vq [virtio_pci] < vp_find_vqs_msix [virtio_pci]" },
	{ "5.10", KIND_IMAGE,
	  "__alloc_pages_nodemask < __alloc_pages_nodemask < "
	  "page_cache_ra_unbounded < generic_file_buffered_read < "
	  "do_iter_readv_writev < do_iter_read < loop_queue_work [loop] "
	  "< kthread_worker_fn" },
	{ "5.10", KIND_IMAGE,
	  "__alloc_pages_nodemask < __alloc_pages_nodemask < "
	  "squashfs_bio_read [squashfs] < squashfs_read_data [squashfs] "
	  "< squashfs_cache_get [squashfs] < squashfs_readpage_block "
	  "[squashfs] < squashfs_readpage [squashfs] < read_pages" },
	{ "5.10", KIND_SLAB,
	  "__alloc_pages_nodemask < __alloc_pages_nodemask < "
	  "kmalloc_large_node < __kmalloc_node < blk_alloc_flush_queue < "
	  "blk_mq_realloc_hw_ctxs < blk_mq_init_allocated_queue < "
	  "blk_mq_init_queue" },
	{ "5.10", KIND_SLAB,
	  "__alloc_pages_nodemask < __alloc_pages_nodemask < "
	  "kmalloc_order < kmalloc_order_trace < devkmsg_open < "
	  "chrdev_open < do_dentry_open < path_openat" },
	{ "5.10", KIND_SLAB,
	  "__alloc_pages_nodemask < __alloc_pages_nodemask < "
	  "allocate_slab < ___slab_alloc < __slab_alloc < "
	  "kmem_cache_alloc < ovl_alloc_inode [overlay] < alloc_inode" },
	{ "5.10", KIND_STACKS,
	  "__alloc_pages_nodemask < __alloc_pages_nodemask < "
	  "__vmalloc_area_node < __vmalloc_node_range < copy_process < "
	  "kernel_clone < __do_sys_clone" },
	{ "5.10", KIND_TABLES,
	  "__alloc_pages_nodemask < __alloc_pages_nodemask < "
	  "__change_page_attr_set_clr < __change_page_attr_set_clr < "
	  "change_page_attr_set_clr < set_memory_ro < "
	  "module_enable_ro.part.0 < load_module" },
	{ "5.10", KIND_TABLES,
	  "__alloc_pages_nodemask < __alloc_pages_nodemask < __pmd_alloc "
	  "< move_page_tables.part.0 < shift_arg_pages < setup_arg_pages "
	  "< load_elf_binary < bprm_execve" },
	{ "5.10", KIND_TABLES,
	  "__alloc_pages_nodemask < __alloc_pages_nodemask < "
	  "__get_free_pages < __pte_alloc_kernel < "
	  "map_kernel_range_noflush < __vmalloc_area_node < "
	  "__vmalloc_node_range < module_alloc" },
	{ "5.10", KIND_TABLES,
	  "__alloc_pages_nodemask < __alloc_pages_nodemask < "
	  "get_zeroed_page < __pud_alloc < handle_mm_fault < "
	  "__get_user_pages < __get_user_pages_remote < get_arg_page" },
	{ "5.10", KIND_TABLES,
	  "__alloc_pages_nodemask < __alloc_pages_nodemask < "
	  "__get_free_pages < pgd_alloc < mm_init < alloc_bprm < "
	  "do_execveat_common < __x64_sys_execve" },
	{ "5.10", KIND_TABLES,
	  "__alloc_pages_nodemask < __alloc_pages_nodemask < "
	  "pte_alloc_one < __pte_alloc < copy_page_range < copy_process "
	  "< kernel_clone < __do_sys_clone" },
	{ "5.10", KIND_TMPFS,
	  "__alloc_pages_nodemask < __alloc_pages_nodemask < "
	  "alloc_pages_vma < shmem_alloc_page < "
	  "shmem_alloc_and_acct_page < shmem_getpage_gfp < "
	  "shmem_write_begin < generic_perform_write" },
	{ "5.10", KIND_VMALLOC,
	  "__alloc_pages_nodemask < __alloc_pages_nodemask < "
	  "__vmalloc_area_node < vmalloc < kernel_read_file < "
	  "kernel_read_file_from_fd < __do_sys_finit_module < "
	  "elfcorehdr_read" },
	{ "5.10", KIND_VMALLOC,
	  "__alloc_pages_nodemask < __alloc_pages_nodemask < "
	  "__get_free_pages < ftrace_process_locs.isra.0 < load_module < "
	  "__do_sys_finit_module < elfcorehdr_read" },
	{ "5.10", KIND_VMALLOC,
	  "__alloc_pages_nodemask < __alloc_pages_nodemask < "
	  "pcpu_populate_chunk < pcpu_balance_workfn < process_one_work "
	  "< worker_thread < kthread" },
	{ "6.1", KIND_OTHER,
	  "__alloc_pages < __get_free_pages < __tlb_remove_page_size < "
	  "unmap_page_range < unmap_vmas < exit_mmap < __mmput < "
	  "begin_new_exec" },
	{ "6.1", KIND_ANON,
	  "__alloc_pages < __folio_alloc < vma_alloc_folio < do_fault < "
	  "__handle_mm_fault < handle_mm_fault < do_user_addr_fault < "
	  "exc_page_fault" },
	{ "6.1", KIND_ANON,
	  "__alloc_pages < __folio_alloc < vma_alloc_folio < "
	  "wp_page_copy < __handle_mm_fault < handle_mm_fault < "
	  "do_user_addr_fault < exc_page_fault" },
	{ "6.1", KIND_CACHE,
	  "__alloc_pages < folio_alloc < __filemap_get_folio < "
	  "pagecache_get_page < __getblk_gfp < "
	  "ext4_sb_breadahead_unmovable < __ext4_get_inode_loc < "
	  "__ext4_get_inode_loc_noinmem" },
	{ "6.1", KIND_CACHE,
	  "__alloc_pages < folio_alloc < do_read_cache_folio < "
	  "read_part_sector < read_lba < efi_partition < "
	  "bdev_disk_changed < blkdev_get_whole" },
	{ "6.1", KIND_CACHE,
	  "__alloc_pages < folio_alloc < page_cache_ra_unbounded < "
	  "filemap_get_pages < filemap_read < do_iter_readv_writev < "
	  "do_iter_read < ovl_read_iter [overlay]" },
	{ "6.1", KIND_DRIVER,
	  "__alloc_pages < blk_mq_alloc_map_and_rqs < "
	  "blk_mq_alloc_tag_set < loop_add [loop] < (init) [loop] < "
	  "do_one_initcall < do_init_module < __do_sys_finit_module" },
	{ "6.1", KIND_DRIVER,
	  "__alloc_pages < __get_free_pages < bdev_disk_changed < "
	  "blkdev_get_whole < blkdev_get_by_dev.part.0 < "
	  "disk_scan_partitions < device_add_disk < virtblk_probe "
	  "[virtio_blk]" },
	{ "6.1", KIND_DRIVER,
	  "__alloc_pages < alloc_pages_exact < vring_alloc_queue "
	  "[virtio_ring] < vring_alloc_queue_split [virtio_ring] < "
	  "vring_create_virtqueue [virtio_ring] < setup_vq [virtio_pci] "
	  "< vp_setup_vq [virtio_pci] < vp_find_vqs_msix [virtio_pci]" },
	{ "6.1", KIND_IMAGE,
	  "__alloc_pages < folio_alloc < page_cache_ra_unbounded < "
	  "filemap_get_pages < filemap_read < do_iter_readv_writev < "
	  "do_iter_read < loop_process_work [loop]" },
	{ "6.1", KIND_IMAGE,
	  "__alloc_pages < folio_alloc < readahead_expand < "
	  "squashfs_readahead [squashfs] < read_pages < "
	  "page_cache_ra_unbounded < filemap_get_pages < filemap_read" },
	{ "6.1", KIND_IMAGE,
	  "__alloc_pages < squashfs_bio_read [squashfs] < "
	  "squashfs_read_data [squashfs] < squashfs_readahead [squashfs] "
	  "< read_pages < page_cache_ra_unbounded < filemap_get_pages < "
	  "filemap_read" },
	{ "6.1", KIND_SLAB,
	  "__alloc_pages < __kmalloc_large_node < __kmalloc_node < "
	  "kvmalloc_node < devkmsg_open < chrdev_open < do_dentry_open < "
	  "path_openat" },
	{ "6.1", KIND_SLAB,
	  "__alloc_pages < allocate_slab < ___slab_alloc < "
	  "kmem_cache_alloc_lru < ovl_alloc_inode [overlay] < "
	  "alloc_inode < iget5_locked < ovl_get_inode [overlay]" },
	{ "6.1", KIND_TABLES,
	  "__alloc_pages < __change_page_attr_set_clr < "
	  "__change_page_attr_set_clr < change_page_attr_set_clr < "
	  "set_memory_ro < module_enable_ro < load_module < "
	  "__do_sys_finit_module" },
	{ "6.1", KIND_TABLES,
	  "__alloc_pages < get_zeroed_page < __p4d_alloc < "
	  "alloc_new_pud.constprop.0 < move_page_tables < "
	  "shift_arg_pages < setup_arg_pages < load_elf_binary" },
	{ "6.1", KIND_TABLES,
	  "__alloc_pages < __pmd_alloc < move_page_tables < "
	  "shift_arg_pages < setup_arg_pages < load_elf_binary < "
	  "bprm_execve < do_execveat_common.isra.0" },
	{ "6.1", KIND_TABLES,
	  "__alloc_pages < get_zeroed_page < __pud_alloc < "
	  "alloc_new_pud.constprop.0 < move_page_tables < "
	  "shift_arg_pages < setup_arg_pages < load_elf_binary" },
	{ "6.1", KIND_TABLES,
	  "__alloc_pages < __get_free_pages < pgd_alloc < mm_init < "
	  "alloc_bprm < do_execveat_common.isra.0 < __x64_sys_execve" },
	{ "6.1", KIND_TABLES,
	  "__alloc_pages < pte_alloc_one < __pte_alloc < copy_page_range "
	  "< dup_mmap < copy_process < kernel_clone < __do_sys_clone" },
	{ "6.1", KIND_TMPFS,
	  "__alloc_pages < __folio_alloc < vma_alloc_folio < "
	  "shmem_alloc_folio < shmem_alloc_and_acct_folio < "
	  "shmem_get_folio_gfp < shmem_write_begin < "
	  "generic_perform_write" },
	{ "6.1", KIND_VMALLOC,
	  "__alloc_pages < __get_free_pages < ftrace_process_locs < "
	  "ftrace_module_init < load_module < __do_sys_finit_module" },
	{ "6.1", KIND_VMALLOC,
	  "__alloc_pages < pcpu_populate_chunk < pcpu_balance_workfn < "
	  "process_one_work < worker_thread < kthread" },
	{ "6.12", KIND_OTHER,
	  "__alloc_pages_noprof < alloc_pages_mpol_noprof < "
	  "get_free_pages_noprof < tlb_next_batch < "
	  "__tlb_remove_folio_pages < unmap_page_range < unmap_vmas < "
	  "exit_mmap" },
	{ "6.12", KIND_ANON,
	  "__alloc_pages_noprof < alloc_pages_mpol_noprof < "
	  "folio_alloc_mpol_noprof < vma_alloc_folio_noprof < do_fault < "
	  "__handle_mm_fault < handle_mm_fault < do_user_addr_fault" },
	{ "6.12", KIND_ANON,
	  "__alloc_pages_noprof < alloc_pages_mpol_noprof < "
	  "folio_alloc_mpol_noprof < vma_alloc_folio_noprof < do_wp_page "
	  "< __handle_mm_fault < handle_mm_fault < do_user_addr_fault" },
	{ "6.12", KIND_CACHE,
	  "__alloc_pages_noprof < alloc_pages_mpol_noprof < "
	  "folio_alloc_noprof < __filemap_get_folio < __getblk_slow < "
	  "ext4_sb_breadahead_unmovable < __ext4_get_inode_loc < "
	  "__ext4_get_inode_loc_noinmem" },
	{ "6.12", KIND_CACHE,
	  "__alloc_pages_noprof < alloc_pages_mpol_noprof < "
	  "folio_alloc_noprof < do_read_cache_folio < read_part_sector < "
	  "read_lba < efi_partition < bdev_disk_changed" },
	{ "6.12", KIND_CACHE,
	  "__alloc_pages_noprof < alloc_pages_mpol_noprof < "
	  "folio_alloc_noprof < page_cache_ra_unbounded < "
	  "filemap_get_pages < filemap_splice_read < "
	  "backing_file_splice_read < ovl_splice_read [overlay]" },
	{ "6.12", KIND_DRIVER,
	  "__alloc_pages_noprof < blk_mq_alloc_map_and_rqs < "
	  "blk_mq_alloc_tag_set < loop_add [loop] < (init) [loop] < "
	  "do_one_initcall < do_init_module < init_module_from_file" },
	{ "6.12", KIND_DRIVER,
	  "__alloc_pages_noprof < alloc_pages_mpol_noprof < "
	  "get_free_pages_noprof < bdev_disk_changed < blkdev_get_whole "
	  "< bdev_open < bdev_file_open_by_dev < disk_scan_partitions < "
	  "device_add_disk < virtblk_probe [virtio_blk]" },
	{ "6.12", KIND_DRIVER,
	  "__alloc_pages_noprof < alloc_pages_mpol_noprof < "
	  "alloc_pages_exact_noprof < vring_alloc_queue_split < "
	  "vring_create_virtqueue_split < vring_create_virtqueue < "
	  "setup_vq < vp_setup_vq" },
	{ "6.12", KIND_IMAGE,
	  "__alloc_pages_noprof < alloc_pages_mpol_noprof < "
	  "folio_alloc_noprof < page_cache_ra_unbounded < "
	  "filemap_get_pages < filemap_read < lo_rw_aio.isra.0 [loop] < "
	  "loop_process_work [loop]" },
	{ "6.12", KIND_IMAGE,
	  "__alloc_pages_noprof < alloc_pages_mpol_noprof < "
	  "folio_alloc_noprof < readahead_expand < squashfs_readahead "
	  "[squashfs] < read_pages < page_cache_ra_unbounded < "
	  "filemap_get_pages" },
	{ "6.12", KIND_IMAGE,
	  "__alloc_pages_noprof < alloc_pages_mpol_noprof < "
	  "squashfs_bio_read [squashfs] < squashfs_read_data [squashfs] "
	  "< squashfs_cache_get [squashfs] < squashfs_readahead "
	  "[squashfs] < read_pages < page_cache_ra_unbounded" },
	{ "6.12", KIND_SLAB,
	  "__alloc_pages_noprof < alloc_pages_mpol_noprof < "
	  "___kmalloc_large_node < __kmalloc_large_node_noprof < "
	  "__kmalloc_node_noprof < __kvmalloc_node_noprof < kvmemdup < "
	  "btf_module_notify" },
	{ "6.12", KIND_SLAB,
	  "__alloc_pages_noprof < alloc_pages_mpol_noprof < "
	  "allocate_slab < ___slab_alloc < kmem_cache_alloc_lru_noprof < "
	  "ovl_alloc_inode [overlay] < alloc_inode < iget5_locked" },
	{ "6.12", KIND_TABLES,
	  "__alloc_pages_noprof < alloc_pages_mpol_noprof < "
	  "__change_page_attr_set_clr < __change_page_attr_set_clr < "
	  "change_page_attr_set_clr < set_memory_ro < "
	  "module_enable_rodata_ro < load_module" },
	{ "6.12", KIND_TABLES,
	  "__alloc_pages_noprof < alloc_pages_mpol_noprof < "
	  "get_zeroed_page_noprof < __p4d_alloc < alloc_new_pud.isra.0 < "
	  "move_page_tables < relocate_vma_down < setup_arg_pages" },
	{ "6.12", KIND_TABLES,
	  "__alloc_pages_noprof < alloc_pages_mpol_noprof < __pmd_alloc "
	  "< copy_page_range < copy_process < kernel_clone < "
	  "__do_sys_clone" },
	{ "6.12", KIND_TABLES,
	  "__alloc_pages_noprof < alloc_pages_mpol_noprof < "
	  "__pte_alloc_kernel < vmap_small_pages_range_noflush < "
	  "__vmalloc_node_range_noprof < execmem_alloc < load_module < "
	  "init_module_from_file" },
	{ "6.12", KIND_TABLES,
	  "__alloc_pages_noprof < alloc_pages_mpol_noprof < __pud_alloc "
	  "< alloc_new_pud.isra.0 < move_page_tables < relocate_vma_down "
	  "< setup_arg_pages < load_elf_binary" },
	{ "6.12", KIND_TABLES,
	  "__alloc_pages_noprof < alloc_pages_mpol_noprof < "
	  "get_free_pages_noprof < pgd_alloc < mm_init < alloc_bprm < "
	  "do_execveat_common.isra.0 < __x64_sys_execve" },
	{ "6.12", KIND_TABLES,
	  "__alloc_pages_noprof < alloc_pages_mpol_noprof < "
	  "pte_alloc_one < __pte_alloc < copy_page_range < copy_process "
	  "< kernel_clone < __do_sys_clone" },
	{ "6.12", KIND_TMPFS,
	  "__alloc_pages_noprof < alloc_pages_mpol_noprof < "
	  "folio_alloc_mpol_noprof < shmem_alloc_folio < "
	  "shmem_alloc_and_add_folio < shmem_get_folio_gfp < "
	  "shmem_write_begin < generic_perform_write" },
	{ "6.12", KIND_VMALLOC,
	  "__alloc_pages_noprof < alloc_pages_bulk_noprof < "
	  "__vmalloc_node_range_noprof < execmem_alloc < load_module < "
	  "init_module_from_file < idempotent_init_module < "
	  "__x64_sys_finit_module" },
	{ "6.12", KIND_VMALLOC,
	  "__alloc_pages_noprof < alloc_pages_mpol_noprof < "
	  "get_free_pages_noprof < ftrace_process_locs < "
	  "ftrace_module_init < load_module < init_module_from_file < "
	  "idempotent_init_module" },
	{ "7.2", KIND_OTHER,
	  "__alloc_frozen_pages_noprof < alloc_pages_mpol < "
	  "alloc_pages_noprof < get_free_pages_noprof < tlb_next_batch < "
	  "__tlb_remove_folio_pages < __zap_vma_range < unmap_vmas" },
	{ "7.2", KIND_ANON,
	  "__alloc_frozen_pages_noprof < alloc_pages_mpol < "
	  "vma_alloc_folio_noprof < do_fault < __handle_mm_fault < "
	  "handle_mm_fault < do_user_addr_fault < exc_page_fault" },
	{ "7.2", KIND_ANON,
	  "__alloc_frozen_pages_noprof < alloc_pages_mpol < "
	  "vma_alloc_folio_noprof < do_wp_page < __handle_mm_fault < "
	  "handle_mm_fault < do_user_addr_fault < exc_page_fault" },
	{ "7.2", KIND_CACHE,
	  "__alloc_frozen_pages_noprof < alloc_pages_mpol < "
	  "folio_alloc_noprof < __filemap_get_folio_mpol < __getblk_slow "
	  "< ext4_sb_breadahead_unmovable < __ext4_get_inode_loc < "
	  "__ext4_get_inode_loc_noinmem" },
	{ "7.2", KIND_CACHE,
	  "__alloc_frozen_pages_noprof < alloc_pages_mpol < "
	  "folio_alloc_noprof < do_read_cache_folio < read_part_sector < "
	  "read_lba < efi_partition < bdev_disk_changed" },
	{ "7.2", KIND_CACHE,
	  "__alloc_frozen_pages_noprof < alloc_pages_mpol < "
	  "folio_alloc_noprof < page_cache_ra_unbounded < "
	  "do_page_cache_ra < filemap_get_pages < filemap_splice_read < "
	  "backing_file_splice_read" },
	{ "7.2", KIND_DRIVER,
	  "__alloc_frozen_pages_noprof < __alloc_pages_noprof < "
	  "blk_mq_alloc_map_and_rqs < blk_mq_alloc_tag_set < loop_add "
	  "[loop] < (init) [loop] < do_one_initcall < do_init_module" },
	{ "7.2", KIND_DRIVER,
	  "__alloc_frozen_pages_noprof < alloc_pages_mpol < "
	  "alloc_pages_noprof < alloc_pages_exact_noprof < "
	  "vring_alloc_queue < vring_alloc_queue_split < "
	  "vring_create_virtqueue_split < vring_create_virtqueue" },
	{ "7.2", KIND_IMAGE,
	  "__alloc_frozen_pages_noprof < alloc_pages_mpol < "
	  "folio_alloc_noprof < page_cache_ra_order < "
	  "filemap_readahead.isra.0 < filemap_get_pages < filemap_read < "
	  "lo_rw_aio.isra.0 [loop]" },
	{ "7.2", KIND_IMAGE,
	  "__alloc_frozen_pages_noprof < alloc_pages_mpol < "
	  "folio_alloc_noprof < page_cache_ra_unbounded < "
	  "do_page_cache_ra < filemap_get_pages < filemap_read < "
	  "lo_rw_aio.isra.0 [loop]" },
	{ "7.2", KIND_IMAGE,
	  "__alloc_frozen_pages_noprof < alloc_pages_mpol < "
	  "folio_alloc_noprof < readahead_expand < squashfs_readahead "
	  "[squashfs] < read_pages < page_cache_ra_unbounded < "
	  "do_page_cache_ra" },
	{ "7.2", KIND_IMAGE,
	  "__alloc_frozen_pages_noprof < alloc_pages_mpol < "
	  "alloc_pages_noprof < squashfs_bio_read [squashfs] < "
	  "squashfs_read_data [squashfs] < squashfs_cache_get [squashfs] "
	  "< squashfs_readahead [squashfs] < read_pages" },
	{ "7.2", KIND_SLAB,
	  "__alloc_frozen_pages_noprof < alloc_pages_mpol < "
	  "___kmalloc_large_node < __kmalloc_large_node_noprof < "
	  "__kvmalloc_node_noprof < kvmemdup < btf_module_notify < "
	  "notifier_call_chain" },
	{ "7.2", KIND_SLAB,
	  "__alloc_frozen_pages_noprof < allocate_slab < refill_objects "
	  "< __pcs_replace_empty_main < kmem_cache_alloc_lru_noprof < "
	  "ovl_alloc_inode [overlay] < alloc_inode < iget5_locked" },
	{ "7.2", KIND_STACKS,
	  "__alloc_frozen_pages_noprof < alloc_pages_mpol < "
	  "alloc_pages_noprof < __vmalloc_node_range_noprof < "
	  "__vmalloc_node_noprof < copy_process < kernel_clone < "
	  "__do_sys_clone" },
	{ "7.2", KIND_TABLES,
	  "__alloc_frozen_pages_noprof < alloc_pages_mpol < "
	  "alloc_pages_noprof < __change_page_attr_set_clr < "
	  "change_page_attr_set_clr < set_memory_nx < execmem_alloc_rw < "
	  "load_module" },
	{ "7.2", KIND_TABLES,
	  "__alloc_frozen_pages_noprof < alloc_pages_mpol < "
	  "alloc_pages_noprof < __p4d_alloc < alloc_new_pud < "
	  "move_page_tables < relocate_vma_down < setup_arg_pages" },
	{ "7.2", KIND_TABLES,
	  "__alloc_frozen_pages_noprof < alloc_pages_mpol < "
	  "alloc_pages_noprof < __pmd_alloc < copy_page_range < dup_mmap "
	  "< copy_process < kernel_clone" },
	{ "7.2", KIND_TABLES,
	  "__alloc_frozen_pages_noprof < alloc_pages_mpol < "
	  "alloc_pages_noprof < __pud_alloc < copy_page_range < dup_mmap "
	  "< copy_process < kernel_clone" },
	{ "7.2", KIND_TABLES,
	  "__alloc_frozen_pages_noprof < alloc_pages_mpol < "
	  "alloc_pages_noprof < pgd_alloc < mm_init < alloc_bprm < "
	  "do_execveat_common.isra.0 < __x64_sys_execve" },
	{ "7.2", KIND_TABLES,
	  "__alloc_frozen_pages_noprof < alloc_pages_mpol < "
	  "alloc_pages_noprof < pte_alloc_one < __pte_alloc < "
	  "copy_page_range < dup_mmap < copy_process" },
	{ "7.2", KIND_TABLES,
	  "__alloc_frozen_pages_noprof < alloc_pages_mpol < "
	  "alloc_pages_noprof < get_free_pages_noprof < tlb_remove_table "
	  "< free_pgd_range < free_pgtables < exit_mmap" },
	{ "7.2", KIND_TMPFS,
	  "__alloc_frozen_pages_noprof < alloc_pages_mpol < "
	  "folio_alloc_mpol_noprof < shmem_alloc_folio < "
	  "shmem_alloc_and_add_folio < shmem_get_folio_gfp < "
	  "shmem_write_begin < generic_perform_write" },
	{ "7.2", KIND_VMALLOC,
	  "__alloc_frozen_pages_noprof < alloc_pages_mpol < "
	  "alloc_pages_noprof < __vmalloc_node_range_noprof < "
	  "__vmalloc_node_noprof < kernel_read_file < "
	  "init_module_from_file < idempotent_init_module" },
	{ "7.2", KIND_VMALLOC,
	  "__alloc_frozen_pages_noprof < alloc_pages_mpol < "
	  "alloc_pages_noprof < get_free_pages_noprof < "
	  "ftrace_process_locs < ftrace_module_init < load_module < "
	  "init_module_from_file" },
	{ "source", KIND_NET,
	  "__alloc_pages < skb_page_frag_refill < sk_page_frag_refill < "
	  "tcp_sendmsg_locked < tcp_sendmsg" },
	{ "source", KIND_NET,
	  "__alloc_pages < page_frag_alloc_align < __napi_alloc_skb < "
	  "page_to_skb [virtio_net]" },
	{ "source", KIND_NET,
	  "__alloc_pages < __kmalloc_large_node < "
	  "__kmalloc_node_track_caller < kmalloc_reserve < __alloc_skb < "
	  "netlink_dump" },
	{ "source", KIND_NET,
	  "__alloc_pages < alloc_skb_with_frags < sock_alloc_send_pskb < "
	  "unix_stream_sendmsg" },
	{ "source", KIND_NET,
	  "__alloc_pages < page_pool_alloc_pages < "
	  "mlx5e_post_rx_wqes [mlx5_core]" },
	{ "source", KIND_SLAB,
	  "__alloc_pages < allocate_slab < ___slab_alloc < "
	  "kmem_cache_alloc_node < __alloc_skb < netlink_dump" },
	{ "source", KIND_DRIVER,
	  "__alloc_pages < __dma_direct_alloc_pages < dma_direct_alloc < "
	  "dma_alloc_attrs < nvme_alloc_queue [nvme]" },
	{ "source", KIND_DRIVER,
	  "__alloc_pages < ttm_pool_alloc < ttm_tt_populate" },
	{ "source", KIND_TMPFS,
	  "__alloc_pages < folio_alloc < __filemap_get_folio < "
	  "simple_write_begin < generic_perform_write" },
	{ "source", KIND_TMPFS,
	  "__alloc_pages < shmem_alloc_folio < shmem_get_folio_gfp < "
	  "shmem_fault < __do_fault < do_fault < __handle_mm_fault" },
	{ "source", KIND_IMAGE,
	  "__alloc_pages < folio_alloc < page_cache_ra_unbounded < "
	  "filemap_read < loop_process_work" },
	{ "source", KIND_STACKS,
	  "__alloc_pages < alloc_thread_stack_node < dup_task_struct < "
	  "copy_process" },
	{ "source", KIND_VMALLOC,
	  "__alloc_pages < pcpu_populate_chunk < pcpu_alloc < "
	  "__percpu_counter_init < mm_init < copy_process < kernel_clone" },
	{ "source", KIND_VMALLOC,
	  "__alloc_pages < __vmalloc_area_node < __vmalloc_node_range < "
	  "kvmalloc_node < alloc_fdtable < dup_fd < copy_process" },
	{ "source", KIND_OTHER,
	  "__alloc_pages < __get_free_pages < __pollwait < pipe_poll" },
};

#endif
