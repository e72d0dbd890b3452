/* SPDX-License-Identifier: MIT */
/*
 * What a load of a module does: whose pages it takes, from the entry of the
 * system call to its exit, whoever else does what meanwhile; and what remains
 * of a module that is gone.
 */
#include "ledger_fixture.h"

#define EXT4 0xffffffffc0100000u
#define LOOP 0xffffffffc0200000u
#define INIT 0xffffffffc0300000u
#define KERNEL 0xffffffff81000000u
#define TEXT_BYTES 0x10000u

static const uint64_t in_kernel[] = { KERNEL + 1, KERNEL + 2, 0 };
static const uint64_t in_ext4[] = { KERNEL + 1, EXT4 + 8, KERNEL + 2, 0 };
static const uint64_t in_loop_from_ext4[] = {
	KERNEL + 1, LOOP + 8, EXT4 + 8, KERNEL + 2,
};
static const uint64_t in_init[] = { KERNEL + 1, INIT + 8, KERNEL + 2, 0 };

static enum fate enter(struct fixture *f, uint32_t tid)
{
	return task_event(f, EVENT_LOAD_ENTER, tid, tid, "");
}

static enum fate loaded(struct fixture *f, uint32_t tid, const char *name)
{
	return task_event(f, EVENT_MODULE_LOAD, tid, tid, name);
}

static enum fate unloaded(struct fixture *f, const char *name)
{
	return task_event(f, EVENT_MODULE_FREE, 1, 1, name);
}

static uint32_t module_now(const struct fixture *f, const char *name)
{
	return module(f, name)->pages.now;
}

static uint32_t none_now(const struct fixture *f)
{
	return f->ledger.modules.row[MODULE_NONE].pages.now;
}

static uint32_t other_now(const struct fixture *f)
{
	return f->ledger.modules.row[MODULE_OTHER].pages.now;
}

static void test_window(void)
{
	struct fixture *f = fixture_new();

	take(f, 1, 0, 0);
	tap_ok(none_now(f) == 1, "before the window: no module");
	tap_ok(enter(f, 1) == APPLIED, "the system call is entered");
	take(f, 1, 1, 0);
	take_by(f, 1, 1, 2, 1, in_kernel);
	tap_ok(none_now(f) == 1 && f->ledger.traced.now == 4,
	       "what comes before the name is kept apart");
	tap_ok(loaded(f, 1, "ext4") == APPLIED && module_now(f, "ext4") == 3,
	       "and is the module's when it is named");
	take_by(f, 1, 1, 4, 2, in_kernel);
	take(f, 2, 8, 0);
	tap_ok(module_now(f, "ext4") == 7 && none_now(f) == 2,
	       "its init function runs; another task is another matter");
	tap_ok(load_exit(f, 1, 1, 0) == APPLIED &&
	       module(f, "ext4")->state == MODULE_LIVE, "the call returns");
	take(f, 1, 9, 0);
	take_by(f, 1, 1, 10, 0, in_kernel);
	tap_ok(module_now(f, "ext4") == 7 && none_now(f) == 4,
	       "the window is closed");
	tap_ok(load_exit(f, 1, 1, 0) == IGNORED && load_exit(f, 9, 9, 0) ==
	       IGNORED, "an exit without an entry");
	tap_ok(holds(f, &module(f, "ext4")->pages, 7, 7, 7), "to the page");
	balance(f, "a load");
}

static void test_failed(void)
{
	struct fixture *f = fixture_new();

	enter(f, 1);
	take(f, 1, 0, 1);
	load_exit(f, 1, 1, -8);
	tap_ok(f->ledger.modules.row[MODULES_FIXED].state == MODULE_FAILED &&
	       f->ledger.modules.row[MODULES_FIXED].pages.now == 2,
	       "a load that failed before its name was told");
	enter(f, 1);
	loaded(f, 1, "loop");
	take(f, 1, 8, 0);
	unloaded(f, "loop");
	tap_ok(module(f, "loop")->state == MODULE_GONE &&
	       module_now(f, "loop") == 1, "init failed: the image goes");
	load_exit(f, 1, 1, -19);
	take(f, 1, 9, 0);
	tap_ok(module(f, "loop")->state == MODULE_FAILED &&
	       module_now(f, "loop") == 1 && none_now(f) == 1,
	       "then the call returns");
	enter(f, 1);
	tap_ok(loaded(f, 1, "loop") == APPLIED &&
	       module(f, "loop")->state == MODULE_LIVE &&
	       !module_now(f, "loop"), "a second try is another row");
	balance(f, "failed loads");
}

