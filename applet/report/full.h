/* SPDX-License-Identifier: MIT */
/*
 * Each tmpfs that is full: where it is, what it holds, since when, and who
 * wrote that.
 *
 * The account has the files of a task, but not of which mount they are. So a
 * task is named only if more than half of the mount is its own even if all other
 * files in memory are its own too. What was there before tracing may be on any
 * mount; in a traced boot it is the initramfs, on the first "/".
 */
#ifndef MEMSTRACK_REPORT_FULL_H
#define MEMSTRACK_REPORT_FULL_H

#include "report/sheet.h"

void full_text(struct sheet *s);
void full_json(struct sheet *s);

#endif
