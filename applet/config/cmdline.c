/* SPDX-License-Identifier: MIT */
/*
 * Parses the words of the kernel's command line into struct config (config.h,
 * cmdline).
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

/* 0: the word is valid, or is not one of our parameters. */
static int take_word(struct config *c, struct cmdline_word *w, char *problem)
{
	static const char prefix[] = "rd.memstrack";
	const size_t prefix_len = sizeof(prefix) - 1;
	const struct parameter *const level =
		parameter_find("level", 5, OF_BOOT);
	const struct parameter *p = level;
	int error;

	if (w->name_len < prefix_len || memcmp(w->name, prefix, prefix_len))
		return 0;
	if (w->name_len > prefix_len) {
		if (w->name[prefix_len] != '.')
			return 0;
		p = parameter_find(w->name + prefix_len + 1,
				   w->name_len - prefix_len - 1, OF_BOOT);
	}
	if (!p)
		return word_refusal(problem, w, "a parameter", "", 1);
	if (!w->value) {
		w->value = "1";
		w->value_len = (size_t)parameter_is_switch(p);
	}
	error = parameter_set(c, p, w, 1, problem);
	/* A user who gives a level, even a wrong one, wants to trace. */
	if (error && p == level && !c->level)
		c->level = 1;
	return error;
}

/* 0, or -EINVAL: there is no file for the format, so it becomes text. */
static int settle(struct config *c, char *problem)
{
	struct cmdline_word w = { "rd.memstrack.format", NULL, 19, 0 };

	if (!config_settle(c))
		return 0;
	w.value = format_name(c->format, &w.value_len);
	c->format = FORMAT_TEXT;
	return word_refusal(problem, &w, "for a log: rd.memstrack.out=/FILE "
			    "is missing", "", 1);
}

int cmdline_parse(struct config *c, const char *text, size_t len,
		  void (*warn)(void *context, const char *problem),
		  void *context)
{
	const char *end = text + strnlen(text, len);
	char problem[REFUSAL_BYTES];
	struct cmdline_word word;
	int error, warnings = 0;

	while (text) {
		text = next_word(&word, text, end);
		if (text && !word.value && word.name_len == 2 &&
		    memcmp(word.name, "--", 2) == 0)
			text = NULL;
		error = text ? take_word(c, &word, problem) :
			       settle(c, problem);
		if (!error)
			continue;
		warn(context, problem);
		warnings++;
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
