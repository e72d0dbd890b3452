/* SPDX-License-Identifier: MIT */
/*
 * Numbers in a flattened device tree: big-endian cells of 4 bytes, of which an
 * address or a size has as many as its parent says (Devicetree Specification
 * 0.4, 2.3.5 and 2.3.6).
 */
#ifndef MEMSTRACK_DT_CELLS_H
#define MEMSTRACK_DT_CELLS_H

#include <stddef.h>
#include <stdint.h>

/* 1 to 4 cells are one number. 0; -EINVAL: not so many cells, or too few bytes;
 * -ERANGE: more than 64 bits. */
int dt_number(const unsigned char *at, size_t len, uint32_t cells,
	      uint64_t *value);

/* The pair of this number, from 0, of a property "reg". -ENOENT: there is none;
 * or as above. */
int dt_pair(const unsigned char *reg, size_t len, uint32_t address_cells,
	    uint32_t size_cells, uint32_t pair, uint64_t *base,
	    uint64_t *bytes);

#endif
