/* SPDX-License-Identifier: MIT */
/* A task's loading window: see events.h, window. */
#include "ledger/events.h"

void window_open(struct ledger *l, uint32_t task, uint32_t module)
{
	l->tasks.row[task].loading = module;
	l->modules.row[module].loading = 1;
}

/* The row of a failed load may be used again. Until then it keeps the name of
 * the module, if it has one. */
void window_close(struct ledger *l, uint32_t task, int failed)
{
	struct task *k = &l->tasks.row[task];
	struct module *m = &l->modules.row[k->loading];

	if (k->loading >= MODULES_FIXED &&
	    (m->state == MODULE_LOADING || failed))
		m->state = MODULE_FAILED;
	if (k->loading >= MODULES_FIXED) {
		m->init_over = 1;
		stacks_forget(&l->stacks);
		history_end(&l->history.modules, k->loading, l->last_ns);
	}
	m->loading = 0;
	k->loading = 0;
}
