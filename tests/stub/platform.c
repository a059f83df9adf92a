/* SPDX-License-Identifier: MIT */
#include "tests/stub/platform.h"

#include <stdio.h>

#include "tests/stub/answer.h"
#include "tests/stub/calls.h"
#include "tests/stub/dispatch.h"
#include "tests/stub/switches.h"
#include "tests/stub/text.h"

static cl_platform_id *platforms;

static cl_device_id new_device(cl_platform_id platform, int index)
{
	cl_device_id device = stub_object_new(STUB_DEVICE, sizeof(*device),
					      &platform->object);
	struct stub_text name = {NULL, 0, 0};

	device->platform = platform;
	if (*stub.device_name)
		stub_text_add_string(&name, stub.device_name);
	else
		stub_text_print(&name, "stub device %d.%d", platform->index,
				index);
	device->name = name.bytes;
	return device;
}

static cl_platform_id new_platform(int index)
{
	const struct stub_object like = {.dispatch = stub_dispatch_table()};
	cl_platform_id platform =
		stub_object_new(STUB_PLATFORM, sizeof(*platform), &like);

	platform->index = index;
	platform->devices =
		stub_allocate((size_t)stub.devices, sizeof(*platform->devices));
	for (int i = 0; i < stub.devices; i++)
		platform->devices[i] = new_device(platform, i);
	return platform;
}

cl_platform_id stub_platform(int index)
{
	if (!platforms) {
		platforms = stub_allocate((size_t)stub.platforms,
					  sizeof(*platforms));
		for (int i = 0; i < stub.platforms; i++)
			platforms[i] = new_platform(i);
	}
	return platforms[index];
}

void stub_platform_set_data(cl_platform_id platform, void *data)
{
	platform->object.dispatch_data = data;
	for (int i = 0; i < stub.devices; i++)
		platform->devices[i]->object.dispatch_data = data;
}

cl_device_id stub_device_root(cl_device_id device)
{
	while (device->parent)
		device = device->parent;
	return device;
}

cl_int CL_API_CALL stub_get_platform_ids(cl_uint num_entries,
					 cl_platform_id *list, cl_uint *ret)
{
	if ((!num_entries && list) || (!list && !ret))
		return CL_INVALID_VALUE;
	stub_lock();
	for (cl_uint i = 0; list && i < num_entries; i++)
		if ((int)i < stub.platforms)
			list[i] = stub_platform((int)i);
	stub_unlock();
	if (ret)
		*ret = (cl_uint)stub.platforms;
	return CL_SUCCESS;
}

static cl_int answer_version(const struct stub_answer *answer,
			     const char *prefix, const char *rest)
{
	char text[200];

	snprintf(text, sizeof(text), "%s%d.%d %s", prefix, stub.version / 10,
		 stub.version % 10, rest);
	return stub_answer_string(answer, text);
}

static cl_version numeric_version(void)
{
	return CL_MAKE_VERSION((cl_uint)stub.version / 10,
			       (cl_uint)stub.version % 10, 0);
}

static const char *extensions(void)
{
	switch (stub.il) {
	case STUB_IL_EXTENSION:
		return "cl_khr_icd cl_khr_il_program";
	default:
		return "cl_khr_icd";
	}
}

static cl_int answer_extensions(const struct stub_answer *answer)
{
	struct stub_text text = {NULL, 0, 0};
	cl_int code;

	stub_text_print(&text, "%s%s%s", extensions(),
			*stub.extensions ? " " : "", stub.extensions);
	code = stub_answer_string(answer, stub_text_string(&text));
	free(text.bytes);
	return code;
}

cl_int CL_API_CALL stub_get_platform_info(cl_platform_id platform,
					  cl_platform_info name, size_t room,
					  void *value, size_t *ret_size)
{
	const struct stub_answer answer = {room, value, ret_size};

	/* The loader's question: which is the default? */
	if (!platform)
		return CL_INVALID_PLATFORM;
	switch (name) {
	case CL_PLATFORM_PROFILE:
		return stub_answer_string(&answer, "FULL_PROFILE");
	case CL_PLATFORM_VERSION:
		return answer_version(&answer, "OpenCL ",
				      stub.platform_version);
	case CL_PLATFORM_NAME:
		return stub_answer_string(&answer, stub.platform_name);
	case CL_PLATFORM_VENDOR:
		return stub_answer_string(&answer, stub.platform_vendor);
	case CL_PLATFORM_EXTENSIONS:
		return stub_answer_string(&answer, extensions());
	case CL_PLATFORM_ICD_SUFFIX_KHR:
		return stub_answer_string(&answer, "STUB");
	case CL_PLATFORM_HOST_TIMER_RESOLUTION:
		return stub_answer_ulong(&answer, 0);
	case CL_PLATFORM_NUMERIC_VERSION:
		if (stub.version >= 30)
			return stub_answer_uint(&answer, numeric_version());
		return CL_INVALID_VALUE;
	default:
		return CL_INVALID_VALUE;
	}
}

