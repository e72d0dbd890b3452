/* SPDX-License-Identifier: MIT */
/*
 * The frames of a call chain, as text and JSON, and which of them are left out.
 *
 * The frames that stand in all call chains say nothing: the page allocator's
 * own at one end, and at the other end the code through which the CPU enters
 * the kernel or a kernel thread begins. Reports for people leave them out,
 * except at level 3.
 *
 * A frame is known by how its name begins, because kernels and compilers add to
 * names (_noprof, .constprop.0).
 */
#include <string.h>
#include "report/report.h"
#include "report/parts.h"

#define FRAMES_INDENT 6
#define FRAME_ROOM 14u		/* ,"" around a frame of JSON; ],"more":1} */

/* Without underscores in front. A stack of ftrace begins with the functions
 * that wrote the event. */
static const char probe[] =
	"trace_event_raw_event_ trace_event_buffer_ trace_buffer_unlock_ "
	"traceiter_";
static const char allocator[] =
	"alloc_page alloc_frozen_page folio_alloc vma_alloc_ get_free_page "
	"get_zeroed_page alloc_slab_page allocate_slab new_slab slab_alloc "
	/* Those that page_owner has besides. */
	"set_page_owner post_alloc_hook prep_new_page get_page_from_freelist";
static const char entry[] =
	"entry_ do_syscall_ x64_sys_call do_int80_ asm_ exc_page_fault "
	"ret_from_fork kthread+ worker_thread+ el0 do_el0_svc invoke_syscall";

/* Does the node's frame begin as one of these? */
static int begins(struct sheet *s, uint32_t node, const char *names)
{
	const size_t start = s->line.len;
	const char *frame = s->text + start;
	int found = 0;

	frame_write(&s->line, s->r, s->ledger->stacks.node[node].addr);
	s->text[s->line.len] = '\0';
	/* A module's function may have any name. */
	if (s->text[s->line.len - 1] == ']')
		names = "";
	s->line.len = start;
	while (*frame == '_')
		frame++;
	while (*names && !found) {
		size_t len = 0;

		while (names[len] && names[len] != ' ')
			len++;
		found = !strncmp(frame, names, len);
		names += len + (names[len] == ' ');
	}
	return found;
}

static uint32_t trim(struct sheet *s, uint32_t *first, const char *names)
{
	const struct stacks *k = &s->ledger->stacks;
	uint32_t next;

	while ((next = stack_parent(&k->node[*first])) >= k->roots &&
	       begins(s, *first, names))
		*first = next;
	return next;
}

void trim_probe(struct sheet *s, uint32_t *first)
{
	if (*first != NO_LEAF && *first >= s->ledger->stacks.roots)
		trim(s, first, probe);
}

void trim_chain(struct sheet *s, uint32_t *first, uint32_t *end)
{
	const struct stacks *k = &s->ledger->stacks;
	uint32_t next = trim(s, first, allocator);

	*end = next;
	for (; next >= k->roots; next = stack_parent(&k->node[next]))
		if (!begins(s, next, entry))
			*end = stack_parent(&k->node[next]);
}

/* Where the line would end with this frame: each frame is written twice, the
 * first time to see if it fits. */
static size_t frame_end(struct sheet *s, uint32_t node)
{
	const size_t start = s->line.len;
	size_t end;

	frame_write(&s->line, s->r, s->ledger->stacks.node[node].addr);
	end = s->line.len;
	s->line.len = start;
	return end;
}

void text_frames(struct sheet *s, uint32_t leaf)
{
	const struct stacks *k = &s->ledger->stacks;
	uint32_t behind = 0;

	trim_probe(s, &leaf);
	if (s->r->level < 3)
		trim_chain(s, &leaf, &behind);
	for (uint32_t i = leaf; i >= k->roots && i != behind;
	     i = stack_parent(&k->node[i])) {
		if (i != leaf && frame_end(s, i) + 3 > TEXT_COLUMNS - 2)
			sheet_emit(s);
		line_pad(&s->line, s->line.len ? 0 : FRAMES_INDENT);
		if (i != leaf)
			line_str(&s->line, "< ");
		sheet_frame(s, k->node[i].addr);
	}
	sheet_emit(s);
}

void json_frames(struct sheet *s, uint32_t leaf)
{
	const struct stacks *k = &s->ledger->stacks;
	const char *frames = ",\"frames\":[", *quote = "\"";

	trim_probe(s, &leaf);
	line_str(&s->line, frames);
	for (uint32_t i = leaf; leaf != NO_LEAF && i >= k->roots;
	     i = stack_parent(&k->node[i])) {
		if (frame_end(s, i) + FRAME_ROOM >= LINE_BYTES) {
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
