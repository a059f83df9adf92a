/* SPDX-License-Identifier: MIT */
/*
 * The drivers whose habits are known, and the habits that the layer depends
 * on. doc/drivers.md says for each where and when it was seen. The habits of a
 * driver that isn't listed are learnt: see habit.h.
 */
#ifndef OCC_LAYER_DRIVER_H
#define OCC_LAYER_DRIVER_H

#include <stdbool.h>

#include <CL/cl.h>

#include "cache/habits.h"
#include "hash/option.h"

enum occ_fetch {
	/* Binaries are complete, and cheap to ask for, after clBuildProgram. */
	OCC_FETCH_AFTER_BUILD,
	/*
	 * Only when kernels were made, or launched, is the binary complete:
	 * ask at the program's last release.
	 */
	OCC_FETCH_AT_RELEASE,
};

/* Constant for the drivers of the table; what is learnt of others is atomic. */
struct occ_driver {
	const char *platform_name; /* CL_PLATFORM_NAME, whole */
	/*
	 * Only with the driver's own cache do several programs from one binary
	 * go together: the variable that is "1", or not set, if that is on.
	 * NULL: they always do.
	 */
	const char *own_cache;
	cl_device_type device_type; /* devices of this type only; 0: all */
	enum occ_option_driver options;
	_Atomic(enum occ_fetch) fetch;
	/* Asking for binaries makes the driver compile. */
	_Atomic(bool) dear;
	/* It stands being asked when exit() begins, for what isn't released. */
	bool fetches_at_exit;
	/* Where the callbacks of builds, compiles and links are called. */
	_Atomic(enum occ_notify_thread) notify;
	bool learnt; /* not in the table: see habit.h */
	/*
	 * A program that the application released while kernels of it live
	 * is still a valid handle. Its memory stays on every known driver.
	 */
	bool released_program_valid;
	/* Programs from binaries answer for kernels as compiled ones do. */
	bool binary_keeps_kernels;
	/*
	 * A program linked from objects that were loaded is as one linked from
	 * objects that were compiled in the process.
	 */
	bool objects_are_whole;
	/* CL_PROGRAM_REFERENCE_COUNT includes the program's kernels. */
	_Atomic(bool) counts_kernels;
	/* CL_CONTEXT_REFERENCE_COUNT includes the context's programs. */
	_Atomic(bool) counts_programs;
	/* A binary has the specialization constants of its build in it. */
	bool binary_specialized;
	/* After a second build CL_PROGRAM_KERNEL_NAMES has both builds'. */
	bool adds_kernel_names;
	/*
	 * A program that none of the application's programs and kernels has any
	 * more may answer for another one (live.h). Commands under way show in
	 * CL_PROGRAM_REFERENCE_COUNT, or make no difference but for recorded
	 * ones (cl_khr_command_buffer).
	 */
	bool live_again;
	/* CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE has every variable. */
	bool reports_storage;
	/* Source without -cl-std in which there are such variables is an error.
	 */
	bool refuses_storage;
	/*
	 * clCreateProgramWithBinary takes device code, too, which loads faster
	 * than a binary: see layer/form.h.
	 */
	bool takes_code;
	/* clGetProgramBuildInfo doesn't look at the device; there is one. */
	bool takes_any_device;
};

/* NULL for a driver or kind of device that isn't listed. */
const struct occ_driver *occ_driver_find(const char *platform_name,
					 cl_device_type device_type);

#endif
