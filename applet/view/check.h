/* SPDX-License-Identifier: MIT */
/* memstrack report --check=BOOK: see check.c. Returns the exit status: 0; 1,
 * pages differ without a cause, or something could not be read; 2, usage. */
#ifndef MEMSTRACK_CHECK_H
#define MEMSTRACK_CHECK_H

#include "config/config.h"

int check_main(const struct config *c);

#endif
