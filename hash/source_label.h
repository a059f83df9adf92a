/* SPDX-License-Identifier: MIT */
/*
 * What to call a program in a line for people: the names of its kernels, as far
 * as its text shows them without being preprocessed, or else its first line of
 * code. Nothing is decided by it.
 *
 * No state; any thread.
 */
#ifndef OCC_HASH_SOURCE_LABEL_H
#define OCC_HASH_SOURCE_LABEL_H

#include <stdbool.h>

#include "hash/buffer.h"

/* With the NUL; more is cut. */
#define OCC_SOURCE_LABEL_SIZE	 128

/* Kernels that are named; of more the label ends with "...". */
#define OCC_SOURCE_LABEL_KERNELS 3

/*
 * Of OpenCL C, or of SPIR-V with `is_il`. The bytes may be any; so are those of
 * the label, but for control characters, which become blanks. "": there is
 * nothing to say.
 */
void occ_source_label(struct occ_span text, bool is_il,
		      char ret_label[OCC_SOURCE_LABEL_SIZE]);

#endif
