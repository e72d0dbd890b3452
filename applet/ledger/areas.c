/* Memory of vmalloc: see areas.h. */
#include <string.h>
#include "ledger/ledger.h"

uint64_t areas_bytes(uint32_t module_rows)
{
	return (uint64_t)module_rows * (AREAS_PER_MODULE * sizeof(struct area) +
					sizeof(struct caller));
}

int areas_init(struct areas *a, struct arena *arena, uint32_t module_rows)
{
	a->capacity = module_rows * AREAS_PER_MODULE;
	a->callers_capacity = module_rows < UINT16_MAX ? module_rows :
							 UINT16_MAX;
	a->row = arena_take(arena, a->capacity, sizeof(*a->row));
	a->caller = arena_take(arena, module_rows, sizeof(*a->caller));
	if (arena->failed)
		return arena->failed;
	memcpy(a->caller[CALLER_OTHER].name, "(other)", 8);
	a->callers = 1;
	return 0;
}

struct area *areas_find(const struct areas *a, uint64_t base)
{
	for (uint32_t i = 0; i < a->used; i++)
		if (a->row[i].base == base)
			return &a->row[i];
	return NULL;
}

/* Its pages, or their negative number, where they count. */
static void count_area(struct ledger *l, const struct area *row,
		       uint32_t pages)
{
	struct module *m = &l->modules.row[row->module];

	count_add(&l->areas.held, l->epoch, pages);
	count_add(&l->areas.caller[row->caller].pages, l->epoch, pages);
	count_add(row->image ? &m->image : &m->vmalloc, l->epoch, pages);
}

struct area *areas_add(struct ledger *l, uint64_t base, uint32_t pages,
		       uint32_t module, uint32_t image_of)
{
	struct areas *a = &l->areas;
	struct area *row = &a->row[a->used];

	if (a->used == a->capacity) {
		a->full++;
		return NULL;
	}
	a->used++;
	a->bulk_pages += pages;
	*row = (struct area){ .base = base, .pages = pages, .module = module };
	if (!module && image_of) {
		row->module = image_of;
		row->image = 1;
	}
	count_area(l, row, pages);
	return row;
}

void areas_drop(struct ledger *l, struct area *row)
{
	struct areas *a = &l->areas;

	count_area(l, row, 0 - row->pages);
	*row = a->row[--a->used];
}

static uint16_t caller_of(struct areas *a, const char *name, uint32_t module)
{
	struct caller *c;

	for (uint32_t i = 1; i < a->callers; i++)
		if (a->caller[i].module == module &&
		    !strncmp(a->caller[i].name, name, CALLER_BYTES - 1))
			return (uint16_t)i;
	if (a->callers == a->callers_capacity) {
		a->full++;
		return CALLER_OTHER;
	}
	c = &a->caller[a->callers];
	memcpy(c->name, name, CALLER_BYTES - 1);
	c->module = module;
	return (uint16_t)a->callers++;
}

void areas_name(struct ledger *l, struct area *row, const char *name,
		uint32_t module)
{
	row->seen = 1;
	count_area(l, row, 0 - row->pages);
	/* Of the module's own code, whose text was not known in time. */
	if (module && module == row->module)
		row->image = 0;
	if (!module && !row->image)	/* the module is gone */
		module = row->module;
	if (!row->caller && row->pages)
		row->caller = caller_of(&l->areas, name, module);
	count_area(l, row, row->pages);
}

void areas_sweep(struct ledger *l)
{
	struct areas *a = &l->areas;

	for (uint32_t i = a->used; i-- > 0;) {
		if (!a->row[i].seen)
			areas_drop(l, &a->row[i]);
		else
			a->row[i].seen = 0;
	}
}
