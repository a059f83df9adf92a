/* SPDX-License-Identifier: MIT */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "cli/nvidia/driver.h"

#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/loader.h"
#include "cli/message.h"
#include "cli/nvidia/variables.h"
#include "cli/opencl.h"

#define FUNCTIONS(X)                                                           \
	X(clGetDeviceInfo)                                                     \
	X(clCreateContext)                                                     \
	X(clCreateProgramWithSource)                                           \
	X(clCreateProgramWithBinary)                                           \
	X(clBuildProgram)                                                      \
	X(clGetProgramInfo)                                                    \
	X(clGetProgramBuildInfo)                                               \
	X(clCreateKernel)                                                      \
	X(clCreateKernelsInProgram)                                            \
	X(clGetKernelInfo)                                                     \
	X(clGetKernelArgInfo)                                                  \
	X(clGetKernelWorkGroupInfo)                                            \
	X(clCreateCommandQueue)                                                \
	X(clCreateBuffer)                                                      \
	X(clSetKernelArg)                                                      \
	X(clEnqueueNDRangeKernel)                                              \
	X(clEnqueueReadBuffer)                                                 \
	X(clFinish)

#define MEMBER(name) __typeof__(name) *(name);
static struct {
	FUNCTIONS(MEMBER)
} cl;

static cl_device_id device;
static cl_context context;
static cl_program program;

/* Of the last call that failed. */
static cl_int failure;

#define ITEMS	    256
#define GROUP	    64
#define ANSWER_SIZE ((size_t)1 << 20)

void occ_driver_prepare(const char *directory, struct occ_span variables)
{
	static const char *const kept[] = {
		"PATH",
		"HOME",
		"TMPDIR",
		"LD_LIBRARY_PATH",
		"OCL_ICD_VENDORS",
		"OCL_ICD_FILENAMES",
		"OPENCL_VENDOR_PATH",
		"CUDA_VISIBLE_DEVICES",
		"CUDA_DEVICE_ORDER",
		"NVIDIA_VISIBLE_DEVICES",
		"OCLCACHE_CHILD_LIMIT",
	};
	char *values[sizeof(kept) / sizeof(*kept)];

	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++) {
		const char *value = getenv(kept[i]);

		values[i] = value ? occ_message_must(strdup(value)) : NULL;
	}
	clearenv();
	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		if (values[i])
			setenv(kept[i], values[i], 1);
	occ_variables_set(variables);
	setenv("OCLCACHE_DISABLE", "1", 1);
	setenv("CUDA_CACHE_DISABLE", directory ? "0" : "1", 1);
	if (!directory)
		return;
	setenv("CUDA_CACHE_PATH", directory, 1);
	setenv("CUDA_CACHE_MAXSIZE", "4294967296", 1);
}

