/* SPDX-License-Identifier: MIT */
/* Pages of a tracefs ring buffer: see tracefs.h, ring page and entry. */
#include <errno.h>
#include <string.h>
#include "base/system.h"
#include "source/tracefs/tracefs.h"

/* Bits of "commit" above the number of bytes: entries were lost before this
 * page; their number is stored behind the data (RB_MISSED_EVENTS and
 * RB_MISSED_STORED). */
#define MISSED_EVENTS (UINT64_C(1) << 31)
#define MISSED_STORED (UINT64_C(1) << 30)
#define COMMIT_BYTES (MISSED_STORED - 1)

#define TIME_BITS 27
#define TYPE_BITS 5
/* An absolute stamp has 27 + 32 bits; the upper bits are those of the time
 * before. */
#define STAMP_BITS (TIME_BITS + 32)

/* "\tpadding     : type == 29\n": a number up to `most`, or -1. */
static int number_behind(const char *text, size_t len, const char *key,
			 const char *mark, uint64_t most)
{
	struct word rest = { text, len }, w;
	uint64_t value;

	return word_seek(&rest, key) ||
	       word_seek(word_to(&rest, '\n', &w), mark) ||
	       word_number(past_blanks(&w), 10, &value) || value > most ?
	       -1 : (int)value;
}

static int parse_event(struct ring_layout *l, const char *text, size_t len)
{
	const uint64_t types = (1u << TYPE_BITS) - 1;
	const int padding = number_behind(text, len, "padding", "==", types);
	const int extend = number_behind(text, len, "time_extend", "==", types);
	const int stamp = number_behind(text, len, "time_stamp", "==", types);
	const int most = number_behind(text, len, "data max", "==", types);

	if (padding < 0 || extend < 0 || stamp < 0 || most < 0 ||
	    padding <= most || extend <= most || stamp <= most ||
	    !find_text(text, len, ":    5 bits") ||
	    !find_text(text, len, ":   27 bits"))
		return -EINVAL;
	l->padding = (uint8_t)padding;
	l->time_extend = (uint8_t)extend;
	l->time_stamp = (uint8_t)stamp;
	l->data_max = (uint8_t)most;
	return 0;
}

int ring_layout_parse(struct ring_layout *l, const char *page, size_t page_len,
		      const char *event, size_t event_len)
{
	struct field data;

	*l = (struct ring_layout){ 0 };
	if (format_field(page, page_len, "timestamp", &l->time) ||
	    format_field(page, page_len, "commit", &l->commit) ||
	    format_field(page, page_len, "data", &data) ||
	    l->time.size != 8 ||
	    (l->commit.size != 4 && l->commit.size != 8))
		return -EINVAL;
	l->data = data.offset;
	return parse_event(l, event, event_len);
}

/* The number stored behind the data is an unsigned long, like commit. */
static void read_missed(struct ring_page *p, uint64_t commit,
			const unsigned char *page, size_t len)
{
	struct field number = p->layout->commit;

	p->is_missed = (commit & MISSED_EVENTS) != 0;
	if (!p->is_missed || !(commit & MISSED_STORED))
		return;
	number.is_signed = 0;
	number.offset = 0;
	field_u64(&number, p->end, (size_t)(page + len - p->end), &p->missed);
}

int ring_page_open(struct ring_page *p, const struct ring_layout *l,
		   const unsigned char *page, size_t len)
{
	uint64_t commit;

	*p = (struct ring_page){ .layout = l, .at = page, .end = page };
	if (l->data > len ||
	    field_u64(&l->time, page, len, &p->time_ns) ||
	    field_u64(&l->commit, page, len, &commit) ||
	    (commit & COMMIT_BYTES) > len - l->data)
		return -EINVAL;
	p->at = page + l->data;
	p->end = p->at + (commit & COMMIT_BYTES);
	read_missed(p, commit, page, len);
	return 0;
}

