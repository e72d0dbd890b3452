/* SPDX-License-Identifier: MIT */
/* /proc/kallsyms, read whole or in slices: see tracer.h, kallsyms. */
#include <unistd.h>
#include "base/system.h"
#include "tracer/tracer.h"

/* Lines of /proc/kallsyms, of some 40 bytes each: they take a millisecond on an
 * emulated CPU, much less on a real one. */
#define NAMES_A_SLICE 500

int kallsyms_init(struct kallsyms *k, struct engine *g)
{
	*k = (struct kallsyms){ .fd = -1, .functions.engine = g };
	return symbols_init(&k->symbols, &g->arena, g->session.layout.symbols);
}

/* The first byte of the names is read now, because the kernel takes a page for
 * it and keeps this page. */
void kallsyms_open(struct kallsyms *k)
{
	char first;

	k->fd = system_open_path("/proc/kallsyms", O_RDONLY);
	if (read(k->fd, &first, 1) < 0)
		return;		/* no names then */
}

int kallsyms_wanted(const struct kallsyms *k)
{
	return k->symbols.used || !functions_known(&k->functions);
}

static void begin(struct kallsyms *k)
{
	symbols_begin(&k->symbols);
	functions_begin(&k->functions);
}

static void take_name(void *context, char *line, size_t len)
{
	struct kallsyms *k = context;

	symbols_line(&k->symbols, line, len);
	functions_line(&k->functions, line, len);
}

static void take_function(void *context, char *line, size_t len)
{
	struct kallsyms *k = context;

	functions_line(&k->functions, line, len);
}

static void finish(struct kallsyms *k)
{
	symbols_finish(&k->symbols);
	functions_end(&k->functions);
}

void kallsyms_find_initcalls(struct kallsyms *k)
{
	functions_begin(&k->functions);
	if (!k->functions.lowest)
		return;
	each_line_again(k->fd, take_function, k);
	functions_end(&k->functions);
}

void kallsyms_read(struct kallsyms *k)
{
	begin(k);
	each_line_again(k->fd, take_name, k);
	finish(k);
}

void kallsyms_begin_slices(struct kallsyms *k)
{
	begin(k);
	lines_begin(&k->lines, k->fd);
	k->reading = 1;
}

void kallsyms_prepare_kinds(struct kallsyms *k)
{
	if (functions_known(&k->functions))
		return;
	symbols_clear(&k->symbols);
	symbols_sort(&k->symbols);
	kallsyms_begin_slices(k);
}

int kallsyms_read_slice(struct kallsyms *k)
{
	char *line;
	size_t len;

	for (int i = 0; k->reading && i < NAMES_A_SLICE; i++) {
		line = lines_next(&k->lines, &len);
		if (line) {
			take_name(k, line, len);
		} else {
			finish(k);
			k->reading = 0;
		}
	}
	return k->reading;
}
