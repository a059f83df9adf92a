/* SPDX-License-Identifier: MIT */
#include "layer/hook/wrapper.h"

#include <stdint.h>
#include <string.h>

#include <CL/cl_ext.h>

#include "layer/base/lock.h"
#include "layer/hook/hooks.h"
#include "layer/object/program.h"
#include "layer/object/shadow_program.h"
#include "layer/serve/sync_driver.h"

enum kind {
	VARIABLE_POINTER,
	FUNCTION_POINTER,
	READ_VARIABLE,
	WRITE_VARIABLE,
	READ_PIPE,
	WRITE_PIPE,
	PROFILE,
	SNAPSHOT_LIST,
	SNAPSHOT,
	CREATE_WITH_IL,
	SPECIALIZE,
	ADDRESS,
	KINDS,
};

/* Different functions of one kind, that is: platforms that have it. */
#define PLACES 8
#define EACH_PLACE(DEFINE, ...)                                                \
	DEFINE(0, __VA_ARGS__)                                                 \
	DEFINE(1, __VA_ARGS__)                                                 \
	DEFINE(2, __VA_ARGS__)                                                 \
	DEFINE(3, __VA_ARGS__)                                                 \
	DEFINE(4, __VA_ARGS__)                                                 \
	DEFINE(5, __VA_ARGS__)                                                 \
	DEFINE(6, __VA_ARGS__)                                                 \
	DEFINE(7, __VA_ARGS__)

typedef void (*function)(void);

/* Of what else is fetched; constant once a stand-in is out. */
static occ_replace replace;

/* The drivers' functions; atomic, and constant once set. */
static function functions[KINDS][PLACES];

static function function_at(enum kind kind, unsigned place)
{
	return __atomic_load_n(&functions[kind][place], __ATOMIC_ACQUIRE);
}

/* The program as the driver must see it, and what keeps it alive. */
static cl_program find_answering(cl_program handle,
				 struct occ_shadow **ret_shadow)
{
	*ret_shadow = occ_program_shadow(handle);
	return *ret_shadow ? (*ret_shadow)->program : occ_program_valid(handle);
}

/*
 * What compiles is to be watched, so nothing is served from now on. When it
 * was: the driver has to say that it is too late.
 */
static cl_program begin_watching(cl_program handle,
				 struct occ_shadow **ret_shadow)
{
	*ret_shadow = NULL;
	occ_program_forbid_caching(handle, OCC_REASON_WATCHED);
	occ_sync_driver(handle);
	return occ_program_valid(handle);
}

/*
 * A stand-in that only replaces its parameter `program` by what `translate`
 * says. Debian 12's headers lack the types of these functions.
 */
#define TRANSLATE(place, kind, name, translate, parameters, arguments)         \
	static cl_int CL_API_CALL name##place parameters                       \
	{                                                                      \
		typedef cl_int CL_API_CALL type parameters;                    \
		type *driver_function = (type *)function_at(kind, place);      \
		struct occ_shadow *shadow;                                     \
		cl_int error;                                                  \
                                                                               \
		program = translate(program, &shadow);                         \
		error = driver_function arguments;                             \
		occ_shadow_release(shadow);                                    \
		return error;                                                  \
	}

/* cl_intel_global_variable_access, a proposal in DPC++'s tree. */
EACH_PLACE(TRANSLATE, VARIABLE_POINTER, variable_pointer, find_answering,
	   (cl_device_id device, cl_program program, const char *name,
	    size_t *ret_size, void **ret_pointer),
	   (device, program, name, ret_size, ret_pointer))
EACH_PLACE(TRANSLATE, READ_VARIABLE, read_variable, find_answering,
	   (cl_command_queue queue, cl_program program, const char *name,
	    cl_bool blocking, size_t size, size_t offset, void *value,
	    cl_uint count, const cl_event *events, cl_event *event),
	   (queue, program, name, blocking, size, offset, value, count, events,
	    event))
EACH_PLACE(TRANSLATE, WRITE_VARIABLE, write_variable, find_answering,
	   (cl_command_queue queue, cl_program program, const char *name,
	    cl_bool blocking, size_t size, size_t offset, const void *value,
	    cl_uint count, const cl_event *events, cl_event *event),
	   (queue, program, name, blocking, size, offset, value, count, events,
	    event))

/* NEO's and Intel's cl_ext_private.h. */
EACH_PLACE(TRANSLATE, FUNCTION_POINTER, function_pointer, find_answering,
	   (cl_device_id device, cl_program program, const char *name,
	    cl_ulong *ret_pointer),
	   (device, program, name, ret_pointer))

/* cl_intel_program_scope_host_pipe. */
EACH_PLACE(TRANSLATE, READ_PIPE, read_pipe, find_answering,
	   (cl_command_queue queue, cl_program program, const char *name,
	    cl_bool blocking, void *value, size_t size, cl_uint count,
	    const cl_event *events, cl_event *event),
	   (queue, program, name, blocking, value, size, count, events, event))
EACH_PLACE(TRANSLATE, WRITE_PIPE, write_pipe, find_answering,
	   (cl_command_queue queue, cl_program program, const char *name,
	    cl_bool blocking, const void *value, size_t size, cl_uint count,
	    const cl_event *events, cl_event *event),
	   (queue, program, name, blocking, value, size, count, events, event))

/* cl_ext_intelfpga.h. */
EACH_PLACE(TRANSLATE, PROFILE, profile, find_answering,
	   (cl_device_id device, cl_program program, cl_bool read_enqueued,
	    cl_bool read_auto, cl_bool clear, size_t size, void *value,
	    size_t *ret_size, cl_int *ret_code),
	   (device, program, read_enqueued, read_auto, clear, size, value,
	    ret_size, ret_code))

