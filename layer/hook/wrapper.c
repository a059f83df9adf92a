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

/*
 * What Debian 12's headers lack. Each as its specification has it:
 * cl_intel_program_scope_host_pipe and cl_codeplay_program_snapshot;
 * cl_intel_global_variable_access (a proposal in DPC++'s tree);
 * NEO's and Intel's cl_ext_private.h; cl_ext_intelfpga.h.
 */
typedef cl_int(CL_API_CALL *variable_pointer_fn)(cl_device_id, cl_program,
						 const char *, size_t *,
						 void **);
typedef cl_int(CL_API_CALL *function_pointer_fn)(cl_device_id, cl_program,
						 const char *, cl_ulong *);
typedef cl_int(CL_API_CALL *read_variable_fn)(cl_command_queue, cl_program,
					      const char *, cl_bool, size_t,
					      size_t, void *, cl_uint,
					      const cl_event *, cl_event *);
typedef cl_int(CL_API_CALL *write_variable_fn)(cl_command_queue, cl_program,
					       const char *, cl_bool, size_t,
					       size_t, const void *, cl_uint,
					       const cl_event *, cl_event *);
typedef cl_int(CL_API_CALL *read_pipe_fn)(cl_command_queue, cl_program,
					  const char *, cl_bool, void *, size_t,
					  cl_uint, const cl_event *,
					  cl_event *);
typedef cl_int(CL_API_CALL *write_pipe_fn)(cl_command_queue, cl_program,
					   const char *, cl_bool, const void *,
					   size_t, cl_uint, const cl_event *,
					   cl_event *);
typedef cl_int(CL_API_CALL *profile_fn)(cl_device_id, cl_program, cl_bool,
					cl_bool, cl_bool, size_t, void *,
					size_t *, cl_int *);
typedef cl_int(CL_API_CALL *snapshot_list_fn)(cl_program, cl_device_id,
					      const char **, cl_uint *);
typedef void (*snapshot_callback)(size_t, const char *, void *, void *);
typedef cl_int(CL_API_CALL *snapshot_fn)(cl_program, cl_device_id, const char *,
					 cl_uint, snapshot_callback, void *);
typedef cl_api_clCreateProgramWithIL create_with_il_fn;
typedef cl_api_clSetProgramSpecializationConstant specialize_fn;
typedef void *(CL_API_CALL *address_fn)(const char *);

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
#define EACH_PLACE(do)                                                         \
	do                                                                     \
	(0) do(1) do(2) do(3) do(4) do(5) do(6) do(7)

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
static cl_program enter(cl_program handle, struct occ_shadow **ret_shadow)
{
	*ret_shadow = occ_program_shadow(handle);
	return *ret_shadow ? (*ret_shadow)->program : occ_program_valid(handle);
}

/*
 * What compiles is to be watched, so nothing is served from now on. When it
 * was: the driver has to say that it is too late.
 */
static cl_program watch(cl_program handle, struct occ_shadow **ret_shadow)
{
	*ret_shadow = NULL;
	occ_program_forbid_caching(handle, OCC_REASON_WATCHED);
	occ_sync_driver(handle);
	return occ_program_valid(handle);
}

/* A stand-in that only translates its parameter `program`, with `enter`. */
#define TRANSLATE(place, kind, type, name, enter, parameters, arguments)       \
	static cl_int CL_API_CALL name##place parameters                       \
	{                                                                      \
		type driver_function = (type)function_at(kind, place);         \
		struct occ_shadow *shadow;                                     \
		cl_int error;                                                  \
                                                                               \
		program = enter(program, &shadow);                             \
		error = driver_function arguments;                             \
		occ_shadow_release(shadow);                                    \
		return error;                                                  \
	}

#define VARIABLE_POINTER_AT(place)                                             \
	TRANSLATE(place, VARIABLE_POINTER, variable_pointer_fn,                \
		  variable_pointer, enter,                                     \
		  (cl_device_id device, cl_program program, const char *name,  \
		   size_t *ret_size, void **ret_pointer),                      \
		  (device, program, name, ret_size, ret_pointer))
EACH_PLACE(VARIABLE_POINTER_AT)

#define FUNCTION_POINTER_AT(place)                                             \
	TRANSLATE(place, FUNCTION_POINTER, function_pointer_fn,                \
		  function_pointer, enter,                                     \
		  (cl_device_id device, cl_program program, const char *name,  \
		   cl_ulong *ret_pointer),                                     \
		  (device, program, name, ret_pointer))
EACH_PLACE(FUNCTION_POINTER_AT)

