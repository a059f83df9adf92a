/* SPDX-License-Identifier: MIT */
#include "tests/stub/answer.h"

#include <string.h>

#include "tests/stub/switches.h"

cl_int stub_answer_bytes(const struct stub_answer *answer, const void *bytes,
			 size_t size)
{
	bool short_room = answer->value && answer->room < size;

	if (answer->ret_size && (!short_room || stub.says_needed_size))
		*answer->ret_size = size;
	if (short_room)
		return CL_INVALID_VALUE;
	if (answer->value && size)
		memcpy(answer->value, bytes, size);
	return CL_SUCCESS;
}

cl_int stub_answer_string(const struct stub_answer *answer, const char *string)
{
	return stub_answer_bytes(answer, string, strlen(string) + 1);
}

cl_int stub_answer_uint(const struct stub_answer *answer, cl_uint number)
{
	return stub_answer_bytes(answer, &number, sizeof(number));
}

cl_int stub_answer_ulong(const struct stub_answer *answer, cl_ulong number)
{
	return stub_answer_bytes(answer, &number, sizeof(number));
}

cl_int stub_answer_size(const struct stub_answer *answer, size_t number)
{
	return stub_answer_bytes(answer, &number, sizeof(number));
}

cl_int stub_answer_handle(const struct stub_answer *answer, const void *handle)
{
	return stub_answer_bytes(answer, &handle, sizeof(handle));
}
