/* SPDX-License-Identifier: MIT */
/* The expressions of #if: integers, defined, ! and the binary operators. */
#ifndef TESTS_STUB_CONDITION_H
#define TESTS_STUB_CONDITION_H

#include <stdbool.h>

#include "tests/stub/macro.h"

/* *ret_good is set to false when the text isn't understood. */
bool stub_condition_holds(struct stub_macro *macros, const char *text,
			  bool *ret_good);

#endif
