/* SPDX-License-Identifier: MIT */
/*
 * host/top/keys.c, rows.c and view, by cases/top: bytes of a terminal are keys,
 * and answers of the tracer make pictures, each from the one before it. Then
 * escapes, bytes of any kind, and more rows than there is room for.
 */
#include <inttypes.h>
#include "cases.h"
#include "report/report.h"
#include "host/top/top.h"

static struct top_picture p;

/* The keys that these bytes are, after which the keyboard works as before. */
static void test_keys(const struct cases *c)
{
	static const char *const names[] = {
		"none", "up", "down", "page up", "page down", "home", "end",
		"enter", "back", "next table", "1", "2", "3", "4", "sort",
		"pause", "now", "redraw", "quit", "size",
	};
	struct keys k = { .state = KEYS_PLAIN };
	char got[OUTCOME_BYTES] = "";

	for (size_t i = 0; i < c->len; i++) {
		const enum key key = keys_byte(&k, (unsigned char)c->text[i]);

		if (key)
			append(got, "%s%s", *got ? ", " : "", names[key]);
		if (key == KEY_SIZE)
			append(got, " %u %u", k.rows, k.cols);
	}
	case_is(c, *got ? got : "none");
	tap_ok(!keys_wait(&k) && keys_byte(&k, 'q') == KEY_QUIT, "then q");
}

static void escape(void)
{
	struct keys k = { .state = KEYS_PLAIN };

	tap_ok(!keys_byte(&k, 0x1b) && keys_wait(&k), "ESC may be a beginning");
	tap_ok(keys_pause(&k) == KEY_BACK && !keys_wait(&k),
	       "nothing follows: it is the key");
	keys_byte(&k, 0x1b);
	keys_byte(&k, '[');
	tap_ok(keys_pause(&k) == KEY_NONE && keys_byte(&k, 'q') == KEY_QUIT,
	       "a sequence that ends nowhere is given up");
}

static void any_bytes(void)
{
	struct keys k = { .state = KEYS_PLAIN };
	struct random seed = { 1 };
	unsigned int longest = 0;

	for (int round = 0; round < 100000; round++) {
		unsigned int bytes = 0;

		keys_byte(&k, (unsigned char)random_below(&seed, 256));
		while (keys_byte(&k, 'q') != KEY_QUIT && ++bytes < 100)
			;
		if (bytes > longest)
			longest = bytes;
	}
	tap_ok(longest < 40, "after any byte q quits, at most %u bytes later",
	       longest);
	keys_byte(&k, 0x1b);
	keys_byte(&k, '[');
	for (int i = 0; i < 1000; i++)
		keys_byte(&k, ';');
	tap_ok(keys_byte(&k, 'q') == KEY_QUIT, "no sequence is endless");
}

/* A row of many rows has a * behind its name. */
static void words_of_row(const struct top_row *r, char *out)
{
	append(out, "; %s%s (%s) held %" PRIu64, r->name,
	       r->number == UINT32_MAX ? "*" : "", r->note, row_held(r));
	if (r->peak != UNKNOWN)
		append(out, ", peak %" PRIu64, r->peak);
	if (r->change != NO_CHANGE)
		append(out, ", %+" PRId64, r->change);
	if (r->addr)
		append(out, ", at %" PRIx64, r->addr);
}

static void words_of_tables(char *out)
{
	append(out, "%slost %u, peak %u", p.whole ? "" : "cut, ",
	       (unsigned int)p.lost, (unsigned int)p.peak);
	for (int t = 0; t < TOP_TABLES; t++) {
		for (uint32_t i = 0; i < p.table[t].used; i++)
			words_of_row(&p.table[t].row[i], out);
		if (p.table[t].others)
			append(out, "; and %u", (unsigned int)p.table[t].others);
	}
}

