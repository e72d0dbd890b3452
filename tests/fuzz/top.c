/* SPDX-License-Identifier: MIT */
/*
 * memstrack top on any bytes: as an answer of the tracer (top/rows.c) and as what
 * a terminal sends (top/keys.c). Whatever is read, the tables keep their bounds,
 * names are printable, and each picture can be drawn on a screen of any size. The
 * first bytes are the size and the keys between two pictures; the answers follow,
 * each behind a byte 0.
 */
#include "fuzz.h"
#include "top/top.h"

static struct top_picture p;
static struct screen screen;
static struct view v;
static struct naming naming;	/* no names */

static void check_text(const char *text, size_t size)
{
	must(memchr(text, 0, size) != NULL);
	must_print(text, strlen(text));
}

static void check_picture(void)
{
	for (unsigned int t = 0; t < TOP_TABLES; t++) {
		must(p.table[t].used <= PICTURE_ROWS);
		for (uint32_t i = 0; i < p.table[t].used; i++) {
			check_text(p.table[t].row[i].name, ROW_NAME_BYTES);
			check_text(p.table[t].row[i].note, ROW_NOTE_BYTES);
		}
	}
	must(p.stacks.used <= PICTURE_STACKS);
	must(p.stacks.frames <= PICTURE_FRAMES);
	for (uint32_t i = 0; i < p.stacks.used; i++)
		must(p.stacks.stack[i].first + p.stacks.stack[i].frames <=
		     p.stacks.frames);
	for (uint32_t i = 0; i < p.stacks.frames; i++)
		check_text(p.stacks.frame[i].text, ROW_NAME_BYTES);
}

static void check_screen(void)
{
	view_order(&v, &p);
	view_draw(&v, &p, &naming, &screen);
	screen_compose(&screen);
	must(screen.out_len <= sizeof(screen.out));
	for (size_t i = 0; i < screen.out_len; i++)
		must((screen.out[i] >= 0x20 && screen.out[i] <= 0x7e) ||
		     screen.out[i] == '\033' || screen.out[i] == '\n');
}

void fuzz_top(const uint8_t *data, size_t size)
{
	struct keys keys = { .state = KEYS_PLAIN };

	if (size < 2)
		return;
	memset(&p, 0, sizeof(p));
	v = (struct view){ .number = UINT32_MAX };
	screen_resize(&screen, data[0], data[1]);
	for (data += 2, size -= 2; size;) {
		const uint8_t *end = memchr(data, 0, size);
		const size_t len = end ? (size_t)(end - data) : size;

		if (len && data[0] == '{')
			picture_take(&p, (const char *)data, len, v.paused);
		for (size_t i = 0; len && data[0] != '{' && i < len; i++) {
			const enum key key = keys_byte(&keys, data[i]);

			if (key == KEY_SIZE)
				screen_resize(&screen, keys.rows, keys.cols);
			else
				view_key(&v, &p, key);
		}
		check_picture();
		check_screen();
		data += len + (end != NULL);
		size -= len + (end != NULL);
	}
}