static void test_two_at_once(void)
{
	struct fixture *f = fixture_new();

	enter(f, 1);
	take(f, 1, 0, 0);
	enter(f, 2);
	take(f, 2, 1, 1);
	loaded(f, 2, "loop");
	take(f, 1, 3, 0);
	loaded(f, 1, "ext4");
	take(f, 2, 4, 0);
	load_exit(f, 1, 1, 0);
	take(f, 2, 5, 0);
	take(f, 1, 6, 0);
	tap_ok(module_now(f, "ext4") == 2 && module_now(f, "loop") == 4 &&
	       none_now(f) == 1, "two tasks load, each its own");
	load_exit(f, 2, 2, 0);
	balance(f, "two loads at once");
}

static void test_threads(void)
{
	struct fixture *f = fixture_new();

	task_event(f, EVENT_LOAD_ENTER, 11, 10, "");
	page_event(f, EVENT_ALLOC, 12, 10, FIRST_PFN, 0);
	page_event(f, EVENT_ALLOC, 10, 10, FIRST_PFN + 1, 0);
	page_event(f, EVENT_ALLOC, 11, 10, FIRST_PFN + 2, 0);
	task_event(f, EVENT_MODULE_LOAD, 11, 10, "ext4");
	tap_ok(module_now(f, "ext4") == 1 && none_now(f) == 2,
	       "the window is the thread's, not its process's");
	tap_ok(holds(f, &task(f, 10)->pages, 3, 3, 3),
	       "the pages are the process's all the same");
	task_event(f, EVENT_EXIT, 11, 10, "");
	page_event(f, EVENT_ALLOC, 11, 10, FIRST_PFN + 3, 0);
	tap_ok(module_now(f, "ext4") == 1, "it ends with the thread");
	balance(f, "threads that load");
}

/* What a lost record must not do. */
static void test_lost(void)
{
	struct fixture *f = fixture_new();

	enter(f, 1);
	take(f, 1, 0, 0);
	enter(f, 1);
	tap_ok(f->ledger.modules.row[MODULES_FIXED].state == MODULE_FAILED,
	       "entered twice: the first exit was lost, and it had no name");
	take(f, 1, 1, 0);
	loaded(f, 1, "ext4");
	load_exit(f, 1, 1, 0);
	tap_ok(module_now(f, "ext4") == 1, "the second is not mixed with it");
	tap_ok(loaded(f, 2, "loop") == APPLIED &&
	       module(f, "loop")->state == MODULE_LIVE, "entry lost: a row");
	take(f, 2, 2, 0);
	tap_ok(!module_now(f, "loop") && none_now(f) == 1, "but no window");
	tap_ok(loaded(f, 3, "loop") == APPLIED && f->ledger.modules.used == 6,
	       "loaded though there: its going was lost, so a new row");
	tap_ok(unloaded(f, "loop") == APPLIED && unloaded(f, "loop") ==
	       IGNORED && unloaded(f, "never") == IGNORED,
	       "one goes that is there");
	enter(f, 4);
	task_event(f, EVENT_EXIT, 4, 4, "");
	take(f, 4, 3, 0);
	tap_ok(none_now(f) == 2, "who has exited loads nothing any more");
	balance(f, "lost records of loads");
}

