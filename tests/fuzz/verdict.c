/* SPDX-License-Identifier: MIT */
/*
 * view/verdict.c on any two texts and any table of ours, in up to three rounds:
 * each page of the second text has one verdict, and each that only we hold; no
 * more is explained than there is; and what is written of it is printable.
 *
 * The first bytes are the table: a range, then runs of 4 bytes up to a run of no
 * pages. The rest is the texts, with a 0xff between the two of a round.
 */
#include "fuzz.h"
#include "view/view.h"

#define PAGES 4096u
#define OWNERS 16u

static size_t read_text(struct judge *j, const uint8_t *data, size_t size)
{
	const uint8_t *stop = memchr(data, 0xff, size);
	struct input t = {
		.at = data, .left = stop ? (size_t)(stop - data) : size,
	};
	const size_t whole = t.left;

	while (input_line(&t))
		judge_line(j, t.line, t.len);
	judge_end_text(j);
	return whole + (stop != NULL);
}

static void take_runs(struct judge *j, const uint8_t *runs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const uint8_t *at = runs + 4 * i;
		const struct pages_run r = {
			j->range[0].first_pfn + at[0] * 16u + at[1], at[2],
			at[3] % (OWNERS + 2),
		};
		uint32_t free = 1;

		for (uint32_t k = 0; k < r.pages && free; k++)
			free = r.pfn + k - j->range[0].first_pfn >= PAGES ||
			       !j->page[r.pfn + k -
					j->range[0].first_pfn].owner;
		if (free)
			judge_run(j, &r);
	}
}

static void check(const struct judge *j)
{
	uint64_t theirs = 0, held = 0, both = 0;

	for (enum page_verdict v = SAME; v < VERDICTS; v++)
		theirs += v == OURS_CHANGED || v == NOT_THEIRS ? 0 :
			  j->pages[v];
	must(theirs >= j->their_pages && theirs == j->their_pages);
	for (uint32_t i = 0; i < PAGES; i++) {
		held += j->page[i].owner != 0;
		both += j->page[i].owner && j->page[i].seen & SEEN_AFTER;
	}
	must(held == j->our_pages);
	must(j->pages[OURS_CHANGED] + j->pages[NOT_THEIRS] == held - both);
	must(judge_unexplained(j) <= theirs + held);
	must(!judge_unexplained(j) == !j->differences);
}

void fuzz_verdict(const uint8_t *data, size_t size)
{
	static struct judged_page page[PAGES];
	static struct pages_owner owner[OWNERS];
	static char module[4][MODULE_NAME_BYTES] = { "", "", "m", "planted0" };
	static struct judge j;
	struct config c = { .level = 3 };
	const struct check_facts f = { .book = "page_owner", .page_size = 4096 };
	struct book book = { .out.line = book_line };
	const uint8_t *runs;
	size_t count = 0;

	if (size < 2)
		return;
	memset(page, 0, sizeof(page));
	memset(&j, 0, sizeof(j));
	for (uint32_t i = 0; i < OWNERS; i++)
		owner[i] = (struct pages_owner){ data[1] & 15u, i % 6, i };
	j.range[0] = (struct pages_range){ data[0] * 4096u, PAGES };
	j.ranges = 1;
	j.page = page;
	j.owner = owner;
	j.owners = OWNERS;
	j.module = module;
	j.modules = 4;
	j.start_ns = 1000;
	j.untracked_pages = data[1] >> 4;
	runs = data + 2;
	size -= 2;
	while (size >= 4 * (count + 1) && runs[4 * count + 2])
		count++;
	data = runs + 4 * count;
	size -= 4 * count;
	for (int round = 0; round < VERDICT_ROUNDS; round++) {
		size_t len;

		judge_begin_round(&j);
		len = read_text(&j, data, size);
		data += len;
		size -= len;
		take_runs(&j, runs, count);
		len = read_text(&j, data, size);
		data += len;
		size -= len;
		judge_end_round(&j);
		check(&j);
	}
	check_write(&j, &f, &c, &book.out);
	c.format = FORMAT_JSON;
	book.json = 1;
	check_write(&j, &f, &c, &book.out);
	must(book.ended);
}
