/* What json.c and json_head.c share. */
#ifndef MEMSTRACK_JSON_H
#define MEMSTRACK_JSON_H

#include "select.h"

struct json {
	struct visitor visitor;	/* first: a json is a visitor */
	const struct report *r;
	struct out *out;
	struct line line;
	uint64_t records, frames, unnamed;
};

/* Ends the object and the line. */
void json_emit(struct json *j);
void json_put(struct json *j, const char *template, const uint64_t *value);
/* The inside of a string. */
void json_name(struct json *j, const char *name, size_t size, size_t room);
void json_head(struct json *j);

#endif
