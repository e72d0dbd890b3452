/* See counters.h. */
#include <stddef.h>
#include <string.h>
#include "counters.h"

/* Of a uint64_t in struct ledger; in the order of `texts`. */
static const uint16_t offsets[] = {
	offsetof(struct ledger, total.lost),
	offsetof(struct ledger, total.late),
	offsetof(struct ledger, total.missed_frees),
	offsetof(struct ledger, total.untracked_pages),
	offsetof(struct ledger, total.outside_ram),
	offsetof(struct ledger, total.bad_records),
	offsetof(struct ledger, total.failed_allocs),
	offsetof(struct ledger, tasks.full),
	offsetof(struct ledger, tasks.recycled),
	offsetof(struct ledger, tasks.recycled_peak),
	offsetof(struct ledger, modules.full),
	offsetof(struct ledger, modules.recycled),
	offsetof(struct ledger, modules.recycled_peak),
	offsetof(struct ledger, modules.ranges_full),
	offsetof(struct ledger, stacks.full),
	offsetof(struct ledger, owners.full),
	offsetof(struct ledger, owners.recycled),
	offsetof(struct ledger, owners.recycled_peak),
	offsetof(struct ledger, total.anon_pages),
	offsetof(struct ledger, total.before_frees),
};

/* Name and text of each, end bytes between: an array of pointers would cost
 * as much again as what it points to. */
static const char texts[] =
	"lost\0"
	"records lost: counts are lower bounds, pages whose free "
	"was lost still count; raise rd.memstrack.ring\0"
	"late\0"
	"events came out of time order\0"
	"missed_frees\0"
	"pages were allocated again without having been seen freed\0"
	"untracked_pages\0"
	"pages found no room and are in no figure; raise "
	"rd.memstrack.pages\0"
	"outside_ram\0"
	"events of pages outside of known memory\0"
	"bad_records\0"
	"records did not fit their format\0"
	"failed_allocs\0"
	"allocations failed: the kernel had no page\0"
	"tasks_full\0"
	"tasks went to (other); raise rd.memstrack.tasks\0"
	"tasks_recycled\0"
	"tasks that were gone are not listed; raise "
	"rd.memstrack.tasks\0"
	"tasks_recycled_peak\0"
	"pages was the highest peak of those tasks\0"
	"modules_full\0"
	"module loads went to (other); raise rd.memstrack.modules\0"
	"modules_recycled\0"
	"modules that were gone are not listed; raise "
	"rd.memstrack.modules\0"
	"modules_recycled_peak\0"
	"pages was the highest peak of those modules\0"
	"ranges_full\0"
	"ranges of module text found no room; raise "
	"rd.memstrack.modules\0"
	"stacks_full\0"
	"allocations kept without their stack; raise "
	"rd.memstrack.stacks\0"
	"owners_full\0"
	"allocations kept with their task alone; raise "
	"rd.memstrack.stacks\0"
	"owners_recycled\0"
	"stacks of tasks that held nothing are not listed; raise "
	"rd.memstrack.stacks\0"
	"owners_recycled_peak\0"
	"pages was the highest peak of those stacks\0"
	"anon_pages\0\0"
	"before_frees\0\0";

static const char *after(const char *text)
{
	return text + strlen(text) + 1;
}

int counter_get(const struct ledger *l, unsigned int index, struct counter *c)
{
	if (index >= ARRAY_LEN(offsets))
		return 0;
	c->name = texts;
	for (unsigned int i = 0; i < index; i++)
		c->name = after(after(c->name));
	c->text = after(c->name);
	memcpy(&c->value, (const char *)l + offsets[index], sizeof(c->value));
	return 1;
}
