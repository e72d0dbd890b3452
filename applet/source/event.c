/* See event.h. */
#include "source/event.h"

void event_begin(struct event *e, enum event_type type, uint64_t time_ns)
{
	*e = (struct event){ .type = type, .time_ns = time_ns };
}
