/* SPDX-License-Identifier: MIT */
/*
 * memstrack report --check=page_owner: is the running tracer right? The kernel's
 * own page_owner is the witness, page by page (view.h, verdict).
 *
 * Reading page_owner costs the kernel time, about a millisecond for 50 records,
 * and takes one page of memory for each read, which is freed at once.
 *
 * page_owner stamps an allocation by the kernel's local clock, the tracer's
 * start by CLOCK_MONOTONIC. Both clocks count from the boot, but not from the
 * same instant. To measure the difference, we touch a page of our own and find
 * it in page_owner.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/base.h"
#include "base/system.h"
#include "control/control.h"
#include "output/output.h"
#include "host/view/view.h"

/* The time from which on each CPU is traced is not known better than this. The
 * two clocks drift apart by up to 1/2000: CLOCK_MONOTONIC is steered. */
#define START_NS 20000000u
#define DRIFT 1000u
/* Without a page that shows the clocks' difference. */
#define UNKNOWN_CLOCK_NS 1000000000u

struct check {
	const char *path;
	uint64_t touched_ns, now_ns;
	int file;			/* the tracer writes each part there */
	const char *answer;		/* what it holds: the head, then rows */
	uint64_t longest_ns;		/* of all answers */
	int reported;			/* of a wrong line */
	struct pages_head head;		/* of the last answer */
	struct pages_head first;
	struct control_way way;
	struct judge judge;
	struct text text;
};

/* Behind the judge's pages come the owners and the modules. */
static int take_memory(struct check *k)
{
	const struct pages_head *h = &k->first;
	struct judge *j = &k->judge;
	uint64_t pages = 0;
	char *block;

	for (uint32_t i = 0; i < h->ranges; i++)
		pages += h->range[i].pages;
	block = system_map(pages * sizeof(*j->page) +
			   h->owners * sizeof(*j->owner) +
			   h->modules * sizeof(*j->module),
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
	if (block == MAP_FAILED)
		return -errno;
	memcpy(j->range, h->range, sizeof(j->range));
	j->ranges = h->ranges;
	j->page = (struct judged_page *)block;
	block += pages * sizeof(*j->page);
	j->owner = (struct pages_owner *)block;
	block += h->owners * sizeof(*j->owner);
	j->module = (char (*)[MODULE_NAME_BYTES])block;
	return 0;
}

/* Touches a page, and finds its number; 0: the kernel hides it. */
static uint64_t touch_page(struct check *k)
{
	const uint64_t page_size = k->first.page_size;
	volatile char *page = system_memory(page_size);
	uint64_t entry = 0;
	int fd;

	if (!page)
		return 0;
	*page = 1;
	k->touched_ns = clock_ns(CLOCK_MONOTONIC);
	fd = system_open_path("/proc/self/pagemap", O_RDONLY);
	if (fd < 0)
		return 0;
	if (pread(fd, &entry, sizeof(entry),
		  (off_t)((uintptr_t)page / page_size * sizeof(entry))) !=
	    sizeof(entry))
		entry = 0;
	close(fd);
	/* Documentation/admin-guide/mm/pagemap.rst: 55 bits of a number. */
	return entry >> 63 ? entry & ((UINT64_C(1) << 55) - 1) : 0;
}

/* The start of tracing by page_owner's clock, late enough that what came after
 * it was certainly traced. */
static void set_start(struct check *k)
{
	struct judge *j = &k->judge;
	const uint64_t start_ns = k->first.start_ns;

	j->start_ns = start_ns + (k->first.now_ns - start_ns) / DRIFT;
	if (j->clock_ns)
		j->start_ns += j->clock_ns - k->touched_ns + START_NS;
	else
		j->start_ns += UNKNOWN_CLOCK_NS;
}

static int read_text(struct check *k)
{
	const int fd = system_open_path(k->path, O_RDONLY);
	struct text *t = &k->text;
	const char *line, *problem;
	size_t len;

	if (fd < 0)
		return complain_error(k->path, errno);
	text_begin(t, fd, VIEW_LINE_BYTES);
	while ((line = text_next(t, &len))) {
		problem = t->is_long ? "longer than 8 KiB" :
			  judge_line(&k->judge, line, len);
		if (t->is_long)
			judge_wrong_line(&k->judge);
		if (problem && !k->reported++)
			complain(k->path, "line %llu: %s",
				 (unsigned long long)t->line, problem);
	}
	close(fd);
	problem = t->error ? error_text(t->error) : !t->line ? "empty" :
		  judge_end_text(&k->judge);
	return problem ? complain(k->path, "%s", problem) : 0;
}

static int ask_part(struct check *k, enum pages_part part, uint64_t from,
		    size_t row_bytes)
{
	const struct control_message m = {
		.request = CONTROL_PAGES, .version = CONTROL_VERSION,
		.part = (unsigned char)part, .from = from, .file = k->file,
	};
	const uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);
	const int fd = control_ask(&k->way, &m, REPORT_TIMEOUT_MS);
	const uint64_t ns = clock_ns(CLOCK_MONOTONIC) - begin_ns;
	struct pages_head *h = &k->head;

	if (fd < 0)
		return fd;
	close(fd);
	memcpy(h, k->answer, sizeof(*h));
	if (part != PAGES_HEAD && ns > k->longest_ns)
		k->longest_ns = ns;
	return h->version != PAGES_VERSION || h->ranges > RAM_RANGES_MAX ||
	       h->count > (GIVEN_BYTES_MAX - sizeof(*h)) / row_bytes ||
	       (h->next != PAGES_END && h->next <= from) ? -EPROTO : 0;
}