static uint32_t word_at(const unsigned char *at)
{
	uint32_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
static uint32_t type_of(uint32_t word) { return word >> TIME_BITS; }
static uint32_t delta_of(uint32_t word)
{
	return word & ((1u << TIME_BITS) - 1);
}
#else
static uint32_t type_of(uint32_t word)
{
	return word & ((1u << TYPE_BITS) - 1);
}
static uint32_t delta_of(uint32_t word) { return word >> TYPE_BITS; }
#endif

/* The upper bits are those of the time before, plus one if the lower bits have
 * overflowed since. */
static uint64_t absolute(uint64_t stamp, uint64_t before)
{
	const uint64_t step = UINT64_C(1) << STAMP_BITS;
	const uint64_t time = stamp | (before & ~(step - 1));

	return before >= step && time < before ? time + step : time;
}

/* The type and length of an entry. */
struct head {
	uint32_t type, delta;
	uint32_t word;		/* behind the first word, if it has one */
	size_t header, len;	/* bytes of the header, and of the data */
};

/* 1; 0: only padding follows; or -EINVAL. */
static int read_head(const struct ring_page *p, struct head *h)
{
	const struct ring_layout *l = p->layout;
	const size_t left = (size_t)(p->end - p->at);

	if (left < 4)
		return -EINVAL;
	h->type = type_of(word_at(p->at));
	h->delta = delta_of(word_at(p->at));
	h->header = 4;
	h->word = 0;
	if (h->type == l->padding && !h->delta)
		return 0;
	if (h->type && h->type <= l->data_max) {
		h->len = h->type * 4;
		return h->len <= left - 4 ? 1 : -EINVAL;
	}
	if (left < 8)
		return -EINVAL;
	h->header = 8;
	h->word = word_at(p->at + 4);
	h->len = 0;
	if (h->type == l->time_extend || h->type == l->time_stamp)
		return 1;
	/* The word is a length that includes the word itself. */
	if ((h->type && h->type != l->padding) || h->word < 4 ||
	    h->word > left - 4)
		return -EINVAL;
	h->len = h->word - 4;
	return 1;
}

/* Adds the entry's time. The kernel gives a discarded entry the time 1 if it
 * had 0, because padding with time 0 means the end of the page. */
static void pass_time(struct ring_page *p, const struct head *h)
{
	const struct ring_layout *l = p->layout;
	const uint64_t wide = ((uint64_t)h->word << TIME_BITS) + h->delta;

	if (h->type == l->time_stamp)
		p->time_ns = absolute(wide, p->time_ns);
	else if (h->type == l->time_extend)
		p->time_ns += wide;
	else if (h->type != l->padding || h->delta != 1)
		p->time_ns += h->delta;
}

int ring_page_next(struct ring_page *p, struct ring_entry *e)
{
	while (p->at < p->end) {
		struct head h;
		const int found = read_head(p, &h);

		if (found <= 0) {
			p->at = p->end;
			return found;
		}
		pass_time(p, &h);
		e->time_ns = p->time_ns;
		e->data = p->at + h.header;
		e->len = h.len;
		/* Entries begin at multiples of four bytes. */
		h.len = (h.len + 3) & ~(size_t)3;
		if (h.len > (size_t)(p->end - e->data))
			h.len = (size_t)(p->end - e->data);
		p->at = e->data + h.len;
		if (h.type <= p->layout->data_max)
			return 1;
	}
	return 0;
}

/* --- entry */

struct entry entry_of(const unsigned char *data, size_t len)
{
	struct entry h = { 0 };

	if (len >= sizeof(h))
		memcpy(&h, data, sizeof(h));
	return h;
}

uint64_t entry_context(const struct entry *h)
{
	return (uint64_t)h->tid << 8 | (h->flags & ENTRY_IN_INTERRUPT);
}

int stack_parse(struct stack_format *s, const char *text, size_t len)
{
	if (!format_id(text, len, &s->id) && s->id &&
	    !format_field(text, len, "size", &s->size) &&
	    !format_field(text, len, "caller", &s->caller))
		return 0;
	s->id = 0;
	return -EINVAL;
}

/* Some kernels end a short stack with -1. */
void stack_decode(const struct stack_format *s, const struct ring_layout *l,
		  const unsigned char *data, size_t len, uint32_t most,
		  struct event *e)
{
	struct field frame = {
		.offset = s->caller.offset, .size = l->commit.size,
	};
	const uint64_t end = UINT64_MAX >> (64 - 8 * frame.size);
	uint64_t count, addr;

	if (field_u64(&s->size, data, len, &count))
		return;
	while (count-- && e->chain_len < most &&
	       !field_u64(&frame, data, len, &addr) && addr && addr != end) {
		e->chain[e->chain_len++] = addr;
		frame.offset = (uint16_t)(frame.offset + frame.size);
	}
}
