/* SPDX-License-Identifier: MIT */
/* The headers that clCompileProgram is given. */
#ifndef OCC_LAYER_HOOK_HEADER_H
#define OCC_LAYER_HOOK_HEADER_H

#include "hash/reason.h"
#include "layer/hook/call.h"

/*
 * Names and texts of a call's headers, to be released with their number; NULL
 * when there are none. Sets *ret_reason when they can't be part of a key.
 */
struct occ_header *occ_headers_take(const struct occ_arguments *arguments,
				    enum occ_reason *ret_reason);
void occ_headers_release(struct occ_header *headers, cl_uint count);

#endif
