/* SPDX-License-Identifier: MIT */
/*
 * The frames of a call chain in the report for programs.
 */
#ifndef MEMSTRACK_JSON_FRAMES_H
#define MEMSTRACK_JSON_FRAMES_H

#include "report/sheet.h"

/* Ends the line with "frames": innermost first. Those that do not fit follow in
 * lines of their own. NO_LEAF: none. */
void json_frames(struct sheet *s, uint32_t leaf);

#endif