static int take_runs(struct check *k, const char *rows)
{
	int error = 0;

	for (uint32_t i = 0; i < k->head.count && !error; i++) {
		struct pages_run run;

		memcpy(&run, rows + i * sizeof(run), sizeof(run));
		error = judge_run(&k->judge, &run);
	}
	return error ? -EPROTO : 0;
}

/* All rows of a part: to the judge, or into a table that has room for so many.
 * 0 or -errno; -EPROTO: an answer that cannot be. */
static int fetch(struct check *k, enum pages_part part, void *table,
		 uint32_t room, size_t row_bytes)
{
	const char *const rows = k->answer + sizeof(k->head);
	uint64_t from = 0;
	int error;

	do {
		error = ask_part(k, part, from, row_bytes);
		if (!error && !table)
			error = take_runs(k, rows);
		else if (!error && (from > room || k->head.count > room - from))
			error = -EPROTO;
		else if (!error)
			memcpy((char *)table + (size_t)from * row_bytes, rows,
			       k->head.count * row_bytes);
		from = k->head.next;
	} while (!error && from != PAGES_END);
	return error;
}

static int ask(struct check *k)
{
	struct judge *j = &k->judge;
	int error = fetch(k, PAGES_RUNS, NULL, 0, sizeof(struct pages_run));

	/* As they were when this part was written. */
	k->now_ns = k->head.now_ns;
	j->untracked_pages = k->head.untracked_pages;
	if (!error)
		error = fetch(k, PAGES_OWNERS, j->owner, j->owners,
			      sizeof(*j->owner));
	if (!error)
		error = fetch(k, PAGES_MODULES, j->module, j->modules,
			      sizeof(*j->module));
	return error ? complain("report", "%s", control_why(error)) : 0;
}

/* 1: something could not be read, after a message. */
static int compare(struct check *k)
{
	struct judge *j = &k->judge;

	do {
		judge_begin_round(j);
		if (read_text(k) || ask(k))
			return 1;
		set_start(k);
		if (read_text(k))
			return 1;
		judge_end_round(j);
	} while (j->pages[NOT_THEIRS] && j->round < VERDICT_ROUNDS);
	return 0;
}

static int write_check(struct check *k, const struct config *c)
{
	struct check_facts f = {
		.judge = &k->judge, .config = c, .book = c->check,
		.page_size = k->first.page_size,
		.now_ns = k->now_ns, .lost = k->head.lost,
		.longest_ns = k->longest_ns,
		.has_clock = k->judge.clock_ns != 0,
	};
	struct sink sink;
	int error;

	error = sink_write(&sink, c, check_write, &f);
	return error ? complain_error("the check", error) : 0;
}

int check_main(const struct config *c)
{
	struct check *k = system_memory(sizeof(*k));
	int error;

	if (!k)
		return complain_error("memory", errno);
	k->path = c->check[0] == '/' ? c->check : PAGE_OWNER_PATH;
	k->file = given_make(GIVEN_BYTES_MAX, &k->answer);
	error = k->file < 0 ? k->file : ask_part(k, PAGES_HEAD, 0, 1);
	if (error)
		return complain("report", "%s", control_why(error));
	k->first = k->head;
	if (k->first.no_pages)
		return complain("report", "the tracer samples: it knows no "
				"pages");
	k->judge.checks[0] = (uint32_t)getpid();
	k->judge.checks[1] = (uint32_t)k->way.pid;
	k->judge.owners = k->first.owners;
	k->judge.modules = k->first.modules;
	error = take_memory(k);
	if (error)
		return complain_error("tables", error);
	k->judge.clock_pfn = touch_page(k);
	if (compare(k) || write_check(k, c))
		return 1;
	return judge_unexplained(&k->judge) || k->judge.wrong_lines;
}