const char *occ_driver_find(const struct occ_driver_device *wanted)
{
	struct occ_opencl_device *devices;
	size_t count, platforms;
	const char *error = occ_opencl_load(OCC_LOADER_NAME);

	if (error)
		return error;
#define FIND(name)                                                             \
	if (!occ_opencl_find(#name, &cl.name))                                 \
		return "the loader lacks " #name "()";
	FUNCTIONS(FIND)
	if (!occ_opencl_devices(&devices, &count, &platforms, &error))
		return error;
	for (size_t i = 0; i < count && !device; i++)
		if (!strcmp(devices[i].platform_name,
			    occ_driver_nvidia.platform_name) &&
		    !strcmp(devices[i].platform_version,
			    wanted->platform_version) &&
		    !strcmp(devices[i].name, wanted->name) &&
		    !strcmp(devices[i].driver_version, wanted->driver_version))
			device = devices[i].device;
	return device ? NULL : "the device or driver is no longer present";
}

const char *occ_driver_open(void)
{
	cl_int code = CL_SUCCESS;

	context = cl.clCreateContext(NULL, 1, &device, NULL, NULL, &code);
	return code ? "can't create a context" : NULL;
}

uint32_t occ_driver_capability(void)
{
	cl_uint major = 0, minor = 0;

	if (cl.clGetDeviceInfo(device, CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV,
			       sizeof(major), &major, NULL) ||
	    cl.clGetDeviceInfo(device, CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV,
			       sizeof(minor), &minor, NULL))
		return 0;
	return major << 16 | minor;
}

static const char *build(const char *options)
{
	cl_build_status status = CL_BUILD_ERROR;

	failure = cl.clBuildProgram(program, 1, &device, options, NULL, NULL);
	if (!failure)
		failure =
			cl.clGetProgramBuildInfo(program, device,
						 CL_PROGRAM_BUILD_STATUS,
						 sizeof(status), &status, NULL);
	if (!failure && status != CL_BUILD_SUCCESS)
		failure = CL_BUILD_PROGRAM_FAILURE;
	return failure ? "the driver can't build the program" : NULL;
}

bool occ_driver_is_refusal(void)
{
	return failure == CL_INVALID_BINARY ||
	       failure == CL_BUILD_PROGRAM_FAILURE;
}

const char *occ_driver_compile(const char *source, const char *options,
			       struct occ_buffer *ret_binary)
{
	unsigned char *bytes;
	cl_int code = CL_SUCCESS;
	const char *error;
	size_t size = 0;

	program =
		cl.clCreateProgramWithSource(context, 1, &source, NULL, &code);
	failure = code;
	error = code ? "the driver doesn't accept the source" : build(options);
	if (error)
		return error;
	if (cl.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size),
				&size, NULL))
		return "the driver returns no binary";
	bytes = occ_message_must(calloc(1, size + 1));
	if (cl.clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(bytes),
				&bytes, NULL))
		return "the driver returns no binary";
	occ_buffer_append(ret_binary, bytes, size);
	return NULL;
}

const char *occ_driver_load(struct occ_span bytes, const char *options)
{
	cl_int status = CL_SUCCESS, code = CL_SUCCESS;

	program = cl.clCreateProgramWithBinary(context, 1, &device, &bytes.size,
					       &bytes.data, &status, &code);
	failure = code ? code : status;
	if (failure || !program)
		return "the driver refuses the program";
	return build(options);
}

static void add(struct occ_buffer *text, const char *what, cl_int code,
		const unsigned char *answer, size_t size)
{
	char line[64];
	int length;

	if (code == CL_OUT_OF_HOST_MEMORY || code == CL_OUT_OF_RESOURCES ||
	    code == CL_MEM_OBJECT_ALLOCATION_FAILURE)
		failure = code;
	occ_buffer_append(text, what, strlen(what));
	length = snprintf(line, sizeof(line), " %d %zu", code, size);
	occ_buffer_append(text, line, (size_t)length);
	for (size_t i = 0; !code && i < size; i++) {
		length = snprintf(line, sizeof(line), " %02x", answer[i]);
		occ_buffer_append(text, line, (size_t)length);
	}
	occ_buffer_append(text, "\n", 1);
}

#define ASK(what, call)                                                        \
	do {                                                                   \
		size_t size = 0;                                               \
		cl_int code = call;                                            \
		add(text, what, code, answer, size);                           \
	} while (0)
#define PROGRAM(name)                                                          \
	ASK(#name,                                                             \
	    cl.clGetProgramInfo(program, name, ANSWER_SIZE, answer, &size))
#define BUILD(name)                                                            \
	ASK(#name, cl.clGetProgramBuildInfo(program, device, name,             \
					    ANSWER_SIZE, answer, &size))
#define KERNEL(name)                                                           \
	ASK(#name, cl.clGetKernelInfo(kernel, name, ANSWER_SIZE, answer, &size))
#define GROUP_INFO(name)                                                       \
	ASK(#name, cl.clGetKernelWorkGroupInfo(kernel, device, name,           \
					       ANSWER_SIZE, answer, &size))
#define ARGUMENT(name)                                                         \
	ASK(#name, cl.clGetKernelArgInfo(kernel, i, name, ANSWER_SIZE, answer, \
					 &size))

