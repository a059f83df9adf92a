/* SPDX-License-Identifier: MIT */
/*
 * OpenCL, as a program uses it: what of cli/ knows it. The loader is opened at
 * run time, so that the command works where there is none.
 *
 * Only for children (cli/child.h): drivers crash, hang, and print.
 *
 * Calling sequence: occ_opencl_load() first, then the rest. One thread. What
 * is given is never released: the process ends soon.
 */
#ifndef OCC_CLI_OPENCL_H
#define OCC_CLI_OPENCL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opens the loader by name or path. NULL: good; else why not. */
const char *occ_opencl_load(const char *library);

/* A function of the loader that was opened. False: it hasn't it. */
bool occ_opencl_find(const char *name, void *ret_function);

/* What the loader says its version is, or NULL. */
const char *occ_opencl_loader_version(void);

struct occ_opencl_device {
	void *platform; /* OpenCL's handles */
	void *device;
	const char *platform_name;
	const char *platform_version;
	const char *name;
	const char *driver_version;
	uint64_t types; /* CL_DEVICE_TYPE; 0: it doesn't say */
};

/*
 * All devices of all platforms in the order of the loader, which processes of
 * one environment have in common. `ret_platforms`: how many there are. False: a
 * call failed, and *ret_error says which.
 */
bool occ_opencl_devices(struct occ_opencl_device **ret_devices,
			size_t *ret_count, size_t *ret_platforms,
			const char **ret_error);

/* The names of the platforms that had no device then. */
const char *const *occ_opencl_without(size_t *ret_count);

/* "clBuildProgram: CL_BUILD_PROGRAM_FAILURE" */
const char *occ_opencl_failure(const char *function, int error);

/* Does clCreateProgramWithIL work there? */
bool occ_opencl_takes_il(const struct occ_opencl_device *device);

/* A context of the device; NULL: *ret_error is OpenCL's number. */
void *occ_opencl_context(const struct occ_opencl_device *device,
			 int *ret_error);

/* A program's build log, or NULL. */
const char *occ_opencl_log(void *program,
			   const struct occ_opencl_device *device);

struct occ_opencl_build {
	const struct occ_opencl_device *device;
	const void *source; /* as one string, with its length */
	size_t size;
	bool is_il;	     /* it is SPIR-V */
	const char *options; /* NULL: none */
	/*
	 * Points to a context of that device for several builds, NULL at first;
	 * NULL: one of its own.
	 */
	void **context;
	/* What comes of it: */
	bool built;
	const char *error;  /* "clBuildProgram: CL_BUILD_PROGRAM_FAILURE" */
	const char *log;    /* or NULL */
	const char *kernel; /* the name of its first one, or NULL */
};

/*
 * Builds a program for one device, creates all of its kernels, and releases
 * everything but such a context.
 */
void occ_opencl_build(struct occ_opencl_build *build);

#endif
