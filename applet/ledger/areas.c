/* Memory of vmalloc: see areas.h. */
#include <stddef.h>
#include <string.h>
#include "ledger/areas.h"

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

struct area *areas_take(struct areas *a, uint64_t base)
{
	struct area *row = &a->row[a->used];

	if (a->used == a->capacity) {
		a->full++;
		return NULL;
	}
	a->used++;
	*row = (struct area){ .base = base };
	return row;
}

void areas_give_back(struct areas *a, struct area *row)
{
	*row = a->row[--a->used];
}

uint16_t areas_caller(struct areas *a, const char *name, uint32_t module)
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
