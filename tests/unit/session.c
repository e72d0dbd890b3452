/* SPDX-License-Identifier: MIT */
/* source/session.c: notes that find no room are counted in the last one. */
#include <string.h>
#include "source/session.h"
#include "tap.h"

static struct session session;

static int last_is(const char *want)
{
	return session.notes == NOTES_MAX &&
	       !strcmp(session.note[NOTES_MAX - 1], want);
}

int main(void)
{
	for (int i = 1; i <= NOTES_MAX; i++)
		session_note(&session, "note %d", i);
	tap_ok(last_is("note 8"), "as many notes as there is room for");
	session_note(&session, "one more");
	tap_ok(last_is("2 more notes found no room"), "the last one counts");
	session_note(&session, "one more");
	tap_ok(last_is("3 more notes found no room"), "and counts on");
	session.notes = 2;	/* some are taken back */
	for (int i = 3; i <= NOTES_MAX + 1; i++)
		session_note(&session, "note %d", i);
	tap_ok(last_is("2 more notes found no room"), "and begins anew");
	return tap_plan_done();
}
