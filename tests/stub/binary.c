/* SPDX-License-Identifier: MIT */
#include "tests/stub/binary.h"

#include <string.h>

#include "tests/stub/count.h"
#include "tests/stub/platform.h"
#include "tests/stub/switches.h"

static const char magic[8] = "STUBBIN1";
static const char device_code[8] = "STUBDEV1";

#define HEAD_SIZE (sizeof(magic) + sizeof(struct stub_digest))

static void put_number(struct stub_text *out, uint64_t number)
{
	stub_text_add(out, &number, sizeof(number));
}

static void put_string(struct stub_text *out, const char *string)
{
	put_number(out, string ? strlen(string) : 0);
	stub_text_add_string(out, string ? string : "");
}

static void put_names(struct stub_text *out, const struct stub_names *names)
{
	put_number(out, names->count);
	for (size_t i = 0; i < names->count; i++)
		put_string(out, names->names[i]);
}

static void put_argument(struct stub_text *out,
			 const struct stub_argument *argument, bool keep)
{
	put_number(out, argument->passing);
	put_number(out, argument->size);
	put_number(out, argument->address);
	put_number(out, argument->access);
	put_number(out, argument->qualifiers);
	put_string(out, keep ? argument->type : "");
	put_string(out, keep ? argument->name : "");
}

static void put_function(struct stub_text *out,
			 const struct stub_function *function)
{
	bool keep = stub_binary_keeps("arguments") && function->has_info;

	put_string(out, function->name);
	put_string(out,
		   stub_binary_keeps("attributes") ? function->attributes : "");
	for (size_t i = 0; i < 3; i++)
		put_number(out, function->group[i]);
	put_number(out, keep);
	put_number(out, function->argument_count);
	for (size_t i = 0; i < function->argument_count; i++)
		put_argument(out, &function->arguments[i], keep);
}

static void put_identity(struct stub_text *out, cl_device_id device)
{
	put_string(out, stub.platform_name);
	put_string(out, stub_device_root(device)->name);
	put_string(out, stub.driver_version);
	put_string(out, stub.machine);
}

static void put_code(struct stub_text *out, const struct stub_code *code)
{
	put_number(out, code->type);
	put_string(out, code->digest);
	put_names(out, &code->defined);
	put_names(out, &code->wanted);
	put_names(out, &code->variables);
	put_number(out, code->variable_size);
	put_string(out, stub_binary_keeps("source") ? code->source : "");
	put_string(out, stub_binary_keeps("log") ? code->log : "");
	put_number(out, code->function_count);
	for (size_t i = 0; i < code->function_count; i++)
		put_function(
			out,
			&code->functions[code->reversed
						 ? code->function_count - 1 - i
						 : i]);
}

void stub_binary_write(const struct stub_code *code, cl_device_id device,
		       struct stub_text *ret_bytes)
{
	struct stub_digest digest = STUB_DIGEST_INIT;

	stub_text_add(ret_bytes, code->is_device_code ? device_code : magic,
		      sizeof(magic));
	stub_text_add(ret_bytes, &digest, sizeof(digest));
	put_identity(ret_bytes, device);
	put_code(ret_bytes, code);
	stub_digest_add(&digest, ret_bytes->bytes + HEAD_SIZE,
			ret_bytes->size - HEAD_SIZE);
	memcpy(ret_bytes->bytes + sizeof(magic), &digest, sizeof(digest));
}

/* The checksum was right: what is read is what was written. */
struct cursor {
	const char *at;
};

static uint64_t get_number(struct cursor *in)
{
	uint64_t number;

	memcpy(&number, in->at, sizeof(number));
	in->at += sizeof(number);
	return number;
}

static char *get_string(struct cursor *in)
{
	size_t size = (size_t)get_number(in);
	char *string = stub_copy(in->at, size);

	in->at += size;
	return string;
}

static void get_names(struct cursor *in, struct stub_names *names)
{
	for (uint64_t count = get_number(in); count; count--) {
		char *name = get_string(in);

		stub_names_add(names, name);
		free(name);
	}
}

static void get_function(struct cursor *in, struct stub_code *code)
{
	char *name = get_string(in);
	struct stub_function *function = stub_code_add_function(code, name);

	free(name);
	free(function->attributes);
	function->attributes = get_string(in);
	for (size_t i = 0; i < 3; i++)
		function->group[i] = (cl_uint)get_number(in);
	function->has_info = get_number(in);
	for (uint64_t count = get_number(in); count; count--) {
		struct stub_argument *argument =
			stub_function_add_argument(function);

		argument->passing = (enum stub_passing)get_number(in);
		argument->size = (cl_uint)get_number(in);
		argument->address = (cl_uint)get_number(in);
		argument->access = (cl_uint)get_number(in);
		argument->qualifiers = get_number(in);
		argument->type = get_string(in);
		argument->name = get_string(in);
	}
}

static void reverse(struct stub_code *code)
{
	code->reversed = true;
	for (size_t i = 0; 2 * i + 1 < code->function_count; i++) {
		size_t j = code->function_count - 1 - i;
		struct stub_function function = code->functions[i];

		code->functions[i] = code->functions[j];
		code->functions[j] = function;
	}
}