static void test_innermost(void)
{
	struct fixture *f = fixture_new();

	tap_ok(module_text(f, "ext4", EXT4, TEXT_BYTES, 0) == APPLIED &&
	       module_text(f, "loop", LOOP, TEXT_BYTES, 0) == APPLIED,
	       "text of modules that were there before");
	take_by(f, 1, 1, 0, 0, in_ext4);
	take_by(f, 1, 1, 1, 1, in_loop_from_ext4);
	take_by(f, 1, 1, 3, 0, in_kernel);
	tap_ok(module_now(f, "ext4") == 1 && module_now(f, "loop") == 2 &&
	       none_now(f) == 1, "the innermost module on the stack has it");
	enter(f, 1);
	loaded(f, 1, "squashfs");
	take_by(f, 1, 1, 4, 1, in_ext4);
	take_by(f, 1, 1, 6, 0, in_kernel);
	tap_ok(module_now(f, "ext4") == 3 && module_now(f, "squashfs") == 1,
	       "the stack is believed before the window");
	load_exit(f, 1, 1, 0);
	take_by(f, 1, 1, 8, 0, in_kernel);
	tap_ok(none_now(f) == 2, "the same chain, without the window");
	give(f, 2, 0, 3);
	tap_ok(!module_now(f, "ext4") && !module_now(f, "loop") &&
	       !module_now(f, "squashfs") && none_now(f) == 1,
	       "a free settles with all of them");
	balance(f, "the innermost module");
}

/* A return address is after the call: the first byte behind a module's text
 * is still the module's, its first byte is not. */
static void test_text_ends(void)
{
	static const uint64_t behind[] = { EXT4 + TEXT_BYTES, KERNEL, 0 };
	static const uint64_t first[] = { EXT4, KERNEL, 0 };
	static const uint64_t second[] = { EXT4 + 1, KERNEL, 0 };
	static const uint64_t beyond[] = { EXT4 + TEXT_BYTES + 1, KERNEL, 0 };
	struct fixture *f = fixture_new();

	module_text(f, "ext4", EXT4, TEXT_BYTES, 0);
	take_by(f, 1, 1, 0, 0, behind);
	take_by(f, 1, 1, 1, 0, second);
	tap_ok(module_now(f, "ext4") == 2, "returns into text and behind it");
	take_by(f, 1, 1, 2, 0, first);
	take_by(f, 1, 1, 3, 0, beyond);
	tap_ok(module_now(f, "ext4") == 2, "not to its start or beyond");
	balance(f, "the ends of text");
}

static void test_gone(void)
{
	struct fixture *f = fixture_new();
	const struct module *ext4;

	enter(f, 1);
	loaded(f, 1, "ext4");
	module_text(f, "ext4", EXT4, TEXT_BYTES, 0);
	module_text(f, "ext4", INIT, TEXT_BYTES, EVENT_INIT_TEXT);
	take_by(f, 1, 1, 0, 2, in_init);
	load_exit(f, 1, 1, 0);
	ext4 = module(f, "ext4");
	unloaded(f, "ext4");
	take_by(f, 2, 2, 4, 0, in_ext4);
	tap_ok(ext4->state == MODULE_GONE && ext4->pages.now == 5 &&
	       !strcmp(ext4->name, "ext4"),
	       "gone, it keeps name, pages and text");
	enter(f, 1);
	loaded(f, 1, "loop");
	module_text(f, "loop", LOOP, TEXT_BYTES, 0);
	module_text(f, "loop", INIT, TEXT_BYTES, EVENT_INIT_TEXT);
	load_exit(f, 1, 1, 0);
	take_by(f, 2, 2, 8, 1, in_init);
	tap_ok(module_now(f, "loop") == 2 && ext4->pages.now == 5,
	       "init text used again is the next module's");
	give(f, 2, 0, 2);
	tap_ok(ext4->pages.now == 1, "pages of before are still the old one's");
	enter(f, 1);
	loaded(f, 1, "ext4");
	tap_ok(module(f, "ext4") != ext4 && ext4->state == MODULE_GONE,
	       "loaded again, it is another row");
	balance(f, "a module that is gone");
}

static struct fixture *with_module_rows(uint32_t rows)
{
	const struct layout want = {
		.pages_bytes = RAM_PAGES * 4, .nodes = 512, .owners = 256,
		.tasks = 64, .modules = MODULES_FIXED + rows,
	};

