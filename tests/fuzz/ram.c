/* SPDX-License-Identifier: MIT */
/*
 * source/proc/ram*.c on any text as what a machine says of its memory (tests/
 * unit/ram_machine.h), then the account of it: a part has a name and a size, and
 * the rows of the report add up to what is installed.
 */
#include "fuzz.h"
#include "../unit/ram_machine.h"
#include "ledger/ledger.h"
#include "report/report.h"
#include "report/parts.h"

struct listener {
	struct event_out out;	/* first: it takes events */
	struct ledger ledger;
};

static void hear(struct event_out *o, const struct event *e)
{
	struct listener *l = (struct listener *)o;

	if (e->type == EVENT_FIGURE)
		return;
	must(e->type == EVENT_RAM && e->size);
	must(memchr(e->name, 0, RAM_NAME_BYTES) != NULL);
	must((e->flags & ~(RAM_GROUP_MASK | RAM_WITHIN)) == 0);
	if (ram_rows_add(&l->ledger.ram, e) < 0)
		must(l->ledger.ram.used == RAM_ROWS_MAX);
}

static void account(struct listener *l)
{
	struct session n = { .page_size = 4096, .mem_total_kib = 200000 };
	struct report r = { .ledger = &l->ledger, .session = &n };
	uint64_t value[FIGURES] = { 0 };
	struct ram_account a;
	int64_t sum = 0;

	l->ledger.memory_sampled = 1;
	l->ledger.free_now_pages = 20000;
	if (!ram_account(&r, value, &a))
		return;
	must(a.parts <= ARRAY_LEN(a.part));
	for (uint32_t i = 0; i < a.parts; i++) {
		must(a.part[i].kib != 0);
		must(!i || a.part[i].group >= a.part[i - 1].group);
		sum += a.part[i].within ? 0 : a.part[i].kib;
	}
	must(sum == a.installed_kib);
}

void fuzz_ram(const uint8_t *data, size_t size)
{
	static struct ram_machine m;
	static struct listener l;

	l = (struct listener){ .out.event = hear };
	ram_machine_read(&m, &l.out, (const char *)data, size);
	account(&l);
}
