/* SPDX-License-Identifier: MIT */
#include "layer/driver/blocked_platforms.h"

#include <stdlib.h>

#include "layer/base/dispatch.h"
#include "layer/base/lock.h"
#include "layer/driver/device.h"

/* The last place is for all that come when the others are taken. */
#define BLOCKED_MAX 32

static cl_platform_id blocked[BLOCKED_MAX];
static size_t blocked_count;

void occ_blocked_platforms_add(cl_platform_id platform)
{
	size_t i = 0;

	occ_lock();
	while (i < blocked_count && blocked[i] != platform)
		i++;
	if (i == BLOCKED_MAX - 1)
		platform = NULL;
	if (i < BLOCKED_MAX)
		blocked[i] = platform;
	if (i == blocked_count && i < BLOCKED_MAX)
		blocked_count++;
	occ_unlock();
}

static cl_platform_id platform_of_context(cl_context context)
{
	cl_platform_id platform = NULL;
	cl_uint count;
	cl_device_id *devices = occ_device_list_of_context(context, &count);

	if (devices)
		occ_target.clGetDeviceInfo(devices[0], CL_DEVICE_PLATFORM,
					   sizeof(platform), &platform, NULL);
	free(devices);
	return platform;
}

bool occ_blocked_platforms_have(cl_context context)
{
	cl_platform_id platform;
	bool any, result = false;

	occ_lock();
	any = blocked_count > 0;
	occ_unlock();
	if (!any)
		return false;
	platform = platform_of_context(context);
	occ_lock();
	for (size_t i = 0; i < blocked_count; i++)
		result |= !blocked[i] || blocked[i] == platform;
	occ_unlock();
	return result;
}

void occ_blocked_platforms_forget_all(void)
{
	blocked_count = 0;
}
