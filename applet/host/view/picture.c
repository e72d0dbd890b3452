/* SPDX-License-Identifier: MIT */
/* See view.h, report picture. */
#include <string.h>
#include "base/base.h"
#include "base/system.h"
#include "host/view/view.h"

#define PAGE_BYTES_MAX (1u << 20)
#define WRONG_NUMBER "a number is missing or cannot be"

int report_begins(const char *line, size_t len)
{
	const struct word w = { line, len };

	return word_begins(&w, "{\"type\":\"head\"");
}

_Static_assert(PARSED_NONE == UNKNOWN, "what is null is not known");

/* One number for each key. NULL, or what is wrong. */
static const char *take_numbers(const struct parsed *o, const char *keys,
				uint64_t *value)
{
	return parsed_values(o, keys, value) ? WRONG_NUMBER : NULL;
}

/* One that is not null. */
static const char *take_number(const struct parsed *o, const char *key,
			       uint64_t most, uint64_t *value)
{
	const char *problem = take_numbers(o, key, value);

	return problem ? problem : *value > most ? WRONG_NUMBER : NULL;
}

/* With an end byte behind it. */
static const char *take_text(const struct parsed *o, const char *key,
			     char *text, size_t size)
{
	return parsed_text(o, key, text, size) ? NULL : "a name is missing";
}

/* The table that `of` names; TABLES: none that a picture has. */
static enum table table_of(const struct parsed *o)
{
	const struct word *of = parsed_string(o, "of");

	for (enum table t = TABLE_MODULES; of && t <= TABLE_KINDS; t++)
		if (word_is(of, table_name(t)))
			return t;
	return TABLES;
}

static const char *take_facts(struct view_picture *v, const struct parsed *o)
{
	struct picture *p = &v->picture;
	uint64_t *fact = p->fact;
	const char *problem = take_numbers(o, FACT_KEYS, fact);

	if (problem)
		return problem;
	for (unsigned int i = 0; i < FACTS; i++)
		if (fact[i] == UNKNOWN && i != FACT_HARD_KIB &&
		    i != FACT_HARD_NS)
			return WRONG_NUMBER;
	if (fact[FACT_PAGE_BYTES] < 1024 ||
	    fact[FACT_PAGE_BYTES] > PAGE_BYTES_MAX ||
	    fact[FACT_FROM_NS] >= fact[FACT_UNTIL_NS] ||
	    (fact[FACT_HARD_KIB] == UNKNOWN) != (fact[FACT_HARD_NS] == UNKNOWN))
		return WRONG_NUMBER;
	if (fact[FACT_POINTS] > PICTURE_POINTS)
		return "more points than a picture has";
	if (fact[FACT_SPANS] > VIEW_SPANS_MAX)
		return "more spans than there is room for";
	v->begun = 1;
	return NULL;
}

static const char *take_piece(struct view_picture *v, const struct parsed *o)
{
	const struct word *of = parsed_string(o, "of");

	for (int i = 0; of && i < PICTURE_TEXTS; i++) {
		char *text = v->picture.text[i];
		const size_t len = strlen(text);

		if (word_is(of, picture_text_names[i]))
			return take_text(o, "text", text + len,
					 sizeof(v->picture.text[i]) - len);
	}
	return NULL;
}

static const char *take_name(const struct parsed *o, struct picture_name *n)
{
	const char *problem = take_text(o, "name", n->name, sizeof(n->name));
	uint64_t value[2];

	if (!problem)
		problem = take_numbers(o, "pid row", value);
	if (problem)
		return problem;
	n->pid = value[0];
	n->row = value[1];
	return NULL;
}

static const char *take_largest(struct view_picture *v, const struct parsed *o)
{
	const enum table t = table_of(o);
	struct picture_name *n = &v->picture.largest[t > TABLE_TASKS ? 0 : t];
	const char *problem = take_name(o, n);

	return problem || t > TABLE_TASKS ? problem :
	       take_number(o, "held_pages", UINT64_MAX, &n->pages);
}

static const char *take_kill(struct view_picture *v, const struct parsed *o)
{
	struct picture *p = &v->picture;

	if (p->kills == KILLS_MAX)
		return "more kills than a picture has";
	return take_number(o, "time_ns", UINT64_MAX,
			   &p->kill_ns[p->kills++]);
}

static const char *take_phase(struct view_picture *v, const struct parsed *o)
{
	struct phases *p = &v->picture.phases;
	struct phase *next = &p->phase[p->used];
	const char *problem;

	if (p->used == PHASES_MAX)
		return "more phases than a picture has";
	problem = take_text(o, "name", next->name, PHASE_NAME_BYTES);
	p->used++;
	return problem ? problem :
	       take_number(o, "time_ns", UINT64_MAX, &next->time_ns);
}

/* Behind the first point, no band may come. */
static const char *take_band(struct view_picture *v, const struct parsed *o)
{
	const enum table t = table_of(o);
	struct picture *p = &v->picture;
	const char *problem;
	uint64_t is_row;

	for (uint32_t chart = 0; chart < CHARTS; chart++) {
		struct chart *c = &p->chart[chart];

		if (chart_table(chart) != t)
			continue;
		if (c->bands == BANDS_MAX || p->points)
			return "more bands than a picture has";
		problem = take_name(o, &c->band[c->bands]);
		if (!problem)
			problem = take_number(o, "is_row", 1, &is_row);
		if (problem)
			return problem;
		if (!is_row && !c->bands)
			c->fixed = 1;
		c->bands++;
	}
	return NULL;
}

