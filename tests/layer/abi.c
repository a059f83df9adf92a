/* SPDX-License-Identifier: MIT */
/*
 * Plays the loader: initialises the layer with tables of several lengths that
 * end at a page that can't be read, and looks at what comes back.
 *
 *	abi LAYER			"ok WHAT" and "not ok WHAT" lines
 *	abi LAYER --disabled		the same for OCLCACHE_DISABLE=1
 */
#include <dlfcn.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/layer/common.h"

#include <CL/cl_icd.h>
#include <CL/cl_layer.h>

#include "layer/oclcache.h"

/* Debian's cl_layer.h is older than these. */
typedef cl_int(CL_API_CALL *init_function)(cl_uint num_entries,
					   const cl_icd_dispatch *target,
					   cl_uint *num_entries_ret,
					   const cl_icd_dispatch **layer_ret);
typedef cl_int(CL_API_CALL *init_properties_function)(
	cl_uint num_entries, const cl_icd_dispatch *target,
	cl_uint *num_entries_ret, const cl_icd_dispatch **layer_ret,
	const cl_properties *properties);
typedef cl_int(CL_API_CALL *deinit_function)(void);
typedef cl_int(CL_API_CALL *info_function)(cl_layer_info name, size_t size,
					   void *value, size_t *ret_size);

static struct {
	info_function info;
	init_function init;
	init_properties_function init_properties;
	deinit_function deinit;
} layer;

static void check(bool good, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void check(bool good, const char *format, ...)
{
	va_list list;

	fputs(good ? "ok " : "not ok ", stdout);
	va_start(list, format);
	vprintf(format, list);
	va_end(list);
	putchar('\n');
	fflush(stdout);
}

/* Must not be called while a layer starts. */
static void stub(void)
{
	static const char message[] = "not ok init called the driver\n";

	if (write(1, message, sizeof(message) - 1) < 0)
		_exit(4);
	_exit(3);
}

/* What another loader's table has in its slots. */
static void other_stub(void)
{
	stub();
}

/* A table of exactly `entries` slots, the page behind it unreadable. */
static const cl_icd_dispatch *fill_table(cl_uint entries, void (*slot)(void))
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (**table)(void);
	cl_uint i;

	if (memory == MAP_FAILED || mprotect(memory + page, page, PROT_NONE))
		die("mmap failed");
	table = (void (**)(void))(void *)(memory + page -
					  entries * sizeof(*table));
	for (i = 0; i < entries; i++)
		table[i] = slot;
	return (const cl_icd_dispatch *)(const void *)table;
}

static const cl_icd_dispatch *make_table(cl_uint entries)
{
	return fill_table(entries, stub);
}

static void free_table(const cl_icd_dispatch *table, cl_uint entries)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uintptr_t end = (uintptr_t)table + entries * sizeof(void *);

	munmap((void *)(end - page), 2 * page);
}

#define SLOT(name) (offsetof(cl_icd_dispatch, name) / sizeof(void *))

struct slot {
	const char *name;
	size_t index;
};

#define NAMED(name)                                                            \
	{                                                                      \
#name, SLOT(name)                                              \
	}

/* Called often, and the layer has nothing to say there. */
static const struct slot never[] = {
	NAMED(clSetKernelArg),
	NAMED(clEnqueueNDRangeKernel),
	NAMED(clEnqueueReadBuffer),
	NAMED(clEnqueueWriteBuffer),
	NAMED(clEnqueueMapBuffer),
	NAMED(clEnqueueTask),
	NAMED(clCreateBuffer),
	NAMED(clFlush),
	NAMED(clFinish),
	NAMED(clWaitForEvents),
	NAMED(clGetEventInfo),
	NAMED(clReleaseEvent),
	NAMED(clRetainMemObject),
	NAMED(clReleaseMemObject),
	NAMED(clGetDeviceInfo),
	NAMED(clSetKernelArgSVMPointer),
};

static const struct slot always[] = {
	NAMED(clCreateProgramWithSource),
	NAMED(clRetainProgram),
	NAMED(clReleaseProgram),
	NAMED(clBuildProgram),
	NAMED(clGetProgramInfo),
	NAMED(clGetProgramBuildInfo),
	NAMED(clCreateKernel),
	NAMED(clCreateKernelsInProgram),
	NAMED(clGetKernelInfo),
};

static void *slot_of(const cl_icd_dispatch *table, size_t index)
{
	return ((void *const *)(const void *)table)[index];
}

