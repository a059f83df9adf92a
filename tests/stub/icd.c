/* SPDX-License-Identifier: MIT */
/* What loaders look for in the library: cl_khr_icd, versions 1 and 2. */
#include "tests/stub/calls.h"
#include "tests/stub/dispatch.h"
#include "tests/stub/platform.h"
#include "tests/stub/switches.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint num_entries,
						 cl_platform_id *platforms,
						 cl_uint *num_platforms);
EXPORT void *CL_API_CALL clIcdGetFunctionAddressForPlatformKHR(
	cl_platform_id platform, const char *name);
EXPORT cl_int CL_API_CALL
clIcdSetPlatformDispatchDataKHR(cl_platform_id platform, void *data);

cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint num_entries,
					  cl_platform_id *platforms,
					  cl_uint *num_platforms)
{
	return stub_get_platform_ids(num_entries, platforms, num_platforms);
}

/* With version 2 of the extension the loader fills a table with these. */
void *CL_API_CALL clIcdGetFunctionAddressForPlatformKHR(cl_platform_id platform,
							const char *name)
{
	(void)platform;
	return name ? stub_dispatch_find(name) : NULL;
}

cl_int CL_API_CALL clIcdSetPlatformDispatchDataKHR(cl_platform_id platform,
						   void *data)
{
	stub_lock();
	stub_platform_set_data(platform, data);
	stub_unlock();
	return CL_SUCCESS;
}

/*
 * The one symbol of the API that loaders need. Its name is that of an export
 * of theirs: nothing here may call it.
 */
EXPORT void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
	if (!name)
		return NULL;
	if (!strcmp(name, "clIcdGetPlatformIDsKHR"))
		return (void *)(uintptr_t)clIcdGetPlatformIDsKHR;
	if (stub.icd2 && !strcmp(name, "clIcdGetFunctionAddressForPlatformKHR"))
		return (void *)(uintptr_t)clIcdGetFunctionAddressForPlatformKHR;
	if (stub.icd2 && !strcmp(name, "clIcdSetPlatformDispatchDataKHR"))
		return (void *)(uintptr_t)clIcdSetPlatformDispatchDataKHR;
	return stub_get_extension_function_address(name);
}
