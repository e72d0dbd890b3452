/* Arguments of `memstrack replay`: see replay_options.h. */
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>
#include "ledger/ledger.h"
#include "print.h"
#include "replay_options.h"

#define CHECK_EVENTS 10000u

/* What a file may claim: more, and products of them would not fit 32 bits. */
#define ROWS_MOST (1u << 24)
#define PAGES_LEAST_BYTES 4096u

int replay_write(int fd, const char *text, size_t len)
{
	while (len) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? errno : EIO;
		text += n;
		len -= (size_t)n;
	}
	return 0;
}

void replay_complain(const char *what, const char *format, ...)
{
	char line[LINE_BYTES];
	size_t room = sizeof(line) - 1, len;
	va_list args;

	print_to(line, room, "memstrack: replay: %.*s: ", PATH_BYTES, what);
	len = strlen(line);
	va_start(args, format);
	vprint_to(line + len, room - len, format, args);
	va_end(args);
	len = strlen(line);
	line[len++] = '\n';
	replay_write(STDERR_FILENO, line, len);
}

static void warn_option(void *ctx, const char *name, size_t name_len,
			const char *value, size_t value_len, const char *why)
{
	char option[32];

	(void)ctx;
	print_to(option, sizeof(option), "%.*s", (int)name_len, name);
	replay_complain(option, "%.*s: %s", (int)value_len, value, why);
}

/* argv[*index] is --check or --check=EVENTS. 1: it was; 0: another; -EINVAL. */
static int parse_check(struct replay_options *o, const char *option)
{
	static const char name[] = "--check";
	const char *value = option + sizeof(name) - 1;

	if (strncmp(option, name, sizeof(name) - 1) ||
	    (*value && *value != '='))
		return 0;
	o->check_events = CHECK_EVENTS;
	if (!*value++)
		return 1;
	if (parse_u64(value, strlen(value), 10, 1, UINT64_MAX,
		      &o->check_events)) {
		warn_option(NULL, name, sizeof(name) - 1, value, strlen(value),
			    "not a number of events");
		return -EINVAL;
	}
	return 1;
}

static int parse_argument(struct replay_options *o, int argc, char *argv[],
			  int *index)
{
	const struct cmdline_warn warn = { .warn = warn_option };
	int error = parse_check(o, argv[*index]);

	if (error) {
		*index += 1;
		return error < 0 ? error : 0;
	}
	error = option_parse(&o->config, argc, argv, index, &warn);
	if (error != -ENOENT)
		return error;
	if (argv[*index][0] == '-' && argv[*index][1]) {
		replay_complain(argv[*index], "no such option");
		return -EINVAL;
	}
	if (o->path) {
		replay_complain(argv[*index], "one FILE only");
		return -EINVAL;
	}
	o->path = argv[(*index)++];
	return 0;
}

int replay_parse(struct replay_options *o, int argc, char *argv[])
{
	int index = 1;

	config_defaults(&o->config);
	o->config.level = 1;
	while (index < argc) {
		int error = parse_argument(o, argc, argv, &index);

		if (error)
			return error;
	}
	if (!o->path) {
		replay_complain("FILE", "is missing");
		return -EINVAL;
	}
	if (!o->config.level)
		replay_complain("--level", "0 prints nothing");
	else if (o->config.out != OUT_AUTO)
		replay_complain("--out", "a replay prints to standard output");
	else
		return 0;
	return -EINVAL;
}

static int layout_is_sane(const struct layout *l)
{
	return l->pages_bytes >= PAGES_LEAST_BYTES &&
	       l->pages_bytes <= REPLAY_ARENA_BYTES &&
	       l->nodes <= ROWS_MOST && l->nodes > l->modules &&
	       l->modules > MODULES_FIXED && l->owners <= ROWS_MOST &&
	       l->owners > l->tasks && l->tasks > TASKS_FIXED &&
	       l->symbols <= ROWS_MOST;
}

int replay_layout(const struct replay_options *o, const struct trace_header *h,
		  struct layout *l)
{
	const struct config *c = &o->config;
	const struct layout want = {
		.pages_bytes = c->pages_bytes, .nodes = (uint32_t)c->stacks,
		.tasks = (uint32_t)c->tasks, .modules = (uint32_t)c->modules,
		.ring_bytes = c->ring_bytes,
	};

	if (c->mem_bytes &&
	    layout_divide(l, &want, &h->ram, c->mem_bytes))
		return -EINVAL;
	if (!c->mem_bytes) {
		*l = h->layout;
		if (want.pages_bytes)
			l->pages_bytes = want.pages_bytes;
		if (want.nodes)
			l->nodes = want.nodes;
		if (want.modules)
			l->modules = want.modules;
		if (want.tasks) {
			l->owners += want.tasks - l->tasks;
			l->tasks = want.tasks;
		}
	}
	return layout_is_sane(l) ? 0 : -EINVAL;
}
