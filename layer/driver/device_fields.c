/* SPDX-License-Identifier: MIT */
#include "layer/driver/device_fields.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hash/key.h"
#include "layer/base/dispatch.h"
#include "layer/driver/cpu.h"

/* As long as most answers are: drivers take their time for each. */
#define ANSWER_SIZE 4096

/* A string or other bytes that the platform or device answers; "" if not. */
static char *device_answer(cl_device_id device, cl_device_info name)
{
	char answer[ANSWER_SIZE + 1];
	size_t size = 0;
	char *value;

	if (!occ_target.clGetDeviceInfo(device, name, ANSWER_SIZE, answer,
					&size) &&
	    size <= ANSWER_SIZE) {
		answer[size] = '\0';
		return strdup(answer);
	}
	if (occ_target.clGetDeviceInfo(device, name, 0, NULL, &size))
		size = 0;
	value = calloc(1, size + 1);
	if (value && size &&
	    occ_target.clGetDeviceInfo(device, name, size, value, NULL))
		*value = '\0';
	return value;
}

/* The same of the platform. */
static char *platform_answer(cl_platform_id platform, cl_platform_info name)
{
	char answer[ANSWER_SIZE + 1];
	size_t size = 0;

	if (occ_target.clGetPlatformInfo(platform, name, ANSWER_SIZE, answer,
					 &size) ||
	    size > ANSWER_SIZE)
		size = 0;
	answer[size] = '\0';
	return strdup(answer);
}

char *occ_device_fields_platform(cl_device_id device)
{
	cl_platform_id platform;

	if (occ_target.clGetDeviceInfo(device, CL_DEVICE_PLATFORM,
				       sizeof(platform), &platform, NULL))
		return NULL;
	return platform_answer(platform, CL_PLATFORM_NAME);
}

static void add_string(struct occ_buffer *fields, enum occ_key_field id,
		       char *value)
{
	if (value)
		occ_field_append(fields, (uint16_t)id, value, strlen(value));
	else
		fields->failed = true;
	free(value);
}

static void add_strings(struct occ_buffer *fields, cl_device_id device,
			cl_platform_id platform)
{
	add_string(fields, OCC_KEY_PLATFORM_NAME,
		   platform_answer(platform, CL_PLATFORM_NAME));
	add_string(fields, OCC_KEY_PLATFORM_VENDOR,
		   platform_answer(platform, CL_PLATFORM_VENDOR));
	add_string(fields, OCC_KEY_PLATFORM_VERSION,
		   platform_answer(platform, CL_PLATFORM_VERSION));
	add_string(fields, OCC_KEY_DEVICE_NAME,
		   device_answer(device, CL_DEVICE_NAME));
	add_string(fields, OCC_KEY_DEVICE_VENDOR,
		   device_answer(device, CL_DEVICE_VENDOR));
	add_string(fields, OCC_KEY_DEVICE_VERSION,
		   device_answer(device, CL_DEVICE_VERSION));
	add_string(fields, OCC_KEY_DRIVER_VERSION,
		   device_answer(device, CL_DRIVER_VERSION));
	add_string(fields, OCC_KEY_OPENCL_C_VERSION,
		   device_answer(device, CL_DEVICE_OPENCL_C_VERSION));
	add_string(fields, OCC_KEY_DEVICE_EXTENSIONS,
		   device_answer(device, CL_DEVICE_EXTENSIONS));
}

static void add_numbers(struct occ_buffer *fields, cl_device_id device,
			cl_device_type type)
{
	unsigned char numbers[24];
	cl_uint vendor = 0, bits = 0;

	occ_target.clGetDeviceInfo(device, CL_DEVICE_VENDOR_ID, sizeof(vendor),
				   &vendor, NULL);
	occ_target.clGetDeviceInfo(device, CL_DEVICE_ADDRESS_BITS, sizeof(bits),
				   &bits, NULL);
	occ_put_u64(numbers, type);
	occ_put_u64(numbers + 8, vendor);
	occ_put_u64(numbers + 16, bits);
	occ_field_append(fields, OCC_KEY_DEVICE_NUMBERS, numbers,
			 sizeof(numbers));
}

bool occ_device_fields_add(struct occ_buffer *fields, cl_device_id device,
			   cl_device_type *ret_type)
{
	cl_platform_id platform;

	if (occ_target.clGetDeviceInfo(device, CL_DEVICE_PLATFORM,
				       sizeof(platform), &platform, NULL) ||
	    occ_target.clGetDeviceInfo(device, CL_DEVICE_TYPE,
				       sizeof(*ret_type), ret_type, NULL))
		return false;
	add_strings(fields, device, platform);
	add_numbers(fields, device, *ret_type);
	return true;
}

char *occ_device_fields_name(cl_device_id device)
{
	return device_answer(device, CL_DEVICE_NAME);
}

void occ_device_fields_add_cpu(struct occ_buffer *fields)
{
	struct occ_buffer cpu = OCC_BUFFER_INIT;

	occ_cpu_identity(&cpu);
	occ_field_append(fields, OCC_KEY_HOST_CPU, cpu.data, cpu.size);
	fields->failed |= cpu.failed;
	occ_buffer_release(&cpu);
}

bool occ_device_fields_add_program(struct occ_buffer *fields)
{
	char path[4096];
	ssize_t size = readlink("/proc/self/exe", path, sizeof(path) - 1);
	const char *slash;

	if (size < 0)
		return false;
	path[size] = '\0';
	slash = strrchr(path, '/');
	slash = slash ? slash + 1 : path;
	occ_field_append(fields, OCC_KEY_EXECUTABLE, slash, strlen(slash));
	return true;
}