/* "[12,0,7]": a number for each band. */
static const char *take_pages(const struct parsed *o, const struct chart *c,
			      const char *name, uint32_t *pages)
{
	char key[32];
	const struct word *list;
	struct word rest, w;
	uint64_t value;

	print_to(key, sizeof(key), "%s_pages", name);
	list = parsed_word(o, key, PARSED_LIST);
	if (!list)
		return WRONG_NUMBER;
	rest = *list;
	for (uint32_t b = 0; b < c->bands; b++) {
		if (!rest.len || word_number(word_to(&rest, ',', &w), 10,
					     &value) || value > UINT32_MAX)
			return WRONG_NUMBER;
		pages[b] = (uint32_t)value;
	}
	return rest.len ? "more numbers than bands" : NULL;
}

static const char *take_point(struct view_picture *v, const struct parsed *o)
{
	struct picture *p = &v->picture;
	struct picture_point *k = &p->point[p->points];
	const char *problem;
	uint64_t is_peak;

	if (p->points >= p->fact[FACT_POINTS])
		return "more points than the report says";
	problem = take_numbers(o, POINT_KEYS, k->value);
	if (!problem)
		problem = take_number(o, "is_peak", 1, &is_peak);
	for (uint32_t i = 0; !problem && i < CHARTS; i++)
		problem = take_pages(o, &p->chart[i], table_name(chart_table(i)),
				     k->pages[i]);
	if (problem)
		return problem;
	for (unsigned int i = 0; i < POINT_HARD_KIB; i++)
		if (k->value[i] == UNKNOWN)
			return WRONG_NUMBER;
	if (p->points && k->value[POINT_TIME_NS] < k[-1].value[POINT_TIME_NS])
		return "a point is earlier than the one before it";
	if (is_peak)
		p->peak = p->points;
	p->points++;
	return NULL;
}

static const char *take_span(struct view_picture *v, const struct parsed *o)
{
	const enum table t = table_of(o);
	struct picture *p = &v->picture;
	struct picture_span *s = &v->span[v->spans];
	const char *problem;

	if (v->spans >= p->fact[FACT_SPANS])
		return "more spans than the report says";
	problem = take_text(o, "name", s->name, sizeof(s->name));
	if (!problem)
		problem = take_text(o, "state", s->state, sizeof(s->state));
	if (!problem)
		problem = take_numbers(o, SPAN_KEYS, s->value);
	if (problem)
		return problem;
	for (unsigned int i = 0; i < SPAN_VALUES; i++)
		if (s->value[i] == UNKNOWN &&
		    (t != TABLE_MODULES || (i != SPAN_PID && i != SPAN_PPID)))
			return WRONG_NUMBER;
	if (t > TABLE_TASKS || s->value[SPAN_BEGIN_NS] > s->value[SPAN_END_NS])
		return "a span that cannot be";
	v->table[v->spans++] = (uint8_t)t;
	p->spans[TABLE_MODULES] = p->spans[TABLE_TASKS] = v->spans;
	return NULL;
}

static int get_span(const struct picture *p, enum table t, uint32_t i,
		    struct picture_span *s)
{
	const struct view_picture *v = p->from;

	*s = v->span[i];
	return v->table[i] == t;
}

void picture_begin(struct view_picture *v)
{
	v->begun = v->ended = 0;
	v->spans = 0;
	memset(&v->picture, 0, sizeof(v->picture));
	v->picture.from = v;
	v->picture.get_span = get_span;
}

const char *picture_line(struct view_picture *v, const char *line, size_t len)
{
	static const struct {
		const char *type;
		const char *(*take)(struct view_picture *v,
				    const struct parsed *o);
	} types[] = {
		{ "picture", take_facts }, { "picture_text", take_piece },
		{ "largest", take_largest }, { "kill", take_kill },
		{ "phase", take_phase },
		{ "band", take_band }, { "point", take_point },
		{ "span", take_span },
	};
	const struct word *type;
	struct parsed o;

	if (parsed_object(&o, line, len) != len)
		return "no whole object of JSON";
	type = parsed_string(&o, "type");
	if (!type)
		return "an object without a type";
	if (word_is(type, "head"))	/* the last report counts */
		picture_begin(v);
	v->ended |= word_is(type, "end");
	for (unsigned int i = 0; i < ARRAY_LEN(types); i++)
		if (word_is(type, types[i].type))
			return i && !v->begun ? "it comes before the picture" :
			       types[i].take(v, &o);
	return NULL;
}

const char *picture_end(const struct view_picture *v)
{
	const struct picture *p = &v->picture;

	if (!v->ended)
		return "the report is cut off here";
	if (!v->begun)
		return "the report ends without a picture: its tracer kept no "
		       "history (see memstrack-tools(8))";
	for (uint32_t chart = 0; chart < CHARTS; chart++)
		if (!p->chart[chart].bands)
			return "the report ends, and bands are missing";
	return p->points < p->fact[FACT_POINTS] ||
	       v->spans < p->fact[FACT_SPANS] ?
	       "the report ends, and points or spans are missing" : NULL;
}
