/* SPDX-License-Identifier: MIT */
/*
 * view/verdict.c: each verdict by one record that deserves it, blocks of other
 * orders, changes between the two texts, and rounds. Each page of page_owner's
 * has one verdict, and so has each that only we hold.
 */
#include "cases.h"
#include "view/verdict.h"

#define FIRST 256u
#define PAGES 64u

static struct bench {
	struct judge j;
	struct judged_page page[2 * PAGES];
	struct pages_owner owner[9];
	char module[4][MODULE_NAME_BYTES];
} b;

enum {
	SH = 1, IRQ, GONE, NO_STACK, MODULE, LOADS, FULL, LOADS_ALONE,
	FREED_CODE,
};

static void begin(void)
{
	static const struct pages_owner owners[9] = {
		{ 7, 0, 0 }, { 0, 0, PAGES_IRQ }, { 0, 0, PAGES_NO_TASK },
		{ 7, 0, PAGES_NO_CHAIN }, { 7, 2, 0 }, { 7, 2, PAGES_LOADING },
		{ 7, 1, 0 }, { 7, 2, PAGES_NO_CHAIN },
		{ 7, 2, PAGES_CODE_GONE },
	};

	memset(&b, 0, sizeof(b));
	memcpy(b.owner, owners, sizeof(owners));
	strcpy(b.module[2], "m");
	b.j = (struct judge){
		.range = { { FIRST, PAGES }, { 4096, PAGES } }, .ranges = 2,
		.page = b.page, .owner = b.owner, .owners = 9,
		.module = b.module, .modules = 4, .start_ns = 1000,
	};
	judge_begin_round(&b.j);
}

static void text(const char *lines)
{
	const char *end;

	for (; (end = strchr(lines, '\n')); lines = end + 1)
		judge_line(&b.j, lines, (size_t)(end - lines));
	judge_end_text(&b.j);
}

/* What we hold, the last run of no page, between two texts. */
static void round_of(const char *before, const struct pages_run *run,
		     const char *after)
{
	text(before);
	for (; run->pages; run++)
		if (judge_run(&b.j, run))
			tap_ok(0, "a run of %u pages is taken", run->pages);
	text(after);
	judge_end_round(&b.j);
}

/* The first round, with the same text before and after. */
static void first_round(const char *lines, const struct pages_run *run)
{
	begin();
	round_of(lines, run, lines);
}

#define RUNS(...) ((const struct pages_run[]){ __VA_ARGS__, { 0 } })
#define NOTHING RUNS({ 0 })

/* A record of one block. The last two of them are kept. */
static const char *record(unsigned int order, const char *who,
			  unsigned int pfn, const char *behind)
{
	static char texts[2][4096], *lines;

	lines = lines == texts[0] ? texts[1] : texts[0];
	snprintf(lines, sizeof(texts[0]),
		 "Page allocated via order %u, mask 0x0()%s%s\n"
		 "PFN 0x%x type Unmovable Block 0 type Unmovable Flags 0x0()\n"
		 "%s\n", order, *who ? ", " : "", who, pfn, behind);
	return lines;
}

#define SH_7 "pid 8, tgid 7 (sh), ts 5000 ns"
#define PLAIN " f+0x1/0x2\n"

/* "EXAMPLE; OURS; WHO; FRAMES": where one record and one run of ours meet, this
 * is the verdict of all. */
static void test_case(const struct cases *c)
{
	static const char *const owners[] = {
		"nobody", "sh", "interrupt", "no row", "no stack", "module",
		"loads", "full", "loads alone", "code gone",
	};
	char ours[16], who[64];
	const char *lines;
	enum verdict v = SAME;
	uint32_t owner = 0;
	int at = 0, differs;

	must(sscanf(c->text, "%*[^;]; %15[^;]; %63[^;]; %n", ours, who, &at) ==
	     2);
	while (strcmp(owners[owner], ours))
		must(++owner < ARRAY_LEN(owners));
	lines = record(1, *who == '-' ? "" : who, FIRST + 2, c->text + at - 1);
	first_round(lines, owner ? RUNS({ FIRST + 2, 2, owner }) : NOTHING);
	while (!b.j.pages[v])
		must(++v < VERDICTS);
	case_is(c, verdict_names[v].json);
	differs = v >= UNEXPLAINED;
	tap_ok(b.j.pages[v] == 2 && b.j.their_pages == 2 &&
	       b.j.records == 1 && !b.j.wrong_lines &&
	       judge_unexplained(&b.j) == (differs ? 2 : 0) &&
	       b.j.differences == (uint32_t)differs, "it is alone");
}