static void describe_kernel(struct occ_buffer *text, unsigned char *answer,
			    cl_kernel kernel)
{
	cl_uint count = 0;

	KERNEL(CL_KERNEL_FUNCTION_NAME);
	KERNEL(CL_KERNEL_NUM_ARGS);
	KERNEL(CL_KERNEL_ATTRIBUTES);
	GROUP_INFO(CL_KERNEL_WORK_GROUP_SIZE);
	GROUP_INFO(CL_KERNEL_COMPILE_WORK_GROUP_SIZE);
	GROUP_INFO(CL_KERNEL_LOCAL_MEM_SIZE);
	GROUP_INFO(CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE);
	GROUP_INFO(CL_KERNEL_PRIVATE_MEM_SIZE);
	cl.clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof(count), &count,
			   NULL);
	for (cl_uint i = 0; i < count; i++) {
		ARGUMENT(CL_KERNEL_ARG_ADDRESS_QUALIFIER);
		ARGUMENT(CL_KERNEL_ARG_ACCESS_QUALIFIER);
		ARGUMENT(CL_KERNEL_ARG_TYPE_NAME);
		ARGUMENT(CL_KERNEL_ARG_TYPE_QUALIFIER);
		ARGUMENT(CL_KERNEL_ARG_NAME);
	}
}

const char *occ_driver_describe(struct occ_buffer *text)
{
	unsigned char *answer = occ_message_must(malloc(ANSWER_SIZE));
	cl_kernel *kernels;
	cl_uint made = 0;
	size_t count = 0;

	failure = CL_SUCCESS;
	BUILD(CL_PROGRAM_BUILD_STATUS);
	BUILD(CL_PROGRAM_BUILD_OPTIONS);
	BUILD(CL_PROGRAM_BINARY_TYPE);
	BUILD(CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE);
	PROGRAM(CL_PROGRAM_NUM_KERNELS);
	cl.clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof(count),
			    &count, NULL);
	/* The names of none end the process. */
	if (count)
		PROGRAM(CL_PROGRAM_KERNEL_NAMES);
	kernels = occ_message_must(calloc(count + 1, sizeof(*kernels)));
	if (count)
		add(text, "kernels",
		    cl.clCreateKernelsInProgram(program, (cl_uint)count,
						kernels, &made),
		    NULL, 0);
	for (cl_uint i = 0; i < made && i < count; i++)
		describe_kernel(text, answer, kernels[i]);
	free(kernels);
	free(answer);
	return failure ? "the driver is out of memory" : NULL;
}

const char *occ_driver_run(const char *name, struct occ_buffer *ret_text)
{
	static const cl_uint five = 5;
	cl_uint words[ITEMS];
	size_t items = ITEMS, group = GROUP;
	cl_int code = CL_SUCCESS;
	cl_command_queue queue =
		cl.clCreateCommandQueue(context, device, 0, &code);
	cl_kernel kernel = cl.clCreateKernel(program, name, &code);
	cl_mem in, out;

	for (cl_uint i = 0; i < ITEMS; i++)
		words[i] = i * 2654435761u;
	in = cl.clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
			       sizeof(words), words, NULL);
	out = cl.clCreateBuffer(context,
				CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
				sizeof(words), words, NULL);
	if (!queue || !kernel || !in || !out ||
	    cl.clSetKernelArg(kernel, 0, sizeof(out), &out) ||
	    cl.clSetKernelArg(kernel, 1, sizeof(in), &in) ||
	    cl.clSetKernelArg(kernel, 2, sizeof(five), &five) ||
	    cl.clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0,
				      NULL, NULL) ||
	    cl.clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(words), words,
				   0, NULL, NULL) ||
	    cl.clFinish(queue))
		return "can't run a kernel";
	for (size_t i = 0; i < ITEMS; i++) {
		char number[16];
		int length = snprintf(number, sizeof(number), "%08x", words[i]);

		occ_buffer_append(ret_text, number, (size_t)length);
	}
	occ_buffer_append(ret_text, "\n", 1);
	return NULL;
}
