/* SPDX-License-Identifier: MIT */
#include "layer/hook/reply.h"

#include <string.h>

#include "hash/buffer.h"
#include "layer/base/dispatch.h"

bool occ_reply_fits(const struct occ_reply *reply, struct occ_span bytes)
{
	return !reply->value || reply->capacity >= bytes.size;
}

bool occ_reply_give(const struct occ_reply *reply, struct occ_span bytes)
{
	if (!occ_reply_fits(reply, bytes))
		return false;
	if (reply->value && bytes.size)
		memcpy(reply->value, bytes.data, bytes.size);
	if (reply->size_ret)
		*reply->size_ret = bytes.size;
	return true;
}

cl_int occ_reply_ask(const struct occ_reply *reply,
		     const struct occ_question *question)
{
	if (question->build)
		return occ_target.clGetProgramBuildInfo(
			question->program, question->device, question->name,
			reply->capacity, reply->value, reply->size_ret);
	return occ_target.clGetProgramInfo(question->program, question->name,
					   reply->capacity, reply->value,
					   reply->size_ret);
}

cl_int occ_reply_answer(const struct occ_reply *reply, struct occ_span bytes,
			const struct occ_question *question)
{
	size_t size = SIZE_MAX;
	char nowhere;
	/* No room at all: too short whatever the driver would say. */
	struct occ_reply none = {0, &nowhere, &size};
	cl_int error;

	if (occ_reply_give(reply, bytes))
		return CL_SUCCESS;
	error = occ_reply_ask(&none, question);
	if (error && size != SIZE_MAX && reply->size_ret)
		*reply->size_ret = bytes.size;
	return error ? error : CL_INVALID_VALUE;
}

cl_int occ_reply_repeat_error(const struct occ_reply *reply,
			      const struct occ_answer *error)
{
	if (error->bytes.size == 8 && reply->size_ret)
		*reply->size_ret = (size_t)occ_get_u64(error->bytes.data);
	return error->code;
}
