/* SPDX-License-Identifier: MIT */
/*
 * Bytes from a terminal -> keys.
 *
 * Arrows and the like are sequences that begin with ESC; the answer to the
 * question where the cursor is (ESC [ 6 n) is one too. Sequences of any other
 * kind are skipped, and one that does not end is given up, so that no bytes can
 * block the keyboard.
 */
#ifndef MEMSTRACK_KEYS_H
#define MEMSTRACK_KEYS_H

enum key {
	KEY_NONE, KEY_UP, KEY_DOWN, KEY_PAGE_UP, KEY_PAGE_DOWN, KEY_HOME,
	KEY_END, KEY_ENTER, KEY_BACK, KEY_NEXT_TABLE, KEY_TABLE_1,
	KEY_TABLE_2, KEY_TABLE_3, KEY_TABLE_4, KEY_SORT, KEY_PAUSE, KEY_NOW,
	KEY_REDRAW, KEY_QUIT,
	KEY_SIZE,		/* the terminal told rows and cols */
};

#define KEYS_NUMBERS 2u
#define KEYS_NUMBER_MAX 9999u

struct keys {
	enum { KEYS_PLAIN, KEYS_ESC, KEYS_SEQUENCE, KEYS_LETTER } state;
	unsigned int bytes;		/* of the sequence */
	unsigned int numbers;		/* that have begun */
	unsigned int number[KEYS_NUMBERS];
	unsigned int rows, cols;	/* of KEY_SIZE */
};

enum key keys_byte(struct keys *k, unsigned char byte);

/* Nothing came for a while: an ESC that nothing followed was the key. */
enum key keys_pause(struct keys *k);
/* A sequence has begun. */
static inline int keys_wait(const struct keys *k)
{
	return k->state != KEYS_PLAIN;
}

#endif
