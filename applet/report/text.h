/* What text.c does for oom.c too. */
#ifndef MEMSTRACK_TEXT_H
#define MEMSTRACK_TEXT_H

#include "report/sheet.h"

/* What select.h shows, a line or more; the context is a sheet. */
void text_show(void *context, const struct shown *shown);
/* What is to be said of names, and the last line. */
void text_finish(struct sheet *s);

#endif
