/* SPDX-License-Identifier: MIT */
/*
 * The intercepted calls, by file. Each has the contract of the OpenCL function
 * of its name; what isn't understood goes to occ_target untouched.
 *
 * Their names are not OpenCL's: with those, the addresses in our own dispatch
 * table would bind to libOpenCL's exports and call themselves for ever.
 */
#ifndef OCC_LAYER_HOOK_HOOKS_H
#define OCC_LAYER_HOOK_HOOKS_H

#include <CL/cl.h>
#include <CL/cl_icd.h>

/* create.c: programs come, are counted and go */
cl_program CL_API_CALL occ_create_program_with_source(cl_context context,
						      cl_uint count,
						      const char **strings,
						      const size_t *lengths,
						      cl_int *errcode_ret);
cl_program CL_API_CALL occ_create_program_with_il(cl_context context,
						  const void *il, size_t length,
						  cl_int *errcode_ret);
cl_program CL_API_CALL occ_create_program_with_binary(
	cl_context context, cl_uint num_devices,
	const cl_device_id *device_list, const size_t *lengths,
	const unsigned char **binaries, cl_int *binary_status,
	cl_int *errcode_ret);
cl_int CL_API_CALL occ_retain_program(cl_program program);
cl_int CL_API_CALL occ_release_program(cl_program program);
cl_int CL_API_CALL occ_set_program_specialization_constant(
	cl_program program, cl_uint spec_id, size_t spec_size,
	const void *spec_value);

/* The same by a driver's function that the application fetched by name. */
cl_program occ_create_program_with_il_by(cl_api_clCreateProgramWithIL create,
					 cl_context context, const void *il,
					 size_t length, cl_int *errcode_ret);
cl_int occ_specialize_program_by(
	cl_api_clSetProgramSpecializationConstant specialize,
	cl_program program, cl_uint spec_id, size_t spec_size,
	const void *spec_value);

cl_int CL_API_CALL occ_set_program_release_callback(
	cl_program program,
	void(CL_CALLBACK *pfn_notify)(cl_program program, void *user_data),
	void *user_data);

/* build.c: the way of a call is in call.h */
cl_int CL_API_CALL occ_build_program(
	cl_program program, cl_uint num_devices,
	const cl_device_id *device_list, const char *options,
	void(CL_CALLBACK *pfn_notify)(cl_program, void *), void *user_data);

/* compile.c: the same for clCompileProgram */
cl_int CL_API_CALL occ_compile_program(
	cl_program program, cl_uint num_devices,
	const cl_device_id *device_list, const char *options,
	cl_uint num_input_headers, const cl_program *input_headers,
	const char **header_include_names,
	void(CL_CALLBACK *pfn_notify)(cl_program, void *), void *user_data);

/* link.c: programs made of others */
cl_program CL_API_CALL
occ_link_program(cl_context context, cl_uint num_devices,
		 const cl_device_id *device_list, const char *options,
		 cl_uint num_input_programs, const cl_program *input_programs,
		 void(CL_CALLBACK *pfn_notify)(cl_program, void *),
		 void *user_data, cl_int *errcode_ret);

/* kernel.c: kernels come, are counted and go */
cl_kernel CL_API_CALL occ_create_kernel(cl_program program,
					const char *kernel_name,
					cl_int *errcode_ret);
cl_int CL_API_CALL occ_create_kernels_in_program(cl_program program,
						 cl_uint num_kernels,
						 cl_kernel *kernels,
						 cl_uint *num_kernels_ret);
cl_kernel CL_API_CALL occ_clone_kernel(cl_kernel source_kernel,
				       cl_int *errcode_ret);
cl_int CL_API_CALL occ_retain_kernel(cl_kernel kernel);
cl_int CL_API_CALL occ_release_kernel(cl_kernel kernel);

/* discovery.c: drivers may read their environment */
cl_int CL_API_CALL occ_get_device_ids(cl_platform_id platform,
				      cl_device_type device_type,
				      cl_uint num_entries,
				      cl_device_id *devices,
				      cl_uint *num_devices);
cl_int CL_API_CALL occ_create_sub_devices(
	cl_device_id in_device, const cl_device_partition_property *properties,
	cl_uint num_devices, cl_device_id *out_devices,
	cl_uint *num_devices_ret);

/* context.c: contexts come, are counted, asked and go */
cl_context CL_API_CALL
occ_create_context(const cl_context_properties *properties, cl_uint num_devices,
		   const cl_device_id *devices,
		   void(CL_CALLBACK *pfn_notify)(const char *errinfo,
						 const void *private_info,
						 size_t cb, void *user_data),
		   void *user_data, cl_int *errcode_ret);
cl_context CL_API_CALL occ_create_context_from_type(
	const cl_context_properties *properties, cl_device_type device_type,
	void(CL_CALLBACK *pfn_notify)(const char *errinfo,
				      const void *private_info, size_t cb,
				      void *user_data),
	void *user_data, cl_int *errcode_ret);
cl_int CL_API_CALL occ_retain_context(cl_context context);
cl_int CL_API_CALL occ_release_context(cl_context context);
cl_int CL_API_CALL occ_get_context_info(cl_context context,
					cl_context_info param_name,
					size_t param_value_size,
					void *param_value,
					size_t *param_value_size_ret);

/* query_program.c: what programs answer */
cl_int CL_API_CALL occ_get_program_info(cl_program program,
					cl_program_info param_name,
					size_t param_value_size,
					void *param_value,
					size_t *param_value_size_ret);
cl_int CL_API_CALL occ_get_program_build_info(cl_program program,
					      cl_device_id device,
					      cl_program_build_info param_name,
					      size_t param_value_size,
					      void *param_value,
					      size_t *param_value_size_ret);

/* query_kernel.c: what kernels answer */
cl_int CL_API_CALL occ_get_kernel_info(cl_kernel kernel,
				       cl_kernel_info param_name,
				       size_t param_value_size,
				       void *param_value,
				       size_t *param_value_size_ret);
cl_int CL_API_CALL occ_get_kernel_arg_info(cl_kernel kernel, cl_uint arg_index,
					   cl_kernel_arg_info param_name,
					   size_t param_value_size,
					   void *param_value,
					   size_t *param_value_size_ret);

/* extension.c: functions that applications fetch by name */
void *CL_API_CALL occ_get_extension_function_address(const char *func_name);
void *CL_API_CALL occ_get_extension_function_address_for_platform(
	cl_platform_id platform, const char *func_name);

#endif