static void test_blocks(void)
{
	const char *lines = record(2, SH_7, FIRST + 8, PLAIN);

	first_round(lines, RUNS({ FIRST + 8, 3, SH }));
	tap_ok(b.j.pages[OTHER_ORDER] == 4, "three of four pages");
	first_round(lines, RUNS({ FIRST + 8, 2, SH },
				{ FIRST + 10, 2, MODULE }));
	tap_ok(b.j.pages[OTHER_ORDER] == 4, "of two owners");
	first_round(lines, RUNS({ FIRST + 8, 5, SH }));
	tap_ok(b.j.pages[SAME] == 4 && b.j.pages[NOT_THEIRS] == 1 &&
	       b.j.differences == 1 && b.j.difference[0].pfn == FIRST + 12 &&
	       b.j.difference[0].our_tgid == 7, "and one more");
	first_round(record(6, SH_7, 1u << 20, PLAIN), NOTHING);
	tap_ok(b.j.pages[OUTSIDE_RAM] == 64, "outside RAM");
	tap_ok(judge_run(&b.j, RUNS({ FIRST + 60, 5, SH })) &&
	       judge_run(&b.j, RUNS({ FIRST - 1, 1, SH })) &&
	       judge_run(&b.j, RUNS({ UINT64_MAX, 2, SH })) &&
	       judge_run(&b.j, RUNS({ FIRST, 1, 0 })),
	       "a run outside RAM, or of nobody, is refused");
	begin();
	b.j.untracked_pages = 3;
	lines = record(1, SH_7, 4096, PLAIN);
	round_of(lines, NOTHING, lines);
	tap_ok(b.j.pages[NO_ROOM] == 2, "no room, in the second range");
}

/* Of a page that we hold, between two texts that have it. */
static void test_changes(void)
{
	static const struct {
		const char *who, *then_who, *then_behind, *name;
		enum verdict verdict;
	} t[] = {
		{ SH_7, "pid 8, tgid 7 (sh), ts 5001 ns", PLAIN,
		  "a younger record", THEIRS_CHANGED },
		{ SH_7, SH_7, PLAIN "Charged to memcg x\n",
		  "charged later: the same page", SAME },
		{ "", "", " g+0x1/0x2\n", "without a time: another stack",
		  THEIRS_CHANGED },
		{ SH_7, NULL, NULL, "freed behind the first text",
		  OURS_CHANGED },
	};

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		begin();
		round_of(record(0, t[i].who, FIRST, PLAIN),
			 RUNS({ FIRST, 1, SH }), !t[i].then_who ? "" :
			 record(0, t[i].then_who, FIRST, t[i].then_behind));
		tap_ok(b.j.pages[t[i].verdict] == 1 &&
		       !judge_unexplained(&b.j), "%s", t[i].name);
	}
	begin();
	b.j.clock_pfn = FIRST;
	text(record(0, SH_7, FIRST, PLAIN));
	tap_ok(b.j.clock_ns == 5000, "the page that tells the time");
}

/* In the first round of three: held by us alone. */
static void test_rounds(void)
{
	const char *lines = record(0, SH_7, FIRST, PLAIN);

	first_round("", RUNS({ FIRST, 4, SH }, { FIRST + 4, 2, MODULE }));
	tap_ok(b.j.pages[NOT_THEIRS] == 6 && b.j.differences == 2,
	       "two runs of ours alone");
	judge_begin_round(&b.j);
	round_of("", RUNS({ FIRST, 2, SH }, { FIRST + 2, 1, MODULE },
			  { FIRST + 20, 1, SH }), "");
	tap_ok(b.j.pages[NOT_THEIRS] == 2 && b.j.pages[OURS_CHANGED] == 2 &&
	       b.j.differences == 1 && b.j.our_pages == 4,
	       "freed, of another owner, and new: no differences");
	judge_begin_round(&b.j);
	round_of(lines, RUNS({ FIRST, 4, SH }), lines);
	tap_ok(b.j.pages[SAME] == 1 && b.j.pages[NOT_THEIRS] == 1 &&
	       b.j.pages[OURS_CHANGED] == 2 &&
	       b.j.difference[0].pfn == FIRST + 1, "as in all three rounds");
	begin();
	b.j.checks[1] = 7;
	round_of("", RUNS({ FIRST, 4, SH }), "");
	tap_ok(b.j.pages[OURS_CHANGED] == 4 && !judge_unexplained(&b.j),
	       "of the program that checks: for a moment");
}

static void test_wrong(void)
{
	begin();
	text("nothing\n\n");
	text(record(0, SH_7, FIRST, PLAIN));
	tap_ok(b.j.wrong_lines == 1 && b.j.records == 1, "a line of no record");
	begin();
	text("Page allocated via order 0, mask 0x0()\n");
	tap_ok(b.j.wrong_lines == 1 && b.j.after, "a text that is cut off");
}

int main(void)
{
	struct cases c = { .file = NULL };

	while (next_case(&c, "verdict"))
		test_case(&c);
	test_blocks();
	test_changes();
	test_rounds();
	test_wrong();
	return tap_plan_done();
}
