/* SPDX-License-Identifier: MIT */
/*
 * The dispatch table, as long as STUB_VERSION says; what lies behind its end
 * says so and aborts.
 */
#ifndef TESTS_STUB_DISPATCH_H
#define TESTS_STUB_DISPATCH_H

/* With the lock. */
const void *stub_dispatch_table(void);

/* The core function of that name, or NULL: also without a table. */
void *stub_dispatch_find(const char *name);

#endif
