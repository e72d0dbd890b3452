/* SPDX-License-Identifier: MIT */
/*
 * memstrack view on any text. host/view/tags.c: each site is in one row and in
 * one module. page_owner.c and books.c, in tables that are soon full: a block
 * has the pages of its order, each page is in exactly one task, module and
 * kind. verdict.c, two texts and any table of ours, in up to three rounds: each
 * page of the second text has one verdict, and so has each that only we hold;
 * no more is explained than there is. The report of each is printable, as text
 * and as JSON. picture.c: what is refused is not drawn, and what is not refused
 * is drawn to its end, in printable lines, with points and spans within their
 * tables.
 *
 * For verdict.c the first bytes are the table: a range, then runs of 4 bytes up
 * to a run of no pages. The rest is the texts, with a 0xff between the two of a
 * round.
 */
#include "fuzz.h"
#include "report/parts.h"
#include "host/view/view.h"

/* Of so many bytes, as an arena gives them. */
static void *zeros(size_t bytes)
{
	void *block = aligned_alloc(64, (bytes + 63) / 64 * 64);

	must(block != NULL);
	return memset(block, 0, bytes);
}

/* --- tags.c --- */

/* Modulo 2^64. */
static void check_sites(const struct view_sites *v)
{
	uint64_t rows = 0, modules = 0;

	for (uint32_t i = 0; i < v->used; i++)
		rows += (uint64_t)v->row[i].sums.calls;
	for (uint32_t i = 0; i < v->modules; i++)
		modules += (uint64_t)v->module[i].sums.calls;
	must(rows == (uint64_t)v->sums.calls && modules == rows);
	must(v->texts_used <= SITE_TEXT_BYTES);
}

void fuzz_allocinfo(const uint8_t *data, size_t size)
{
	static struct config c = { .level = 3, .throttle_percent = 100 };
	static struct view_sites v;
	struct input t = { .at = data, .left = size };
	struct book book = { .out.line = book_line };
	void *block = zeros(tags_bytes());

	memset(&v, 0, sizeof(v));
	must(!tags_begin(&v, &c, block));
	while (input_line(&t))
		tags_line(&v, t.line, t.len);
	check_sites(&v);
	for (book.json = 0; book.json < 2; book.json++) {
		c.format = book.json ? FORMAT_JSON : FORMAT_TEXT;
		tags_write(&v, c.format, &book.out);
	}
	must(book.ended);
	free(block);
}

/* --- page_owner.c, books.c --- */

#define PAGE 4096u

static void check_record(const struct owner_record *r)
{
	must(r->order <= ORDER_MAX && r->frames <= OWNER_FRAMES_MAX);
	must(!r->has_pfn || (r->pages == UINT64_C(1) << r->order &&
			     r->pfn % r->pages == 0 &&
			     r->pfn <= UINT64_MAX / PAGE - r->pages));
	must(!r->has_pages || r->pages <= UINT32_MAX);
	must(r->pid <= INT32_MAX && r->tgid <= INT32_MAX);
	must(memchr(r->comm, 0, COMM_BYTES) != NULL);
}

static void check_books(const struct ledger *l)
{
	uint64_t tasks = 0, modules = 0, kinds = 0;

	for (uint32_t i = 0; i < l->tasks.used; i++)
		tasks += l->tasks.row[i].pages.now;
	for (uint32_t i = 0; i < l->modules.used; i++)
		modules += l->modules.row[i].pages.now;
	for (uint32_t i = 0; i < KINDS; i++)
		kinds += l->kinds.row[i].now;
	must(tasks == l->traced.now && modules == tasks && kinds == tasks);
}

void fuzz_page_owner(const uint8_t *data, size_t size)
{
	static struct config c = {
		.level = 3, .stacks = 64, .tasks = 16, .modules = 16,
		.throttle_percent = 100,
	};
	static struct view_books b;
	struct input t = { .at = data, .left = size };
	struct book book = { .out.line = book_line };
	struct report r;
	void *block = zeros(books_bytes(&c));

	memset(&b, 0, sizeof(b));
	b.session.page_size = PAGE;
	must(!books_begin(&b, &c, block, "page_owner"));
	while (input_line(&t)) {
		books_line(&b, t.line, t.len);
		check_record(&b.text.record);
	}
	books_end(&b);
	check_books(&b.ledger);
	for (book.json = 0; book.json < 2; book.json++) {
		c.format = book.json ? FORMAT_JSON : FORMAT_TEXT;
		symbols_clear(&b.symbols);
		books_report(&b, &c, &r);
		report_write(&r, c.format, &book.out);
	}
	must(book.ended);
	free(block);
}

/* --- verdict.c --- */

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
	struct check_facts f = {
		.judge = &j, .config = &c, .book = "page_owner",
		.page_size = 4096,
	};
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
	for (book.json = 0; book.json < 2; book.json++) {
		c.format = book.json ? FORMAT_JSON : FORMAT_TEXT;
		check_write(&f, c.format, &book.out);
	}
	must(book.ended);
}

/* --- picture.c --- */

static struct view_picture picture;

struct drawn {
	struct out out;			/* first */
	uint64_t lines;
};

static void take(struct out *o, const char *text, size_t len)
{
	must_print(text, len);
	((struct drawn *)o)->lines++;
}

static void draw(enum format format)
{
	static struct ledger empty;
	struct session session = {
		.page_size = (uint32_t)picture.picture.fact[FACT_PAGE_BYTES],
	};
	const struct report r = {
		.ledger = &empty, .session = &session,
		.picture = &picture.picture,
	};
	struct drawn d = { .out.line = take };

	report_write(&r, format, &d.out);
	must(d.lines > 1);
}

void fuzz_picture(const uint8_t *data, size_t size)
{
	struct input t = { .at = data, .left = size };
	const char *problem = NULL;

	picture_begin(&picture);
	while (input_line(&t))
		if (!problem)
			problem = picture_line(&picture, t.line, t.len);
	must(picture.picture.points <= PICTURE_POINTS);
	must(picture.spans <= VIEW_SPANS_MAX);
	must(picture.picture.kills <= KILLS_MAX);
	if (problem || picture_end(&picture))
		return;
	must(picture.picture.peak <= picture.picture.points);
	draw(FORMAT_SVG);
	draw(FORMAT_CHROME);
}
