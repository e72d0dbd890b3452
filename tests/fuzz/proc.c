/* SPDX-License-Identifier: MIT */
/*
 * Any text as files of /proc, and any bytes as messages of netlink.
 * source/proc/modules.c: each of its lines as one of /proc/modules, and as one
 * of modules.dep; the files of /sys that it asks for have the text's first
 * bytes in them. vmallocinfo.c: what it takes of the lines goes to a ledger,
 * sampled, twice with different lines missing: the areas of a ledger always add
 * up. host/run/taskstats.c: a record has a pid and a name with an end byte, and
 * the reader never goes back; the first two bytes are the family.
 */
#include "fuzz.h"
#include "base/system.h"
#include "ledger/events.h"
#include "host/run/run.h"
#include "source/proc/proc.h"

/* What the files of /sys say; who listens to the modules. */
static struct {
	struct event_out out;
	const char *text;
	size_t len;
	int with_sys;
} scene;

static int faked_read_number(const char *path, unsigned int base,
			     uint64_t *value)
{
	struct word rest = { scene.text, scene.len < 20 ? scene.len : 20 };

	must(strlen(path) < 128 && !strncmp(path, "/sys/module/", 12));
	must(!strstr(path, "/../"));
	return scene.with_sys ? number_to(&rest, '\n', base, value) : -ENOENT;
}

/* Lines come from modules() below. */
static int faked_each_line(const char *path, void (*take)(void *context,
			   char *line, size_t len), void *context)
{
	(void)path;
	(void)take;
	(void)context;
	return -ENOENT;
}

#include "../unit/proc_modules.h"

static void hear(struct event_out *o, const struct event *e)
{
	must(o == &scene.out);
	must(memchr(e->name, 0, sizeof(e->name)) != NULL);
	if (e->type == EVENT_MODULE_DIR)
		must(strchr(e->name, ' ') && strchr(e->name, ' ')[1]);
	else
		must(e->type == EVENT_MODULE_RANGE && e->size != 0);
}

static void modules(const uint8_t *data, size_t size)
{
	struct emitter r = { &scene.out, {
		.type = EVENT_MODULE_RANGE,
	} };
	struct input t = { .at = data, .left = size };

	while (input_line(&t)) {
		char *line = ended(t.line, t.len);

		r.event.type = EVENT_MODULE_RANGE;
		take_module(&r, line, t.len);
		free(line);
		line = ended(t.line, t.len);
		r.event.type = EVENT_MODULE_DIR;
		take_dir(&r, line, t.len);
		free(line);
	}
}

void fuzz_proc(const uint8_t *data, size_t size)
{
	scene.out.event = hear;
	scene.text = (const char *)data;
	scene.len = size;
	for (scene.with_sys = 0; scene.with_sys < 2; scene.with_sys++)
		modules(data, size);
}

/* --- vmallocinfo.c --- */

static void apply(struct ledger *l, struct event *e)
{
	e->time_ns = l->last_ns + 1;
	ledger_apply(l, e);
}

/* Every `skip`th line is left out. */
static void lines(struct ledger *l, const uint8_t *data, size_t size,
		  uint32_t skip)
{
	struct event e = { .flags = EVENT_SAMPLED };
	struct input t = { .at = data, .left = size };

	for (uint32_t n = 1; input_line(&t); n++)
		if (!vmallocinfo_line(t.line, t.len, &e) && n % skip)
			apply(l, &e);
	e.type = EVENT_AREAS_SEEN;
	apply(l, &e);
}

/* Modulo 2^32, as they are kept: any number of pages is possible here. */
static void check(const struct ledger *l)
{
	const struct areas *a = &l->areas;
	uint32_t pages = 0, callers = 0, modules = 0;

	must(a->used <= a->rows && a->callers <= a->callers_capacity);
	for (uint32_t i = 0; i < a->used; i++)
		pages += area_pages(&a->row[i]);
	for (uint32_t i = 0; i < a->callers; i++) {
		must(memchr(a->caller[i].name, 0, CALLER_BYTES) != NULL);
		callers += a->caller[i].pages.now;
	}
	for (uint32_t i = 0; i < l->modules.used; i++)
		modules += l->modules.row[i].image.now +
			   l->modules.row[i].vmalloc.now;
	must(pages == a->held.now && callers == pages && modules == pages);
	must(!ledger_check(l));
}

void fuzz_vmallocinfo(const uint8_t *data, size_t size)
{
	static const struct layout want = {
		.pages_bytes = 4096, .nodes = 64, .owners = 64, .tasks = 16,
		.modules = 8,
	};
	static const struct ram ram = { { { 0x100, 512 } }, 1 };
	static struct ledger l;
	struct event text = { .type = EVENT_MODULE_RANGE, .size = 0x4000,
			      .base = 0xffffffffc0200000, .name = "planted" };

	must(!ledger_init(&l, arena_fresh(1u << 18), &want, &ram));
	lines(&l, data, size, 2);
	apply(&l, &text);
	for (uint32_t skip = 1; skip < 5; skip++) {
		lines(&l, data, size, skip);
		check(&l);
	}
}

/* --- taskstats.c --- */

void fuzz_taskstats(const uint8_t *data, size_t size)
{
	struct taskstats_reader r = { 0 };
	const uint8_t *whole = data + sizeof(r.family);
	struct task_end end;
	int error;

	if (size < sizeof(r.family))
		return;
	memcpy(&r.family, data, sizeof(r.family));
	size -= sizeof(r.family);
	r.at = whole;
	r.len = size;
	for (size_t before = size; taskstats_next(&r, &end); before = r.len) {
		must(r.len < before && r.at + r.len == whole + size);
		must(end.pid && memchr(end.comm, 0, sizeof(end.comm)));
	}
	error = taskstats_family(whole, size);
	must(error <= UINT16_MAX && error >= -4095 && error != 0);
	error = taskstats_status(whole, size);
	must(error <= 0 && error >= -4095);
}
