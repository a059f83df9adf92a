/* SPDX-License-Identifier: MIT */
/* Platforms and devices: made when first asked for, never released. */
#ifndef TESTS_STUB_PLATFORM_H
#define TESTS_STUB_PLATFORM_H

#include "tests/stub/object.h"

struct _cl_platform_id {
	struct stub_object object;
	int index;
	cl_device_id *devices; /* stub.devices of them */
};

struct _cl_device_id {
	struct stub_object object;
	cl_platform_id platform;
	cl_device_id parent; /* NULL: a root device */
	char *name;
};

/* The platform with that number; with the lock. */
cl_platform_id stub_platform(int index);

/* The device that a sub-device is part of, or itself. */
cl_device_id stub_device_root(cl_device_id device);

/* Sets the loader's word in the platform and its devices. */
void stub_platform_set_data(cl_platform_id platform, void *data);

#endif
