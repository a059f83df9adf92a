/* SPDX-License-Identifier: MIT */
#include "cli/opencl_steps.h"

#include <CL/cl.h>
#include <stdlib.h>
#include <string.h>

#include "cli/build_request.h"
#include "cli/message.h"

#define FUNCTIONS(X)                                                           \
	X(clCreateProgramWithSource)                                           \
	X(clBuildProgram)                                                      \
	X(clGetProgramBuildInfo)                                               \
	X(clCreateKernelsInProgram)                                            \
	X(clCreateKernel)                                                      \
	X(clReleaseKernel)                                                     \
	X(clReleaseProgram)

/* Loaders of old versions of OpenCL haven't all of these. */
#define LATER_FUNCTIONS(X)                                                     \
	X(clCompileProgram)                                                    \
	X(clLinkProgram)                                                       \
	X(clCreateProgramWithIL)                                               \
	X(clSetProgramSpecializationConstant)

/* NOLINTNEXTLINE(bugprone-macro-parentheses): a member's name */
#define MEMBER(name) __typeof__(name) *name;
static struct {
	FUNCTIONS(MEMBER)
	LATER_FUNCTIONS(MEMBER)
} cl;

/* Drivers have a handful of devices; the others get a context each time. */
#define CONTEXTS_MAX 64
static cl_context contexts[CONTEXTS_MAX];

/* A field of the request, and those of the step that it begins. */
struct step {
	struct occ_span operation;
	struct occ_span fields;
};

struct performance {
	const struct occ_opencl_device *device;
	cl_context context;
	struct step *steps;
	cl_program *programs; /* of each step */
	size_t step_count;
	struct occ_opencl_result *result;
};

