/* SPDX-License-Identifier: MIT */
/* Calls that the stub knows of and can't do. */
#include "tests/stub/calls.h"

static void *refuse(cl_int *errcode_ret)
{
	if (errcode_ret)
		*errcode_ret = CL_INVALID_OPERATION;
	return NULL;
}

cl_int CL_API_CALL stub_unsupported(void)
{
	return CL_INVALID_OPERATION;
}

void *CL_API_CALL stub_unsupported_object(void)
{
	return NULL;
}

cl_mem CL_API_CALL stub_create_image(cl_context context, cl_mem_flags flags,
				     const cl_image_format *format,
				     const cl_image_desc *description,
				     void *host, cl_int *errcode_ret)
{
	(void)context;
	(void)flags;
	(void)format;
	(void)description;
	(void)host;
	return refuse(errcode_ret);
}

cl_mem CL_API_CALL stub_create_image_with_properties(
	cl_context context, const cl_mem_properties *properties,
	cl_mem_flags flags, const cl_image_format *format,
	const cl_image_desc *description, void *host, cl_int *errcode_ret)
{
	(void)properties;
	return stub_create_image(context, flags, format, description, host,
				 errcode_ret);
}

cl_mem CL_API_CALL stub_create_image_2d(cl_context context, cl_mem_flags flags,
					const cl_image_format *format,
					size_t width, size_t height,
					size_t pitch, void *host,
					cl_int *errcode_ret)
{
	(void)width;
	(void)height;
	(void)pitch;
	return stub_create_image(context, flags, format, NULL, host,
				 errcode_ret);
}

cl_mem CL_API_CALL stub_create_image_3d(cl_context context, cl_mem_flags flags,
					const cl_image_format *format,
					size_t width, size_t height,
					size_t depth, size_t row_pitch,
					size_t slice_pitch, void *host,
					cl_int *errcode_ret)
{
	(void)depth;
	(void)slice_pitch;
	return stub_create_image_2d(context, flags, format, width, height,
				    row_pitch, host, errcode_ret);
}

cl_sampler CL_API_CALL stub_create_sampler(cl_context context,
					   cl_bool normalized,
					   cl_addressing_mode addressing,
					   cl_filter_mode filter,
					   cl_int *errcode_ret)
{
	(void)context;
	(void)normalized;
	(void)addressing;
	(void)filter;
	return refuse(errcode_ret);
}

cl_sampler CL_API_CALL stub_create_sampler_with_properties(
	cl_context context, const cl_sampler_properties *properties,
	cl_int *errcode_ret)
{
	(void)context;
	(void)properties;
	return refuse(errcode_ret);
}

cl_mem CL_API_CALL stub_create_pipe(cl_context context, cl_mem_flags flags,
				    cl_uint packet_size, cl_uint packets,
				    const cl_pipe_properties *properties,
				    cl_int *errcode_ret)
{
	(void)context;
	(void)flags;
	(void)packet_size;
	(void)packets;
	(void)properties;
	return refuse(errcode_ret);
}

cl_mem CL_API_CALL stub_create_sub_buffer(cl_mem buffer, cl_mem_flags flags,
					  cl_buffer_create_type type,
					  const void *region,
					  cl_int *errcode_ret)
{
	(void)buffer;
	(void)flags;
	(void)type;
	(void)region;
	return refuse(errcode_ret);
}

cl_event CL_API_CALL stub_create_user_event(cl_context context,
					    cl_int *errcode_ret)
{
	(void)context;
	return refuse(errcode_ret);
}

void *CL_API_CALL stub_enqueue_map_image(
	cl_command_queue queue, cl_mem image, cl_bool blocking,
	cl_map_flags flags, const size_t *origin, const size_t *region,
	size_t *row_pitch, size_t *slice_pitch, cl_uint count,
	const cl_event *events, cl_event *ret_event, cl_int *errcode_ret)
{
	(void)queue;
	(void)image;
	(void)blocking;
	(void)flags;
	(void)origin;
	(void)region;
	(void)row_pitch;
	(void)slice_pitch;
	(void)count;
	(void)events;
	(void)ret_event;
	return refuse(errcode_ret);
}
