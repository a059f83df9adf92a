/* SPDX-License-Identifier: MIT */
#include "tests/stub/memory.h"

#include "tests/stub/answer.h"
#include "tests/stub/calls.h"

static cl_mem new_buffer(cl_context context, cl_mem_flags flags, size_t size,
			 void *host)
{
	cl_mem memory =
		stub_object_new(STUB_MEMORY, sizeof(*memory), &context->object);

	memory->context = context;
	memory->flags = flags;
	memory->size = size;
	if (flags & CL_MEM_USE_HOST_PTR) {
		memory->host = host;
		memory->bytes = host;
	} else {
		memory->bytes = stub_allocate(1, size);
		if (flags & CL_MEM_COPY_HOST_PTR)
			memcpy(memory->bytes, host, size);
	}
	stub_context_hold(context);
	return memory;
}

cl_mem CL_API_CALL stub_create_buffer(cl_context context, cl_mem_flags flags,
				      size_t size, void *host,
				      cl_int *errcode_ret)
{
	bool wants_host = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
	cl_int code = CL_SUCCESS;
	cl_mem memory = NULL;

	stub_lock();
	if (!stub_context_valid(context))
		code = CL_INVALID_CONTEXT;
	else if (!size)
		code = CL_INVALID_BUFFER_SIZE;
	else if (wants_host != (host != NULL))
		code = CL_INVALID_HOST_PTR;
	else
		memory = new_buffer(context, flags, size, host);
	stub_unlock();
	if (errcode_ret)
		*errcode_ret = code;
	return memory;
}

cl_mem CL_API_CALL stub_create_buffer_with_properties(
	cl_context context, const cl_mem_properties *properties,
	cl_mem_flags flags, size_t size, void *host, cl_int *errcode_ret)
{
	(void)properties;
	return stub_create_buffer(context, flags, size, host, errcode_ret);
}

cl_int CL_API_CALL stub_retain_mem_object(cl_mem memory)
{
	cl_int code = CL_INVALID_MEM_OBJECT;

	stub_lock();
	if (stub_is(memory, STUB_MEMORY)) {
		memory->object.references++;
		code = CL_SUCCESS;
	}
	stub_unlock();
	return code;
}

cl_int CL_API_CALL stub_release_mem_object(cl_mem memory)
{
	cl_int code = CL_INVALID_MEM_OBJECT;

	stub_lock();
	if (stub_is(memory, STUB_MEMORY)) {
		code = CL_SUCCESS;
		if (!--memory->object.references) {
			cl_context context = memory->context;

			if (!memory->host)
				free(memory->bytes);
			stub_object_end(&memory->object);
			stub_context_drop(context);
		}
	}
	stub_unlock();
	return code;
}

static cl_int answer_memory(const struct stub_answer *answer, cl_mem memory,
			    cl_mem_info name)
{
	switch (name) {
	case CL_MEM_TYPE:
		return stub_answer_uint(answer, CL_MEM_OBJECT_BUFFER);
	case CL_MEM_FLAGS:
		return stub_answer_ulong(answer, memory->flags);
	case CL_MEM_SIZE:
		return stub_answer_size(answer, memory->size);
	case CL_MEM_HOST_PTR:
		return stub_answer_handle(answer, memory->host);
	case CL_MEM_MAP_COUNT:
		return stub_answer_uint(answer, memory->maps);
	case CL_MEM_REFERENCE_COUNT:
		return stub_answer_uint(answer, memory->object.references);
	case CL_MEM_CONTEXT:
		return stub_answer_handle(answer, memory->context);
	case CL_MEM_ASSOCIATED_MEMOBJECT:
		return stub_answer_handle(answer, NULL);
	case CL_MEM_OFFSET:
		return stub_answer_size(answer, 0);
	default:
		return CL_INVALID_VALUE;
	}
}

cl_int CL_API_CALL stub_get_mem_object_info(cl_mem memory, cl_mem_info name,
					    size_t room, void *value,
					    size_t *ret_size)
{
	const struct stub_answer answer = {room, value, ret_size};
	cl_int code = CL_INVALID_MEM_OBJECT;

	stub_lock();
	if (stub_is(memory, STUB_MEMORY))
		code = answer_memory(&answer, memory, name);
	stub_unlock();
	return code;
}

void *CL_API_CALL stub_svm_alloc(cl_context context, cl_svm_mem_flags flags,
				 size_t size, cl_uint alignment)
{
	void *memory = NULL;

	(void)flags;
	stub_lock();
	if (stub_context_valid(context) && size &&
	    posix_memalign(&memory, alignment > 8 ? alignment : 64, size))
		memory = NULL;
	stub_unlock();
	return memory;
}

void CL_API_CALL stub_svm_free(cl_context context, void *memory)
{
	(void)context;
	free(memory);
}
