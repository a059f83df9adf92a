/* SPDX-License-Identifier: MIT */
#include "cli/cuda.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* Of cuda.h, which need not be installed. Both lists are part of the ABI. */
#define CUDA_SUCCESS			   0
#define CU_CTX_SCHED_BLOCKING_SYNC	   0x04
#define CU_JIT_ERROR_LOG_BUFFER		   5
#define CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES 6
#define CU_JIT_INPUT_PTX		   1
#define CU_ATTRIBUTE_CAPABILITY_MAJOR	   75
#define CU_ATTRIBUTE_CAPABILITY_MINOR	   76

static struct {
	void *library;
	int (*init)(unsigned flags);
	int (*device_by_bus)(int *device, const char *bus);
	int (*device_attribute)(int *value, int attribute, int device);
	int (*context_create)(void **context, unsigned flags, int device);
	int (*context_destroy)(void *context);
	int (*link_create)(unsigned count, int *options, void **values,
			   void **state);
	int (*link_add)(void *state, int type, void *data, size_t size,
			const char *name, unsigned count, int *options,
			void **values);
	int (*link_complete)(void *state, void **code, size_t *size);
	int (*link_destroy)(void *state);
} cuda;

static bool find(void *ret_function, const char *name)
{
	void *function = dlsym(cuda.library, name);

	memcpy(ret_function, &function, sizeof(function));
	return function;
}

/* Once; what an older library lacks is as if there were none. */
static const char *load(void)
{
	if (cuda.library)
		return NULL;
	cuda.library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!cuda.library)
		return "there is no libcuda.so.1";
	if (find(&cuda.init, "cuInit") &&
	    find(&cuda.device_by_bus, "cuDeviceGetByPCIBusId") &&
	    find(&cuda.device_attribute, "cuDeviceGetAttribute") &&
	    find(&cuda.context_create, "cuCtxCreate_v2") &&
	    find(&cuda.context_destroy, "cuCtxDestroy_v2") &&
	    find(&cuda.link_create, "cuLinkCreate_v2") &&
	    find(&cuda.link_add, "cuLinkAddData_v2") &&
	    find(&cuda.link_complete, "cuLinkComplete") &&
	    find(&cuda.link_destroy, "cuLinkDestroy"))
		return NULL;
	dlclose(cuda.library);
	cuda.library = NULL;
	return "libcuda.so.1 lacks functions";
}

static const char *find_device(const struct occ_cuda_place *place,
			       struct occ_cuda *ret_cuda)
{
	int major = 0, minor = 0;
	char bus[32];

	if (cuda.init(0) != CUDA_SUCCESS)
		return "cuInit() failed";
	snprintf(bus, sizeof(bus), "%04x:%02x:%02x.0", place->domain,
		 place->bus, place->slot);
	if (cuda.device_by_bus(&ret_cuda->device, bus) != CUDA_SUCCESS)
		return "CUDA has no such device";
	if (cuda.device_attribute(&major, CU_ATTRIBUTE_CAPABILITY_MAJOR,
				  ret_cuda->device) != CUDA_SUCCESS ||
	    cuda.device_attribute(&minor, CU_ATTRIBUTE_CAPABILITY_MINOR,
				  ret_cuda->device) != CUDA_SUCCESS)
		return "CUDA doesn't say the device's compute capability";
	ret_cuda->capability = (uint32_t)major << 16 | (uint32_t)minor;
	return NULL;
}

bool occ_cuda_open(const struct occ_cuda_place *place,
		   struct occ_cuda *ret_cuda)
{
	memset(ret_cuda, 0, sizeof(*ret_cuda));
	ret_cuda->failed = load();
	if (!ret_cuda->failed)
		ret_cuda->failed = find_device(place, ret_cuda);
	if (!ret_cuda->failed &&
	    cuda.context_create(&ret_cuda->context, CU_CTX_SCHED_BLOCKING_SYNC,
				ret_cuda->device) != CUDA_SUCCESS)
		ret_cuda->failed = "CUDA can't make a context on the device";
	return !ret_cuda->failed;
}

static const char *link(void *state, struct occ_span ptx,
			struct occ_buffer *code)
{
	void *data, *made = NULL;
	size_t size = 0;

	/* It isn't written to, whatever the parameter's type says. */
	memcpy(&data, &ptx.data, sizeof(data));
	if (cuda.link_add(state, CU_JIT_INPUT_PTX, data, ptx.size, "program", 0,
			  NULL, NULL) != CUDA_SUCCESS)
		return "CUDA can't assemble the program's PTX";
	if (cuda.link_complete(state, &made, &size) != CUDA_SUCCESS || !size)
		return "CUDA can't link the program";
	/* The state's, and gone with it. */
	occ_buffer_append(code, made, size);
	return code->failed ? "out of memory" : NULL;
}

bool occ_cuda_link(struct occ_cuda *ret_cuda, struct occ_span ptx,
		   struct occ_buffer *code)
{
	int options[] = {CU_JIT_ERROR_LOG_BUFFER,
			 CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	uintptr_t log_size = sizeof(ret_cuda->log) - 1;
	void *values[2] = {ret_cuda->log, NULL};
	void *state;

	/* A number in the place of a pointer. */
	memcpy(&values[1], &log_size, sizeof(log_size));
	ret_cuda->log[0] = '\0';
	ret_cuda->failed = "CUDA can't begin to link";
	if (cuda.link_create(2, options, values, &state) != CUDA_SUCCESS)
		return false;
	ret_cuda->failed = link(state, ptx, code);
	cuda.link_destroy(state);
	ret_cuda->log[sizeof(ret_cuda->log) - 1] = '\0';
	return !ret_cuda->failed;
}

void occ_cuda_close(struct occ_cuda *ret_cuda)
{
	cuda.context_destroy(ret_cuda->context);
	ret_cuda->context = NULL;
}
