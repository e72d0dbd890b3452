/* What text.c and text_head.c share. */
#ifndef MEMSTRACK_TEXT_H
#define MEMSTRACK_TEXT_H

#include "select.h"

struct text {
	struct visitor visitor;	/* first: a text is a visitor */
	const struct report *r;
	struct out *out;
	struct line line;
	uint64_t lines, frames, unnamed;
};

void text_emit(struct text *t);
void text_put(struct text *t, const char *template, const uint64_t *value);
void text_name(struct text *t, const char *name, size_t size);
void text_head(struct text *t);

#endif
