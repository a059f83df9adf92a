/* SPDX-License-Identifier: MIT */
/*
 * The calls that the dispatch table and extension.c have, by their names in
 * OpenCL: stub_create_kernel() is clCreateKernel(). None wants the lock.
 */
#ifndef TESTS_STUB_CALLS_H
#define TESTS_STUB_CALLS_H

#include <CL/cl_icd.h>

#include "tests/stub/program.h"

/* platform.c */
cl_int CL_API_CALL stub_get_platform_ids(cl_uint num_entries,
					 cl_platform_id *list, cl_uint *ret);
cl_int CL_API_CALL stub_get_platform_info(cl_platform_id platform,
					  cl_platform_info name, size_t room,
					  void *value, size_t *ret_size);
cl_int CL_API_CALL stub_get_device_ids(cl_platform_id platform,
				       cl_device_type type, cl_uint num_entries,
				       cl_device_id *list, cl_uint *ret);
cl_int CL_API_CALL stub_get_device_info(cl_device_id device,
					cl_device_info name, size_t room,
					void *value, size_t *ret_size);
cl_int CL_API_CALL stub_create_sub_devices(
	cl_device_id device, const cl_device_partition_property *properties,
	cl_uint num_entries, cl_device_id *list, cl_uint *ret);
cl_int CL_API_CALL stub_retain_device(cl_device_id device);
cl_int CL_API_CALL stub_release_device(cl_device_id device);

/* context.c */
cl_context CL_API_CALL stub_create_context(
	const cl_context_properties *properties, cl_uint num_devices,
	const cl_device_id *devices,
	void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
	void *user_data, cl_int *errcode_ret);
cl_context CL_API_CALL stub_create_context_from_type(
	const cl_context_properties *properties, cl_device_type type,
	void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
	void *user_data, cl_int *errcode_ret);
cl_int CL_API_CALL stub_retain_context(cl_context context);
cl_int CL_API_CALL stub_release_context(cl_context context);
cl_int CL_API_CALL stub_get_context_info(cl_context context,
					 cl_context_info name, size_t room,
					 void *value, size_t *ret_size);
cl_int CL_API_CALL stub_set_context_destructor_callback(
	cl_context context,
	void(CL_CALLBACK *function)(cl_context context, void *user_data),
	void *user_data);

/* create.c */
cl_program CL_API_CALL stub_create_program_with_source(cl_context context,
						       cl_uint count,
						       const char **strings,
						       const size_t *lengths,
						       cl_int *errcode_ret);
cl_program CL_API_CALL stub_create_program_with_il(cl_context context,
						   const void *il,
						   size_t length,
						   cl_int *errcode_ret);
cl_program CL_API_CALL stub_create_program_with_il_khr(cl_context context,
						       const void *il,
						       size_t length,
						       cl_int *errcode_ret);
cl_program CL_API_CALL stub_create_program_with_binary(
	cl_context context, cl_uint num_devices, const cl_device_id *devices,
	const size_t *lengths, const unsigned char **binaries,
	cl_int *binary_status, cl_int *errcode_ret);
cl_program CL_API_CALL stub_create_program_with_built_in_kernels(
	cl_context context, cl_uint num_devices, const cl_device_id *devices,
	const char *names, cl_int *errcode_ret);

/* program.c */
cl_int CL_API_CALL stub_retain_program(cl_program program);
cl_int CL_API_CALL stub_release_program(cl_program program);
cl_int CL_API_CALL stub_set_program_release_callback(
	cl_program program, stub_notify_function function, void *user_data);
cl_int CL_API_CALL stub_set_program_specialization_constant(cl_program program,
							    cl_uint id,
							    size_t size,
							    const void *value);
cl_int CL_API_CALL stub_get_program_info(cl_program program,
					 cl_program_info name, size_t room,
					 void *value, size_t *ret_size);
cl_int CL_API_CALL stub_get_program_build_info(cl_program program,
					       cl_device_id device,
					       cl_program_build_info name,
					       size_t room, void *value,
					       size_t *ret_size);
cl_int CL_API_CALL stub_unload_compiler(void);
cl_int CL_API_CALL stub_unload_platform_compiler(cl_platform_id platform);

/* build.c */
cl_int CL_API_CALL stub_build_program(cl_program program, cl_uint num_devices,
				      const cl_device_id *devices,
				      const char *options,
				      stub_notify_function notify,
				      void *user_data);
cl_int CL_API_CALL stub_compile_program(
	cl_program program, cl_uint num_devices, const cl_device_id *devices,
	const char *options, cl_uint num_headers, const cl_program *headers,
	const char **names, stub_notify_function notify, void *user_data);

/* link.c */
cl_program CL_API_CALL stub_link_program(
	cl_context context, cl_uint num_devices, const cl_device_id *devices,
	const char *options, cl_uint num_inputs, const cl_program *inputs,
	stub_notify_function notify, void *user_data, cl_int *errcode_ret);

/* kernel.c */
cl_kernel CL_API_CALL stub_create_kernel(cl_program program, const char *name,
					 cl_int *errcode_ret);
