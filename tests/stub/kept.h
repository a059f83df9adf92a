/* SPDX-License-Identifier: MIT */
/*
 * STUB_KEEPS: a cache of the driver's own that overlooks what is included, for
 * it goes by the source and the options alone.
 */
#ifndef TESTS_STUB_KEPT_H
#define TESTS_STUB_KEPT_H

#include "tests/stub/compiler.h"
#include "tests/stub/text.h"

/* The source as it was when it was preprocessed once. False: it isn't kept. */
bool stub_kept_find(const struct stub_source *source,
		    struct stub_text *ret_expanded);
void stub_kept_add(const struct stub_source *source,
		   const struct stub_text *expanded);

#endif
