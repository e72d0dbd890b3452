/* SPDX-License-Identifier: MIT */
/* Records of page_owner: see view.h, page owner. */
#include <errno.h>
#include <string.h>
#include "base/base.h"
#include "base/system.h"
#include "view/view.h"

#define RECORD_BEGINS "Page allocated via order "
#define PFN_BEGINS "PFN "

enum { BETWEEN, IN_HEAD, IN_FRAMES, BEHIND_BAD };

/* A number at the front, decimal or behind 0x. 0, or an error of base/base.h,
 * number. */
static int take_number(struct word *rest, uint64_t max, uint64_t *value)
{
	const int error = word_take_number(rest, value);

	return !error && *value > max ? -ERANGE : error;
}

static int take_frame_number(struct word *rest, uint64_t *value)
{
	return word_begins(rest, "0x") ? take_number(rest, UINT64_MAX, value) :
				    -EINVAL;
}

/* 0, or -EINVAL: this is no frame.
 *
 * " name+0x1a/0x30 [module]", or an address. Since 5.14 an identity of the build
 * may stand behind the module. */
static int frame_parse(const char *line, size_t len, struct frame *f)
{
	struct word rest = { line, len }, name;

	*f = (struct frame){ .name = NULL };
	if (word_skip(&rest, " ") || !rest.len)
		return -EINVAL;
	if (!take_frame_number(&rest, &f->offset))
		return rest.len ? -EINVAL : 0;
	word_to(&rest, '+', &name);
	if (!name.len || !rest.at || memchr(name.at, ' ', name.len) ||
	    take_frame_number(&rest, &f->offset) || word_skip(&rest, "/") ||
	    take_frame_number(&rest, &f->size))
		return -EINVAL;
	f->name = name.at;
	f->name_len = name.len;
	if (!rest.len)
		return 0;
	if (word_skip(&rest, " [") || !rest.len || rest.at[rest.len - 1] != ']')
		return -EINVAL;
	f->module = rest.at;
	while (f->module_len < rest.len - 1 && rest.at[f->module_len] != ' ')
		f->module_len++;
	return f->module_len ? 0 : -EINVAL;
}

int owner_is_record(const char *line, size_t len)
{
	return word_begins(&(struct word){ line, len }, RECORD_BEGINS);
}

int owner_is_stack(const char *line, size_t len)
{
	const struct word w = { line, len };
	struct frame f;

	return word_begins(&w, "handle: ") || word_begins(&w, "stack_count: ") ||
	       word_begins(&w, "nr_base_pages: ") || !frame_parse(line, len, &f);
}

static enum owner_said bad(struct owner_text *t, const char *problem)
{
	t->problem = problem;
	t->state = BEHIND_BAD;
	return OWNER_BAD;
}

/* The name stands between "(" and "), ts ". It may contain both: the last one
 * ends it. If it has a newline, this line ends within it. */
static void take_name(struct owner_record *r, struct word *rest)
{
	size_t len = rest->len;

	for (size_t i = 0; i + 6 <= rest->len; i++)
		if (!memcmp(rest->at + i, "), ts ", 6))
			len = i;
	word_copy(&(struct word){ rest->at, len }, r->comm, sizeof(r->comm));
	rest->at += len;
	rest->len -= len;
	word_skip(rest, "), ");
}

static const char *parse_pid(struct owner_record *r, struct word *rest)
{
	uint64_t number;

	if (take_number(rest, INT32_MAX, &number))
		return "a pid that cannot be";
	r->pid = (uint32_t)number;
	r->has_pid = 1;
	if (word_skip(rest, ", ") || word_skip(rest, "tgid "))
		return NULL;
	if (take_number(rest, INT32_MAX, &number) || word_skip(rest, " ("))
		return "a tgid that cannot be";
	r->tgid = (uint32_t)number;
	take_name(r, rest);
	return NULL;
}

/* Behind the order. The flags of the mask have no parentheses within. */
static const char *parse_head(struct owner_record *r, struct word *rest)
{
	struct word mask;
	const char *problem;

	if (word_skip(rest, ", mask 0x"))
		return "no mask";
	word_to(rest, ')', &mask);
	if (!rest->at)
		return "a mask without its end";
	if (word_skip(rest, ", pid "))
		return rest->len ? "no pid behind the mask" : NULL;
	problem = parse_pid(r, rest);
	if (problem)
		return problem;
	if (!word_skip(rest, "ts ") &&
	    (take_number(rest, UINT64_MAX, &r->ts_ns) || word_skip(rest, " ns")))
		return "a time that cannot be";
	return NULL;
}

/* The record before lacks its end: it may lack frames too. */
static enum owner_said interrupted(struct owner_text *t)
{
	t->again = 1;
	return bad(t, "a record begins in another one");
}

static enum owner_said begin_record(struct owner_text *t, struct word *rest)
{
	const char *problem;
	uint64_t order;

