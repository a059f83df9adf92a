/* SPDX-License-Identifier: MIT */
#include "cli/opencl.h"

#include <CL/cl.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/text.h"

/* The functions of the loader that are called; NULL: it hasn't it. */
#define FUNCTIONS(X)                                                           \
	X(clGetPlatformIDs)                                                    \
	X(clGetPlatformInfo)                                                   \
	X(clGetDeviceIDs)                                                      \
	X(clGetDeviceInfo)                                                     \
	X(clCreateContext)                                                     \
	X(clReleaseContext)                                                    \
	X(clCreateProgramWithSource)                                           \
	X(clBuildProgram)                                                      \
	X(clGetProgramBuildInfo)                                               \
	X(clCreateKernelsInProgram)                                            \
	X(clGetKernelInfo)                                                     \
	X(clReleaseKernel)                                                     \
	X(clReleaseProgram)

/* NOLINTNEXTLINE(bugprone-macro-parentheses): a member's name */
#define MEMBER(name) __typeof__(name) *name;
static struct {
	FUNCTIONS(MEMBER)
	/* Not in loaders of before OpenCL 2.1. */
	__typeof__(clCreateProgramWithIL) *clCreateProgramWithIL;
} cl;
static void *loader;

/* Of cl_icdl.h, which no package brings. */
#define LOADER_VERSION 2
typedef void *get_address(const char *name);
typedef cl_int get_loader_info(cl_uint what, size_t size, void *value,
			       size_t *ret_size);

/* Devices that anybody has. */
#define PLATFORMS_MAX 64
#define DEVICES_MAX   256

/* All that is given; leak checkers want to find it at the end. */
static void **kept;
static size_t kept_count;

static void *keep(void *memory)
{
	kept = occ_message_must(
		realloc(kept, (kept_count + 1) * sizeof(*kept)));
	kept[kept_count++] = memory;
	return memory;
}

static void *zeros(size_t count, size_t size)
{
	return keep(occ_message_must(calloc(count, size)));
}

/* Function pointers aren't object pointers to ISO C; to dlsym() they are. */
bool occ_opencl_find(const char *name, void *ret_function)
{
	void *symbol = dlsym(loader, name);

	memcpy(ret_function, &symbol, sizeof(symbol));
	return symbol != NULL;
}

