/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>

#include "cache/driver/driver.h"
#include "layer/base/dispatch.h"
#include "layer/base/lock.h"
#include "layer/base/section.h"
#include "layer/driver/device.h"
#include "layer/driver/identity.h"
#include "layer/driver/prefetch.h"
#include "layer/hook/hooks.h"
#include "layer/key/environment.h"
#include "layer/key/key_memo.h"
#include "layer/object/contexts.h"
#include "layer/object/program.h"
#include "layer/object/program_pool.h"
#include "layer/object/shadow_program.h"
#include "layer/serve/load_ahead.h"
#include "layer/serve/stats.h"
#include "layer/serve/sync_driver.h"

/* For a count that stands still. */
#define TRIES 100

cl_int CL_API_CALL occ_get_device_ids(cl_platform_id platform,
				      cl_device_type device_type,
				      cl_uint num_entries,
				      cl_device_id *devices,
				      cl_uint *num_devices)
{
	occ_environment_look();
	return occ_target.clGetDeviceIDs(platform, device_type, num_entries,
					 devices, num_devices);
}

cl_int CL_API_CALL occ_create_sub_devices(
	cl_device_id in_device, const cl_device_partition_property *properties,
	cl_uint num_devices, cl_device_id *out_devices,
	cl_uint *num_devices_ret)
{
	occ_environment_look();
	return occ_target.clCreateSubDevices(in_device, properties, num_devices,
					     out_devices, num_devices_ret);
}

/* A garbage handle is the loader's to judge, which looks into it as we do. */
static void start_prefetch(cl_device_id device)
{
	static const struct occ_prefetch_guest guest = {
		.begin = occ_load_ahead_begin,
		.then = occ_load_ahead_read,
	};
	struct occ_section section;

	if (!device)
		return;
	occ_section_enter(&section);
	occ_prefetch_start(device, &guest);
	occ_section_leave(&section);
}

/* Of a kind of devices only the driver knows which they are. */
static void start_prefetch_in(cl_context context)
{
	int saved_errno = errno;
	cl_uint count = 0;
	cl_device_id *devices = occ_device_list_of_context(context, &count);

	if (devices && count)
		start_prefetch(devices[0]);
	free(devices);
	errno = saved_errno;
}

/*
 * Adds a new context. If the handle is known, the context that had it was
 * released behind our back. Does what a first build would have to do before it
 * can be looked up: a device that a context was made of is the driver's.
 */
static void add_context(cl_context context, cl_device_id device, bool quiet)
{
	struct occ_section section;

	occ_section_enter(&section);
	if (occ_context_add(context)) {
		occ_load_ahead_drop_context(context);
		occ_pool_drop_context(context);
	}
	if (device && occ_prefetch_finish(device))
		occ_identity_prepare(device);
	occ_load_ahead_offer(context, quiet);
	occ_section_leave(&section);
}

cl_context CL_API_CALL
occ_create_context(const cl_context_properties *properties, cl_uint num_devices,
		   const cl_device_id *devices,
		   void(CL_CALLBACK *pfn_notify)(const char *errinfo,
						 const void *private_info,
						 size_t cb, void *user_data),
		   void *user_data, cl_int *errcode_ret)
{
	cl_device_id first = num_devices && devices ? devices[0] : NULL;
	cl_context context;

	occ_stats_write_due();
	occ_environment_look();
	start_prefetch(first);
	context =
		occ_target.clCreateContext(properties, num_devices, devices,
					   pfn_notify, user_data, errcode_ret);
	if (context)
		add_context(context, first, !pfn_notify);
	return context;
}

cl_context CL_API_CALL occ_create_context_from_type(
	const cl_context_properties *properties, cl_device_type device_type,
	void(CL_CALLBACK *pfn_notify)(const char *errinfo,
				      const void *private_info, size_t cb,
				      void *user_data),
	void *user_data, cl_int *errcode_ret)
{
	cl_context context;

	occ_stats_write_due();
	occ_environment_look();
	context = occ_target.clCreateContextFromType(properties, device_type,
						     pfn_notify, user_data,
						     errcode_ret);
	if (context) {
		start_prefetch_in(context);
		add_context(context, NULL, !pfn_notify);
	}
	return context;
}

cl_int CL_API_CALL occ_retain_context(cl_context context)
{
	cl_int error = occ_target.clRetainContext(context);

	if (!error)
		occ_context_retain(context);
	return error;
}

/*
 * Kernels may outlive their context, and be asked for what only a real build
 * can tell; but a released context makes no programs any more.
 */
cl_int CL_API_CALL occ_release_context(cl_context context)
{
	struct occ_shadow *shadow;
	int saved_errno = errno;

	occ_stats_write_due();
	while ((shadow = occ_kernel_take_unprepared(context))) {
		occ_sync_create_unbuilt(shadow);
		occ_shadow_release(shadow);
	}
	/* Before the driver: what is ours mustn't keep the context. */
	if (occ_context_release(context)) {
		occ_load_ahead_drop_context(context);
		occ_pool_drop_context(context);
		occ_key_memo_drop_context(context);
		occ_stats_write_early();
	}
	errno = saved_errno;
	return occ_target.clReleaseContext(context);
}

/* Do the context's hidden programs show in its reference count? */
static bool counts_programs(cl_context context)
{
	const struct occ_identity *identity = NULL;
	enum occ_reason reason;
	cl_uint count;
	cl_device_id *devices = occ_device_list_of_context(context, &count);

	if (devices)
		identity = occ_identity_of(devices[0], &reason);
	free(devices);
	return identity && identity->driver->counts_programs;
}

cl_int CL_API_CALL occ_get_context_info(cl_context context,
					cl_context_info param_name,
					size_t param_value_size,
					void *param_value,
					size_t *param_value_size_ret)
{
	uint64_t before, after;
	unsigned tries = 0;
	cl_uint hidden;
	cl_int error;

	if (param_name != CL_CONTEXT_REFERENCE_COUNT || !param_value)
		return occ_target.clGetContextInfo(context, param_name,
						   param_value_size,
						   param_value,
						   param_value_size_ret);
	/* Programs may come and go on another thread meanwhile. */
	do {
		hidden = occ_context_hidden(context, &before);
		error = occ_target.clGetContextInfo(context, param_name,
						    param_value_size,
						    param_value,
						    param_value_size_ret);
		occ_context_hidden(context, &after);
	} while (!error && before != after && ++tries < TRIES);
	if (!error && hidden && counts_programs(context))
		*(cl_uint *)param_value -= hidden;
	return error;
}
