/*
 * The report for programs: one JSON object a line, each shorter than
 * LINE_BYTES and whole. Names are bounded so that all else always fits, even
 * the largest of numbers; a call chain that does not is cut at its outer end
 * and says by how many frames.
 *
 * Names are bytes, not text: each outside of printable ASCII is \u00NN.
 */
#include "json.h"

/* What the longest line of a kind leaves for names. */
#define NAME_ROOM 340u		/* every byte of a module's name escaped */
#define TAIL_ROOM 20u		/* ],"cut_frames":127} */

void json_emit(struct json *j)
{
	line_char(&j->line, '}');
	j->out->line(j->out, j->line.text, j->line.len);
	j->records++;
	line_start(&j->line);
}

void json_put(struct json *j, const char *template, const uint64_t *value)
{
	line_fill(&j->line, template, value);
}

void json_name(struct json *j, const char *name, size_t size, size_t room)
{
	line_name(&j->line, name, size, room, ESCAPE_JSON);
}

/* Takes back what was written since `from` if it leaves no room for the end
 * of the line. */
static int keep(struct line *l, size_t from, size_t tail)
{
	if (!l->over && l->len + tail < LINE_BYTES)
		return 1;
	l->len = from;
	l->over = 0;
	return 0;
}

static void put_row_name(struct json *j, enum table t, uint32_t row)
{
	size_t size;
	const char *name = row_name(j->r->ledger, t, row, &size);

	json_name(j, name, size, NAME_ROOM);
}

static const char *module_state(const struct module *m)
{
	static const char states[][8] = {
		"unused", "loading", "live", "failed", "gone",
	};

	return m->state < ARRAY_LEN(states) ? states[m->state] : states[0];
}

static void put_task(struct json *j, uint32_t row)
{
	const struct task *k = &j->r->ledger->tasks.row[row];
	const uint64_t value[] = {
		k->tid, k->tgid, k->start_ns, k->rss_start_pages,
	};

	json_put(j, "{\"type\":\"task\",\"pid\":%u,\"tgid\":%u,\"start_ns\":%u,"
		 "\"rss_start_pages\":%u,\"comm\":\"", value);
}

static void visit_row(struct visitor *v, const struct shown_row *r)
{
	struct json *j = (struct json *)v;
	const struct ledger *g = j->r->ledger;
	const char *state;

	if (r->table == TABLE_MODULES) {
		json_put(j, "{\"type\":\"module\",\"name\":\"", NULL);
		state = module_state(&g->modules.row[r->row]);
	} else {
		put_task(j, r->row);
		state = g->tasks.row[r->row].state == TASK_EXITED ? "exited" :
								    "live";
	}
	put_row_name(j, r->table, r->row);
	json_put(j, "\",\"state\":\"", NULL);
	line_str(&j->line, row_is_fixed(r->table, r->row) ? "fixed" : state);
	json_put(j, "\",\"now_pages\":%u,\"peak_pages\":%u,"
		 "\"at_peak_pages\":%u",
		 (const uint64_t[]){ r->now, r->peak, r->at_peak });
	json_emit(j);
}

static void put_owner(struct json *j, const struct shown_row *r)
{
	int module = r->table == TABLE_MODULES;

	json_put(j, module ? ",\"owner\":\"module:" : ",\"owner\":\"task:",
		 NULL);
	if (module || row_is_fixed(r->table, r->row))
		put_row_name(j, r->table, r->row);
	else
		line_u64(&j->line, j->r->ledger->tasks.row[r->row].tid);
	line_char(&j->line, '"');
}

static int put_frame(struct json *j, uint64_t addr, int first)
{
	struct line *l = &j->line;
	size_t from = l->len;
	int named;

	line_str(l, first ? "\"" : ",\"");
	named = frame_write(l, j->r, addr, ESCAPE_JSON);
	line_char(l, '"');
	if (!keep(l, from, TAIL_ROOM))
		return 0;
	j->frames++;
	j->unnamed += !named;
	return 1;
}

static void put_frames(struct json *j, uint32_t leaf)
{
	const struct stacks *s = &j->r->ledger->stacks;
	uint32_t cut = 0;

	json_put(j, ",\"frames\":[", NULL);
	for (uint32_t i = leaf; leaf != NO_LEAF && i >= s->roots;
	     i = stack_parent(&s->node[i]))
		if (cut || !put_frame(j, s->node[i].addr, i == leaf))
			cut++;
	line_char(&j->line, ']');
	if (cut)
		json_put(j, ",\"cut_frames\":%u", (const uint64_t[]){ cut });
}

static void visit_stack(struct visitor *v, const struct shown_row *r,
			const struct shown_stack *s)
{
	struct json *j = (struct json *)v;
	const uint64_t value[] = {
		s->now, s->peak_known ? s->peak : LINE_NULL,
	};

	json_put(j, "{\"type\":\"stack\"", NULL);
	put_owner(j, r);
	json_put(j, ",\"now_pages\":%u,\"peak_pages\":%o", value);
	put_frames(j, s->leaf);
	json_emit(j);
}

static void visit_rest(struct visitor *v, enum table t,
		       const struct shown_row *r,
		       const struct shown_rest *rest)
{
	struct json *j = (struct json *)v;

	json_put(j, "{\"type\":\"rest\",\"of\":\"", NULL);
	line_str(&j->line, r ? "stack\"" : t == TABLE_MODULES ? "module\"" :
		 "task\"");
	if (r)
		put_owner(j, r);
	json_put(j, r ? ",\"rows\":%u,\"now_pages\":%u" :
		 ",\"rows\":%u,\"now_pages\":%u,\"at_peak_pages\":%u",
		 (const uint64_t[]){ rest->count, rest->now, rest->at_peak });
	json_emit(j);
}

static void end(struct json *j)
{
	json_put(j, "{\"type\":\"end\",\"records\":%u,\"frames\":%u,"
		 "\"unnamed_frames\":%u",
		 (const uint64_t[]){ j->records, j->frames, j->unnamed });
	json_emit(j);
}

void report_json(const struct report *r, struct out *o)
{
	struct json j = {
		.visitor = { NULL, visit_row, visit_stack, visit_rest },
		.r = r, .out = o,
	};

	json_head(&j);
	select_walk(r, &j.visitor);
	end(&j);
}
