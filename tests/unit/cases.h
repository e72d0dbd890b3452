/* SPDX-License-Identifier: MIT */
/*
 * Files of tests/unit/cases: texts and what becomes of them,
 *
 *	[reader]
 *	text => outcome
 *	none: text | another text
 *
 * where \n, \t, \r, \e, \\ and \xNN are bytes, and a line that ends with a
 * backslash goes on in the next one. Empty lines and those that begin with "# "
 * are for people.
 */
#ifndef CASES_H
#define CASES_H

#include "exact.h"
#include "tap.h"

struct cases {
	FILE *file;		/* NULL at first */
	char reader[32];	/* the case's */
	char line[8192];
	char *rest;		/* of the line: texts of the same outcome */
	char text[8192];
	size_t len;
	char want[OUTCOME_BYTES];
	char shown[100];	/* the text as the file has it */
};

/* A line with those that it goes on in, without newline; 0: there is none. */
static inline int cases_line(struct cases *c, char *line, size_t room)
{
	size_t len = 0;

	while (fgets(line + len, (int)(room - len), c->file)) {
		len += strcspn(line + len, "\n");
		must(len + 1 < room);
		line[len] = '\0';
		if (!len || line[len - 1] != '\\')
			return 1;
		len--;
	}
	return 0;
}

/* The bytes that the file's text means, and an end; how many. */
static inline size_t cases_bytes(char *to, const char *text, size_t len)
{
	static const char letters[] = "ntre\\", meant[] = "\n\t\r\033\\";
	const char *const end = text + len, *letter;
	char *at = to;

	while (text < end) {
		if (*text != '\\') {
			*at++ = *text++;
		} else if (text[1] == 'x') {
			const char digits[] = { text[2], text[3], '\0' };

			*at++ = (char)strtoul(digits, NULL, 16);
			text += 4;
		} else {
			letter = strchr(letters, text[1]);
			must(letter && *letter);
			*at++ = meant[letter - letters];
			text += 2;
		}
	}
	*at = '\0';
	return (size_t)(at - to);
}

/* The next one of the texts between " | ". */
static inline void cases_text(struct cases *c)
{
	char *const text = c->rest, *const bar = strstr(text, " | ");
	const size_t len = bar ? (size_t)(bar - text) : strlen(text);

	c->rest = bar ? bar + 3 : NULL;
	c->len = cases_bytes(c->text, text, len);
	snprintf(c->shown, sizeof(c->shown), "%.*s", (int)len, text);
}

/* The next case of tests/unit/cases/NAME; 0: that was the last one. */
static inline int next_case(struct cases *c, const char *name)
{
	char *arrow;

	if (!c->file) {
		snprintf(c->line, sizeof(c->line), "tests/unit/cases/%s", name);
		c->file = fopen(c->line, "r");
		must(c->file != NULL);
	}
	while (!c->rest && cases_line(c, c->line, sizeof(c->line))) {
		arrow = strstr(c->line, " => ");
		if (!c->line[0] || !strncmp(c->line, "# ", 2) ||
		    (!arrow && sscanf(c->line, "[%31[^]]]", c->reader) == 1))
			continue;
		c->rest = c->line;
		if (!arrow) {
			must(!strncmp(c->line, "none: ", 6));
			c->rest += 6;
			strcpy(c->want, "none");
			continue;
		}
		must(strlen(arrow + 4) < sizeof(c->want));
		cases_bytes(c->want, arrow + 4, strlen(arrow + 4));
		*arrow = '\0';
	}
	if (c->rest) {
		cases_text(c);
		return 1;
	}
	fclose(c->file);
	c->file = NULL;
	return 0;
}

/* Is the outcome the one that the file has? */
static inline void case_is(const struct cases *c, const char *got)
{
	tap_ok(!strcmp(got, c->want), "%s: '%s'", c->reader, c->shown);
	if (strcmp(got, c->want))
		printf("# %s\n", got);
}

/* All cases of tests/unit/cases/NAME; or only those of a reader. */
static inline void each_case(const char *name, const char *reader,
			     void (*test)(struct cases *c))
{
	static struct cases c;

	while (next_case(&c, name))
		if (!reader || !strcmp(reader, c.reader))
			test(&c);
}

/* The same of texts that are steps, with a ; between two: each adds what comes of
 * it. */
static inline void each_step(const char *name, const char *reader,
			     void (*step)(const char *text, char *out))
{
	static struct cases c;
	char out[OUTCOME_BYTES];

	while (next_case(&c, name)) {
		if (reader && strcmp(reader, c.reader))
			continue;
		out[0] = '\0';
		for (char *at = strtok(c.text, ";"); at; at = strtok(NULL, ";"))
			step(at + strspn(at, " "), out);
		case_is(&c, *out ? out : "none");
	}
}

#endif
