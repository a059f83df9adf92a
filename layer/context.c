/* SPDX-License-Identifier: MIT */
#include "layer/context.h"

#include <errno.h>
#include <stdlib.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "layer/ahead.h"
#include "layer/device.h"
#include "layer/dispatch.h"
#include "layer/hooks.h"
#include "layer/identity.h"
#include "layer/live.h"
#include "layer/lock.h"
#include "layer/program.h"
#include "layer/repeat.h"
#include "layer/section.h"
#include "layer/tally.h"

struct known {
	UT_hash_handle hh;
	cl_context context;
	unsigned references;
};

static struct known *contexts;

static struct known *find(cl_context context)
{
	struct known *known;

	HASH_FIND_PTR(contexts, &context, known);
	return known;
}

bool occ_context_is_known(cl_context context)
{
	return find(context);
}

static void add(cl_context context)
{
	struct known *known = calloc(1, sizeof(*known)), *stale;
	int saved_errno = errno;

	occ_lock();
	/* Released behind our back, and its handle used again. */
	stale = find(context);
	if (stale)
		HASH_DEL(contexts, stale);
	if (known) {
		known->context = context;
		known->references = 1;
		HASH_ADD_PTR(contexts, context, known);
	}
	if (known && find(context) != known) {
		free(known);
		known = NULL;
	}
	occ_unlock();
	if (stale)
		occ_live_drop_context(context);
	free(stale);
	errno = saved_errno;
}

/* A garbage handle is the loader's to judge, which looks into it as we do. */
static void look_ahead(cl_device_id device, bool made)
{
	struct occ_section section;
	int saved_errno = errno;

	if (!device)
		return;
	occ_section_enter(&section);
	occ_ahead_start(device, made);
	occ_section_leave(&section);
	errno = saved_errno;
}

/*
 * What a first build would have to do before it can be looked up. A device that
 * a context was made of is the driver's.
 */
static void prepare(cl_device_id device, bool made)
{
	struct occ_section section;
	int saved_errno = errno;

	if (!device)
		return;
	occ_section_enter(&section);
	if (!made)
		occ_ahead_give_up(device);
	else if (occ_ahead_finish(device))
		occ_identity_prepare(device);
	occ_section_leave(&section);
	errno = saved_errno;
}

/* Of a kind of devices only the driver knows which they are. */
static void look_ahead_in(cl_context context)
{
	int saved_errno = errno;
	cl_uint count = 0;
	cl_device_id *devices = occ_device_list_of_context(context, &count);

	if (devices && count)
		look_ahead(devices[0], true);
	free(devices);
	errno = saved_errno;
}

cl_context CL_API_CALL
occ_create_context(const cl_context_properties *properties, cl_uint num_devices,
		   const cl_device_id *devices,
		   void(CL_CALLBACK *pfn_notify)(const char *errinfo,
						 const void *private_info,
						 size_t cb, void *user_data),
		   void *user_data, cl_int *errcode_ret)
{
	cl_context context;

	occ_tally_write_due();
	if (num_devices && devices)
		look_ahead(devices[0], false);
	context =
		occ_target.clCreateContext(properties, num_devices, devices,
					   pfn_notify, user_data, errcode_ret);
	if (context)
		add(context);
	if (num_devices && devices)
		prepare(devices[0], context);
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

	occ_tally_write_due();
	context = occ_target.clCreateContextFromType(properties, device_type,
						     pfn_notify, user_data,
						     errcode_ret);
	if (context) {
		add(context);
		look_ahead_in(context);
	}
	return context;
}

cl_int CL_API_CALL occ_retain_context(cl_context context)
{
	cl_int error = occ_target.clRetainContext(context);
	struct known *known;

	if (error)
		return error;
	occ_lock();
	known = find(context);
	if (known)
		known->references++;
	occ_unlock();
	return CL_SUCCESS;
}

/* A binary program of the context that kernels of the application have. */
static struct occ_binary *unprepared(cl_context context)
{
	struct occ_binary *binary;

	occ_lock();
	binary = occ_kernel_unprepared(context);
	occ_unlock();
	return binary;
}

/* Is the application about to release it for the last time? Forgets it then. */
static bool leave(cl_context context)
{
	struct known *known;
	bool last;

	occ_lock();
	known = find(context);
	last = known && !--known->references;
	if (last)
		HASH_DEL(contexts, known);
	occ_unlock();
	if (last)
		free(known);
	return last;
}

/*
 * Kernels may outlive their context, and be asked for what only a real build
 * can tell; but a released context makes no programs any more.
 */
cl_int CL_API_CALL occ_release_context(cl_context context)
{
	struct occ_binary *binary;
	int saved_errno = errno;

	occ_tally_write_due();
	while ((binary = unprepared(context))) {
		occ_binary_prepare(binary);
		occ_binary_release(binary);
	}
	/* Before the driver: what is ours mustn't keep the context. */
	if (leave(context)) {
		occ_live_drop_context(context);
		occ_repeat_drop_context(context);
		occ_tally_write_early();
	}
	errno = saved_errno;
	return occ_target.clReleaseContext(context);
}

void occ_context_forget_all(void)
{
	struct known *known = contexts;

	HASH_CLEAR(hh, contexts);
	while (known) {
		struct known *next = known->hh.next;

		free(known);
		known = next;
	}
}