static cl_device_type device_type(void)
{
	static const cl_device_type types[] = {CL_DEVICE_TYPE_CPU,
					       CL_DEVICE_TYPE_GPU,
					       CL_DEVICE_TYPE_ACCELERATOR};

	return types[stub.device_type];
}

cl_int CL_API_CALL stub_get_device_ids(cl_platform_id platform,
				       cl_device_type type, cl_uint num_entries,
				       cl_device_id *list, cl_uint *ret)
{
	const cl_device_type known = CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
				     CL_DEVICE_TYPE_ACCELERATOR |
				     CL_DEVICE_TYPE_DEFAULT |
				     CL_DEVICE_TYPE_CUSTOM;

	if (!platform)
		return CL_INVALID_PLATFORM;
	if (type != CL_DEVICE_TYPE_ALL && (!type || type & ~known))
		return CL_INVALID_DEVICE_TYPE;
	if ((!num_entries && list) || (!list && !ret))
		return CL_INVALID_VALUE;
	if (!(type & (device_type() | CL_DEVICE_TYPE_DEFAULT))) {
		if (ret)
			*ret = 0;
		return CL_DEVICE_NOT_FOUND;
	}
	for (cl_uint i = 0; list && i < num_entries; i++)
		if ((int)i < stub.devices)
			list[i] = platform->devices[i];
	if (ret)
		*ret = (cl_uint)stub.devices;
	return CL_SUCCESS;
}

/* What all devices say alike, as numbers. */
static cl_int answer_number(const struct stub_answer *answer,
			    cl_device_info name)
{
	switch (name) {
	case CL_DEVICE_VENDOR_ID:
		return stub_answer_uint(answer, (cl_uint)stub.vendor_id);
	case CL_DEVICE_MAX_COMPUTE_UNITS:
	case CL_DEVICE_PARTITION_MAX_SUB_DEVICES:
		return stub_answer_uint(answer, 2);
	case CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS:
		return stub_answer_uint(answer, 3);
	case CL_DEVICE_ADDRESS_BITS:
		return stub_answer_uint(answer, 64);
	case CL_DEVICE_MEM_BASE_ADDR_ALIGN:
		return stub_answer_uint(answer, 1024);
	case CL_DEVICE_AVAILABLE:
	case CL_DEVICE_COMPILER_AVAILABLE:
	case CL_DEVICE_LINKER_AVAILABLE:
	case CL_DEVICE_ENDIAN_LITTLE:
		return stub_answer_uint(answer, CL_TRUE);
	case CL_DEVICE_IMAGE_SUPPORT:
	case CL_DEVICE_HOST_UNIFIED_MEMORY:
	case CL_DEVICE_MAX_SAMPLERS:
		return stub_answer_uint(answer, 0);
	case CL_DEVICE_MAX_WORK_GROUP_SIZE:
		return stub_answer_size(answer, 4096);
	case CL_DEVICE_MAX_PARAMETER_SIZE:
	case CL_DEVICE_PRINTF_BUFFER_SIZE:
	case CL_DEVICE_PROFILING_TIMER_RESOLUTION:
		return stub_answer_size(answer, 1024);
	case CL_DEVICE_GLOBAL_MEM_SIZE:
	case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
		return stub_answer_ulong(answer, 1 << 30);
	case CL_DEVICE_LOCAL_MEM_SIZE:
	case CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE:
		return stub_answer_ulong(answer, 65536);
	case CL_DEVICE_SVM_CAPABILITIES:
	case CL_DEVICE_QUEUE_PROPERTIES:
	case CL_DEVICE_SINGLE_FP_CONFIG:
		return stub_answer_ulong(answer, 1);
	default:
		return CL_INVALID_VALUE;
	}
}