	memset(&t->record, 0, offsetof(struct owner_record, frame));
	if (word_skip(rest, RECORD_BEGINS))
		return bad(t, "not of a record of page_owner");
	if (take_number(rest, ORDER_MAX, &order))
		return bad(t, "an order that cannot be");
	t->record.order = (uint8_t)order;
	t->record.pages = UINT64_C(1) << order;
	t->record.has_pages = 1;
	problem = parse_head(&t->record, rest);
	if (problem)
		return bad(t, problem);
	t->state = IN_HEAD;
	return OWNER_MORE;
}

/* The line of the PFN is known by its words, of which a name has no room for
 * all. */
static int take_pfn(struct owner_text *t, struct word *rest)
{
	struct owner_record *r = &t->record;

	if (!word_begins(rest, PFN_BEGINS) ||
	    !find_text(rest->at, rest->len, " type ") ||
	    !find_text(rest->at, rest->len, " Block "))
		return 0;
	word_skip(rest, PFN_BEGINS);
	t->state = IN_FRAMES;
	/* The block ends in 64 bits, with its bytes. */
	if (take_number(rest, UINT64_MAX >> 13, &r->pfn) ||
	    word_skip(rest, " type ") || r->pfn & (r->pages - 1)) {
		bad(t, "a PFN that cannot be");
		return 1;
	}
	r->has_pfn = 1;
	return 1;
}

static enum owner_said take_frame(struct owner_text *t, const struct frame *f)
{
	struct owner_record *r = &t->record;

	if (r->frames == OWNER_FRAMES_MAX)
		r->more_frames = 1;
	else
		r->frame[r->frames++] = t->take_frame(t->context, f);
	return OWNER_MORE;
}

static enum owner_said take_handle(struct owner_text *t, struct word *rest)
{
	struct frame f = { .name = NULL };
	uint64_t number;
	char name[20];

	if (take_number(rest, UINT32_MAX, &number) || rest->len)
		return bad(t, "a handle that cannot be");
	f.name = name;
	f.name_len = print_to(name, sizeof(name), "handle:%llu",
			      (unsigned long long)number);
	/* Where there are frames, it says nothing more. */
	return t->record.frames ? OWNER_MORE : take_frame(t, &f);
}

static enum owner_said take_pages(struct owner_text *t, struct word *rest,
				  int is_count)
{
	struct owner_record *r = &t->record;

	if (r->has_pages || take_number(rest, UINT32_MAX, &r->pages) ||
	    rest->len)
		return bad(t, "a number of pages that cannot be");
	r->has_pages = 1;
	r->is_count = (uint8_t)is_count;
	return OWNER_MORE;
}

static enum owner_said take_rest(struct owner_text *t, const char *line,
				 size_t len)
{
	struct word rest = { line, len };
	struct frame f;

	if (!frame_parse(line, len, &f))
		return take_frame(t, &f);
	if (!word_skip(&rest, "handle: "))
		return take_handle(t, &rest);
	if (!word_skip(&rest, "nr_base_pages: "))
		return take_pages(t, &rest, 0);
	if (!word_skip(&rest, "stack_count: "))
		return take_pages(t, &rest, 1);
	if (t->record.has_pfn && word_begins(&rest, "Page has been migrated"))
		t->record.migrated = 1;
	else if (!t->record.has_pfn || !(word_begins(&rest, "Slab cache page") ||
					 word_begins(&rest, "Charged ")))
		return bad(t, "no frame of a stack");
	return OWNER_MORE;
}

/* A line of a record, not the first one. */
static enum owner_said go_on(struct owner_text *t, const char *line, size_t len)
{
	struct word rest = { line, len };

	if (owner_is_record(line, len))
		return interrupted(t);
	if (t->state == IN_HEAD)
		return take_pfn(t, &rest) && t->state == BEHIND_BAD ?
		       OWNER_BAD : OWNER_MORE;
	if (len)
		return take_rest(t, line, len);
	t->state = BETWEEN;
	return OWNER_RECORD;
}

enum owner_said owner_line(struct owner_text *t, const char *line, size_t len)
{
	struct word rest = { line, len };

	t->again = 0;
	if (t->state == BEHIND_BAD && (!len || owner_is_record(line, len)))
		t->state = BETWEEN;
	if (t->state == IN_HEAD || t->state == IN_FRAMES)
		return go_on(t, line, len);
	if (t->state == BEHIND_BAD || !len)
		return OWNER_MORE;
	if (owner_is_record(line, len))
		return begin_record(t, &rest);
	memset(&t->record, 0, offsetof(struct owner_record, frame));
	t->state = IN_FRAMES;
	return take_rest(t, line, len);
}

enum owner_said owner_end(struct owner_text *t)
{
	const int whole = t->state == BETWEEN || t->state == BEHIND_BAD;

	t->state = BETWEEN;
	return whole ? OWNER_MORE : bad(t, "cut off in the middle of a record");
}