static void words_of_stacks(char *out)
{
	for (uint32_t i = 0; i < p.stacks.used; i++) {
		const struct top_stack *s = &p.stacks.stack[i];

		append(out, "%u:", (unsigned int)s->now);
		for (uint32_t k = s->first; k < s->first + s->frames; k++)
			append(out, " %s%s", p.stacks.frame[k].text,
			       p.stacks.frame[k].addr ? " (to be named)" : "");
		append(out, "; ");
	}
	append(out, "and %u; ", (unsigned int)p.stacks.others);
}

/* @ stands for a head, $ for an end. `text` has an end byte. */
static int take(const char *text, int stacks_only)
{
	static char whole[300 * 200];
	size_t len = 0;

	for (; *text; text++)
		len += (size_t)snprintf(whole + len, sizeof(whole) - len,
			*text == '@' ? "{\"type\":\"head\",\"version\":\"0.1.0\","
			"\"start_ns\":5,\"end_ns\":1000000000,"
			"\"page_bytes\":4096,\"ram_kib\":2048,"
			"\"free_now_kib\":1024,\"free_lowest_kib\":512,"
			"\"now_pages\":3,\"peak_pages\":4,\"lost\":7}\n" :
			*text == '$' ? "{\"type\":\"end\",\"records\":1}\n" :
			"%c", *text);
	return picture_take(&p, whole, len + 1, stacks_only);
}

static void test_answer(const struct cases *c)
{
	const int stacks_only = !strcmp(c->reader, "stacks");
	char out[OUTCOME_BYTES] = "";

	if (take(c->text, stacks_only) != -EPROTO) {
		if (stacks_only)
			words_of_stacks(out);
		words_of_tables(out);
	}
	case_is(c, *out ? out : "none");
}

static const struct top_row *task(unsigned int i)
{
	return &p.table[TOP_TASKS].row[i];
}

static void full(void)
{
	static char text[300 * 100] = "@";
	struct view v = { .page = 10 };
	size_t len = 1;

	for (unsigned int i = 0; i < 300; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
			"{\"type\":\"task\",\"row\":%u,\"pid\":%u,\"start_ns\":0,"
			"\"comm\":\"t\",\"state\":\"live\",\"now_pages\":%u}\n",
			i + 2, i + 2, i);
	take(text, 0);
	tap_ok(p.table[TOP_TASKS].used == PICTURE_ROWS &&
	       p.table[TOP_TASKS].others == 300 - PICTURE_ROWS,
	       "what finds no room is counted");
	view_order(&v, &p);
	tap_ok(task(v.order[0])->now == 255 * 4096, "the largest first");
	view_key(&v, &p, KEY_DOWN);
	tap_ok(v.at == 1 && v.number == task(v.order[1])->number, "down");
	for (int i = 0; i < 3; i++)
		view_key(&v, &p, KEY_SORT);
	tap_ok(v.sort == SORT_NAME && task(v.order[v.at])->number == v.number,
	       "in another order the marked row is the same");
	view_key(&v, &p, KEY_END);
	tap_ok(v.at == PICTURE_ROWS - 1, "end");
	view_key(&v, &p, KEY_PAGE_UP);
	tap_ok(v.at == PICTURE_ROWS - 10, "page up");
	view_key(&v, &p, KEY_HOME);
	tap_ok(!v.at && view_key(&v, &p, KEY_ENTER) && v.in_stacks,
	       "home, and into the stacks: the tracer is asked");
	view_key(&v, &p, KEY_BACK);
	tap_ok(!v.in_stacks, "and back");
	take("@$", 0);
	view_key(&v, &p, KEY_DOWN);
	tap_ok(!view_key(&v, &p, KEY_ENTER), "an empty table has no row");
}

int main(void)
{
	struct cases c = { .file = NULL };

	while (next_case(&c, "top"))
		if (!strcmp(c.reader, "key"))
			test_keys(&c);
		else
			test_answer(&c);
	escape();
	any_bytes();
	full();
	return tap_plan_done();
}
