/* SPDX-License-Identifier: MIT */
/* Reserved regions of a device tree: see proc.h, dt cells and ram. */
#include <errno.h>
#include <string.h>
#include "base/base.h"
#include "base/system.h"
#include "source/proc/proc.h"

#define CELL_BYTES 4u
#define CELLS_MAX 4u

int dt_number(const unsigned char *at, size_t len, uint32_t cells,
	      uint64_t *value)
{
	uint64_t number = 0;

	if (!cells || cells > CELLS_MAX || len < cells * CELL_BYTES)
		return -EINVAL;
	for (uint32_t i = 0; i < cells * CELL_BYTES; i++) {
		if (number >> 56)
			return -ERANGE;
		number = number << 8 | at[i];
	}
	*value = number;
	return 0;
}

int dt_pair(const unsigned char *reg, size_t len, uint32_t address_cells,
	    uint32_t size_cells, uint32_t pair, uint64_t *base,
	    uint64_t *bytes)
{
	size_t base_bytes, each, at;
	int error;

	if (!address_cells || address_cells > CELLS_MAX || !size_cells ||
	    size_cells > CELLS_MAX)
		return -EINVAL;
	base_bytes = (size_t)address_cells * CELL_BYTES;
	each = base_bytes + (size_t)size_cells * CELL_BYTES;
	if (pair >= len / each)
		return -ENOENT;
	at = pair * each;
	error = dt_number(reg + at, len - at, address_cells, base);
	if (!error)
		error = dt_number(reg + at + base_bytes, len - at - base_bytes,
				  size_cells, bytes);
	return error;
}

/*
 * --- ram tree
 *
 * The regions that a device tree reserves, by name: see proc.h, ram.
 *
 * A region has "reg"; or only "size", if the kernel chooses its address.
 * "reusable" regions are given to the page allocator as contiguous memory
 * (CMA). "no-map" regions are never free pages of a zone; arm before 5.11
 * removes them from RAM, so that iomem does not have them.
 *
 * Sources: Documentation/devicetree/bindings/reserved-memory/, drivers/of/
 * of_reserved_mem.c of 6.1 and 6.12.
 */

#define TREE "/proc/device-tree/reserved-memory"

struct property {
	unsigned char bytes[512];
	ssize_t len;		/* below 0: there is no such property */
};

static void get(struct property *p, const char *node, const char *name)
{
	char path[PATH_BYTES];

	print_to(path, sizeof(path), TREE "/%s/%s", node, name);
	p->len = readfile(path, (char *)p->bytes, sizeof(p->bytes));
}

static uint32_t cells(const char *name)
{
	struct property p;
	uint64_t value = 0;

	get(&p, ".", name);
	if (p.len < 0 || dt_number(p.bytes, (size_t)p.len, 1, &value) ||
	    value > UINT32_MAX)
		return 0;
	return (uint32_t)value;
}

static int has(const char *node, const char *name)
{
	struct property p;

	get(&p, node, name);
	return p.len >= 0;
}

static int is_disabled(const char *node)
{
	struct property p;

	get(&p, node, "status");
	return p.len > 0 && strcmp((char *)p.bytes, "okay") &&
	       strcmp((char *)p.bytes, "ok");
}

static void add(struct ram_reader *r, const char *node, uint64_t base,
		uint64_t bytes, int in_map)
{
	struct tree_region *t = &r->region[r->regions];

	if (r->regions == TREE_REGIONS_MAX || !bytes)
		return;
	r->regions++;
	t->base = base;
	t->bytes = bytes;
	t->in_map = (uint8_t)in_map;
	t->no_map = (uint8_t)has(node, "no-map");
	t->reusable = (uint8_t)has(node, "reusable");
	print_to(t->name, sizeof(t->name), "%s", node);
}

static void take_node(void *context, const char *node)
{
	struct ram_reader *r = context;
	const uint32_t address_cells = cells("#address-cells");
	const uint32_t size_cells = cells("#size-cells");
	uint64_t base, bytes;
	struct property p;

	if (*node == '.' || is_disabled(node))
		return;
	get(&p, node, "reg");
	if (p.len < 0) {
		get(&p, node, "size");
		if (p.len > 0 && !dt_number(p.bytes, (size_t)p.len,
					    size_cells, &bytes))
			add(r, node, 0, bytes, 1);
		return;
	}
	for (uint32_t i = 0; !dt_pair(p.bytes, (size_t)p.len, address_cells,
				      size_cells, i, &base, &bytes); i++)
		add(r, node, base, bytes, 0);
}

void ram_tree_read(struct ram_reader *r)
{
	proc_each_entry(TREE, take_node, r);
}

void ram_tree_emit(struct ram_reader *r)
{
	for (uint32_t i = 0; i < r->regions; i++) {
		const struct tree_region *t = &r->region[i];

		if (t->in_map) {
			ram_emit_named(r, t->reusable ?
				       RAM_FREE | RAM_WITHIN : RAM_RESERVED,
				       t->name, t->bytes);
		} else if (t->no_map) {
			r->firmware += t->bytes;
			ram_emit_named(r, RAM_FIRMWARE, t->name, t->bytes);
		}
	}
}
