/* SPDX-License-Identifier: MIT */
/* The lines on the tree as a whole. */
#ifndef MEMSTRACK_RUN_TEXT_TREE_H
#define MEMSTRACK_RUN_TEXT_TREE_H

#include "run/page.h"

void text_tree(struct page *g, const struct outline *o);

#endif
