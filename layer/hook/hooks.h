/* SPDX-License-Identifier: MIT */
/*
 * The intercepted calls, by file. Each has the type and the contract of the
 * OpenCL function before it; what isn't understood goes to occ_target
 * untouched.
 *
 * Their names are not OpenCL's: with those, the addresses in our own dispatch
 * table would bind to libOpenCL's exports and call themselves for ever.
 */
#ifndef OCC_LAYER_HOOK_HOOKS_H
#define OCC_LAYER_HOOK_HOOKS_H

#include <CL/cl.h>
#include <CL/cl_icd.h>

/*
 * All go into the dispatch table. Some drivers give out core functions by name,
 * too: what is NAMED answers for these as well (extension.c).
 */
#define OCC_HOOKS(NAMED, OTHER)                                                \
	/* create.c: programs come, are counted and go */                      \
	NAMED(clCreateProgramWithSource, occ_create_program_with_source)       \
	OTHER(clCreateProgramWithIL, occ_create_program_with_il)               \
	OTHER(clCreateProgramWithBinary, occ_create_program_with_binary)       \
	NAMED(clRetainProgram, occ_retain_program)                             \
	NAMED(clReleaseProgram, occ_release_program)                           \
	OTHER(clSetProgramSpecializationConstant,                              \
	      occ_set_program_specialization_constant)                         \
	NAMED(clSetProgramReleaseCallback, occ_set_program_release_callback)   \
	/* build.c, link.c: the way of a call is in call.h */                  \
	NAMED(clBuildProgram, occ_build_program)                               \
	NAMED(clCompileProgram, occ_compile_program)                           \
	NAMED(clLinkProgram, occ_link_program)                                 \
	/* kernel.c: kernels come, are counted and go */                       \
	NAMED(clCreateKernel, occ_create_kernel)                               \
	NAMED(clCreateKernelsInProgram, occ_create_kernels_in_program)         \
	NAMED(clCloneKernel, occ_clone_kernel)                                 \
	NAMED(clRetainKernel, occ_retain_kernel)                               \
	NAMED(clReleaseKernel, occ_release_kernel)                             \
	/* query_program.c, query_kernel.c: what they answer */                \
	NAMED(clGetProgramInfo, occ_get_program_info)                          \
	NAMED(clGetProgramBuildInfo, occ_get_program_build_info)               \
	NAMED(clGetKernelInfo, occ_get_kernel_info)                            \
	NAMED(clGetKernelArgInfo, occ_get_kernel_arg_info)                     \
	NAMED(clGetKernelWorkGroupInfo, occ_get_kernel_work_group_info)        \
	/* context.c: devices are found; contexts come, are counted and go */  \
	OTHER(clGetDeviceIDs, occ_get_device_ids)                              \
	OTHER(clCreateSubDevices, occ_create_sub_devices)                      \
	NAMED(clCreateContext, occ_create_context)                             \
	NAMED(clCreateContextFromType, occ_create_context_from_type)           \
	NAMED(clRetainContext, occ_retain_context)                             \
	NAMED(clReleaseContext, occ_release_context)                           \
	NAMED(clGetContextInfo, occ_get_context_info)                          \
	/* extension.c: functions that applications fetch by name */           \
	OTHER(clGetExtensionFunctionAddress,                                   \
	      occ_get_extension_function_address)                              \
	NAMED(clGetExtensionFunctionAddressForPlatform,                        \
	      occ_get_extension_function_address_for_platform)

/* device.c: what devices are asked. In the table only with OCLCACHE_RECORD. */
#define OCC_RECORD_HOOKS(OTHER) OTHER(clGetDeviceInfo, occ_get_device_info)

#define OCC_DECLARE_HOOK(function, hook)                                       \
	extern __typeof__ (*((cl_icd_dispatch *)0)->function)(hook);
OCC_HOOKS(OCC_DECLARE_HOOK, OCC_DECLARE_HOOK)
OCC_RECORD_HOOKS(OCC_DECLARE_HOOK)
#undef OCC_DECLARE_HOOK

/* The same by a driver's function that the application fetched by name. */
cl_program occ_create_program_with_il_by(cl_api_clCreateProgramWithIL create,
					 cl_context context, const void *il,
					 size_t length, cl_int *errcode_ret);
cl_int occ_specialize_program_by(
	cl_api_clSetProgramSpecializationConstant specialize,
	cl_program program, cl_uint spec_id, size_t spec_size,
	const void *spec_value);

#endif