const char *occ_opencl_load(const char *library)
{
	loader = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	if (!loader)
		return dlerror();
#define FIND(name)                                                             \
	if (!occ_opencl_find(#name, &cl.name))                                 \
		return "it lacks " #name "()";
	FUNCTIONS(FIND)
	occ_opencl_find("clCreateProgramWithIL", &cl.clCreateProgramWithIL);
	return NULL;
}

const char *occ_opencl_loader_version(void)
{
	static char version[64];
	static const char name[] = "clGetICDLoaderInfoOCLICD";
	get_loader_info *get;
	get_address *address;

	/* ocl-icd doesn't export it; Khronos' does both. */
	if (!occ_opencl_find(name, &get) &&
	    occ_opencl_find("clGetExtensionFunctionAddress", &address)) {
		void *function = address(name);

		memcpy(&get, &function, sizeof(function));
	}
	if (!get || get(LOADER_VERSION, sizeof(version) - 1, version, NULL))
		return NULL;
	return version;
}

const char *occ_opencl_failure(const char *function, int error)
{
	static const struct {
		cl_int error;
		const char *name;
	} names[] = {
		{CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND"},
		{CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE"},
		{CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE"},
		{CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
		{CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
		{CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
		{CL_INVALID_VALUE, "CL_INVALID_VALUE"},
		{CL_INVALID_BINARY, "CL_INVALID_BINARY"},
		{CL_INVALID_BUILD_OPTIONS, "CL_INVALID_BUILD_OPTIONS"},
		{CL_INVALID_OPERATION, "CL_INVALID_OPERATION"},
		{CL_COMPILE_PROGRAM_FAILURE, "CL_COMPILE_PROGRAM_FAILURE"},
		{CL_LINK_PROGRAM_FAILURE, "CL_LINK_PROGRAM_FAILURE"},
		{CL_INVALID_COMPILER_OPTIONS, "CL_INVALID_COMPILER_OPTIONS"},
		{CL_INVALID_LINKER_OPTIONS, "CL_INVALID_LINKER_OPTIONS"},
		{-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i].error == error)
			return keep(
				occ_text("%s: %s", function, names[i].name));
	return keep(occ_text("%s: error %d", function, error));
}

static const char *platform_text(cl_platform_id platform, cl_platform_info what)
{
	size_t size = 0;
	char *text;

	if (cl.clGetPlatformInfo(platform, what, 0, NULL, &size))
		return "";
	text = zeros(1, size + 1);
	cl.clGetPlatformInfo(platform, what, size, text, NULL);
	return text;
}

static const char *device_text(cl_device_id device, cl_device_info what)
{
	size_t size = 0;
	char *text;

	if (cl.clGetDeviceInfo(device, what, 0, NULL, &size))
		return "";
	text = zeros(1, size + 1);
	cl.clGetDeviceInfo(device, what, size, text, NULL);
	return text;
}

static uint64_t device_types(cl_device_id device)
{
	cl_device_type types = 0;

	return cl.clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof(types), &types,
				  NULL)
		       ? 0
		       : types;
}

/* Of occ_opencl_devices(). */
static const char *without[PLATFORMS_MAX];
static size_t without_count;

static cl_int add_platform(cl_platform_id platform,
			   struct occ_opencl_device *devices, size_t *count)
{
	cl_device_id ids[DEVICES_MAX];
	cl_uint found = 0;
	cl_int error = cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL,
					 DEVICES_MAX, ids, &found);

	if (error && error != CL_DEVICE_NOT_FOUND)
		return error;
	if (error || !found)
		without[without_count++] =
			platform_text(platform, CL_PLATFORM_NAME);
	if (error)
		return CL_SUCCESS;
	for (cl_uint i = 0; i < found && i < DEVICES_MAX; i++) {
		if (*count == DEVICES_MAX)
			break;
		devices[(*count)++] = (struct occ_opencl_device){
			.platform = platform,
			.device = ids[i],
			.platform_name =
				platform_text(platform, CL_PLATFORM_NAME),
			.platform_version =
				platform_text(platform, CL_PLATFORM_VERSION),
			.name = device_text(ids[i], CL_DEVICE_NAME),
			.driver_version =
				device_text(ids[i], CL_DRIVER_VERSION),
			.types = device_types(ids[i]),
		};
	}
	return CL_SUCCESS;
}

bool occ_opencl_devices(struct occ_opencl_device **ret_devices,
			size_t *ret_count, size_t *ret_platforms,
			const char **ret_error)
{
	cl_platform_id platforms[PLATFORMS_MAX];
	cl_uint count = 0;
	cl_int error = cl.clGetPlatformIDs(PLATFORMS_MAX, platforms, &count);

	*ret_devices = zeros(DEVICES_MAX, sizeof(**ret_devices));
	*ret_count = *ret_platforms = without_count = 0;
	/* That there is none is no error here; old loaders say 0 of them. */
	if (error == -1001)
		return true;
	if (error) {
		*ret_error = occ_opencl_failure("clGetPlatformIDs", error);
		return false;
	}
	if (count > PLATFORMS_MAX)
		count = PLATFORMS_MAX;
	*ret_platforms = count;
	for (cl_uint i = 0; i < count; i++) {
		error = add_platform(platforms[i], *ret_devices, ret_count);
		if (error) {
			*ret_error =
				occ_opencl_failure("clGetDeviceIDs", error);
			return false;
		}
	}
	return true;
}

const char *const *occ_opencl_without(size_t *ret_count)
{
	*ret_count = without_count;
	return without;
}

/*
 * Older drivers have a table without the function, or with one that never
 * returns. "OpenCL 2.1 ..."
 */
bool occ_opencl_takes_il(const struct occ_opencl_device *device)
{
	const char *number = device->platform_version;
	char *end;
	long major, minor;

	if (strncmp(number, "OpenCL ", 7) != 0 || !cl.clCreateProgramWithIL)
		return false;
	major = strtol(number + 7, &end, 10);
	minor = *end == '.' ? strtol(end + 1, NULL, 10) : 0;
	if (major < 2 || (major == 2 && minor < 1))
		return false;
	return *device_text(device->device, CL_DEVICE_IL_VERSION) != '\0';
}

static cl_program create(struct occ_opencl_build *build, cl_context context)
{
	const char *source = build->source, *function;
	cl_int error = CL_SUCCESS;
	cl_program program;

	if (build->is_il && !occ_opencl_takes_il(build->device)) {
		build->error = "the device doesn't support SPIR-V";
		return NULL;
	}
	if (build->is_il) {
		function = "clCreateProgramWithIL";
		program = cl.clCreateProgramWithIL(context, source, build->size,
						   &error);
	} else {
		function = "clCreateProgramWithSource";
		program = cl.clCreateProgramWithSource(context, 1, &source,
						       &build->size, &error);
	}
	if (!error)
		return program;
	build->error = occ_opencl_failure(function, error);
	return NULL;
}

const char *occ_opencl_log(void *program, const struct occ_opencl_device *of)
{
	cl_device_id device = of->device;
	size_t size = 0;
	char *log;

	if (cl.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0,
				     NULL, &size))
		return NULL;
	log = zeros(1, size + 1);
	return cl.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG,
					size, log, NULL)
		       ? NULL
		       : log;
}

static const char *kernel_name(cl_kernel kernel)
{
	size_t size = 0;
	char *name;

	if (cl.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, 0, NULL, &size))
		return NULL;
	name = zeros(1, size + 1);
	return cl.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, size, name,
				  NULL)
		       ? NULL
		       : name;
}

static void create_kernels(struct occ_opencl_build *build, cl_program program)
{
	cl_uint count = 0;
	cl_kernel *kernels;

	/* A program of functions alone has none; some call that an error. */
	if (cl.clCreateKernelsInProgram(program, 0, NULL, &count) || !count)
		return;
	kernels = occ_message_must(calloc(count, sizeof(cl_kernel)));
	if (!cl.clCreateKernelsInProgram(program, count, kernels, &count)) {
		build->kernel = kernel_name(kernels[0]);
		for (size_t i = 0; i < count; i++)
			cl.clReleaseKernel(kernels[i]);
	}
	free(kernels);
}

static void build_program(struct occ_opencl_build *build, cl_program program)
{
	cl_device_id device = build->device->device;
	cl_build_status status = CL_BUILD_ERROR;
	cl_int error = cl.clBuildProgram(program, 1, &device, build->options,
					 NULL, NULL);

	cl.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS,
				 sizeof(status), &status, NULL);
	build->log = occ_opencl_log(program, build->device);
	if (!error && status != CL_BUILD_SUCCESS)
		error = CL_BUILD_PROGRAM_FAILURE;
	if (error) {
		build->error = occ_opencl_failure("clBuildProgram", error);
		return;
	}
	build->built = true;
	create_kernels(build, program);
}

void *occ_opencl_context(const struct occ_opencl_device *device, int *ret_error)
{
	cl_context_properties properties[] = {
		CL_CONTEXT_PLATFORM, (cl_context_properties)device->platform,
		0};
	cl_device_id id = device->device;

	return cl.clCreateContext(properties, 1, &id, NULL, NULL, ret_error);
}

void occ_opencl_build(struct occ_opencl_build *build)
{
	cl_context context = build->context ? *build->context : NULL;
	cl_int error = CL_SUCCESS;
	cl_program program;

	build->built = false;
	build->error = build->log = build->kernel = NULL;
	if (!context)
		context = occ_opencl_context(build->device, &error);
	if (error) {
		build->error = occ_opencl_failure("clCreateContext", error);
		return;
	}
	program = create(build, context);
	if (program) {
		build_program(build, program);
		cl.clReleaseProgram(program);
	}
	if (build->context)
		*build->context = context;
	else
		cl.clReleaseContext(context);
}
