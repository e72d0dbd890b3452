/* SPDX-License-Identifier: MIT */
/* The frames of a call chain, as lines of text: see parts.h, text frames. */
#include "report/report.h"
#include "report/parts.h"

#define FRAMES_INDENT 6

/* Innermost first, with as many frames in a line as fit: each frame is written
 * twice, the first time to see if it fits. */
void text_frames(struct sheet *s, uint32_t leaf)
{
	const struct stacks *k = &s->ledger->stacks;
	uint32_t behind = 0;

	trim_probe(s, &leaf);
	if (s->r->level < 3)
		trim_chain(s, &leaf, &behind);
	for (uint32_t i = leaf; i >= k->roots && i != behind;
	     i = stack_parent(&k->node[i])) {
		const uint64_t addr = k->node[i].addr;
		const size_t start = s->line.len;
		size_t end;

		frame_write(&s->line, s->r, addr);
		end = s->line.len + 3;
		s->line.len = start;
		if (i != leaf && end > TEXT_COLUMNS - 2)
			sheet_emit(s);
		line_pad(&s->line, s->line.len ? 0 : FRAMES_INDENT);
		if (i != leaf)
			line_str(&s->line, "< ");
		sheet_frame(s, addr);
	}
	sheet_emit(s);
}
