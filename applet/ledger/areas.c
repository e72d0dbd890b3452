/* Memory of vmalloc: see areas.h. */
#include <errno.h>
#include <string.h>
#include "areas.h"

uint64_t areas_bytes(uint32_t module_rows)
{
	return (uint64_t)module_rows * (AREAS_PER_MODULE * sizeof(struct area) +
					sizeof(struct caller));
}

int areas_init(struct areas *a, struct arena *arena, uint32_t module_rows)
{
	memset(a, 0, sizeof(*a));
	a->capacity = module_rows * AREAS_PER_MODULE;
	a->callers_capacity = module_rows < UINT16_MAX ? module_rows :
							 UINT16_MAX;
	a->row = arena_take(arena, a->capacity, sizeof(*a->row));
	a->caller = arena_take(arena, module_rows, sizeof(*a->caller));
	if (!a->row || !a->caller)
		return -ENOMEM;
	memcpy(a->caller[CALLER_OTHER].name, "(other)", 8);
	a->callers = 1;
	return 0;
}

static struct held *held_by_module(struct modules *m, const struct area *row)
{
	struct module *k = &m->row[row->module];

	return row->image ? &k->image : &k->vmalloc;
}

struct area *areas_find(const struct areas *a, uint64_t base)
{
	for (uint32_t i = 0; i < a->used; i++)
		if (a->row[i].base == base)
			return &a->row[i];
	return NULL;
}

void areas_add(struct areas *a, struct modules *m, uint64_t base,
	       uint32_t pages, uint32_t module, int image)
{
	struct area *row = &a->row[a->used];

	if (a->used == a->capacity) {
		a->full++;
		return;
	}
	a->used++;
	*row = (struct area){ .base = base, .pages = pages, .module = module,
			      .image = image != 0 };
	held_add(&a->held, pages);
	held_add(&a->caller[CALLER_OTHER].pages, pages);
	held_add(held_by_module(m, row), pages);
}

void areas_drop(struct areas *a, struct modules *m, struct area *row)
{
	a->held.now -= row->pages;
	a->caller[row->caller].pages.now -= row->pages;
	held_by_module(m, row)->now -= row->pages;
	*row = a->row[--a->used];
}

static uint16_t caller_of(struct areas *a, const char *name, uint32_t module)
{
	struct caller *c;

	for (uint32_t i = 1; i < a->callers; i++)
		if (a->caller[i].module == module &&
		    !strncmp(a->caller[i].name, name, CALLER_BYTES - 1))
			return (uint16_t)i;
	if (a->callers == a->callers_capacity)
		return CALLER_OTHER;
	c = &a->caller[a->callers];
	memcpy(c->name, name, CALLER_BYTES - 1);
	c->module = module;
	return (uint16_t)a->callers++;
}

void areas_name(struct areas *a, struct area *row, const char *name,
		uint32_t module)
{
	row->seen = 1;
	if (row->caller || !row->pages)
		return;
	a->caller[CALLER_OTHER].pages.now -= row->pages;
	row->caller = caller_of(a, name, module);
	held_add(&a->caller[row->caller].pages, row->pages);
}

void areas_sweep(struct areas *a, struct modules *m)
{
	for (uint32_t i = a->used; i-- > 0;) {
		if (!a->row[i].seen)
			areas_drop(a, m, &a->row[i]);
		else
			a->row[i].seen = 0;
	}
}