cl_int CL_API_CALL stub_create_kernels_in_program(cl_program program,
						  cl_uint num_kernels,
						  cl_kernel *kernels,
						  cl_uint *num_kernels_ret);
cl_kernel CL_API_CALL stub_clone_kernel(cl_kernel kernel, cl_int *errcode_ret);
cl_int CL_API_CALL stub_retain_kernel(cl_kernel kernel);
cl_int CL_API_CALL stub_release_kernel(cl_kernel kernel);
cl_int CL_API_CALL stub_set_kernel_arg(cl_kernel kernel, cl_uint index,
				       size_t size, const void *value);
cl_int CL_API_CALL stub_set_kernel_arg_svm_pointer(cl_kernel kernel,
						   cl_uint index,
						   const void *value);
cl_int CL_API_CALL stub_set_kernel_exec_info(cl_kernel kernel,
					     cl_kernel_exec_info name,
					     size_t size, const void *value);
cl_int CL_API_CALL stub_get_kernel_info(cl_kernel kernel, cl_kernel_info name,
					size_t room, void *value,
					size_t *ret_size);
cl_int CL_API_CALL stub_get_kernel_arg_info(cl_kernel kernel, cl_uint index,
					    cl_kernel_arg_info name,
					    size_t room, void *value,
					    size_t *ret_size);
cl_int CL_API_CALL stub_get_kernel_work_group_info(
	cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info name,
	size_t room, void *value, size_t *ret_size);
cl_int CL_API_CALL stub_get_kernel_sub_group_info(
	cl_kernel kernel, cl_device_id device, cl_kernel_sub_group_info name,
	size_t input_size, const void *input, size_t room, void *value,
	size_t *ret_size);

/* memory.c */
cl_mem CL_API_CALL stub_create_buffer(cl_context context, cl_mem_flags flags,
				      size_t size, void *host,
				      cl_int *errcode_ret);
cl_mem CL_API_CALL stub_create_buffer_with_properties(
	cl_context context, const cl_mem_properties *properties,
	cl_mem_flags flags, size_t size, void *host, cl_int *errcode_ret);
cl_int CL_API_CALL stub_retain_mem_object(cl_mem memory);
cl_int CL_API_CALL stub_release_mem_object(cl_mem memory);
cl_int CL_API_CALL stub_get_mem_object_info(cl_mem memory, cl_mem_info name,
					    size_t room, void *value,
					    size_t *ret_size);
void *CL_API_CALL stub_svm_alloc(cl_context context, cl_svm_mem_flags flags,
				 size_t size, cl_uint alignment);
void CL_API_CALL stub_svm_free(cl_context context, void *memory);

/* queue.c */
cl_command_queue CL_API_CALL stub_create_command_queue(
	cl_context context, cl_device_id device,
	cl_command_queue_properties properties, cl_int *errcode_ret);
cl_command_queue CL_API_CALL stub_create_command_queue_with_properties(
	cl_context context, cl_device_id device,
	const cl_queue_properties *properties, cl_int *errcode_ret);
cl_int CL_API_CALL stub_retain_command_queue(cl_command_queue queue);
cl_int CL_API_CALL stub_release_command_queue(cl_command_queue queue);
cl_int CL_API_CALL stub_get_command_queue_info(cl_command_queue queue,
					       cl_command_queue_info name,
					       size_t room, void *value,
					       size_t *ret_size);
cl_int CL_API_CALL stub_finish(cl_command_queue queue);
cl_int CL_API_CALL stub_flush(cl_command_queue queue);
cl_int CL_API_CALL stub_set_default_device_command_queue(
	cl_context context, cl_device_id device, cl_command_queue queue);

/* event.c */
cl_int CL_API_CALL stub_wait_for_events(cl_uint count, const cl_event *events);
cl_int CL_API_CALL stub_retain_event(cl_event event);
cl_int CL_API_CALL stub_release_event(cl_event event);
cl_int CL_API_CALL stub_get_event_info(cl_event event, cl_event_info name,
				       size_t room, void *value,
				       size_t *ret_size);
cl_int CL_API_CALL stub_get_event_profiling_info(cl_event event,
						 cl_profiling_info name,
						 size_t room, void *value,
						 size_t *ret_size);
cl_int CL_API_CALL stub_set_event_callback(
	cl_event event, cl_int type,
	void(CL_CALLBACK *notify)(cl_event event, cl_int status, void *data),
	void *user_data);

/* command.c */
cl_int CL_API_CALL stub_enqueue_read_buffer(cl_command_queue queue,
					    cl_mem memory, cl_bool blocking,
					    size_t offset, size_t size,
					    void *value, cl_uint count,
					    const cl_event *events,
					    cl_event *ret_event);
cl_int CL_API_CALL stub_enqueue_write_buffer(cl_command_queue queue,
					     cl_mem memory, cl_bool blocking,
					     size_t offset, size_t size,
					     const void *value, cl_uint count,
					     const cl_event *events,
					     cl_event *ret_event);
