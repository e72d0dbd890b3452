/* SPDX-License-Identifier: MIT */
/*
 * The reader of reports behind `memstrack diff` on any bytes: the text before
 * the first byte 0 is the one report, what follows the other. None is read beyond
 * the last, every line of the difference is printable, whole and short, each
 * line of JSON is JSON, and with the two reports changed places every row grows
 * by as much as it shrank.
 */
#include "fuzz.h"
#include "config/config.h"
#include "diff/diff.h"

static struct diff diff;
static struct diff_sheet sheet;

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
	struct judged j;

	sheet = (struct diff_sheet){
		.line.text = sheet.text, .d = &diff, .out = &book.out,
		.line.escape = format == FORMAT_JSON ? ESCAPE_JSON :
						       ESCAPE_TEXT,
	};
	diff_judge(&diff, &j);
	must(j.failed + j.doubtful <= diff.rows.used);
	must((j.failed != 0) >= (j.worst != NULL));
	if (format == FORMAT_JSON)
		diff_json(&sheet, &j);
	else
		diff_text(&sheet, &j);
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