static struct stub_code *get_code(struct cursor *in)
{
	struct stub_code *code =
		stub_code_new((cl_program_binary_type)get_number(in));
	char *digest = get_string(in);

	memcpy(code->digest, digest, sizeof(code->digest));
	free(digest);
	get_names(in, &code->defined);
	get_names(in, &code->wanted);
	get_names(in, &code->variables);
	code->variable_size = (size_t)get_number(in);
	code->source = get_string(in);
	code->log = get_string(in);
	for (uint64_t count = get_number(in); count; count--)
		get_function(in, code);
	if (stub.binary_reversed)
		reverse(code);
	return code;
}

static bool same_string(struct cursor *in, const char *wanted)
{
	char *string = get_string(in);
	bool same = !strcmp(string, wanted);

	free(string);
	return same;
}

static bool is_device_code(const char *bytes)
{
	return stub.device_code != STUB_DEVICE_CODE_BAD &&
	       !memcmp(bytes, device_code, sizeof(device_code));
}

static bool verify(const char *bytes, size_t size)
{
	struct stub_digest digest = STUB_DIGEST_INIT;

	if (size < HEAD_SIZE ||
	    (memcmp(bytes, magic, sizeof(magic)) && !is_device_code(bytes)))
		return false;
	stub_digest_add(&digest, bytes + HEAD_SIZE, size - HEAD_SIZE);
	return !memcmp(bytes + sizeof(magic), &digest, sizeof(digest));
}

enum stub_origin_of_binary stub_binary_read(const void *bytes, size_t size,
					    cl_device_id device,
					    struct stub_code **ret_code)
{
	struct cursor in = {(const char *)bytes + HEAD_SIZE};
	bool ours = true;

	if (!verify(bytes, size))
		return STUB_BINARY_BAD;
	ours &= same_string(&in, stub.platform_name);
	ours &= same_string(&in, stub_device_root(device)->name);
	ours &= same_string(&in, stub.driver_version);
	ours &= same_string(&in, stub.machine);
	*ret_code = get_code(&in);
	(*ret_code)->is_device_code = is_device_code(bytes);
	if (is_device_code(bytes) &&
	    stub.device_code == STUB_DEVICE_CODE_KERNELS)
		stub_code_add_function(*ret_code, "not_inlined");
	ours |= stub.foreign == STUB_FOREIGN_ACCEPT;
	return ours ? STUB_BINARY_OURS : STUB_BINARY_FOREIGN;
}

/* The code that a binary would have now, or NULL. */
static const struct stub_code *code_of(cl_program program, cl_uint i)
{
	if (stub.binaries_lazy && program->origin != STUB_FROM_BINARY &&
	    !program->kernel_created)
		return NULL;
	return program->builds[i].code;
}

static void write_one(cl_program program, cl_uint i, struct stub_text *bytes)
{
	const struct stub_code *code = code_of(program, i);

	if (code)
		stub_binary_write(code, program->devices[i], bytes);
}

cl_int stub_binary_sizes(const struct stub_answer *answer, cl_program program)
{
	size_t *sizes = stub_allocate(program->device_count, sizeof(*sizes));
	cl_int code;

	for (cl_uint i = 0; i < program->device_count; i++) {
		struct stub_text bytes = {NULL, 0, 0};

		write_one(program, i, &bytes);
		sizes[i] = bytes.size;
		stub_text_release(&bytes);
	}
	code = stub_answer_bytes(answer, sizes,
				 program->device_count * sizeof(*sizes));
	free(sizes);
	return code;
}

/* Drivers that compile when asked do so without holding others up. */
static cl_int wait_for_binaries(cl_program program)
{
	static unsigned fetches;
	const struct stub_code *code = program->builds[0].code;

	stub_count("fetch", code ? code->digest : "-");
	if (stub.binaries_compile)
		stub_count("compile", code ? code->digest : "-");
	program->holds++;
	stub_unlock();
	stub_sleep(stub.binaries_ms);
	stub_lock();
	program->holds--;
	return (int)++fetches == stub.fail_fetch ? CL_OUT_OF_HOST_MEMORY
						 : CL_SUCCESS;
}

cl_int stub_binary_fetch(const struct stub_answer *answer, cl_program program)
{
	size_t size = program->device_count * sizeof(unsigned char *);
	unsigned char *const *places = answer->value;
	cl_int code;

	if (!places || answer->room < size)
		return stub_answer_bytes(answer, NULL, size);
	code = wait_for_binaries(program);
	if (code != CL_SUCCESS)
		return code;
	for (cl_uint i = 0; i < program->device_count; i++) {
		struct stub_text bytes = {NULL, 0, 0};

		write_one(program, i, &bytes);
		if (places[i] && bytes.size)
			memcpy(places[i], bytes.bytes, bytes.size);
		stub_text_release(&bytes);
	}
	if (answer->ret_size)
		*answer->ret_size = size;
	return CL_SUCCESS;
}
