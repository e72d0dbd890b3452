/* SPDX-License-Identifier: MIT */
/*
 * config/cmdline.c on any bytes: once as a kernel command line, once, cut at
 * newlines, as the words of an option line. Whatever they are, what is
 * stored is in range and ended, every refusal is one line of text, and options
 * move on or say whose they are not.
 */
#include "fuzz.h"
#include "config/config.h"
#include "config/options.c"

#define WORDS_MAX 16

/* "NAME: VALUE: not …", of a word that has a name. */
static void check_problem(const char *problem, const char *then)
{
	const size_t len = strnlen(problem, REFUSAL_BYTES);

	must(len < REFUSAL_BYTES && *problem && *problem != ':');
	must(len == REFUSAL_BYTES - 1 ||
	     (strstr(problem, ": ") && len > strlen(then) &&
	      !strcmp(problem + len - strlen(then), then)));
}

static void hear(void *count, const char *problem)
{
	++*(int *)count;
	check_problem(problem, "; it is ignored");
}

static int bounded(uint64_t value, uint64_t low, uint64_t high)
{
	return value == 0 || (value >= low && value <= high);
}

static void check(const struct config *c)
{
	must(c->level <= 3 && c->keep <= 1);
	must(c->top <= 10000 || c->top == UINT32_MAX);
	must(bounded(c->ring_mib, 1, 1024));
	must(c->throttle_percent >= 1 && c->throttle_percent <= 100);
	must(c->heartbeat_s <= 86400 && c->backend <= BACKEND_PAGEOWNER);
	must(c->out <= OUT_FILE && c->format < FORMATS);
	must(c->by <= DIFF_BY_NOW && c->min_bytes <= 1u << 30);
	for (unsigned int i = 0; i < BESIDE_FILES; i++)
		must(memchr(c->beside[i], 0, sizeof(c->beside[i])) != NULL);
	must(bounded(c->frames, 1, CHAIN_FRAMES_MAX));
	must(bounded(c->mem_bytes, 256u << 10, 1u << 30));
	must(bounded(c->pages_bytes, 4096, 1u << 30));
	must(bounded(c->ring_bytes, 4096, 1u << 30));
	must(bounded(c->stacks, 16, 16u << 20));
	must(bounded(c->tasks, 16, 16u << 20));
	must(bounded(c->modules, 16, 16u << 20));
	must(memchr(c->init, 0, sizeof(c->init)) != NULL);
	must(memchr(c->out_path, 0, sizeof(c->out_path)) != NULL);
	must(c->init[0] == 0 || c->init[0] == '/');
	must((c->out == OUT_FILE) <= (c->out_path[0] != 0));
}

static void kernel_line(const char *text, size_t len)
{
	struct config c;
	int count = 0;

	must(cmdline_whole(text, len) <= strnlen(text, len));
	config_defaults(&c);
	must(cmdline_parse(&c, text, len, hear, &count) == count);
	check(&c);
	must(c.out != OUT_FILE || c.out_path[0] == '/');
	must(c.backend <= BACKEND_SAMPLED && !c.book[0]);
	must(c.out == OUT_FILE || !format_is_for_files(c.format));
}

static void option_line(char *text)
{
	char problem[REFUSAL_BYTES];
	char *argv[WORDS_MAX + 1] = { text };
	int argc = 1, index = 0;
	struct config c;

	for (char *at = text; *at && argc < WORDS_MAX; at++) {
		if (*at != '\n')
			continue;
		*at = 0;
		argv[argc++] = at + 1;
	}
	config_defaults(&c);
	while (index < argc) {
		int before = index;
		int result = option_parse(&c, ~(uint32_t)OF_BOOT, argc, argv,
					  &index, problem);

		check(&c);
		if (result == -EINVAL)
			check_problem(problem, "");
		if (result == -ENOENT)
			must(index++ == before);
		else
			must(index > before && index <= before + 2);
	}
	must(index == argc && c.init[0] == 0);
}

void fuzz_cmdline(const uint8_t *data, size_t size)
{
	char *text = ended(data, size);

	kernel_line((const char *)data, size);
	option_line(text);
	free(text);
}