	return fixture_with(&want);
}

static void test_full(void)
{
	struct fixture *f = with_module_rows(2);
	const struct modules *m = &f->ledger.modules;

	enter(f, 1);
	loaded(f, 1, "ext4");
	load_exit(f, 1, 1, 0);
	enter(f, 1);
	loaded(f, 1, "loop");
	take(f, 1, 0, 0);
	load_exit(f, 1, 1, 0);
	tap_ok(enter(f, 1) == REJECTED && m->full == 1, "no row is left");
	take(f, 1, 1, 1);
	tap_ok(other_now(f) == 2, "its pages are (other)'s");
	tap_ok(loaded(f, 1, "third") == REJECTED, "its name cannot be kept");
	load_exit(f, 1, 1, 0);
	take(f, 1, 3, 0);
	tap_ok(none_now(f) == 1, "the window closes all the same");
	tap_ok(module_text(f, "third", LOOP, 4096, 0) == REJECTED,
	       "nor its text");
	unloaded(f, "loop");
	tap_ok(enter(f, 1) == REJECTED, "gone, but it holds a page");
	give(f, 1, 0, 0);
	tap_ok(enter(f, 1) == APPLIED && !m->row[3].name[0] &&
	       m->row[3].state == MODULE_LOADING,
	       "now its row is used again, without its name");
	tap_ok(loaded(f, 1, "fourth") == APPLIED && m->recycled == 1,
	       "until it has a new one");
	take(f, 1, 8, 0);
	load_exit(f, 1, 1, 0);
	tap_ok(holds(f, &module(f, "fourth")->pages, 1, 1, 0) &&
	       !strcmp(module(f, "loop")->name, "(no module)"),
	       "with nothing of the old one");
	tap_ok(count_at_peak(&m->row[MODULE_OTHER].pages, f->ledger.epoch) == 3
	       && m->row[MODULE_OTHER].pages.peak == 3,
	       "what that held at the peak is (other)'s");
	balance(f, "a full table of modules");
}

/* Owner of a page. */
static const struct owner *owner_of_page(const struct fixture *f,
					 uint32_t page)
{
	return &f->ledger.owners.row[f->ledger.pages.flat[page] - 1];
}

/* The next module in a row takes the same way through the kernel. */
static void test_row_again(void)
{
	struct fixture *f = with_module_rows(1);
	const struct stacks *s = &f->ledger.stacks;
	uint32_t leaf;

	enter(f, 1);
	take_by(f, 1, 1, 0, 3, in_kernel);
	loaded(f, 1, "ext4");
	load_exit(f, 1, 1, 0);
	leaf = owner_of_page(f, 0)->leaf;
	tap_ok(owner_of_page(f, 0)->peak == 8 &&
	       s->node[leaf].pages.peak == 8 &&
	       stacks_root(s, leaf) == MODULES_FIXED, "a module's stack");
	give(f, 1, 0, 3);
	unloaded(f, "ext4");
	enter(f, 1);
	take_by(f, 1, 1, 0, 1, in_kernel);
	tap_ok(owner_of_page(f, 0)->leaf == leaf &&
	       owner_of_page(f, 0)->peak == 2 && s->node[leaf].pages.peak == 2,
	       "its peaks are not the next one's");
	balance(f, "a row used again");
}

/* Text that is taken by other code: chains keep the name of what was there,
 * also where another module is charged. */
