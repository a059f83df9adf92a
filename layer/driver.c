/* SPDX-License-Identifier: MIT */
#include "layer/driver.h"

#include <string.h>

static const struct occ_driver drivers[] = {
	/*
	 * PoCL compiles a work-group function per work-group size at the
	 * first launch, and a generic one for every kernel when asked for
	 * binaries.
	 */
	{.platform_name = "Portable Computing Language",
	 .options = OCC_OPTION_POCL,
	 .own_cache = "POCL_KERNEL_CACHE",
	 .fetch = OCC_FETCH_AT_RELEASE,
	 .dear = true,
	 .fetches_at_exit = true,
	 .notify = OCC_NOTIFY_CALLER,
	 .released_program_valid = true,
	 .objects_are_whole = true,
	 .counts_kernels = true,
	 .counts_programs = true,
	 .live_again = true,
	 .refuses_storage = true,
	 .binary_specialized = true},
	{.platform_name = "Intel(R) OpenCL",
	 .options = OCC_OPTION_INTEL_CPU,
	 .device_type = CL_DEVICE_TYPE_CPU,
	 .fetch = OCC_FETCH_AFTER_BUILD,
	 .notify = OCC_NOTIFY_CALLER,
	 .live_again = true,
	 .reports_storage = true,
	 .refuses_storage = true,
	 .binary_specialized = true},
	{.platform_name = "NVIDIA CUDA",
	 .options = OCC_OPTION_NVIDIA,
	 .device_type = CL_DEVICE_TYPE_GPU,
	 .fetch = OCC_FETCH_AFTER_BUILD,
	 .released_program_valid = true,
	 .notify = OCC_NOTIFY_CALLER,
	 .objects_are_whole = true,
	 .binary_keeps_kernels = true,
	 .takes_code = true},
	{.platform_name = "rusticl",
	 .options = OCC_OPTION_RUSTICL,
	 .fetch = OCC_FETCH_AFTER_BUILD,
	 .notify = OCC_NOTIFY_CALLER,
	 .released_program_valid = true,
	 .objects_are_whole = true,
	 .binary_keeps_kernels = true,
	 .counts_kernels = true,
	 .counts_programs = true,
	 .live_again = true,
	 .refuses_storage = true,
	 .adds_kernel_names = true},
	{.platform_name = "Oclgrind",
	 .options = OCC_OPTION_OCLGRIND,
	 .fetch = OCC_FETCH_AFTER_BUILD,
	 .notify = OCC_NOTIFY_CALLER,
	 .released_program_valid = true,
	 .objects_are_whole = true,
	 .binary_keeps_kernels = true,
	 .counts_kernels = true,
	 .counts_programs = true,
	 .live_again = true,
	 .refuses_storage = true,
	 .takes_any_device = true},
};

const struct occ_driver *occ_driver_find(const char *platform_name,
					 cl_device_type device_type)
{
	for (size_t i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++) {
		const struct occ_driver *driver = &drivers[i];

		if (!strcmp(driver->platform_name, platform_name) &&
		    (!driver->device_type || driver->device_type & device_type))
			return driver;
	}
	return NULL;
}
