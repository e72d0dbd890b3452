/* SPDX-License-Identifier: MIT */
/* Where all of RAM is, in the report for programs: see parts.h, json ram. */
#include "report/report.h"
#include "report/parts.h"

static void put(struct sheet *s, const struct ram_part *p)
{
	json_begin(s, "ram");
	json_name(s, "group", ram_group_name(p->group));
	json_name(s, "name", p->name);
	json_signed(s, "size_kib", p->kib);
	if (p->within)
		json_name(s, "part_of", ram_whole(p));
	json_end(s);
}

void json_ram(struct sheet *s)
{
	struct ram_account a;

	if (!ram_account(s->r, s->value, &a))
		return;
	put(s, &(struct ram_part){ RAM_INSTALLED, RAM_SUM, 0,
				   a.installed_kib });
	for (uint32_t i = 0; i < a.parts; i++)
		put(s, &a.part[i]);
	if (!a.group_kib[RAM_UNKNOWN])
		put(s, &(struct ram_part){ "unknown", RAM_UNKNOWN, 0, 0 });
}
