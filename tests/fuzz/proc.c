/* SPDX-License-Identifier: MIT */
/*
 * source/proc/modules.c on any text: each of its lines as one of /proc/modules,
 * and as one of modules.dep.
 * The files of /sys that it asks for have the text's first bytes in them.
 */
#include <errno.h>
#include "fuzz.h"
#include "limits.h"
#include "source/proc/proc.h"
#include "base/system.h"

/* What the files of /sys say; who listens to the modules. */
struct scene {
	struct event_out out;	/* first: a scene takes events */
	const char *text;
	size_t len;
	int with_sys;
};

static struct scene *scene(void)
{
	static struct scene one;

	return &one;
}

static int faked_read_number(const char *path, unsigned int base,
			     uint64_t *value)
{
	const struct scene *s = scene();
	struct word rest = { s->text, s->len < 20 ? s->len : 20 };

	must(strlen(path) < 128 && !strncmp(path, "/sys/module/", 12));
	must(!strstr(path, "/../"));
	return s->with_sys ? number_to(&rest, '\n', base, value) : -ENOENT;
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
	must(o == &scene()->out);
	must(memchr(e->name, 0, sizeof(e->name)) != NULL);
	if (e->type == EVENT_MODULE_DIR)
		must(strchr(e->name, ' ') && strchr(e->name, ' ')[1]);
	else
		must(e->type == EVENT_MODULE_RANGE && e->size != 0);
}

static void modules(const uint8_t *data, size_t size)
{
	struct modules_reader r = { &scene()->out, {
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
	struct scene *s = scene();

	s->out.event = hear;
	s->text = (const char *)data;
	s->len = size;
	for (s->with_sys = 0; s->with_sys < 2; s->with_sys++)
		modules(data, size);
}
