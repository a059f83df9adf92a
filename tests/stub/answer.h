/* SPDX-License-Identifier: MIT */
/*
 * Answers to clGet...Info: where the application wants them, and the ways to
 * give one. All return CL_SUCCESS, or CL_INVALID_VALUE where the room is too
 * small.
 */
#ifndef TESTS_STUB_ANSWER_H
#define TESTS_STUB_ANSWER_H

#include <CL/cl.h>
#include <stddef.h>

struct stub_answer {
	size_t room;
	void *value;
	size_t *ret_size;
};

cl_int stub_answer_bytes(const struct stub_answer *answer, const void *bytes,
			 size_t size);
cl_int stub_answer_string(const struct stub_answer *answer, const char *string);
cl_int stub_answer_uint(const struct stub_answer *answer, cl_uint number);
cl_int stub_answer_ulong(const struct stub_answer *answer, cl_ulong number);
cl_int stub_answer_size(const struct stub_answer *answer, size_t number);
cl_int stub_answer_handle(const struct stub_answer *answer, const void *handle);

#endif
