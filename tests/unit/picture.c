/* SPDX-License-Identifier: MIT */
/*
 * top/rows.c, object.c and view: an answer of the tracer becomes a picture;
 * what changed since the one before; rows that are used again; what finds no
 * room; and answers that are none.
 */
#include "tap.h"
#include "top/object.h"
#include "top/view.h"

static struct picture p;
static struct view v;

#define HEAD "{\"type\":\"head\",\"version\":\"0.1.0\",\"start_ns\":5," \
	"\"end_ns\":1000000000,\"page_size\":4096,\"mem_total_kib\":2048," \
	"\"free_now_kib\":1024,\"free_lowest_kib\":512,\"now_pages\":3," \
	"\"peak_pages\":4,\"lost\":7}\n"
#define END "{\"type\":\"end\",\"records\":1}\n"
#define TASK(row, pid, comm, now) "{\"type\":\"task\",\"row\":" #row \
	",\"pid\":" #pid ",\"tgid\":1,\"start_ns\":0,\"comm\":\"" comm \
	"\",\"state\":\"live\",\"now_pages\":" #now ",\"peak_pages\":9}\n"

static int take(const char *text, int stacks_only)
{
	return picture_take(&p, text, strlen(text) + 1, stacks_only);
}

static const struct top_row *task(unsigned int i)
{
	return &p.table[TOP_TASKS].row[i];
}

static void rows(void)
{
	tap_ok(!take(HEAD TASK(3, 77, "sh", 10) TASK(4, 78, "a\\u001b[2J", 2)
		     END, 0) && p.whole && p.lost == 7 && p.peak == 16384,
	       "the head");
	tap_ok(p.table[TOP_TASKS].used == 2 &&
	       !strcmp(task(0)->name, "sh[77]") && task(0)->now == 40960 &&
	       task(0)->peak == 36864,
	       "a task with its figures in bytes");
	tap_ok(!strcmp(task(1)->name, "a\\x1b[2J[78]"),
	       "no byte of a name reaches the terminal as it is");
	tap_ok(task(0)->change == NO_CHANGE, "the first picture has no change");
	take(HEAD TASK(3, 77, "bash", 12) TASK(4, 99, "x", 2) TASK(5, 6, "y", 1)
	     END, 0);
	tap_ok(task(0)->change == 8192 && task(1)->change == 8192 &&
	       task(2)->change == 4096,
	       "changes: exec'ed, in a row that is used again, and new");
	take(HEAD TASK(3, 77, "bash", 4), 0);
	tap_ok(!p.whole && task(0)->change == -32768, "cut: it says so");
	take(HEAD TASK(3, 77, "bash", 4) TASK(5, 6, "y", 1) END, 0);
	tap_ok(task(1)->change == NO_CHANGE,
	       "what may have been in a cut one has no change");
}

static void other_tables(void)
{
	take(HEAD "{\"type\":\"module\",\"row\":2,\"name\":\"xfs\",\"state\":"
	     "\"gone\",\"now_pages\":1,\"peak_pages\":2,\"image_pages\":5,"
	     "\"vmalloc_pages\":null}\n"
	     "{\"type\":\"module\",\"name\":\"(failed loads)\",\"rows\":2,"
	     "\"state\":\"failed\",\"now_pages\":0,\"peak_pages\":null}\n"
	     "{\"type\":\"initcall\",\"row\":1,\"function\":\"0xffff1000\","
	     "\"module\":\"\",\"now_pages\":1,\"peak_pages\":2,"
	     "\"addr\":4294905904}\n"
	     "{\"type\":\"slab\",\"row\":9,\"site\":\"0xffff2000 [xfs]\","
	     "\"cache\":\"dentry\",\"live_bytes\":64,\"peak_bytes\":128}\n"
	     "{\"type\":\"rest\",\"of\":\"task\",\"rows\":12}\n"
	     "{\"type\":\"a_new_one\",\"list\":[\"a\",\"b]\"]}\n" END, 0);
	tap_ok(row_held(&p.table[TOP_MODULES].row[0]) == 6 * 4096 &&
	       !strcmp(p.table[TOP_MODULES].row[0].note, "gone"),
	       "a module holds its image too; null is nothing");
	tap_ok(p.table[TOP_MODULES].row[1].number == UINT32_MAX,
	       "failed loads are a row without a number");
	tap_ok(p.table[TOP_INITCALLS].row[0].addr == 4294905904u,
	       "an initcall whose name is looked for");
	tap_ok(p.table[TOP_SITES].row[0].addr == 0xffff2000 &&
	       p.table[TOP_SITES].row[0].now == 64, "a site, in bytes");
	tap_ok(p.table[TOP_TASKS].others == 12 && p.whole,
	       "rows that were not told; lines of other types are skipped");
}

