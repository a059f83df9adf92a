/* SPDX-License-Identifier: MIT */
/*
 * What a driver answered about a program and its kernels, for the metadata
 * fields OCC_META_ANSWERS and OCC_META_KERNELS. Pure memory, no I/O;
 * doc/format.md has the bytes.
 *
 * An answer is kept as it was given: its code, success or not, and its bytes.
 * Which parameter it is an answer to is kept as the number that OpenCL gives
 * it, of at most 16 bits: answers to others are not kept, and not found.
 *
 * Writing: occ_answer_append() as often as wanted for the answers about the
 * program. For every kernel:
 *
 *	size_t start = occ_description_begin(&kernels, name, size);
 *	occ_description_add_attributes(&kernels, answer);
 *	occ_description_add_argument_count(&kernels, count);
 *	occ_description_add_argument(&kernels, 0, parameter, answer);
 *	occ_description_end(&kernels, start);
 *
 * and at the end a look at the buffers' `failed`. Each part may be left out.
 *
 * Reading takes any bytes: what is malformed is absent, and so is everything
 * behind it. Whatever comes twice, the first counts. Results point into the
 * bytes that were read.
 *
 * Threads: no state; any thread at any time.
 */
#ifndef OCC_CACHE_DESCRIPTION_H
#define OCC_CACHE_DESCRIPTION_H

#include "cache/entry.h"

struct occ_answer {
	int32_t code;
	struct occ_span bytes;
};

/* Appends an answer to the row `answers`. */
void occ_answer_append(struct occ_buffer *answers, uint32_t parameter,
		       struct occ_answer answer);
bool occ_answer_find(struct occ_span answers, uint32_t parameter,
		     struct occ_answer *ret_answer);

/*
 * Starts a kernel in the row `kernels`; the result is for
 * occ_description_end(). Nothing else may be appended in between.
 */
size_t occ_description_begin(struct occ_buffer *kernels, const void *name,
			     size_t size);
void occ_description_end(struct occ_buffer *kernels, size_t start);

/* CL_KERNEL_ATTRIBUTES, CL_KERNEL_NUM_ARGS and clGetKernelArgInfo(). */
void occ_description_add_attributes(struct occ_buffer *kernels,
				    struct occ_answer answer);
void occ_description_add_argument_count(struct occ_buffer *kernels,
					uint32_t count);
void occ_description_add_argument(struct occ_buffer *kernels, uint32_t index,
				  uint32_t parameter, struct occ_answer answer);

/* The kernel of that name, for the calls below. */
bool occ_description_find_kernel(struct occ_span kernels, const void *name,
				 size_t size, struct occ_span *ret_kernel);

bool occ_description_attributes(struct occ_span kernel,
				struct occ_answer *ret_answer);
bool occ_description_argument_count(struct occ_span kernel,
				    uint32_t *ret_count);
bool occ_description_argument(struct occ_span kernel, uint32_t index,
			      uint32_t parameter,
			      struct occ_answer *ret_answer);

/*
 * Appends to an empty buffer what is known in one of the two rows: everything
 * in `old_kernels`, and what only `new_kernels` has, be it whole kernels or
 * parts of a description. Where both know, the old one stays. Returns whether
 * that is any different from `old_kernels`.
 */
bool occ_description_merge(struct occ_span old_kernels,
			   struct occ_span new_kernels,
			   struct occ_buffer *ret_kernels);

/* The same for rows of answers. */
bool occ_answer_merge(struct occ_span old_answers, struct occ_span new_answers,
		      struct occ_buffer *ret_answers);

/*
 * The metadata of an entry with kernels and answers merged into it, appended
 * to an empty buffer: an occ_store_make in all but name. Returns whether it
 * says anything new.
 */
bool occ_description_complete(struct occ_span old_metadata,
			      struct occ_span kernels, struct occ_span answers,
			      struct occ_buffer *ret_metadata);

#endif