cl_int CL_API_CALL stub_enqueue_copy_buffer(cl_command_queue queue, cl_mem from,
					    cl_mem to, size_t from_offset,
					    size_t to_offset, size_t size,
					    cl_uint count,
					    const cl_event *events,
					    cl_event *ret_event);
cl_int CL_API_CALL stub_enqueue_fill_buffer(cl_command_queue queue,
					    cl_mem memory, const void *pattern,
					    size_t pattern_size, size_t offset,
					    size_t size, cl_uint count,
					    const cl_event *events,
					    cl_event *ret_event);
void *CL_API_CALL stub_enqueue_map_buffer(cl_command_queue queue, cl_mem memory,
					  cl_bool blocking, cl_map_flags flags,
					  size_t offset, size_t size,
					  cl_uint count, const cl_event *events,
					  cl_event *ret_event,
					  cl_int *errcode_ret);
cl_int CL_API_CALL stub_enqueue_unmap_mem_object(cl_command_queue queue,
						 cl_mem memory, void *mapped,
						 cl_uint count,
						 const cl_event *events,
						 cl_event *ret_event);
cl_int CL_API_CALL stub_enqueue_marker_with_wait_list(cl_command_queue queue,
						      cl_uint count,
						      const cl_event *events,
						      cl_event *ret_event);
cl_int CL_API_CALL stub_enqueue_barrier_with_wait_list(cl_command_queue queue,
						       cl_uint count,
						       const cl_event *events,
						       cl_event *ret_event);
cl_int CL_API_CALL stub_enqueue_marker(cl_command_queue queue,
				       cl_event *ret_event);
cl_int CL_API_CALL stub_enqueue_barrier(cl_command_queue queue);
cl_int CL_API_CALL stub_enqueue_wait_for_events(cl_command_queue queue,
						cl_uint count,
						const cl_event *events);
cl_int CL_API_CALL stub_enqueue_nd_range_kernel(
	cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
	const size_t *offset, const size_t *items, const size_t *local,
	cl_uint count, const cl_event *events, cl_event *ret_event);
cl_int CL_API_CALL stub_enqueue_task(cl_command_queue queue, cl_kernel kernel,
				     cl_uint count, const cl_event *events,
				     cl_event *ret_event);

/* extension.c */
cl_int CL_API_CALL stub_get_suggested_local_size(
	cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
	const size_t *offset, const size_t *items, size_t *ret_local);
void *CL_API_CALL stub_get_extension_function_address(const char *name);
void *CL_API_CALL stub_get_extension_function_address_for_platform(
	cl_platform_id platform, const char *name);

/* unsupported.c */
cl_int CL_API_CALL stub_unsupported(void);
void *CL_API_CALL stub_unsupported_object(void);
cl_mem CL_API_CALL stub_create_image(cl_context context, cl_mem_flags flags,
				     const cl_image_format *format,
				     const cl_image_desc *description,
				     void *host, cl_int *errcode_ret);
cl_mem CL_API_CALL stub_create_image_with_properties(
	cl_context context, const cl_mem_properties *properties,
	cl_mem_flags flags, const cl_image_format *format,
	const cl_image_desc *description, void *host, cl_int *errcode_ret);
cl_mem CL_API_CALL stub_create_image_2d(cl_context context, cl_mem_flags flags,
					const cl_image_format *format,
					size_t width, size_t height,
					size_t pitch, void *host,
					cl_int *errcode_ret);
cl_mem CL_API_CALL stub_create_image_3d(cl_context context, cl_mem_flags flags,
					const cl_image_format *format,
					size_t width, size_t height,
					size_t depth, size_t row_pitch,
					size_t slice_pitch, void *host,
					cl_int *errcode_ret);
cl_sampler CL_API_CALL stub_create_sampler(cl_context context,
					   cl_bool normalized,
					   cl_addressing_mode addressing,
					   cl_filter_mode filter,
					   cl_int *errcode_ret);
cl_sampler CL_API_CALL stub_create_sampler_with_properties(
	cl_context context, const cl_sampler_properties *properties,
	cl_int *errcode_ret);
cl_mem CL_API_CALL stub_create_pipe(cl_context context, cl_mem_flags flags,
				    cl_uint packet_size, cl_uint packets,
				    const cl_pipe_properties *properties,
				    cl_int *errcode_ret);
cl_mem CL_API_CALL stub_create_sub_buffer(cl_mem buffer, cl_mem_flags flags,
					  cl_buffer_create_type type,
					  const void *region,
					  cl_int *errcode_ret);
cl_event CL_API_CALL stub_create_user_event(cl_context context,
					    cl_int *errcode_ret);
void *CL_API_CALL stub_enqueue_map_image(
	cl_command_queue queue, cl_mem image, cl_bool blocking,
	cl_map_flags flags, const size_t *origin, const size_t *region,
	size_t *row_pitch, size_t *slice_pitch, cl_uint count,
	const cl_event *events, cl_event *ret_event, cl_int *errcode_ret);

#endif
