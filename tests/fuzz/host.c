/* SPDX-License-Identifier: MIT */
/*
 * What reads on a host, on any bytes. The reader of reports behind `memstrack
 * diff`: the text before the first byte 0 is the one report, what follows the
 * other. None is read beyond the last, every line of the difference is
 * printable, whole and short, each line of JSON is JSON, and with the two
 * reports changed places every row grows by as much as it shrank.
 *
 * memstrack top: an answer of the tracer (host/top/rows.c), and what a terminal
 * sends (host/top/keys.c). Whatever is read, the tables keep their bounds,
 * names are printable, and each picture can be drawn on a screen of any size.
 * The first bytes are the size and the keys between two pictures; the answers
 * follow, each behind a byte 0.
 *
 * memstrack estimate: an image, and the same bytes as a kernel and as the header
 * of a disk. Nothing is read behind the end, and the sums are of what was there.
 */
#include <sys/mman.h>
#include "fuzz.h"
#include "config/config.h"
#include "host/diff/diff.h"
#include "host/estimate/estimate.h"
#include "host/top/top.h"

/* --- diff/ --- */

static struct diff diff;

static void take(struct taken *k, const uint8_t *data, size_t size)
{
	struct input t = { .at = data, .left = size };

	while (input_line(&t))
		taken_line(k, t.line, t.len);
}

static int read_both(const uint8_t *data, size_t size, int swapped)
{
	const uint8_t *zero = memchr(data, 0, size);
	const size_t first = zero ? (size_t)(zero - data) : size;
	const size_t second = size - first - (zero != NULL);
	struct taken *const k = diff.side;

	memset(diff.rows.slot, 0, sizeof(diff.rows.slot));
	diff.rows.used = diff.rows.names_used = 0;
	diff.rows.full[BEFORE] = diff.rows.full[AFTER] = 0;
	taken_begin(&k[BEFORE], "a", BEFORE, &diff.rows);
	taken_begin(&k[AFTER], "b", AFTER, &diff.rows);
	take(&k[swapped], data, first);
	take(&k[!swapped], data + first + (zero != NULL), second);
	return taken_end(&k[BEFORE]) == 0 && taken_end(&k[AFTER]) == 0;
}

static void print(enum format format)
{
	struct book book = {
		.out.line = book_line, .json = format == FORMAT_JSON,
		.last = "diff_end",
	};
	const struct judged *j = &diff.judged;

	diff_judge(&diff);
	must(j->failed + j->doubtful <= diff.rows.used);
	must((j->failed != 0) >= (j->worst != NULL));
	diff_write(&diff, format, &book.out);
	must(book.ended == book.json);
}

/* The sum of all changes of rows that both reports tell of; a sum of two large
 * numbers is cut, and so is one of many. */
static uint64_t grown(void)
{
	uint64_t sum = 0;
	struct change c;

	for (uint32_t i = 0; i < diff.rows.used; i++) {
		change_get(&diff, &diff.rows.row[i], &c);
		must(c.side[BEFORE].least <= c.side[BEFORE].most);
		must(c.side[AFTER].least <= c.side[AFTER].most);
		sum += (uint64_t)c.grown;
	}
	return sum;
}

void fuzz_diff(const uint8_t *data, size_t size)
{
	uint64_t sum;

	config_defaults(&diff.config);
	diff.config.by = size & 1 ? DIFF_BY_NOW : DIFF_BY_PEAK;
	diff.config.min_bytes = size & 2 ? 0 : 4096;
	diff.config.fail_bytes = size & 4 ? 0 : UINT32_MAX;
	if (!read_both(data, size, 0))
		return;
	must(diff.rows.used <= DIFF_ROWS_MAX);
	must(diff.rows.names_used <= DIFF_NAMES_BYTES);
	print(FORMAT_TEXT);
	print(FORMAT_JSON);
	sum = grown();
	must(read_both(data, size, 1));
	must(grown() == -sum);
}

/* --- top/ --- */

static struct top_picture p;
static struct screen screen;
static struct view v;
static struct symbols naming;	/* no names */

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

/* --- estimate/ --- */

static void check_name(void *context, const char *path)
{
	must(strlen(path) < 4096);
	++*(uint64_t *)context;
}

void fuzz_estimate(const uint8_t *data, size_t size)
{
	static struct image image;
	static char buf[LUKS_HEAD_BYTES];
	uint64_t files = 0, kib = 0;
	char path[40];

	image = (struct image){ .take = check_name, .context = &files };
	image.fd = memfd_create("image", 0);
	must(image.fd >= 0 && write(image.fd, data, size) == (ssize_t)size);
	lseek(image.fd, 0, SEEK_SET);
	must((image_read(&image) != 0) == (image.why != NULL));
	must(image.at <= size && files <= image.files);
	must(image.content_kib <= size / 1024 + 5 * (image.files + 1));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", image.fd);
	if (!kernel_size(path, buf, &kib))
		must(kib && kib < UINT32_MAX);
	if (!luks_memory(path, buf, &kib))
		must(kib < UINT32_MAX);
	close(image.fd);
}