static void check_slots(const cl_icd_dispatch *table, cl_uint got,
			cl_uint entries)
{
	Dl_info own, other;
	size_t i;

	if (!dladdr((void *)layer.init, &own))
		die("dladdr failed");
	for (i = 0; i < LENGTH(never); i++)
		if (never[i].index < got)
			check(!slot_of(table, never[i].index),
			      "%u slots: %s isn't intercepted", entries,
			      never[i].name);
	for (i = 0; i < LENGTH(always); i++)
		check(always[i].index < got && slot_of(table, always[i].index),
		      "%u slots: %s is intercepted", entries, always[i].name);
	for (i = 0; i < got; i++)
		if (slot_of(table, i) && (!dladdr(slot_of(table, i), &other) ||
					  other.dli_fbase != own.dli_fbase))
			break;
	check(i == got, "%u slots: all hooks are the layer's own", entries);
}

static void try_length(cl_uint entries)
{
	const cl_icd_dispatch *target = make_table(entries), *table = NULL;
	cl_uint got = 0;
	cl_int code = layer.init(entries, target, &got, &table);

	check(code == CL_SUCCESS, "clInitLayer takes %u slots (%d)", entries,
	      code);
	if (code != CL_SUCCESS)
		return;
	check(table && got > 0 && got <= entries,
	      "%u slots: the layer's table has %u", entries, got);
	if (table && got <= entries)
		check_slots(table, got, entries);
	/* The loader's table may go away: it must have been copied. */
	free_table(target, entries);
	code = layer.deinit();
	check(code == CL_SUCCESS, "clDeinitLayer (%d)", code);
}

static void try_properties(void)
{
	static const cl_properties none[] = {0}, unknown[] = {0x1234, 5, 0};
	const cl_icd_dispatch *target = make_table(149), *table = NULL;
	const cl_icd_dispatch *other = fill_table(149, other_stub);
	cl_uint got = 0;
	cl_int code;

	code = layer.init_properties(149, target, &got, &table, unknown);
	check(code == CL_INVALID_PROPERTY,
	      "an unknown property is refused (%d)", code);
	code = layer.init_properties(149, target, &got, &table, NULL);
	check(code == CL_SUCCESS && table && got > 0, "no properties (%d)",
	      code);
	layer.deinit();
	table = NULL;
	code = layer.init_properties(149, target, &got, &table, none);
	check(code == CL_SUCCESS && table && got > 0,
	      "an empty list of properties (%d)", code);
	code = layer.init_properties(149, other, &got, &table, none);
	check(code != CL_SUCCESS, "a second loader is refused (%d)", code);
	code = layer.init(149, other, &got, &table);
	check(code != CL_SUCCESS, "a second, older loader is refused (%d)",
	      code);
	code = layer.init(149, target, &got, &table);
	check(code == CL_SUCCESS, "the same one, opened again, isn't (%d)",
	      code);
	layer.deinit();
	code = layer.init(149, target, &got, &table);
	check(code == CL_SUCCESS, "after the first has gone it's taken (%d)",
	      code);
	layer.deinit();
}

static void try_bad_arguments(void)
{
	const cl_icd_dispatch *target = make_table(149), *table = NULL;
	const cl_icd_dispatch *small = make_table(65);
	cl_uint got = 0;

	check(layer.init(65, small, &got, &table) != CL_SUCCESS,
	      "65 slots are refused");
	check(layer.init(0, target, &got, &table) != CL_SUCCESS,
	      "no slots are refused");
	check(layer.init(149, NULL, &got, &table) != CL_SUCCESS,
	      "no table is refused");
	check(layer.init(149, target, NULL, &table) != CL_SUCCESS,
	      "no place for the count is refused");
	check(layer.init(149, target, &got, NULL) != CL_SUCCESS,
	      "no place for the table is refused");
	check(layer.init_properties(149, NULL, &got, &table, NULL) !=
		      CL_SUCCESS,
	      "no table is refused there, too");
	check(layer.init(149, target, &got, &table) == CL_SUCCESS,
	      "none of these counts as a loader");
	layer.deinit();
}

