/* SPDX-License-Identifier: MIT */
/*
 * host/view/verdict.c: each verdict by one record that deserves it, blocks of
 * other orders, changes between the two texts, and rounds (cases/verdict). Each
 * page of page_owner's has one verdict, and so has each that only we hold.
 */
#include "cases.h"
#include "host/view/view.h"

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

#define RUN(pfn, pages, owner) &(struct pages_run){ pfn, pages, owner }

static const char *const owners[] = {
	"nobody", "sh", "interrupt", "no row", "no stack", "module", "loads",
	"full", "loads alone", "code gone",
};

static uint32_t owner_of(const char *name)
{
	uint32_t owner = 0;

	while (strcmp(owners[owner], name))
		must(++owner < ARRAY_LEN(owners));
	return owner;
}

/* A record of one block. */
static const char *record(unsigned int order, const char *who,
			  unsigned int pfn, const char *behind)
{
	static char lines[4096];

	snprintf(lines, sizeof(lines),
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
	char ours[16], who[64];
	const char *lines;
	enum page_verdict v = SAME;
	uint32_t owner;
	int at = 0, differs;

	must(sscanf(c->text, "%*[^;]; %15[^;]; %63[^;]; %n", ours, who, &at) ==
	     2);
	owner = owner_of(ours);
	lines = record(1, *who == '-' ? "" : who, FIRST + 2, c->text + at - 1);
	begin();
	text(lines);
	if (owner)
		must(!judge_run(&b.j, RUN(FIRST + 2, 2, owner)));
	text(lines);
	judge_end_round(&b.j);
	while (!b.j.pages[v])
		must(++v < VERDICTS);
	case_is(c, verdict_names[v].json);
	differs = v >= UNEXPLAINED;
	tap_ok(b.j.pages[v] == 2 && b.j.their_pages == 2 &&
	       b.j.records == 1 && !b.j.wrong_lines &&
	       judge_unexplained(&b.j) == (differs ? 2 : 0) &&
	       b.j.differences == (uint32_t)differs, "it is alone");
}

/* "ORDER@PFN", and how this record differs from one of sh. */
static void text_of(const char *block)
{
	static const struct {
		const char *how, *who, *behind;
	} t[] = {
		{ "", SH_7, PLAIN },
		{ " younger", "pid 8, tgid 7 (sh), ts 5001 ns", PLAIN },
		{ " charged", SH_7, PLAIN "Charged to memcg x\n" },
		{ " undated", "", PLAIN }, { " undated, by g", "", " g+0x1/0x2\n" },
	};
	unsigned int order, pfn, i = 0;
	int at;

	if (sscanf(block, "%u@%u%n", &order, &pfn, &at) != 2)
		return text("");
	while (strcmp(t[i].how, block + at))
		must(++i < ARRAY_LEN(t));
	text(record(order, t[i].who, pfn, t[i].behind));
}

/* A round: "BLOCK / PFN+PAGES OWNER, ... / BLOCK", between two texts what we
 * hold. The verdicts, and where differences are. */
static void test_round(const struct cases *c)
{
	char before[32], runs[64], after[32], owner[16], out[OUTCOME_BYTES] = "";
	unsigned long long pfn, pages;

	must(sscanf(c->text, "%31[^/]/ %63[^/]/ %31[^/]", before, runs, after) ==
	     3);
	before[strlen(before) - 1] = '\0';
	if (strcmp(c->reader, "next round"))
		begin();
	else
		judge_begin_round(&b.j);
	b.j.untracked_pages = !strcmp(c->reader, "no room") ? 3 : 0;
	b.j.checks[1] = !strcmp(c->reader, "of the checker") ? 7 : 0;
	text_of(before);
	for (const char *at = runs; at; at = strchr(at + 1, ','))
		if (sscanf(at + (*at == ','), "%llu+%llu %15[^,/]", &pfn, &pages,
			   owner) == 3) {
			owner[strcspn(owner, ", ")] = '\0';
			append(out, judge_run(&b.j, RUN(pfn, (uint32_t)pages,
			       owner_of(owner))) ? "refused, " : "");
		}
	text_of(after);
	judge_end_round(&b.j);
	for (enum page_verdict v = SAME; v < VERDICTS; v++)
		if (b.j.pages[v])
			append(out, "%s %u, ", verdict_names[v].json,
			       (unsigned int)b.j.pages[v]);
	append(out, "%u unexplained", (unsigned int)judge_unexplained(&b.j));
	for (uint32_t i = 0; i < b.j.differences; i++)
		append(out, ", at %u", (unsigned int)b.j.difference[i].pfn);
	case_is(c, out);
}

static void test_wrong(void)
{
	begin();
	text("nothing\n\n");
	text(record(0, SH_7, FIRST, PLAIN));
	tap_ok(b.j.wrong_lines == 1 && b.j.records == 1, "a line of no record");
	begin();
	b.j.clock_pfn = FIRST;
	text(record(0, SH_7, FIRST, PLAIN));
	tap_ok(b.j.clock_ns == 5000, "the page that tells the time");
	begin();
	text("Page allocated via order 0, mask 0x0()\n");
	tap_ok(b.j.wrong_lines == 1 && b.j.after, "a text that is cut off");
}

int main(void)
{
	struct cases c = { .file = NULL };

	while (next_case(&c, "verdict"))
		if (!strcmp(c.reader, "verdict"))
			test_case(&c);
		else
			test_round(&c);
	test_wrong();
	return tap_plan_done();
}