static void test_retired(void)
{
	static const uint64_t through_init[] = {
		LOOP + 8, INIT + 8, KERNEL + 2, 0,
	};
	struct fixture *f = fixture_new();
	const struct stacks *s = &f->ledger.stacks;
	uint32_t leaf, loop_row;

	module_text(f, "loop", LOOP, TEXT_BYTES, 0);
	module_text(f, "ext4", EXT4, TEXT_BYTES, 0);
	module_text(f, "ext4", INIT, TEXT_BYTES, EVENT_INIT_TEXT);
	loop_row = modules_find(&f->ledger.modules, "loop");
	take_by(f, 1, 1, 0, 0, through_init);
	leaf = owner_of_page(f, 0)->leaf;
	module_text(f, "squashfs", INIT, TEXT_BYTES, EVENT_INIT_TEXT);
	tap_ok(s->node[leaf].addr == LOOP + 8 &&
	       s->node[stack_parent(&s->node[leaf])].addr == (STACKS_RETIRED |
	       (uint64_t)modules_find(&f->ledger.modules, "ext4") <<
	       STACKS_RETIRED_SHIFT | 8), "a frame of text that was taken");
	take_by(f, 1, 1, 1, 0, through_init);
	tap_ok(owner_of_page(f, 1)->leaf != leaf &&
	       s->node[stack_parent(&s->node[owner_of_page(f, 1)->leaf])].addr
	       == INIT + 8, "what comes there now is another frame");
	tap_ok(module_now(f, "loop") == 2 && stacks_root(s, leaf) == loop_row,
	       "the pages are the inner module's all the same");
	balance(f, "retired frames");
}

/* A frame keeps the name of what was there, or none: never another module's. */
static void test_retired_row_again(void)
{
	static const uint64_t through_init[] = {
		LOOP + 8, INIT + 8, KERNEL + 2, 0,
	};
	struct fixture *f = with_module_rows(3);
	const struct stacks *s = &f->ledger.stacks;
	const struct stack_node *n;
	uint32_t row;

	module_text(f, "loop", LOOP, TEXT_BYTES, 0);
	module_text(f, "ext4", INIT, TEXT_BYTES, EVENT_INIT_TEXT);
	take_by(f, 1, 1, 0, 0, through_init);
	module_text(f, "squashfs", INIT, TEXT_BYTES, 0);
	unloaded(f, "ext4");
	module_text(f, "overlay", EXT4, TEXT_BYTES, 0);
	n = &s->node[stack_parent(&s->node[owner_of_page(f, 0)->leaf])];
	row = (uint32_t)((n->addr & ~STACKS_RETIRED) >> STACKS_RETIRED_SHIFT);
	tap_ok(f->ledger.modules.recycled == 1 &&
	       strcmp(f->ledger.modules.row[row].name, "overlay"),
	       "a frame of ext4 is named %s",
	       f->ledger.modules.row[row].name);
	balance(f, "a retired frame whose row is used again");
}

/* Init fails, the image is freed, and before the system call has returned
 * another task starts a load. */
static void test_row_in_use(void)
{
	struct fixture *f = with_module_rows(1);

	enter(f, 1);
	loaded(f, 1, "bad");
	unloaded(f, "bad");
	enter(f, 2);
	take(f, 1, 0, 0);
	take(f, 2, 1, 1);
	load_exit(f, 1, 1, -19);
	tap_ok(f->ledger.modules.row[MODULES_FIXED].state != MODULE_LOADING &&
	       module_now(f, "bad") == 1,
	       "the row of a module being loaded is not used again");
	tap_ok(other_now(f) == 2, "the other load has found no room");
	balance(f, "a row in use");
}

/* Task 5 exits and the fork of the next task with its number is lost: who
 * loads a module is alive. */
static void test_dead_loader(void)
{
	struct fixture *f = with_module_rows(1);
	const struct task *dead;

	take(f, 5, 0, 0);
	task_event(f, EVENT_EXIT, 5, 5, "");
	dead = task(f, 5);
	enter(f, 5);
	take(f, 5, 1, 1);
	tap_ok(dead->pages.now == 1 && task(f, 5) != dead,
	       "a load by a number that has exited is another task's");
	balance(f, "a dead loader");
}

int main(void)
{
	test_window();
	test_failed();
	test_two_at_once();
	test_threads();
	test_lost();
	test_innermost();
	test_text_ends();
	test_gone();
	test_full();
	test_row_again();
	test_retired();
	test_retired_row_again();
	test_row_in_use();
	test_dead_loader();
	return tap_plan_done();
}
