/* SPDX-License-Identifier: MIT */
/* A task's loading window: see events.h, window. */
#include "ledger/events.h"

void window_open(struct ledger *l, uint32_t task, uint32_t module)
{
	l->tasks.row[task].loading = module;
	l->modules.row[module].loading = 1;
	modules_note_idle(&l->modules, module);
}

/* The row of a failed load may be used again. Until then it keeps the name of
 * the module, if it has one. */
void window_close(struct ledger *l, uint32_t task, int failed)
{
	struct task *k = &l->tasks.row[task];
	struct module *m = &l->modules.row[k->loading];

	m->loading = 0;
	if (k->loading >= MODULES_FIXED) {
		m->init_over = 1;
		stacks_forget(&l->stacks);
		history_end(&l->history.modules, k->loading, l->last_ns);
		if (m->state == MODULE_LOADING || failed)
			modules_end(&l->modules, k->loading, MODULE_FAILED);
		modules_note_idle(&l->modules, k->loading);
	}
	k->loading = 0;
}
