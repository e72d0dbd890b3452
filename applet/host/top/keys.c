/* SPDX-License-Identifier: MIT */
/* Bytes from a terminal become keys: see top.h, keys. */
#include <string.h>
#include "base/base.h"
#include "limits.h"
#include "host/top/top.h"

#define SEQUENCE_BYTES 24u

static enum key plain(unsigned char byte)
{
	static const struct { char byte; unsigned char key; } keys[] = {
		{ 'k', KEY_UP }, { 'j', KEY_DOWN }, { 'u', KEY_PAGE_UP },
		{ 'd', KEY_PAGE_DOWN }, { 'g', KEY_HOME }, { 'G', KEY_END },
		{ '\n', KEY_ENTER }, { '\r', KEY_ENTER }, { 'l', KEY_ENTER },
		{ 'h', KEY_BACK }, { 'b', KEY_BACK }, { 0x7f, KEY_BACK },
		{ 0x08, KEY_BACK }, { '\t', KEY_NEXT_TABLE },
		{ 't', KEY_NEXT_TABLE }, { '1', KEY_TABLE_1 },
		{ '2', KEY_TABLE_2 }, { '3', KEY_TABLE_3 },
		{ '4', KEY_TABLE_4 }, { 's', KEY_SORT }, { 'p', KEY_PAUSE },
		{ ' ', KEY_NOW }, { 'r', KEY_REDRAW }, { 0x0c, KEY_REDRAW },
		{ 'q', KEY_QUIT }, { 0x03, KEY_QUIT }, { 0x04, KEY_QUIT },
	};

	for (unsigned int i = 0; i < ARRAY_LEN(keys); i++)
		if (keys[i].byte == (char)byte)
			return (enum key)keys[i].key;
	return KEY_NONE;
}

/* The last byte of a sequence without numbers, or with modifiers. */
static enum key letter(unsigned char byte)
{
	static const char letters[] = "ABCDHFM";
	static const unsigned char keys[] = {
		KEY_UP, KEY_DOWN, KEY_ENTER, KEY_BACK, KEY_HOME, KEY_END,
		KEY_ENTER,
	};
	const size_t at = length_to(letters, (char)byte);

	return letters[at] ? (enum key)keys[at] : KEY_NONE;
}

static enum key numbered(unsigned int number)
{
	static const unsigned char keys[] = {
		[1] = KEY_HOME, [4] = KEY_END, [5] = KEY_PAGE_UP,
		[6] = KEY_PAGE_DOWN, [7] = KEY_HOME, [8] = KEY_END,
	};

	return number < sizeof(keys) ? (enum key)keys[number] : KEY_NONE;
}

static void begin(struct keys *k)
{
	k->state = KEYS_ESC;
	k->bytes = k->numbers = 0;
	k->number[0] = k->number[1] = 0;
}

static enum key end(struct keys *k, unsigned char byte)
{
	k->state = KEYS_PLAIN;
	if (byte == '~')
		return k->numbers ? numbered(k->number[0]) : KEY_NONE;
	if (byte != 'R')
		return letter(byte);
	if (k->numbers < KEYS_NUMBERS || !k->number[0] || !k->number[1])
		return KEY_NONE;
	k->rows = k->number[0];
	k->cols = k->number[1];
	return KEY_SIZE;
}

/* Numbers, with semicolons between them; then one letter. */
static enum key in_sequence(struct keys *k, unsigned char byte)
{
	unsigned int *number;

	if (byte >= '0' && byte <= '9') {
		k->numbers = k->numbers ? k->numbers : 1;
		number = &k->number[k->numbers - 1];
		*number = *number * 10 + byte - '0';
		if (*number > KEYS_NUMBER_MAX)
			*number = KEYS_NUMBER_MAX;
		return KEY_NONE;
	}
	if (byte == ';' && k->numbers < KEYS_NUMBERS)
		k->numbers = k->numbers ? k->numbers + 1 : 2;
	if (byte == '[' && k->bytes == 2)	/* Linux: ESC [ [ A is F1 */
		k->state = KEYS_LETTER;
	else if (byte >= 0x40)
		return end(k, byte);
	return KEY_NONE;
}

enum key keys_byte(struct keys *k, unsigned char byte)
{
	if (byte == 0x1b) {
		begin(k);
		return KEY_NONE;
	}
	if (k->state != KEYS_PLAIN && (byte < 0x20 || byte > 0x7e ||
				       ++k->bytes > SEQUENCE_BYTES))
		k->state = KEYS_PLAIN;
	switch (k->state) {
	case KEYS_PLAIN:
		return plain(byte);
	case KEYS_ESC:
		k->state = byte == '[' ? KEYS_SEQUENCE :
			   byte == 'O' ? KEYS_LETTER : KEYS_PLAIN;
		return KEY_NONE;
	case KEYS_SEQUENCE:
		return in_sequence(k, byte);
	case KEYS_LETTER:
		break;
	}
	k->state = KEYS_PLAIN;
	return k->bytes == 2 ? letter(byte) : KEY_NONE;
}

enum key keys_pause(struct keys *k)
{
	const int alone = k->state == KEYS_ESC;

	k->state = KEYS_PLAIN;
	return alone ? KEY_BACK : KEY_NONE;
}