static void stacks(void)
{
	const uint32_t tasks = p.table[TOP_TASKS].used;

	take(HEAD TASK(1, 1, "z", 100)
	     "{\"type\":\"stack\",\"owner\":\"task:1\",\"now_pages\":2,"
	     "\"peak_pages\":3,\"frames\":[\"a+0x1\",\"0xffff3000 [m]\"],"
	     "\"more\":1}\n{\"type\":\"frames\",\"frames\":[\"b+0x2\"]}\n"
	     "{\"type\":\"stack\",\"owner\":\"task:1\",\"now_pages\":1,"
	     "\"peak_pages\":1,\"frames\":[]}\n"
	     "{\"type\":\"rest\",\"of\":\"stack\",\"rows\":5}\n" END, 1);
	tap_ok(p.table[TOP_TASKS].used == tasks, "paused: the tables stay");
	tap_ok(p.stacks.used == 2 && p.stacks.stack[0].frames == 3 &&
	       !p.stacks.stack[1].frames && p.stacks.others == 5,
	       "stacks with their frames, also from a second line");
	tap_ok(p.stacks.frame[1].addr == 0xffff3000 && !p.stacks.frame[0].addr,
	       "an address whose name is looked for");
}

static void full(void)
{
	static char text[300 * 200] = HEAD;
	size_t len = strlen(text);

	for (unsigned int i = 0; i < 300; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
			"{\"type\":\"task\",\"row\":%u,\"pid\":%u,"
			"\"start_ns\":0,\"comm\":\"t\",\"state\":\"live\","
			"\"now_pages\":%u}\n",
			i + 2, i + 2, i);
	take(text, 0);
	tap_ok(p.table[TOP_TASKS].used == PICTURE_ROWS &&
	       p.table[TOP_TASKS].others == 300 - PICTURE_ROWS,
	       "what finds no room is counted");
	v = (struct view){ .page = 10 };
	view_order(&v, &p);
	tap_ok(task(v.order[0])->now == 255 * 4096, "the largest first");
	view_key(&v, &p, KEY_DOWN);
	tap_ok(v.at == 1 && v.number == task(v.order[1])->number, "down");
	for (int i = 0; i < 3; i++)
		view_key(&v, &p, KEY_SORT);
	tap_ok(v.sort == SORT_NAME && task(v.order[v.at])->number == v.number,
	       "in another order the marked row is the same");
	view_key(&v, &p, KEY_END);
	tap_ok(v.at == PICTURE_ROWS - 1, "end");
	view_key(&v, &p, KEY_PAGE_UP);
	tap_ok(v.at == PICTURE_ROWS - 10, "page up");
	view_key(&v, &p, KEY_HOME);
	tap_ok(!v.at && view_key(&v, &p, KEY_ENTER) && v.in_stacks,
	       "home, and into the stacks: the tracer is asked");
	view_key(&v, &p, KEY_BACK);
	tap_ok(!v.in_stacks, "and back");
	take(HEAD END, 0);
	view_key(&v, &p, KEY_DOWN);
	tap_ok(!view_key(&v, &p, KEY_ENTER), "an empty table has no row");
}

static void none(void)
{
	static const char *const bad[] = {
		"", "\n", "text\n", "{}\n", END, "{\"type\":\"head\"",
		HEAD "{\"type\":\"task\",}\n", HEAD "{\"a\":[\"b]}\n",
		HEAD "{\"a\":\"b}\n", HEAD "{\"a\":1}x\n", HEAD "{\"a\"1}\n",
	};

	for (unsigned int i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		tap_ok(take(bad[i], 0) == -EPROTO, "no answer: refused, %u", i);
}

int main(void)
{
	rows();
	other_tables();
	stacks();
	full();
	none();
	return tap_plan_done();
}
