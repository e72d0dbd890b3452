/* SPDX-License-Identifier: MIT */
/*
 * Parses the words of the kernel's command line and the options of an applet
 * into struct config (config.h, cmdline).
 *
 * The text of /proc/cmdline comes from a boot loader, a bootconfig or a virtual
 * machine's operator: the text is not trusted and cannot stop the boot.
 *
 * Words and quotes are read as lib/cmdline.c:next_arg() and
 * kernel/params.c:parse_args() read them (Linux 6.1; "--" since 3.15), with one
 * difference: white space is ASCII. The kernel also splits at byte 0xa0, which
 * can be a part of a UTF-8 letter.
 */
#include <errno.h>
#include <string.h>
#include "base/base.h"
#include "config/config.h"

#define HINT_BYTES 16

/* isspace() depends on the locale. */
static int is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Returns the end of the word, or NULL after the last word. */
static const char *next_word(struct cmdline_word *w, const char *at,
			     const char *end)
{
	const char *content;
	int in_quote, quoted;

	while (at < end && is_space(*at))
		at++;
	if (at == end)
		return NULL;
	in_quote = quoted = *at == '"';
	at += quoted;
	w->name = content = at;
	w->value = NULL;
	for (; at < end && (in_quote || !is_space(*at)); at++) {
		if (*at == '=' && !w->value)
			w->value = at + 1;
		if (*at == '"')
			in_quote = !in_quote;
	}
	end = at;
	if (w->value) {
		w->name_len = (size_t)(w->value - 1 - w->name);
		if (w->value < end && *w->value == '"') {
			quoted = 1;
			w->value++;
		}
		content = w->value;
	}
	if (quoted && end > content && end[-1] == '"')
		end--;
	w->value_len = (size_t)(end - content);
	if (!w->value) {
		w->name_len = w->value_len;
		w->value_len = 0;
	}
	return at;
}

/* NULL: the word is valid, or is not one of our parameters. Else the values
 * that would have been accepted. */
static const char *take_word(struct config *c, struct cmdline_word *w)
{
	static const char prefix[] = "rd.memstrack";
	const size_t prefix_len = sizeof(prefix) - 1;
	const struct parameter *const level = parameter_find("level", 5);
	const struct parameter *p = level;
	const char *why;

	if (w->name_len < prefix_len || memcmp(w->name, prefix, prefix_len))
		return NULL;
	if (w->name_len > prefix_len) {
		if (w->name[prefix_len] != '.')
			return NULL;
		p = parameter_find(w->name + prefix_len + 1,
				   w->name_len - prefix_len - 1);
	}
	if (!p || !parameter_is_of(p, OF_BOOT))
		return "a parameter";
	if (!w->value) {
		w->value = "1";
		w->value_len = (size_t)parameter_is_switch(p);
	}
	why = parameter_set(c, p, w, 1);
	/* A user who gives a level, even a wrong one, wants to trace. */
	if (why && p == level && !c->level)
		c->level = 1;
	return why;
}

/* For a size whose lower bound has a K, a small number lacks its unit: suggests
 * the first unit with which the number would have been accepted. */
static void suggest_unit(char *hint, const struct cmdline_word *w,
			 const char *accepted)
{
	static const char *const units[] = { "K", "M" };
	const char *bound = accepted;
	uint32_t number;

	*hint = '\0';
	while (*bound >= '0' && *bound <= '9')
		bound++;
	if (*bound != 'K' || w->value_len > 4)
		return;
	for (unsigned int i = 0; i < ARRAY_LEN(units); i++) {
		char with[8];
		size_t len = print_to(with, sizeof(with), "%.*s%s",
				      (int)w->value_len, w->value, units[i]);

		if (value_within(accepted, with, len, &number))
			continue;
		print_to(hint, HINT_BYTES, ": %s?", with);
		return;
	}
}

void cmdline_refusal(char *text, const struct cmdline_word *w,
		     const char *accepted, const char *then)
{
	const int len = (int)w->value_len;
	const char *value = w->value ? w->value : "";
	char hint[HINT_BYTES];

	suggest_unit(hint, w, accepted);
	print_to(text, REFUSAL_BYTES, len ? "%.*s: %.*s: not %s%s%s" :
		 "%.*s: %.*sneeds a value: %s%s%s", (int)w->name_len, w->name,
		 len, value, accepted, hint, then);
}

int cmdline_parse(struct config *c, const char *text, size_t len,
		  const struct cmdline_warn *w)
{
	const char *end = text + strnlen(text, len);
	struct cmdline_word word;
	int warnings = 0;

	while ((text = next_word(&word, text, end))) {
		const char *why;

		if (!word.value && word.name_len == 2 &&
		    memcmp(word.name, "--", 2) == 0)
			break;
		why = take_word(c, &word);
		if (!why)
			continue;
		warnings++;
		w->warn(w->ctx, &word, why);
	}
	if (config_settle(c)) {
		warnings++;
		w->warn(w->ctx, &(struct cmdline_word){
			.name = "rd.memstrack.format", .name_len = 19,
			.value = format_name(c->format, &len), .value_len = len,
		}, "for a log: rd.memstrack.out=/FILE is missing");
		c->format = FORMAT_TEXT;
	}
	return warnings;
}

size_t cmdline_whole(const char *text, size_t len)
{
	const char *at = text, *end = text + strnlen(text, len), *next = at;
	struct cmdline_word word;

	while ((next = next_word(&word, next, end)) && next < end)
		at = next;
	return (size_t)(at - text);
}

/* The parameter of an argument "--NAME" or "--NAME=VALUE", if one of these
 * applets has the parameter; or NULL. */
static const struct parameter *option_find(const char *argument,
					   uint32_t applets)
{
	const struct parameter *p;

	if (strncmp(argument, "--", 2) != 0)
		return NULL;
	p = parameter_find(argument + 2, length_to(argument + 2, '='));
	return p && parameter_is_of(p, applets) ? p : NULL;
}

void option_refusal(char *text, const char *argument, const char *applet)
{
	print_to(text, LINE_BYTES, argument[0] == '-' && argument[1] ?
		 "%s: no such option of %s" :
		 "%s: one argument too many for %s", argument, applet);
}

/* `run --keep true` has no value, `run --keep 1 true` has one. */
static int is_number(const char *argument)
{
	uint64_t any;

	return !parse_size(argument, strlen(argument), 0, UINT64_MAX, &any);
}

int option_parse(struct config *c, uint32_t applets, int argc,
		 char *const argv[], int *index, const struct cmdline_warn *w)
{
	const struct parameter *p;
	struct cmdline_word word;
	const char *why;

	if (*index >= argc)
		return -ENOENT;
	p = option_find(argv[*index], applets);
	if (!p)
		return -ENOENT;
	word.name = argv[*index];
	word.name_len = length_to(word.name, '=');
	++*index;
	word.value = word.name + word.name_len;
	if (*word.value == '=')
		word.value++;
	else if (*index < argc &&
		 (!parameter_is_flag(p) || is_number(argv[*index])))
		word.value = argv[(*index)++];
	else if (parameter_is_flag(p))
		word.value = "1";
	word.value_len = strlen(word.value);
	why = parameter_set(c, p, &word, 0);
	if (!why)
		return 0;
	w->warn(w->ctx, &word, why);
	return -EINVAL;
}
