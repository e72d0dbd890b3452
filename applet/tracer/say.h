/* SPDX-License-Identifier: MIT */
/* One line through the sink, outside of a report. */
#ifndef MEMSTRACK_SAY_H
#define MEMSTRACK_SAY_H

#include "output/sink.h"

__attribute__((format(printf, 2, 3)))
void say(struct sink *s, const char *format, ...);

#endif
