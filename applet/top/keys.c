/* SPDX-License-Identifier: MIT */
/* Bytes from a terminal -> keys: see top.h, keys. */
#include "base/base.h"
#include "limits.h"
#include "top/top.h"

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
