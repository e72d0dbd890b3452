/* SPDX-License-Identifier: MIT */
/*
 * The frames of a call chain in the report for people.
 */
#ifndef MEMSTRACK_TEXT_FRAMES_H
#define MEMSTRACK_TEXT_FRAMES_H

#include "report/sheet.h"

/* Sends the lines of a chain, innermost frame first. */
void text_frames(struct sheet *s, uint32_t leaf);

#endif
