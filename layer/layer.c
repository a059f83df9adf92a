/* SPDX-License-Identifier: MIT */
/*
 * The four exported functions of a loader layer (cl_loader_layers 1.0.1).
 *
 * Both initialisers are exported because loaders differ: Khronos' from 2026 on
 * skips, in silence, a layer without clInitLayerWithProperties; ocl-icd and
 * older ones of Khronos call clInitLayer.
 *
 * Initialisation runs inside the loader's own: no call of libOpenCL, and of
 * files only the configuration is read. At clDeinitLayer the drivers' statics
 * may be gone already: no OpenCL call there, and nothing is freed, since
 * threads may still be in our hooks; a later initialisation does that.
 *
 * A loader may find the layer in several places (OPENCL_LAYERS, a .lay file).
 * Only the first one, nearest to the driver, does anything; further ones, also
 * other copies of the library, refuse to be initialised, and loaders go on
 * without them.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <CL/cl_layer.h>

#include "layer/base/dispatch.h"
#include "layer/base/loader_hold.h"
#include "layer/hook/hooks.h"
#include "layer/lifecycle.h"
#include "layer/serve/record.h"

/* Debian 12's cl_layer.h lacks version 1.0.1. */
#ifndef CL_INVALID_PROPERTY
#define CL_INVALID_PROPERTY -64
#endif
typedef cl_ulong occ_layer_properties;

#define EXPORT __attribute__((visibility("default")))

EXPORT cl_int CL_API_CALL clInitLayerWithProperties(
	cl_uint num_entries, const cl_icd_dispatch *target,
	cl_uint *num_entries_ret, const cl_icd_dispatch **layer_dispatch_ret,
	const occ_layer_properties *properties);
EXPORT cl_int CL_API_CALL clDeinitLayer(void);

/* OpenCL 1.0's table: every loader's has at least these. */
#define ENTRIES_MIN 66
#define ENTRIES_MAX (sizeof(cl_icd_dispatch) / sizeof(void *))

#define LAYER_NAME  "oclcache"

/* NULL entries are the loader's to fill in with the target's. */
static cl_icd_dispatch hooks;

/* Two loaders in one process share this library: the second is refused. */
static int active;

/* An earlier life may have left something; of one thread at a time. */
static bool begun;

EXPORT cl_int CL_API_CALL clGetLayerInfo(cl_layer_info param_name,
					 size_t param_value_size,
					 void *param_value,
					 size_t *param_value_size_ret)
{
	static const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
	static const char name[] = LAYER_NAME;
	const void *value;
	size_t size;

	switch (param_name) {
	case CL_LAYER_API_VERSION:
		value = &version;
		size = sizeof(version);
		break;
	case CL_LAYER_NAME:
		value = name;
		size = sizeof(name);
		break;
	default:
		return CL_INVALID_VALUE;
	}
	if (param_value && param_value_size < size)
		return CL_INVALID_VALUE;
	if (param_value)
		memcpy(param_value, value, size);
	if (param_value_size_ret)
		*param_value_size_ret = size;
	return CL_SUCCESS;
}

static void fill_hooks(void)
{
/* A function that the target lacks must stay lacking. */
#define FILL(function, hook)                                                   \
	if (occ_target.function)                                               \
		hooks.function = hook;
	OCC_HOOKS(FILL, FILL)
	if (occ_record_is_on()) {
		OCC_RECORD_HOOKS(FILL)
	}
#undef FILL
}

/*
 * ocl-icd never calls clDeinitLayer: it may have been closed, and opened again
 * at the same or another place.
 */
static bool loader_gone(const cl_icd_dispatch *target, size_t count)
{
	const void *function;
	Dl_info info;

	memcpy(&function, &occ_target.clGetPlatformIDs, sizeof(function));
	return !memcmp(&occ_target, target, count * sizeof(void *)) ||
	       !dladdr(function, &info);
}

/* Is it a function of another copy of this layer? */
static bool is_anothers(const void *function)
{
	cl_int(CL_API_CALL * info)(cl_layer_info, size_t, void *, size_t *);
	char name[sizeof(LAYER_NAME)];
	Dl_info theirs, ours;
	void *library, *symbol;

	if (!dladdr(function, &theirs) || !dladdr(LAYER_NAME, &ours) ||
	    theirs.dli_fbase == ours.dli_fbase)
		return false;
	library = dlopen(theirs.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	if (!library)
		return false;
	symbol = dlsym(library, "clGetLayerInfo");
	memcpy(&info, &symbol, sizeof(info));
	dlclose(library);
	return symbol &&
	       info(CL_LAYER_NAME, sizeof(name), name, NULL) == CL_SUCCESS &&
	       !strcmp(name, LAYER_NAME);
}

/*
 * One that sees what this one would. Layers in between have other functions of
 * their own than these, as a rule, and pass the rest on.
 */
static bool is_behind_another(const cl_icd_dispatch *target)
{
	const void *build, *clone;

	memcpy(&build, &target->clCreateProgramWithSource, sizeof(build));
	memcpy(&clone, &target->clRetainProgram, sizeof(clone));
	return is_anothers(build) || is_anothers(clone);
}

static cl_int init(cl_uint num_entries, const cl_icd_dispatch *target,
		   cl_uint *num_entries_ret,
		   const cl_icd_dispatch **layer_dispatch_ret)
{
	size_t count = num_entries < ENTRIES_MAX ? num_entries : ENTRIES_MAX;

	if (!target || !num_entries_ret || !layer_dispatch_ret ||
	    num_entries < ENTRIES_MIN)
		return CL_INVALID_VALUE;
	if (__atomic_exchange_n(&active, 1, __ATOMIC_ACQ_REL) &&
	    !loader_gone(target, count))
		return CL_INVALID_OPERATION;
	if (is_behind_another(target)) {
		__atomic_store_n(&active, 0, __ATOMIC_RELEASE);
		return CL_INVALID_OPERATION;
	}
	/* At first there is nothing yet. */
	if (begun)
		occ_lifecycle_forget();
	begun = true;
	/* The target's table is the loader's: it may free it. */
	memset(&occ_target, 0, sizeof(occ_target));
	memcpy(&occ_target, target, count * sizeof(void *));
	occ_loader_hold_start();
	memset(&hooks, 0, sizeof(hooks));
	if (occ_lifecycle_start())
		fill_hooks();
	*num_entries_ret = (cl_uint)count;
	*layer_dispatch_ret = &hooks;
	return CL_SUCCESS;
}

EXPORT cl_int CL_API_CALL clInitLayer(
	cl_uint num_entries, const cl_icd_dispatch *target_dispatch,
	cl_uint *num_entries_ret, const cl_icd_dispatch **layer_dispatch_ret)
{
	return init(num_entries, target_dispatch, num_entries_ret,
		    layer_dispatch_ret);
}

cl_int CL_API_CALL clInitLayerWithProperties(
	cl_uint num_entries, const cl_icd_dispatch *target,
	cl_uint *num_entries_ret, const cl_icd_dispatch **layer_dispatch_ret,
	const occ_layer_properties *properties)
{
	/* None are defined. */
	if (properties && *properties)
		return CL_INVALID_PROPERTY;
	return init(num_entries, target, num_entries_ret, layer_dispatch_ret);
}

cl_int CL_API_CALL clDeinitLayer(void)
{
	occ_lifecycle_end();
	__atomic_store_n(&active, 0, __ATOMIC_RELEASE);
	return CL_SUCCESS;
}
