/* SPDX-License-Identifier: MIT */
/*
 * top/keys.c: each key by all the sequences that terminals have for it, split
 * anywhere; sequences of no key; and bytes of any kind after which the keyboard
 * still works.
 */
#include <stdint.h>
#include "random.h"
#include "tap.h"
#include "top/keys.h"

/* The only key that these bytes are; -1: several. */
static int key_of(struct keys *k, const char *bytes)
{
	int found = KEY_NONE;

	for (; *bytes; bytes++) {
		enum key key = keys_byte(k, (unsigned char)*bytes);

		if (key && found)
			return -1;
		if (key)
			found = (int)key;
	}
	return found;
}

static void each_key(void)
{
	static const struct { const char *bytes, *name; enum key key; } cases[] = {
		{ "\033[A", "up", KEY_UP }, { "\033OA", "up, application", KEY_UP },
		{ "k", "k", KEY_UP }, { "\033[B", "down", KEY_DOWN },
		{ "\033[1;5B", "control-down", KEY_DOWN },
		{ "\033[C", "right", KEY_ENTER }, { "\n", "enter", KEY_ENTER },
		{ "\r", "return", KEY_ENTER }, { "\033OM", "keypad enter", KEY_ENTER },
		{ "\033[D", "left", KEY_BACK }, { "\177", "backspace", KEY_BACK },
		{ "\033[5~", "page up", KEY_PAGE_UP },
		{ "\033[6~", "page down", KEY_PAGE_DOWN },
		{ "\033[H", "home", KEY_HOME }, { "\033[1~", "home, VT", KEY_HOME },
		{ "\033[7~", "home, rxvt", KEY_HOME }, { "\033[F", "end", KEY_END },
		{ "\033[4~", "end, VT", KEY_END }, { "\t", "tab", KEY_NEXT_TABLE },
		{ "3", "3", KEY_TABLE_3 }, { "s", "s", KEY_SORT },
		{ "p", "p", KEY_PAUSE }, { " ", "space", KEY_NOW },
		{ "\014", "control-L", KEY_REDRAW }, { "q", "q", KEY_QUIT },
		{ "x", "no key", KEY_NONE }, { "\033[2~", "insert", KEY_NONE },
		{ "\033[[A", "F1 of Linux", KEY_NONE },
		{ "\033[15~", "F5", KEY_NONE }, { "\033OP", "F1", KEY_NONE },
		{ "\033[?1;2c", "what a terminal says it is", KEY_NONE },
		{ "\033[;R", "a size without numbers", KEY_NONE },
		{ "\033[0;80R", "a size of nothing", KEY_NONE },
		{ "\033[~", "a tilde without number", KEY_NONE },
	};

	for (unsigned int i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct keys k = { .state = KEYS_PLAIN };

		tap_ok(key_of(&k, cases[i].bytes) == (int)cases[i].key &&
		       !keys_wait(&k) && keys_byte(&k, 'q') == KEY_QUIT,
		       "%s", cases[i].name);
	}
}

static void sizes(void)
{
	struct keys k = { .state = KEYS_PLAIN };

	tap_ok(key_of(&k, "\033[24;80R") == KEY_SIZE && k.rows == 24 &&
	       k.cols == 80, "the terminal's size");
	tap_ok(key_of(&k, "\033[99999999999;1R") == KEY_SIZE &&
	       k.rows == KEYS_NUMBER_MAX && k.cols == 1, "a huge one is bounded");
	tap_ok(key_of(&k, "\033[1;2;3R") == KEY_SIZE && k.cols < 100,
	       "three numbers do no harm");
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
	tap_ok(key_of(&k, "\033[1\033[A") == KEY_UP,
	       "one that another interrupts, too");
	tap_ok(key_of(&k, "\033[\nq") == -1, "a control byte is a key again");
}

static void anything(void)
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

int main(void)
{
	each_key();
	sizes();
	escape();
	anything();
	return tap_plan_done();
}
