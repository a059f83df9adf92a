/* SPDX-License-Identifier: MIT */
/*
 * Program binaries: a magic, a checksum, whose binary it is, and code. What
 * STUB_BINARY_KEEPS doesn't list is lost on the way.
 */
#ifndef TESTS_STUB_BINARY_H
#define TESTS_STUB_BINARY_H

#include "tests/stub/answer.h"
#include "tests/stub/program.h"

enum stub_origin_of_binary {
	STUB_BINARY_OURS,
	STUB_BINARY_FOREIGN,
	STUB_BINARY_BAD,
};

/* The bytes for the device. */
void stub_binary_write(const struct stub_code *code, cl_device_id device,
		       struct stub_text *ret_bytes);

/* Code in *ret_code, which the caller releases, unless it is bad. */
enum stub_origin_of_binary stub_binary_read(const void *bytes, size_t size,
					    cl_device_id device,
					    struct stub_code **ret_code);

/* CL_PROGRAM_BINARY_SIZES and CL_PROGRAM_BINARIES; with the lock. */
cl_int stub_binary_sizes(const struct stub_answer *answer, cl_program program);
cl_int stub_binary_fetch(const struct stub_answer *answer, cl_program program);

#endif
