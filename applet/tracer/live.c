/* SPDX-License-Identifier: MIT */
/* Rows of the account for a client that shows them live: see tracer.h, live. */
#include <string.h>
#include <unistd.h>
#include "control/control.h"
#include "tracer/tracer.h"

void live_answer(struct tracer *t, int client, const struct control_message *m)
{
	struct control_live wanted;
	uint64_t bytes;
	int error = given_check(m->file, &bytes);

	memcpy(&wanted, m->sections, sizeof(wanted));
	engine_describe(&t->engine, "live");
	if (!error)
		error = reporter_write_live(&t->reporter, &wanted, m->file,
					    bytes);
	close(m->file);
	control_answer(client, error);
}
