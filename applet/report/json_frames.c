/* SPDX-License-Identifier: MIT */
/* The frames of a call chain in JSON: see parts.h, json frames. */
#include "report/parts.h"
#include "report/report.h"

#define FRAME_ROOM 14u		/* ,"" around a frame; ],"more":1} at the end */

/* Writes the frames and ends the line. Frames that do not fit follow in lines
 * of their own, so each frame is written twice: the first time to see if it
 * fits. */
void json_frames(struct sheet *s, uint32_t leaf)
{
	const struct stacks *k = &s->ledger->stacks;
	const char *frames = ",\"frames\":[", *quote = "\"";

	trim_probe(s, &leaf);
	line_str(&s->line, frames);
	for (uint32_t i = leaf; leaf != NO_LEAF && i >= k->roots;
	     i = stack_parent(&k->node[i])) {
		const size_t start = s->line.len;
		size_t end;

		frame_write(&s->line, s->r, k->node[i].addr);
		end = s->line.len + FRAME_ROOM;
		s->line.len = start;
		if (end >= LINE_BYTES) {
			sheet_line(s, "],\"more\":1}", NULL);
			json_begin(s, "frames");
			line_str(&s->line, frames);
			quote = "\"";
		}
		line_str(&s->line, quote);
		sheet_frame(s, k->node[i].addr);
		line_char(&s->line, '"');
		quote = ",\"";
	}
	sheet_line(s, "]}", NULL);
}