static void try_info(void)
{
	cl_layer_api_version version = 0;
	char name[256] = "";
	size_t size = 0;

	check(layer.info(CL_LAYER_API_VERSION, sizeof(version), &version,
			 &size) == CL_SUCCESS &&
		      version == CL_LAYER_API_VERSION_100 &&
		      size == sizeof(version),
	      "clGetLayerInfo: version %u", (unsigned)version);
	check(layer.info(CL_LAYER_API_VERSION, 2, &version, NULL) ==
		      CL_INVALID_VALUE,
	      "clGetLayerInfo: a short buffer for the version");
	size = 0;
	check(layer.info(CL_LAYER_NAME, 0, NULL, &size) == CL_SUCCESS &&
		      size > 1 && size < sizeof(name),
	      "clGetLayerInfo: size of the name");
	check(layer.info(CL_LAYER_NAME, sizeof(name), name, NULL) ==
			      CL_SUCCESS &&
		      strlen(name) + 1 == size,
	      "clGetLayerInfo: name \"%s\"", name);
	check(layer.info(CL_LAYER_NAME, size - 1, name, NULL) ==
		      CL_INVALID_VALUE,
	      "clGetLayerInfo: a short buffer for the name");
	check(layer.info(0x1234, sizeof(name), name, &size) == CL_INVALID_VALUE,
	      "clGetLayerInfo: an unknown name");
	check(layer.info(CL_LAYER_API_VERSION, 0, NULL, NULL) == CL_SUCCESS,
	      "clGetLayerInfo: nothing wanted");
}

/* layer/oclcache.h: before any context, and after the end. */
static void try_control(void *library)
{
	const cl_icd_dispatch *target = make_table(149), *table = NULL;
	oclcacheSetMemoryCapacity_fn set;
	oclcacheGetMemoryCapacity_fn get;
	oclcacheClearMemory_fn clear;
	size_t capacity = 0;
	cl_uint got = 0;
	cl_int code = layer.init(149, target, &got, &table);

	check(code == CL_SUCCESS, "init for the control functions (%d)", code);
	set = (oclcacheSetMemoryCapacity_fn)(uintptr_t)
		      table->clGetExtensionFunctionAddress(
			      "oclcacheSetMemoryCapacity");
	get = (oclcacheGetMemoryCapacity_fn)(uintptr_t)
		      table->clGetExtensionFunctionAddressForPlatform(
			      NULL, "oclcacheGetMemoryCapacity");
	clear = (oclcacheClearMemory_fn)(uintptr_t)table
			->clGetExtensionFunctionAddress("oclcacheClearMemory");
	check(set && get && clear, "the control functions are found");
	check(!get(&capacity) && capacity == (size_t)64 << 20,
	      "the capacity is the default at first");
	check(get(NULL) == CL_INVALID_VALUE, "no place for the capacity");
	check(!set(12345) && !get(&capacity) && capacity == 12345,
	      "the capacity is what was set");
	check(!clear() && !get(&capacity) && capacity == 12345,
	      "clearing leaves the capacity");
	layer.deinit();
	check(!set(0) && !clear() && !get(&capacity) && !capacity,
	      "after clDeinitLayer");
	dlclose(library);
	check(!set(23) && !clear() && !get(&capacity) && capacity == 23,
	      "after dlclose()");
}

static void try_disabled(void)
{
	const cl_icd_dispatch *target = make_table(149), *table = NULL;
	cl_uint got = 0, i, hooks = 0;
	cl_int code = layer.init(149, target, &got, &table);

	if (code == CL_SUCCESS)
		for (i = 0; i < got; i++)
			hooks += slot_of(table, i) != NULL;
	check(hooks == 0, "OCLCACHE_DISABLE=1: init %d, %u hooks", code, hooks);
}

int main(int argc, char **argv)
{
	static const cl_uint lengths[] = {66, 100, 149, 150, 200, 149};
	void *library;
	size_t i;

	if (argc < 2)
		die("usage: abi LAYER [--disabled]");
	library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	if (!library)
		die("%s", dlerror());
	layer.info = (info_function)dlsym(library, "clGetLayerInfo");
	layer.init = (init_function)dlsym(library, "clInitLayer");
	layer.init_properties =
		(init_properties_function)dlsym(library,
						"clInitLayerWithProperties");
	layer.deinit = (deinit_function)dlsym(library, "clDeinitLayer");
	if (!layer.info || !layer.init || !layer.init_properties ||
	    !layer.deinit)
		die("a symbol is missing");
	if (argc > 2) {
		try_disabled();
		return 0;
	}
	try_info();
	for (i = 0; i < LENGTH(lengths); i++)
		try_length(lengths[i]);
	try_bad_arguments();
	try_properties();
	try_control(library);
	return 0;
}
