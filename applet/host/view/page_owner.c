/* SPDX-License-Identifier: MIT */
/* Records of page_owner: see view.h, page owner. */
#include <errno.h>
#include <string.h>
#include "base/base.h"
#include "base/system.h"
#include "host/view/view.h"

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

static const char *begin_record(struct owner_text *t, struct word *rest)
{
	uint64_t order;

	memset(&t->record, 0, offsetof(struct owner_record, frame));
	word_skip(rest, RECORD_BEGINS);
	if (take_number(rest, ORDER_MAX, &order))
		return "an order that cannot be";
	t->record.order = (uint8_t)order;
	t->record.pages = UINT64_C(1) << order;
	t->record.has_pages = 1;
	t->state = IN_HEAD;
	return parse_head(&t->record, rest);
}

/* The line of the PFN is known by its words, of which a name has no room for
 * all. Any other line belongs to the name. */
static const char *take_pfn(struct owner_text *t, struct word *rest)
{
	struct owner_record *r = &t->record;

	if (!word_begins(rest, PFN_BEGINS) ||
	    !find_text(rest->at, rest->len, " type ") ||
	    !find_text(rest->at, rest->len, " Block "))
		return NULL;
	word_skip(rest, PFN_BEGINS);
	t->state = IN_FRAMES;
	/* The block ends in 64 bits, with its bytes. */
	r->has_pfn = !take_number(rest, UINT64_MAX >> 13, &r->pfn) &&
		     !word_skip(rest, " type ") && !(r->pfn & (r->pages - 1));
	return r->has_pfn ? NULL : "a PFN that cannot be";
}

static const char *take_frame(struct owner_text *t, const struct frame *f)
{
	struct owner_record *r = &t->record;

	if (r->frames < OWNER_FRAMES_MAX)
		r->frame[r->frames++] = t->take_frame(t->context, f);
	return NULL;
}

static const char *take_handle(struct owner_text *t, struct word *rest)
{
	struct frame f = { .name = NULL };
	uint64_t number;
	char name[20];

	if (take_number(rest, UINT32_MAX, &number) || rest->len)
		return "a handle that cannot be";
	f.name = name;
	f.name_len = print_to(name, sizeof(name), "handle:%llu",
			      (unsigned long long)number);
	/* Where there are frames, the handle adds nothing. */
	return t->record.frames ? NULL : take_frame(t, &f);
}

static const char *take_pages(struct owner_text *t, struct word *rest,
			      int is_count)
{
	struct owner_record *r = &t->record;

	if (r->has_pages || take_number(rest, UINT32_MAX, &r->pages) ||
	    rest->len)
		return "a number of pages that cannot be";
	r->has_pages = 1;
	r->is_count = (uint8_t)is_count;
	return NULL;
}

static const char *take_rest(struct owner_text *t, struct word *rest)
{
	const int of_page = t->record.has_pfn;
	struct frame f;

	if (!frame_parse(rest->at, rest->len, &f))
		return take_frame(t, &f);
	if (!word_skip(rest, "handle: "))
		return take_handle(t, rest);
	if (!word_skip(rest, "nr_base_pages: "))
		return take_pages(t, rest, 0);
	if (!word_skip(rest, "stack_count: "))
		return take_pages(t, rest, 1);
	if (of_page && word_begins(rest, "Page has been migrated"))
		t->record.migrated = 1;
	else if (!of_page || !(word_begins(rest, "Slab cache page") ||
			       word_begins(rest, "Charged ")))
		return "no frame of a stack";
	return NULL;
}

static const char *go_on(struct owner_text *t, struct word *rest, int begins)
{
	if (t->state == IN_HEAD)
		return take_pfn(t, rest);
	if (begins)
		return begin_record(t, rest);
	if (t->state == BETWEEN && rest->len) {
		memset(&t->record, 0, offsetof(struct owner_record, frame));
		t->state = IN_FRAMES;
	}
	if (t->state == IN_FRAMES && rest->len)
		return take_rest(t, rest);
	if (t->state == IN_FRAMES)
		t->take_record(t->context);
	if (!rest->len)
		t->state = BETWEEN;
	return NULL;
}

/* A record that begins in another one: the one before may lack frames too. */
const char *owner_line(struct owner_text *t, const char *line, size_t len)
{
	const int begins = owner_is_record(line, len);
	const int is_inside = t->state == IN_HEAD || t->state == IN_FRAMES;
	struct word rest = { line, len };
	const char *problem;

	if (begins)
		t->state = BETWEEN;
	problem = go_on(t, &rest, begins);
	if (problem)
		t->state = BEHIND_BAD;
	else if (begins && is_inside)
		problem = "a record begins in another one";
	return problem;
}

const char *owner_end(struct owner_text *t)
{
	const int is_inside = t->state == IN_HEAD || t->state == IN_FRAMES;

	t->state = is_inside ? BEHIND_BAD : BETWEEN;
	return is_inside ? "cut off in the middle of a record" : NULL;
}
