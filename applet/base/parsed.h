/* SPDX-License-Identifier: MIT */
/*
 * One JSON object out of a line of text that nobody vouches for.
 *
 * Nothing is copied: a member's name and value are parts of the line. Objects
 * within the object, and lists of others than strings, are passed over. No recursion, and no more brackets
 * open at a time than PARSED_DEPTH_MAX.
 */
#ifndef MEMSTRACK_PARSED_H
#define MEMSTRACK_PARSED_H

#include <stddef.h>
#include <stdint.h>
#include "base/readfile.h"

/* Members that are kept, of an object; the longest of ours, `head`, has 27. */
#define PARSED_MEMBERS_MAX 64u
#define PARSED_DEPTH_MAX 8u

/* No number that is read is farther from 0, so that units and sums fit. */
#define PARSED_NUMBER_MAX (INT64_C(1) << 60)

enum parsed_kind { PARSED_NUMBER, PARSED_STRING, PARSED_LIST, PARSED_OTHER };

struct parsed {
	struct parsed_member {
		struct word name, value;	/* without quotes or brackets,
						 * escapes kept */
		enum parsed_kind kind;
	} member[PARSED_MEMBERS_MAX];
	uint32_t members;
};

/* The length of the object that begins with text[0]; 0: none, or a broken
 * one. */
size_t parsed_object(struct parsed *o, const char *text, size_t len);

/* NULL: no such member, or it is of another kind. */
const struct word *parsed_word(const struct parsed *o, const char *name,
			       enum parsed_kind kind);
const struct word *parsed_string(const struct parsed *o, const char *name);

/* 1, or 0 if there is no such member, or it is no whole number; *value is then
 * as it was. */
int parsed_number(const struct parsed *o, const char *name, int64_t *value);

/* The next string of a list of strings: 0 at its end. */
int parsed_next(struct word *list, struct word *string);

/* The bytes of a string that came from parsed_string(), and how many they are;
 * what does not fit is left out. An escape that cannot be stays as it is, and
 * so does one of a byte 0 or of more than a byte. */
size_t parsed_unescape(const struct word *w, char *text, size_t room);

#endif
