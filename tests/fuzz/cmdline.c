/* SPDX-License-Identifier: MIT */
/*
 * config/cmdline.c on any bytes: once as a kernel command line, once, cut at
 * newlines, as the words of an option line. Whatever they are, what is
 * stored is in range and ended, every refusal is told once, within the text,
 * and options move on or say whose they are not.
 */
#include "fuzz.h"
#include "config/config.h"

#define WORDS_MAX 16

struct heard {
	const char *text;
	size_t len;
	int count;
};

/* Reads all it is given: AddressSanitizer watches. */
static void hear(void *ctx, const struct cmdline_word *w, const char *why)
{
	struct heard *h = ctx;

	h->count++;
	must(memchr(w->name, 0, w->name_len) == NULL && w->name_len > 0);
	must(w->value_len == 0 ||
	     memchr(w->value, 0, w->value_len) == NULL);
	must(w->name >= h->text &&
	     w->name + w->name_len <= h->text + h->len);
	must(strlen(why) > 0);
}

static int bounded(uint64_t value, uint64_t low, uint64_t high)
{
	return value == 0 || (value >= low && value <= high);
}

static void check(const struct config *c)
{
	must(c->level <= 3 && c->keep <= 1 && c->top <= 10000);
	must(c->throttle_percent >= 1 && c->throttle_percent <= 100);
	must(c->heartbeat_s <= 86400 && c->backend <= BACKEND_SAMPLED);
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
	struct heard h = { text, len, 0 };
	const struct cmdline_warn w = { hear, &h };
	struct config c;

	must(cmdline_whole(text, len) <= strnlen(text, len));
	config_defaults(&c);
	must(cmdline_parse(&c, text, len, &w) == h.count);
	check(&c);
	must(c.out != OUT_FILE || c.out_path[0] == '/');
	must(c.out == OUT_FILE || !format_is_for_files(c.format));
}

static void option_line(char *text, size_t len)
{
	struct heard h = { text, len, 0 };
	const struct cmdline_warn w = { hear, &h };
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
		int before = index, told = h.count;
		int result = option_parse(&c, ~(uint32_t)OF_BOOT, argc, argv,
					  &index, &w);

		check(&c);
		must(h.count - told == (result == -EINVAL));
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
	option_line(text, size);
	free(text);
}
