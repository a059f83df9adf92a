/* SPDX-License-Identifier: MIT */
#include "layer/driver/device_fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache/file.h"
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

static void add_number(struct occ_buffer *numbers, uint64_t number)
{
	unsigned char bytes[8];

	occ_put_u64(bytes, number);
	occ_buffer_append(numbers, bytes, sizeof(bytes));
}

/*
 * The revision of its PCI device: a stepping that the driver compiles for and
 * tells nobody. 2^32-1: not known.
 */
static uint64_t pci_revision(cl_device_id device)
{
	cl_device_pci_bus_info_khr at;
	char path[80], text[32];

	if (occ_target.clGetDeviceInfo(device, CL_DEVICE_PCI_BUS_INFO_KHR,
				       sizeof(at), &at, NULL))
		return UINT32_MAX;
	snprintf(path, sizeof(path),
		 "/sys/bus/pci/devices/%04x:%02x:%02x.%x/revision",
		 (unsigned)at.pci_domain, (unsigned)at.pci_bus,
		 (unsigned)at.pci_device, (unsigned)at.pci_function);
	if (occ_file_read_kernel(path, text, sizeof(text)) <= 0)
		return UINT32_MAX;
	return strtoul(text, NULL, 0);
}

/*
 * Of GPUs with cl_intel_device_attribute_query: two of one name may differ in
 * these. What isn't answered is 2^32-1.
 */
static void add_attributes(struct occ_buffer *numbers, cl_device_id device)
{
	static const cl_device_info names[] = {
		CL_DEVICE_IP_VERSION_INTEL,
		CL_DEVICE_ID_INTEL,
		CL_DEVICE_NUM_SLICES_INTEL,
		CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL,
		CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL,
		CL_DEVICE_NUM_THREADS_PER_EU_INTEL,
	};
	cl_bitfield features = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		cl_uint value = UINT32_MAX;

		occ_target.clGetDeviceInfo(device, names[i], sizeof(value),
					   &value, NULL);
		add_number(numbers, value);
	}
	occ_target.clGetDeviceInfo(device, CL_DEVICE_FEATURE_CAPABILITIES_INTEL,
				   sizeof(features), &features, NULL);
	add_number(numbers, features);
	add_number(numbers, pci_revision(device));
}

static void add_numbers(struct occ_buffer *fields, cl_device_id device,
			cl_device_type type)
{
	struct occ_buffer numbers = OCC_BUFFER_INIT;
	char *extensions = device_answer(device, CL_DEVICE_EXTENSIONS);
	cl_uint vendor = 0, bits = 0;

	occ_target.clGetDeviceInfo(device, CL_DEVICE_VENDOR_ID, sizeof(vendor),
				   &vendor, NULL);
	occ_target.clGetDeviceInfo(device, CL_DEVICE_ADDRESS_BITS, sizeof(bits),
				   &bits, NULL);
	add_number(&numbers, type);
	add_number(&numbers, vendor);
	add_number(&numbers, bits);
	if (extensions && type & CL_DEVICE_TYPE_GPU &&
	    strstr(extensions, "cl_intel_device_attribute_query"))
		add_attributes(&numbers, device);
	occ_field_append(fields, OCC_KEY_DEVICE_NUMBERS, numbers.data,
			 numbers.size);
	fields->failed |= numbers.failed || !extensions;
	occ_buffer_release(&numbers);
	free(extensions);
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

char *occ_device_fields_driver_version(cl_device_id device)
{
	return device_answer(device, CL_DRIVER_VERSION);
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
