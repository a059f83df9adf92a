/* SPDX-License-Identifier: MIT */
/*
 * Commands, done at once. "Running" a kernel fills the buffer of its first
 * argument with numbers that depend on everything that went into its code, its
 * name, its other arguments and, if the code has program-scope variables, on
 * all launches of that code before.
 */
#include "tests/stub/calls.h"
#include "tests/stub/kernel.h"
#include "tests/stub/memory.h"
#include "tests/stub/queue.h"
#include "tests/stub/text.h"

static cl_int check_queue(cl_command_queue queue, cl_uint count,
			  const cl_event *events)
{
	if (!stub_is(queue, STUB_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	return stub_events_check(count, events);
}

static cl_int check_transfer(cl_command_queue queue, cl_mem memory,
			     size_t offset, size_t size, cl_uint count,
			     const cl_event *events)
{
	cl_int code = check_queue(queue, count, events);

	if (code != CL_SUCCESS)
		return code;
	if (!stub_is(memory, STUB_MEMORY))
		return CL_INVALID_MEM_OBJECT;
	if (memory->context != queue->context)
		return CL_INVALID_CONTEXT;
	if (!size || offset > memory->size || size > memory->size - offset)
		return CL_INVALID_VALUE;
	return CL_SUCCESS;
}

cl_int CL_API_CALL stub_enqueue_read_buffer(cl_command_queue queue,
					    cl_mem memory, cl_bool blocking,
					    size_t offset, size_t size,
					    void *value, cl_uint count,
					    const cl_event *events,
					    cl_event *ret_event)
{
	cl_int code;

	(void)blocking;
	stub_lock();
	code = check_transfer(queue, memory, offset, size, count, events);
	if (code == CL_SUCCESS && !value)
		code = CL_INVALID_VALUE;
	if (code == CL_SUCCESS) {
		memcpy(value, memory->bytes + offset, size);
		stub_event_make(queue, CL_COMMAND_READ_BUFFER, ret_event);
	}
	stub_unlock();
	return code;
}

cl_int CL_API_CALL stub_enqueue_write_buffer(cl_command_queue queue,
					     cl_mem memory, cl_bool blocking,
					     size_t offset, size_t size,
					     const void *value, cl_uint count,
					     const cl_event *events,
					     cl_event *ret_event)
{
	cl_int code;

	(void)blocking;
	stub_lock();
	code = check_transfer(queue, memory, offset, size, count, events);
	if (code == CL_SUCCESS && !value)
		code = CL_INVALID_VALUE;
	if (code == CL_SUCCESS) {
		memcpy(memory->bytes + offset, value, size);
		stub_event_make(queue, CL_COMMAND_WRITE_BUFFER, ret_event);
	}
	stub_unlock();
	return code;
}

cl_int CL_API_CALL stub_enqueue_copy_buffer(cl_command_queue queue, cl_mem from,
					    cl_mem to, size_t from_offset,
					    size_t to_offset, size_t size,
					    cl_uint count,
					    const cl_event *events,
					    cl_event *ret_event)
{
	cl_int code;

	stub_lock();
	code = check_transfer(queue, from, from_offset, size, count, events);
	if (code == CL_SUCCESS)
		code = check_transfer(queue, to, to_offset, size, count,
				      events);
	if (code == CL_SUCCESS) {
		memmove(to->bytes + to_offset, from->bytes + from_offset, size);
		stub_event_make(queue, CL_COMMAND_COPY_BUFFER, ret_event);
	}
	stub_unlock();
	return code;
}

cl_int CL_API_CALL stub_enqueue_fill_buffer(cl_command_queue queue,
					    cl_mem memory, const void *pattern,
					    size_t pattern_size, size_t offset,
					    size_t size, cl_uint count,
					    const cl_event *events,
					    cl_event *ret_event)
{
	cl_int code;

	stub_lock();
	code = check_transfer(queue, memory, offset, size, count, events);
	if (code == CL_SUCCESS &&
	    (!pattern || !pattern_size || size % pattern_size))
		code = CL_INVALID_VALUE;
	if (code == CL_SUCCESS) {
		for (size_t at = 0; at < size; at += pattern_size)
			memcpy(memory->bytes + offset + at, pattern,
			       pattern_size);
		stub_event_make(queue, CL_COMMAND_FILL_BUFFER, ret_event);
	}
	stub_unlock();
	return code;
}

void *CL_API_CALL stub_enqueue_map_buffer(cl_command_queue queue, cl_mem memory,
					  cl_bool blocking, cl_map_flags flags,
					  size_t offset, size_t size,
					  cl_uint count, const cl_event *events,
					  cl_event *ret_event,
					  cl_int *errcode_ret)
{
	void *mapped = NULL;
	cl_int code;

	(void)blocking;
	(void)flags;
	stub_lock();
	code = check_transfer(queue, memory, offset, size, count, events);
	if (code == CL_SUCCESS) {
		mapped = memory->bytes + offset;
		memory->maps++;
		stub_event_make(queue, CL_COMMAND_MAP_BUFFER, ret_event);
	}
	stub_unlock();
	if (errcode_ret)
		*errcode_ret = code;
	return mapped;
}

cl_int CL_API_CALL stub_enqueue_unmap_mem_object(cl_command_queue queue,
						 cl_mem memory, void *mapped,
						 cl_uint count,
						 const cl_event *events,
						 cl_event *ret_event)
{
	cl_int code;

	stub_lock();
	code = check_transfer(queue, memory, 0, 1, count, events);
	if (code == CL_SUCCESS && (!mapped || !memory->maps))
		code = CL_INVALID_VALUE;
	if (code == CL_SUCCESS) {
		memory->maps--;
		stub_event_make(queue, CL_COMMAND_UNMAP_MEM_OBJECT, ret_event);
	}
	stub_unlock();
	return code;
}

static cl_int mark(cl_command_queue queue, cl_command_type type, cl_uint count,
		   const cl_event *events, cl_event *ret_event)
{
	cl_int code;

	stub_lock();
	code = check_queue(queue, count, events);
	if (code == CL_SUCCESS)
		stub_event_make(queue, type, ret_event);
	stub_unlock();
	return code;
}

cl_int CL_API_CALL stub_enqueue_marker_with_wait_list(cl_command_queue queue,
						      cl_uint count,
						      const cl_event *events,
						      cl_event *ret_event)
{
	return mark(queue, CL_COMMAND_MARKER, count, events, ret_event);
}

cl_int CL_API_CALL stub_enqueue_barrier_with_wait_list(cl_command_queue queue,
						       cl_uint count,
						       const cl_event *events,
						       cl_event *ret_event)
{
	return mark(queue, CL_COMMAND_BARRIER, count, events, ret_event);
}

cl_int CL_API_CALL stub_enqueue_marker(cl_command_queue queue,
				       cl_event *ret_event)
{
	return mark(queue, CL_COMMAND_MARKER, 0, NULL, ret_event);
}

cl_int CL_API_CALL stub_enqueue_barrier(cl_command_queue queue)
{
	return mark(queue, CL_COMMAND_BARRIER, 0, NULL, NULL);
}

cl_int CL_API_CALL stub_enqueue_wait_for_events(cl_command_queue queue,
						cl_uint count,
						const cl_event *events)
{
	return mark(queue, CL_COMMAND_BARRIER, count, events, NULL);
}

struct range {
	cl_uint dimensions;
	const size_t *offset;
	const size_t *items;
	const size_t *local;
};

static cl_int check_range(cl_kernel kernel, const struct range *range)
{
	const cl_uint *group = kernel->function->group;

	if (range->dimensions < 1 || range->dimensions > 3)
		return CL_INVALID_WORK_DIMENSION;
	if (!range->items)
		return CL_INVALID_GLOBAL_WORK_SIZE;
	for (cl_uint i = 0; i < range->dimensions && range->local; i++) {
		if (!range->local[i] || range->items[i] % range->local[i] ||
		    (group[0] && range->local[i] != group[i]))
			return CL_INVALID_WORK_GROUP_SIZE;
	}
	if (group[0] && !range->local)
		return CL_INVALID_WORK_GROUP_SIZE;
	return CL_SUCCESS;
}

static cl_int check_launch(cl_command_queue queue, cl_kernel kernel,
			   const struct range *range, cl_uint count,
			   const cl_event *events)
{
	cl_int code = check_queue(queue, count, events);

	if (code != CL_SUCCESS)
		return code;
	if (!stub_is(kernel, STUB_KERNEL))
		return CL_INVALID_KERNEL;
	if (kernel->program->context != queue->context)
		return CL_INVALID_CONTEXT;
	if (!stub_kernel_instance(kernel, queue->device))
		return CL_INVALID_PROGRAM_EXECUTABLE;
	for (size_t i = 0; i < kernel->function->argument_count; i++)
		if (!kernel->settings[i].set)
			return CL_INVALID_KERNEL_ARGS;
	return check_range(kernel, range);
}

/* What the launch depends on. */
static struct stub_digest launch_digest(cl_kernel kernel,
					struct stub_instance *instance)
{
	struct stub_digest digest = STUB_DIGEST_INIT;

	stub_digest_add(&digest, instance->code->digest,
			strlen(instance->code->digest));
	stub_digest_add(&digest, kernel->name, strlen(kernel->name));
	for (size_t i = 0; i < kernel->function->argument_count; i++)
		if (kernel->settings[i].value)
			stub_digest_add(&digest, kernel->settings[i].value,
					kernel->settings[i].size);
	if (instance->code->variables.count) {
		stub_digest_add(&digest, &instance->state,
				sizeof(instance->state));
		instance->state = (uint32_t)digest.halves[1] | 1;
	}
	return digest;
}

static void launch(cl_kernel kernel, struct stub_instance *instance,
		   const struct range *range)
{
	struct stub_digest digest = launch_digest(kernel, instance);
	size_t items = 1;
	cl_mem out = NULL;

	for (cl_uint i = 0; i < range->dimensions; i++)
		items *= range->items[i];
	if (kernel->function->argument_count)
		out = kernel->settings[0].buffer;
	/* Kernels don't hold their arguments. */
	if (out && !out->object.alive)
		out = NULL;
	for (size_t i = 0; out && i < items && (i + 1) * 4 <= out->size; i++) {
		struct stub_digest own = digest;
		int32_t value;

		stub_digest_add(&own, &i, sizeof(i));
		value = (int32_t)(own.halves[0] & 0x7fffffff);
		memcpy(out->bytes + i * 4, &value, sizeof(value));
	}
}

cl_int CL_API_CALL stub_enqueue_nd_range_kernel(
	cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
	const size_t *offset, const size_t *items, const size_t *local,
	cl_uint count, const cl_event *events, cl_event *ret_event)
{
	const struct range range = {dimensions, offset, items, local};
	cl_int code;

	stub_lock();
	code = check_launch(queue, kernel, &range, count, events);
	if (code == CL_SUCCESS) {
		launch(kernel, stub_kernel_instance(kernel, queue->device),
		       &range);
		stub_event_make(queue, CL_COMMAND_NDRANGE_KERNEL, ret_event);
	}
	stub_unlock();
	return code;
}

cl_int CL_API_CALL stub_enqueue_task(cl_command_queue queue, cl_kernel kernel,
				     cl_uint count, const cl_event *events,
				     cl_event *ret_event)
{
	const size_t one = 1;

	return stub_enqueue_nd_range_kernel(queue, kernel, 1, NULL, &one, &one,
					    count, events, ret_event);
}