/* --- view keys: the order of rows, the marked row, and what keys do to them */

/* Does `a` come before `b`? */
static int before(const struct view *v, const struct top_row *a,
		  const struct top_row *b)
{
	int64_t x = 0, y = 0;

	switch (v->sort) {
	case SORT_PEAK:
		x = (int64_t)a->peak;
		y = (int64_t)b->peak;
		break;
	case SORT_CHANGE:
		x = a->change;
		y = b->change;
		break;
	case SORT_NAME:
		y = strcmp(a->name, b->name);
		break;
	default:
		break;
	}
	if (x == y && v->sort != SORT_NAME) {
		x = (int64_t)a->now;
		y = (int64_t)b->now;
	}
	return x != y ? x > y : a->number < b->number;
}

/* Insertion: from one picture to the next the order hardly changes. */
void view_order(struct view *v, const struct top_picture *p)
{
	const struct top_rows *t = &p->table[v->table];

	for (uint32_t i = 0; i < t->used; i++) {
		uint32_t to = i;

		for (; to && before(v, &t->row[i],
				    &t->row[v->order[to - 1]]); to--)
			v->order[to] = v->order[to - 1];
		v->order[to] = (uint16_t)i;
	}
	/* At the top the mark stays there. */
	if (v->in_stacks || !v->at)
		return;
	for (uint32_t i = 0; i < t->used; i++) {
		const struct top_row *r = &t->row[v->order[i]];

		if (r->number == v->number && r->key == v->key)
			v->at = i;
	}
	if (v->at >= t->used)
		v->at = t->used ? t->used - 1 : 0;
}

static void mark(struct view *v, const struct top_picture *p, uint32_t at)
{
	const struct top_rows *t = &p->table[v->table];
	const struct top_row *r;

	if (!t->used)
		return;
	v->at = at < t->used ? at : t->used - 1;
	r = &t->row[v->order[v->at]];
	v->number = r->number;
	v->key = r->key;
}

static void show_table(struct view *v, const struct top_picture *p,
		       unsigned int t)
{
	if (t >= TOP_TABLES || !p->table[t].used)
		return;
	v->table = (enum top_table)t;
	v->in_stacks = 0;
	v->first = v->at = 0;
	v->number = UINT32_MAX;
	view_order(v, p);
	mark(v, p, 0);
}

static void next_table(struct view *v, const struct top_picture *p)
{
	unsigned int t = v->table;

	do
		t = (t + 1) % TOP_TABLES;
	while (t != v->table && !p->table[t].used);
	show_table(v, p, t);
}

/* Up or down: to another row, or other lines of stacks. */
static void move(struct view *v, const struct top_picture *p, int64_t by)
{
	const int64_t from = v->in_stacks ? v->first : v->at;
	const uint32_t to = from + by < 0 ? 0 : from + by > UINT16_MAX ?
			    UINT16_MAX : (uint32_t)(from + by);

	if (v->in_stacks)
		v->first = to;
	else
		mark(v, p, to);
}

/* Initcalls are counted without stacks, and a row of many rows has none. */
static int enter(struct view *v, const struct top_picture *p)
{
	const struct top_rows *t = &p->table[v->table];
	const char *why = v->table == TOP_INITCALLS ?
			  "no stacks are kept of initcalls" :
			  p->sampled ? "sampled: there are no stacks" :
			  "this row has no stacks";

	if (v->in_stacks || !t->used)
		return 0;
	mark(v, p, v->at);
	if (v->table == TOP_INITCALLS || p->sampled ||
	    v->number == UINT32_MAX) {
		print_to(v->message, sizeof(v->message), "%s", why);
		return 0;
	}
	v->in_stacks = 1;
	v->first = 0;
	return 1;
}

static void leave(struct view *v, const struct top_picture *p)
{
	if (!v->in_stacks)
		return;
	v->in_stacks = 0;
	v->first = 0;
	view_order(v, p);
}

int view_key(struct view *v, const struct top_picture *p, enum key key)
{
	const int64_t page = v->page > 1 ? v->page - 1 : 1;

	v->message[0] = '\0';
	if (key >= KEY_TABLE_1 && key <= KEY_TABLE_4)
		show_table(v, p, key - KEY_TABLE_1);
	else if (key == KEY_UP || key == KEY_DOWN)
		move(v, p, key == KEY_UP ? -1 : 1);
	else if (key == KEY_PAGE_UP || key == KEY_PAGE_DOWN)
		move(v, p, key == KEY_PAGE_UP ? -page : page);
	else if (key == KEY_HOME || key == KEY_END)
		move(v, p, key == KEY_HOME ? -(int64_t)UINT16_MAX : UINT16_MAX);
	else if (key == KEY_NEXT_TABLE)
		next_table(v, p);
	else if (key == KEY_BACK)
		leave(v, p);
	else if (key == KEY_ENTER)
		return enter(v, p);
	else if (key == KEY_PAUSE)
		v->paused = !v->paused;
	else if (key == KEY_SORT)
		v->sort = (enum sort)((v->sort + 1) % SORTS);
	view_order(v, p);
	return (key == KEY_SORT || key == KEY_NOW || key == KEY_PAUSE) &&
	       !v->paused;
}
