/* SPDX-License-Identifier: MIT */
/* Which servers there are. */
#ifndef OCC_STORAGE_BACKENDS_H
#define OCC_STORAGE_BACKENDS_H

#include "storage/backend.h"

/* NULL: none of them serves it. */
const struct occ_backend *occ_backend_of(const char *scheme);

/* The i-th scheme of all; NULL behind the last. */
const char *occ_backend_scheme(size_t index);

#endif