#define READ_VARIABLE_AT(place)                                                \
	TRANSLATE(place, READ_VARIABLE, read_variable_fn, read_variable,       \
		  enter,                                                       \
		  (cl_command_queue queue, cl_program program,                 \
		   const char *name, cl_bool blocking, size_t size,            \
		   size_t offset, void *value, cl_uint count,                  \
		   const cl_event *events, cl_event *event),                   \
		  (queue, program, name, blocking, size, offset, value, count, \
		   events, event))
EACH_PLACE(READ_VARIABLE_AT)

#define WRITE_VARIABLE_AT(place)                                               \
	TRANSLATE(place, WRITE_VARIABLE, write_variable_fn, write_variable,    \
		  enter,                                                       \
		  (cl_command_queue queue, cl_program program,                 \
		   const char *name, cl_bool blocking, size_t size,            \
		   size_t offset, const void *value, cl_uint count,            \
		   const cl_event *events, cl_event *event),                   \
		  (queue, program, name, blocking, size, offset, value, count, \
		   events, event))
EACH_PLACE(WRITE_VARIABLE_AT)

#define READ_PIPE_AT(place)                                                    \
	TRANSLATE(place, READ_PIPE, read_pipe_fn, read_pipe, enter,            \
		  (cl_command_queue queue, cl_program program,                 \
		   const char *name, cl_bool blocking, void *value,            \
		   size_t size, cl_uint count, const cl_event *events,         \
		   cl_event *event),                                           \
		  (queue, program, name, blocking, value, size, count, events, \
		   event))
EACH_PLACE(READ_PIPE_AT)

#define WRITE_PIPE_AT(place)                                                   \
	TRANSLATE(place, WRITE_PIPE, write_pipe_fn, write_pipe, enter,         \
		  (cl_command_queue queue, cl_program program,                 \
		   const char *name, cl_bool blocking, const void *value,      \
		   size_t size, cl_uint count, const cl_event *events,         \
		   cl_event *event),                                           \
		  (queue, program, name, blocking, value, size, count, events, \
		   event))
EACH_PLACE(WRITE_PIPE_AT)

#define PROFILE_AT(place)                                                      \
	TRANSLATE(place, PROFILE, profile_fn, profile, enter,                  \
		  (cl_device_id device, cl_program program,                    \
		   cl_bool read_enqueued, cl_bool read_auto, cl_bool clear,    \
		   size_t size, void *value, size_t *ret_size,                 \
		   cl_int *ret_code),                                          \
		  (device, program, read_enqueued, read_auto, clear, size,     \
		   value, ret_size, ret_code))
EACH_PLACE(PROFILE_AT)

#define SNAPSHOT_LIST_AT(place)                                                \
	TRANSLATE(place, SNAPSHOT_LIST, snapshot_list_fn, snapshot_list,       \
		  watch,                                                       \
		  (cl_program program, cl_device_id device,                    \
		   const char **stages, cl_uint *count),                       \
		  (program, device, stages, count))
EACH_PLACE(SNAPSHOT_LIST_AT)

#define SNAPSHOT_AT(place)                                                     \
	TRANSLATE(place, SNAPSHOT, snapshot_fn, snapshot, watch,               \
		  (cl_program program, cl_device_id device, const char *stage, \
		   cl_uint format, snapshot_callback callback, void *data),    \
		  (program, device, stage, format, callback, data))
EACH_PLACE(SNAPSHOT_AT)

#define CREATE_WITH_IL_AT(place)                                               \
	static cl_program CL_API_CALL                                          \
		create_with_il##place(cl_context context, const void *il,      \
				      size_t length, cl_int *ret_code)         \
	{                                                                      \
		function driver_function = function_at(CREATE_WITH_IL, place); \
                                                                               \
		return occ_create_program_with_il_by(                          \
			(create_with_il_fn)driver_function, context, il,       \
			length, ret_code);                                     \
	}
EACH_PLACE(CREATE_WITH_IL_AT)

#define SPECIALIZE_AT(place)                                                   \
	static cl_int CL_API_CALL specialize##place(cl_program program,        \
						    cl_uint id, size_t size,   \
						    const void *value)         \
	{                                                                      \
		function driver_function = function_at(SPECIALIZE, place);     \
                                                                               \
		return occ_specialize_program_by((specialize_fn)               \
							 driver_function,      \
						 program, id, size, value);    \
	}
EACH_PLACE(SPECIALIZE_AT)

#define ADDRESS_AT(place)                                                      \
	static void *CL_API_CALL address##place(const char *name)              \
	{                                                                      \
		address_fn driver_function =                                   \
			(address_fn)function_at(ADDRESS, place);               \
                                                                               \
		return replace(NULL, name, driver_function(name));             \
	}
EACH_PLACE(ADDRESS_AT)

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
