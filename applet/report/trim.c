/* SPDX-License-Identifier: MIT */
/*
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