const char *occ_opencl_steps_load(void)
{
#define FIND(name)                                                             \
	if (!occ_opencl_find(#name, &cl.name))                                 \
		return "it lacks " #name "()";
#define FIND_LATER(name) occ_opencl_find(#name, &cl.name);
	FUNCTIONS(FIND)
	LATER_FUNCTIONS(FIND_LATER)
	return NULL;
}

/* Fields of this program's own making are good. */
static bool next(struct occ_span fields, size_t *offset,
		 struct occ_field *ret_field)
{
	return occ_field_next(fields.data, fields.size, offset, ret_field) == 1;
}

static bool find(struct occ_span fields, uint16_t id, struct occ_span *ret_span)
{
	struct occ_field field;

	if (occ_field_find(fields.data, fields.size, id, &field) != 1)
		return false;
	*ret_span = occ_field_span(&field);
	return true;
}

/* With a NUL, to be freed; NULL where there is no such field. */
static char *find_string(struct occ_span fields, uint16_t id)
{
	struct occ_span span;

	if (!find(fields, id, &span))
		return NULL;
	return occ_message_must(
		strndup(span.size ? (const char *)span.data : "", span.size));
}

static bool is(struct occ_span text, const char *word)
{
	return text.size == strlen(word) && !memcmp(text.data, word, text.size);
}

/* ---- programs ---- */

/* `lengths`: u64 of each string; together they are the text. */
static cl_program create_from_strings(cl_context context, struct occ_span text,
				      struct occ_span lengths,
				      cl_int *ret_error)
{
	size_t count = lengths.size / sizeof(uint64_t), at = 0;
	const char **strings =
		occ_message_must(calloc(count + 1, sizeof(*strings)));
	size_t *sizes = occ_message_must(calloc(count + 1, sizeof(*sizes)));
	cl_program program = NULL;

	*ret_error = CL_INVALID_VALUE;
	for (size_t i = 0; i < count; i++) {
		uint64_t size =
			occ_get_u64(lengths.data + i * sizeof(uint64_t));

		if (size > text.size - at)
			break;
		/* A length of 0 means: up to its NUL. */
		strings[i] = size ? (const char *)text.data + at : "";
		sizes[i] = (size_t)size;
		at += (size_t)size;
	}
	if (count && at == text.size)
		program =
			cl.clCreateProgramWithSource(context, (cl_uint)count,
						     strings, sizes, ret_error);
	free(strings);
	free(sizes);
	return program;
}

static void fail(struct performance *performance, const char *function,
		 cl_int error)
{
	performance->result->error = occ_opencl_failure(function, error);
}

static void set_constants(struct performance *performance, cl_program program,
			  struct occ_span bytes)
{
	static const size_t head = sizeof(uint32_t) + sizeof(uint64_t);
	const char *name = "clSetProgramSpecializationConstant";
	cl_int error = CL_SUCCESS;

	while (!error && bytes.size >= head) {
		uint64_t size = occ_get_u64(bytes.data + sizeof(uint32_t));

		if (size > bytes.size - head)
			break;
		error = cl.clSetProgramSpecializationConstant
				? cl.clSetProgramSpecializationConstant(
					  program, occ_get_u32(bytes.data),
					  (size_t)size, bytes.data + head)
				: CL_INVALID_OPERATION;
		bytes.data += head + (size_t)size;
		bytes.size -= head + (size_t)size;
	}
	if (error)
		fail(performance, name, error);
}

/* NULL after an error. */
static cl_program create(struct performance *performance, struct occ_span step)
{
	const char *function = "clCreateProgramWithSource";
	struct occ_span text, lengths, constants;
	cl_program program = NULL;
	cl_int error = CL_INVALID_VALUE;

	if (find(step, OCC_BUILD_IL, &text)) {
		function = "clCreateProgramWithIL";
		if (!cl.clCreateProgramWithIL ||
		    !occ_opencl_takes_il(performance->device)) {
			performance->result->error =
				"the device doesn't support SPIR-V";
			return NULL;
		}
		program =
			cl.clCreateProgramWithIL(performance->context,
						 text.data, text.size, &error);
	} else if (find(step, OCC_BUILD_SOURCE, &text) &&
		   find(step, OCC_BUILD_SOURCE_LENGTHS, &lengths)) {
		program = create_from_strings(performance->context, text,
					      lengths, &error);
	}
	if (error || !program)
		fail(performance, function, error);
	else if (find(step, OCC_BUILD_CONSTANTS, &constants))
		set_constants(performance, program, constants);
	return program;
}

/* ---- what is done with them ---- */

static void build(struct performance *performance, cl_program program,
		  struct occ_span step)
{
	cl_device_id device = performance->device->device;
	cl_build_status status = CL_BUILD_ERROR;
	char *options = find_string(step, OCC_BUILD_OPTIONS);
	cl_int error =
		cl.clBuildProgram(program, 1, &device, options, NULL, NULL);

	cl.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS,
				 sizeof(status), &status, NULL);
	if (!error && status != CL_BUILD_SUCCESS)
		error = CL_BUILD_PROGRAM_FAILURE;
	if (error)
		fail(performance, "clBuildProgram", error);
	free(options);
}

struct headers {
	cl_program *programs;
	const char **names;
	cl_uint count;
};

/* False after an error. */
static bool make_headers(struct performance *performance, struct occ_span step,
			 struct headers *headers)
{
	struct occ_span text = {NULL, 0};
	struct occ_field field;
	size_t offset = 0;
	char *name = NULL;

	while (next(step, &offset, &field)) {
		cl_int error;

		if (field.id == OCC_BUILD_HEADER_NAME) {
			free(name);
			name = occ_message_must(
				strndup((const char *)field.payload,
					(size_t)field.length));
		} else if (field.id == OCC_BUILD_HEADER_SOURCE) {
			text = occ_field_span(&field);
		} else if (field.id == OCC_BUILD_HEADER_LENGTHS && name) {
			headers->programs[headers->count] =
				create_from_strings(performance->context, text,
						    occ_field_span(&field),
						    &error);
			headers->names[headers->count++] = name;
			name = NULL;
			if (error) {
				fail(performance, "clCreateProgramWithSource",
				     error);
				return false;
			}
		}
	}
	free(name);
	return true;
}

static size_t count_fields(struct occ_span step, uint16_t id)
{
	struct occ_field field;
	size_t offset = 0, count = 0;

	while (next(step, &offset, &field))
		count += field.id == id;
	return count;
}

static void compile(struct performance *performance, cl_program program,
		    struct occ_span step)
{
	size_t room = count_fields(step, OCC_BUILD_HEADER_LENGTHS) + 1;
	struct headers headers = {
		occ_message_must(calloc(room, sizeof(cl_program))),
		occ_message_must(calloc(room, sizeof(char *))), 0};
	char *options = find_string(step, OCC_BUILD_OPTIONS);
	cl_device_id device = performance->device->device;
	cl_int error = CL_INVALID_OPERATION;

	if (make_headers(performance, step, &headers)) {
		if (cl.clCompileProgram)
			error = cl.clCompileProgram(
				program, 1, &device, options, headers.count,
				headers.count ? headers.programs : NULL,
				headers.count ? headers.names : NULL, NULL,
				NULL);
		if (error)
			fail(performance, "clCompileProgram", error);
	}
	for (cl_uint i = 0; i < headers.count; i++) {
		if (headers.programs[i])
			cl.clReleaseProgram(headers.programs[i]);
		free((char *)headers.names[i]);
	}
	free(headers.programs);
	free(headers.names);
	free(options);
}

static cl_program link_step(struct performance *performance,
			    struct occ_span step)
{
	size_t room = count_fields(step, OCC_BUILD_LINK_BUILD) + 1, offset = 0;
	cl_program *inputs = occ_message_must(calloc(room, sizeof(*inputs)));
	char *options = find_string(step, OCC_BUILD_OPTIONS);
	cl_device_id device = performance->device->device;
	cl_int error = CL_INVALID_OPERATION;
	cl_program program = NULL;
	struct occ_field field;
	cl_uint count = 0;

	while (next(step, &offset, &field)) {
		uint64_t number;

		if (field.id != OCC_BUILD_LINK_BUILD)
			continue;
		number = occ_get_u64(field.payload);
		if (number < performance->step_count)
			inputs[count++] = performance->programs[number];
	}
	if (cl.clLinkProgram)
		program = cl.clLinkProgram(performance->context, 1, &device,
					   options, count, inputs, NULL, NULL,
					   &error);
	if (error)
		fail(performance, "clLinkProgram", error);
	free(options);
	free(inputs);
	return program;
}

/* False after an error. */
static bool perform_step(struct performance *performance, size_t number)
{
	const struct step *step = &performance->steps[number];
	struct occ_opencl_result *result = performance->result;
	cl_program program;

	program = is(step->operation, "link")
			  ? link_step(performance, step->fields)
			  : create(performance, step->fields);
	performance->programs[number] = program;
	if (!program)
		return false;
	if (!result->error && is(step->operation, "build"))
		build(performance, program, step->fields);
	else if (!result->error && is(step->operation, "compile"))
		compile(performance, program, step->fields);
	result->log = occ_opencl_log(program, performance->device);
	return !result->error;
}

/* ---- kernels ---- */

static void create_all_kernels(cl_program program)
{
	cl_uint count = 0;
	cl_kernel *kernels;

	/* A program of functions alone has none; some call that an error. */
	if (cl.clCreateKernelsInProgram(program, 0, NULL, &count) || !count)
		return;
	kernels = occ_message_must(calloc(count, sizeof(cl_kernel)));
	if (!cl.clCreateKernelsInProgram(program, count, kernels, &count))
		for (cl_uint i = 0; i < count; i++)
			cl.clReleaseKernel(kernels[i]);
	free(kernels);
}

/* Those that can't be made the application couldn't make, either. */
static void create_kernels(struct occ_span request, cl_program program)
{
	struct occ_field field;
	size_t offset = 0;

	while (next(request, &offset, &field)) {
		cl_int error = CL_SUCCESS;
		cl_kernel kernel;
		char *name;

		if (field.id == OCC_REQUEST_KERNELS)
			create_all_kernels(program);
		if (field.id != OCC_REQUEST_KERNEL)
			continue;
		name = occ_message_must(strndup((const char *)field.payload,
						(size_t)field.length));
		kernel = cl.clCreateKernel(program, name, &error);
		if (kernel && !error)
			cl.clReleaseKernel(kernel);
		free(name);
	}
}

/* ---- all of it ---- */

static void find_steps(struct performance *performance, struct occ_span request)
{
	size_t room = count_fields(request, OCC_REQUEST_STEP) + 1;
	struct occ_field field;
	size_t offset = 0;

	performance->steps =
		occ_message_must(calloc(room, sizeof(*performance->steps)));
	performance->programs =
		occ_message_must(calloc(room, sizeof(*performance->programs)));
	while (next(request, &offset, &field)) {
		struct step *step;

		if (field.id == OCC_REQUEST_STEP) {
			step = &performance->steps[performance->step_count++];
			step->operation = occ_field_span(&field);
			step->fields.data = request.data + offset;
		} else if (performance->step_count) {
			step = &performance->steps[performance->step_count - 1];
			step->fields.size = (size_t)(request.data + offset -
						     step->fields.data);
		}
	}
}

static bool enter_context(struct performance *performance, size_t number)
{
	cl_context *kept = number < CONTEXTS_MAX ? &contexts[number] : NULL;
	cl_int error = CL_SUCCESS;

	performance->context = kept ? *kept : NULL;
	if (!performance->context)
		performance->context =
			occ_opencl_context(performance->device, &error);
	if (error) {
		fail(performance, "clCreateContext", error);
		return false;
	}
	if (kept)
		*kept = performance->context;
	return true;
}

/*
 * Where programs are only looked for, what one step is refused for doesn't keep
 * the others from being judged: none may come to a compile unseen.
 */
static bool perform_steps(struct performance *performance)
{
	const char *mode = getenv("OCLCACHE_MODE"), *first = NULL;
	bool looks = mode && !strcmp(mode, "require");

	for (size_t i = 0; i < performance->step_count; i++) {
		if (first && is(performance->steps[i].operation, "link"))
			continue;
		if (perform_step(performance, i))
			continue;
		if (!first)
			first = performance->result->error;
		if (!looks)
			break;
		performance->result->error = NULL;
	}
	performance->result->error = first;
	return !first && performance->step_count;
}

void occ_opencl_steps_perform(struct occ_span request,
			      const struct occ_opencl_device *devices,
			      size_t count,
			      struct occ_opencl_result *ret_result)
{
	struct performance performance = {.result = ret_result};
	struct occ_span device;
	uint64_t number = UINT64_MAX;

	*ret_result = (struct occ_opencl_result){.error = NULL};
	if (find(request, OCC_REQUEST_DEVICE, &device) &&
	    device.size == sizeof(number))
		number = occ_get_u64(device.data);
	if (number >= count) {
		ret_result->error = "the device is gone";
		return;
	}
	performance.device = &devices[number];
	find_steps(&performance, request);
	if (enter_context(&performance, (size_t)number) &&
	    perform_steps(&performance))
		create_kernels(
			request,
			performance.programs[performance.step_count - 1]);
	/* Links first, as programs do it. */
	for (size_t i = performance.step_count; i-- > 0;)
		if (performance.programs[i])
			cl.clReleaseProgram(performance.programs[i]);
	free(performance.steps);
	free(performance.programs);
}
