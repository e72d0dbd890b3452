/* See moment.h. */
#include "ledger/snapshot.h"
#include "report/moment.h"

/* Of a module or task on a line of JSON that has six to ten, or as many as
 * there is room for. */
#define NAME_ROOM 60u

enum text {
	PEAK, POINT,		/* a line begins */
	FIGURES_OF,
	LARGEST_MODULES, LARGEST_TASKS, LOADED,		/* a list begins */
	/* Before the first of a list, before each other, behind each (with its
	 * pages), and behind it. */
	OF_LARGEST,
	OF_LOADED = OF_LARGEST + 4,
	LINE_END = OF_LOADED + 4,
};

static const char *const texts[] = {
	[ESCAPE_TEXT] =
	"peak    at \0" "time    \0"
	"%t: free %p, traced %p, vmalloc %p\0"
	"\0" "\0" "\0"
	"; \0" ", \0" " %p\0" "\0"
	"; loaded \0" ", \0" "\0" "\0"
	"",
	[ESCAPE_JSON] =
	"{\"type\":\"peak\"\0" "{\"type\":\"timeline\"\0"
	",\"time_ns\":%u,\"free_pages\":%u,\"traced_pages\":%u,"
	"\"vmalloc_pages\":%u\0"
	",\"modules\":[\0" ",\"tasks\":[\0" ",\"loaded\":[\0"
	"{\"name\":\"\0" ",{\"name\":\"\0" "\",\"pages\":%u}\0" "]\0"
	"\"\0" ",\"\0" "\"\0" "]\0"
	"}",
};

/* Of the largest: whose row it was, "(gone)" where it is another's now; NULL:
 * there are no more. */
static const char *largest(const struct ledger *l, enum text list,
			   const struct moment *m, uint32_t i, uint64_t *pages)
{
	enum table t = list == LARGEST_TASKS ? TABLE_TASKS : TABLE_MODULES;
	const struct largest *k = t == TABLE_TASKS ? &m->task[i] :
						     &m->module[i];
	const uint64_t since_ns = t == TABLE_TASKS ?
				  l->tasks.row[k->row].start_ns :
				  l->modules.row[k->row].load_ns;

	*pages = k->pages;
	if (!k->pages)
		return NULL;
	return since_ns > m->time_ns ? "(gone)" : row_name(l, t, k->row);
}

/* NULL, unless its load was seen after the point before, and by this one. */
static const char *loaded(const struct ledger *l, const struct moment *m,
			  uint32_t row)
{
	const struct module *k = &l->modules.row[row];
	uint64_t since_ns = m > l->timeline.point ? m[-1].time_ns : 0;

	return row >= MODULES_FIXED && k->name[0] && k->load_ns > since_ns &&
	       k->load_ns <= m->time_ns ? k->name : NULL;
}

static void put_list(struct sheet *s, enum text list, const struct moment *m)
{
	const struct ledger *l = s->ledger;
	const char *text = texts[s->line.escape];
	const char *before = text_at(text, list == LOADED ? OF_LOADED :
					   OF_LARGEST);
	const char *next = text_after(before);
	const char *after = text_after(next), *name;
	uint32_t count = list == LOADED ? l->modules.used : LARGEST;
	size_t room = LINE_BYTES, most = LINE_BYTES;
	uint64_t pages;

	if (s->line.escape == ESCAPE_JSON) {
		room = NAME_ROOM;
		most -= NAME_ROOM + 8;
	}
	line_str(&s->line, text_at(text, list));
	for (uint32_t i = 0; i < count; i++) {
		name = list == LOADED ? loaded(l, m, i) :
		       largest(l, list, m, i, &pages);
		if (!name || s->line.len > most)
			continue;
		line_str(&s->line, before);
		line_name_within(&s->line, name, LINE_BYTES, room);
		line_fill(&s->line, after, &pages);
		before = next;
	}
	line_str(&s->line, text_after(after));
}

static void put_moment(struct sheet *s, enum text begin,
		       const struct moment *m)
{
	const char *text = texts[s->line.escape];

	line_str(&s->line, text_at(text, begin));
	line_fill(&s->line, text_at(text, FIGURES_OF),
		  (const uint64_t[]){ m->time_ns, m->free_pages,
				      m->traced_pages, m->vmalloc_pages });
	put_list(s, LARGEST_MODULES, m);
	put_list(s, LARGEST_TASKS, m);
	if (begin == POINT)
		put_list(s, LOADED, m);
	sheet_line(s, text_at(text, LINE_END), NULL);
}

void moment_peak(struct sheet *s)
{
	struct moment m;

	snapshot_peak(s->ledger, &m);
	if (s->ledger->memory_sampled)
		put_moment(s, PEAK, &m);
}

void moment_timeline(struct sheet *s)
{
	const struct timeline *t = &s->ledger->timeline;

	for (uint32_t i = 0; i < t->points; i++)
		put_moment(s, POINT, &t->point[i]);
}
