/* See slabinfo.h. */
#include "base/readfile.h"
#include "source/proc/slabinfo.h"

#define NUMBERS 15		/* words of a line: see slabinfo(5) */

struct search {
	const struct slab *last;
	struct slab *best;
	uint32_t line;
	int found;
};

/* The cache with more pages comes first; of two equal ones, the upper line. */
static int before(const struct slab *a, const struct slab *b)
{
	return a->pages != b->pages ? a->pages > b->pages : a->line < b->line;
}

/* name, objects (2), bytes each, objects and pages a slab, ":", "tunables",
 * three of them, ":", "slabdata", active slabs, slabs, shared. */
static void take_cache(void *context, char *text, size_t len)
{
	struct word rest = { text, len }, name, w;
	struct search *s = context;
	uint64_t per_slab = 0, slabs = 0;
	struct slab slab;

	next_word(&rest, &name);
	for (int i = 1; i < NUMBERS; i++) {
		next_word(&rest, &w);
		if ((i == 5 && word_number(&w, 10, &per_slab)) ||
		    (i == 14 && word_number(&w, 10, &slabs)))
			return;
	}
	slab.pages = per_slab * slabs;
	slab.line = s->line++;
	if (!before(s->last, &slab) ||
	    (s->found && !before(&slab, s->best)))
		return;
	word_copy(&name, slab.name, sizeof(slab.name));
	*s->best = slab;
	s->found = 1;
}

int slabinfo_next(struct slab *s)
{
	const struct slab last = *s;
	struct search search = { &last, s, 0, 0 };

	each_line("/proc/slabinfo", take_cache, &search);
	return search.found;
}