static cl_int answer_text(const struct stub_answer *answer, cl_device_id device,
			  cl_device_info name)
{
	switch (name) {
	case CL_DEVICE_NAME:
		return stub_answer_string(answer, device->name);
	case CL_DEVICE_VENDOR:
		return stub_answer_string(answer, stub.device_vendor);
	case CL_DRIVER_VERSION:
		return stub_answer_string(answer, stub.driver_version);
	case CL_DEVICE_PROFILE:
		return stub_answer_string(answer, "FULL_PROFILE");
	case CL_DEVICE_VERSION:
		return answer_version(answer, "OpenCL ", stub.device_version);
	case CL_DEVICE_OPENCL_C_VERSION:
		return answer_version(answer, "OpenCL C ",
				      stub.opencl_c_version);
	case CL_DEVICE_EXTENSIONS:
		return answer_extensions(answer);
	case CL_DEVICE_BUILT_IN_KERNELS:
		return stub_answer_string(answer, "stub_fill;stub_copy");
	case CL_DEVICE_IL_VERSION:
		if (stub.il == STUB_IL_NONE ||
		    (stub.version < 21 && stub.il != STUB_IL_EXTENSION))
			return stub_answer_string(answer, "");
		return stub_answer_string(answer, "SPIR-V_1.4");
	default:
		return CL_INVALID_VALUE;
	}
}

static cl_int answer_device(const struct stub_answer *answer,
			    cl_device_id device, cl_device_info name)
{
	static const size_t sizes[] = {4096, 4096, 4096};
	static const cl_device_partition_property equally =
		CL_DEVICE_PARTITION_EQUALLY;
	cl_int code;

	switch (name) {
	case CL_DEVICE_TYPE:
		return stub_answer_ulong(answer, device_type());
	case CL_DEVICE_PLATFORM:
		return stub_answer_handle(answer, device->platform);
	case CL_DEVICE_PARENT_DEVICE:
		if (stub.version < 12)
			return CL_INVALID_VALUE;
		return stub_answer_handle(answer, device->parent);
	case CL_DEVICE_REFERENCE_COUNT:
		return stub_answer_uint(answer, device->object.references);
	case CL_DEVICE_PARTITION_PROPERTIES:
		return stub_answer_bytes(answer, &equally, sizeof(equally));
	case CL_DEVICE_MAX_WORK_ITEM_SIZES:
		return stub_answer_bytes(answer, sizes, sizeof(sizes));
	default:
		code = answer_text(answer, device, name);
		return code == CL_INVALID_VALUE ? answer_number(answer, name)
						: code;
	}
}

cl_int CL_API_CALL stub_get_device_info(cl_device_id device,
					cl_device_info name, size_t room,
					void *value, size_t *ret_size)
{
	const struct stub_answer answer = {room, value, ret_size};
	cl_int code = CL_INVALID_DEVICE;

	stub_lock();
	if (stub_is(device, STUB_DEVICE))
		code = answer_device(&answer, device, name);
	stub_unlock();
	return code;
}

static cl_device_id new_part(cl_device_id device, cl_uint number)
{
	cl_device_id part =
		stub_object_new(STUB_DEVICE, sizeof(*part), &device->object);

	(void)number;
	part->platform = device->platform;
	part->parent = device;
	part->name = stub_copy(device->name, strlen(device->name));
	return part;
}

/* Every device has two units, and is parted in two. */
cl_int CL_API_CALL stub_create_sub_devices(
	cl_device_id device, const cl_device_partition_property *properties,
	cl_uint num_entries, cl_device_id *list, cl_uint *ret)
{
	if (!properties || properties[0] != CL_DEVICE_PARTITION_EQUALLY ||
	    properties[1] != 1 || (list && num_entries < 2))
		return CL_INVALID_VALUE;
	stub_lock();
	if (!stub_is(device, STUB_DEVICE) || device->parent) {
		stub_unlock();
		return CL_INVALID_DEVICE;
	}
	for (cl_uint i = 0; list && i < 2; i++)
		list[i] = new_part(device, i);
	stub_unlock();
	if (ret)
		*ret = 2;
	return CL_SUCCESS;
}

cl_int CL_API_CALL stub_retain_device(cl_device_id device)
{
	cl_int code = CL_INVALID_DEVICE;

	stub_lock();
	if (stub_is(device, STUB_DEVICE)) {
		device->object.references += device->parent != NULL;
		code = CL_SUCCESS;
	}
	stub_unlock();
	return code;
}

/* Parts of devices stay: contexts may have them. */
cl_int CL_API_CALL stub_release_device(cl_device_id device)
{
	cl_int code = CL_INVALID_DEVICE;

	stub_lock();
	if (stub_is(device, STUB_DEVICE)) {
		if (device->parent && device->object.references > 0)
			device->object.references--;
		code = CL_SUCCESS;
	}
	stub_unlock();
	return code;
}
