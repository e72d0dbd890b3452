/* SPDX-License-Identifier: MIT */
/* The last part of the report for people: see text_account.c. */
#ifndef MEMSTRACK_TEXT_ACCOUNT_H
#define MEMSTRACK_TEXT_ACCOUNT_H

#include "report/sheet.h"

/* Does the account agree with the kernel's (balance.h)? Also when memory runs
 * out. */
void text_balance(struct sheet *s);
/* That, and all that follows it in a whole report. */
void text_account(struct sheet *s);

#endif