/* cl_codeplay_program_snapshot. */
typedef void (*snapshot_callback)(size_t, const char *, void *, void *);
EACH_PLACE(TRANSLATE, SNAPSHOT_LIST, snapshot_list, begin_watching,
	   (cl_program program, cl_device_id device, const char **stages,
	    cl_uint *count),
	   (program, device, stages, count))
EACH_PLACE(TRANSLATE, SNAPSHOT, snapshot, begin_watching,
	   (cl_program program, cl_device_id device, const char *stage,
	    cl_uint format, snapshot_callback callback, void *data),
	   (program, device, stage, format, callback, data))

/* Stand-ins that do what the core function's hook does. */
#define CREATE_WITH_IL_AT(place, kind)                                         \
	static cl_program CL_API_CALL                                          \
		create_with_il##place(cl_context context, const void *il,      \
				      size_t length, cl_int *ret_code)         \
	{                                                                      \
		return occ_create_program_with_il_by(                          \
			(cl_api_clCreateProgramWithIL)function_at(kind,        \
								  place),      \
			context, il, length, ret_code);                        \
	}
EACH_PLACE(CREATE_WITH_IL_AT, CREATE_WITH_IL)

#define SPECIALIZE_AT(place, kind)                                             \
	static cl_int CL_API_CALL specialize##place(cl_program program,        \
						    cl_uint id, size_t size,   \
						    const void *value)         \
	{                                                                      \
		return occ_specialize_program_by(                              \
			(cl_api_clSetProgramSpecializationConstant)            \
				function_at(kind, place),                      \
			program, id, size, value);                             \
	}
EACH_PLACE(SPECIALIZE_AT, SPECIALIZE)

typedef void *(CL_API_CALL *address_fn)(const char *);
#define ADDRESS_AT(place, kind)                                                \
	static void *CL_API_CALL address##place(const char *name)              \
	{                                                                      \
		return replace(NULL, name,                                     \
			       ((address_fn)function_at(kind, place))(name));  \
	}
EACH_PLACE(ADDRESS_AT, ADDRESS)

#define STAND_INS(name)                                                        \
	{                                                                      \
		(function) name##0, (function)name##1, (function)name##2,      \
			(function)name##3, (function)name##4,                  \
			(function)name##5, (function)name##6,                  \
			(function)name##7,                                     \
	}

static const function stand_ins[KINDS][PLACES] = {
	[VARIABLE_POINTER] = STAND_INS(variable_pointer),
	[FUNCTION_POINTER] = STAND_INS(function_pointer),
	[READ_VARIABLE] = STAND_INS(read_variable),
	[WRITE_VARIABLE] = STAND_INS(write_variable),
	[READ_PIPE] = STAND_INS(read_pipe),
	[WRITE_PIPE] = STAND_INS(write_pipe),
	[PROFILE] = STAND_INS(profile),
	[SNAPSHOT_LIST] = STAND_INS(snapshot_list),
	[SNAPSHOT] = STAND_INS(snapshot),
	[CREATE_WITH_IL] = STAND_INS(create_with_il),
	[SPECIALIZE] = STAND_INS(specialize),
	[ADDRESS] = STAND_INS(address),
};

static enum kind kind_of(const char *name)
{
	static const struct {
		const char *name;
		enum kind kind;
	} names[] = {
		{"clGetDeviceGlobalVariablePointerINTEL", VARIABLE_POINTER},
		{"clGetDeviceFunctionPointerINTEL", FUNCTION_POINTER},
		{"clEnqueueReadGlobalVariableINTEL", READ_VARIABLE},
		{"clEnqueueWriteGlobalVariableINTEL", WRITE_VARIABLE},
		{"clEnqueueReadHostPipeINTEL", READ_PIPE},
		{"clEnqueueWriteHostPipeINTEL", WRITE_PIPE},
		{"clGetProfileDataDeviceIntelFPGA", PROFILE},
		{"clRequestProgramSnapshotListCODEPLAY", SNAPSHOT_LIST},
		{"clRequestProgramSnapshotCODEPLAY", SNAPSHOT},
		{"clCreateProgramWithILKHR", CREATE_WITH_IL},
		{"clCreateProgramWithIL", CREATE_WITH_IL},
		{"clSetProgramSpecializationConstant", SPECIALIZE},
		{"clSetProgramSpecializationConstantINTEL", SPECIALIZE},
		{"clSetProgramSpecializationConstantKHR", SPECIALIZE},
		{"clGetExtensionFunctionAddress", ADDRESS},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i].name, name))
			return names[i].kind;
	return KINDS;
}

bool occ_wrapper_exists(const char *name)
{
	return kind_of(name) != KINDS;
}

void *occ_wrapper_of(const char *name, void *given, occ_replace for_others)
{
	enum kind kind = kind_of(name);
	function found = NULL, wanted;
	unsigned place;

	memcpy(&wanted, &given, sizeof(wanted));
	for (place = 0; place < PLACES; place++)
		if (stand_ins[kind][place] == wanted)
			return given;
	occ_lock();
	replace = for_others;
	for (place = 0; place < PLACES && !found; place++) {
		if (!functions[kind][place])
			__atomic_store_n(&functions[kind][place], wanted,
					 __ATOMIC_RELEASE);
		if (functions[kind][place] == wanted)
			found = stand_ins[kind][place];
	}
	occ_unlock();
	return (void *)(uintptr_t)found;
}

void occ_wrapper_forget_all(void)
{
	memset(functions, 0, sizeof(functions));
}
