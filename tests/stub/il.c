/* SPDX-License-Identifier: MIT */
/* As much of SPIR-V as says which kernels a module has, and how called. */
#include <string.h>

#include "tests/stub/compiler.h"
#include "tests/stub/object.h"

#define SPIRV_MAGIC	   0x07230203
#define SPIRV_HEADER_WORDS 5

enum opcode {
	OP_ENTRY_POINT = 15,
	OP_TYPE_BOOL = 20,
	OP_TYPE_INT = 21,
	OP_TYPE_FLOAT = 22,
	OP_TYPE_POINTER = 32,
	OP_TYPE_FUNCTION = 33,
	OP_SPEC_CONSTANT_TRUE = 48,
	OP_SPEC_CONSTANT_FALSE = 49,
	OP_SPEC_CONSTANT = 50,
	OP_FUNCTION = 54,
	OP_DECORATE = 71,
};

#define DECORATION_SPEC_ID 1
#define MODEL_KERNEL	   6

struct module {
	const uint32_t *words;
	size_t count;
};

/* One instruction; word 0 is its length and opcode. */
static const uint32_t *next(const struct module *module, size_t *at,
			    unsigned *ret_opcode, size_t *ret_length)
{
	const uint32_t *words = module->words + *at;

	if (*at >= module->count)
		return NULL;
	*ret_opcode = words[0] & 0xffff;
	*ret_length = words[0] >> 16;
	if (!*ret_length || *at + *ret_length > module->count)
		return NULL;
	*at += *ret_length;
	return words;
}

/* The first instruction with the opcode whose word `place` is `id`. */
static const uint32_t *find(const struct module *module, unsigned opcode,
			    size_t place, uint32_t id, size_t *ret_length)
{
	size_t at = SPIRV_HEADER_WORDS;
	const uint32_t *words;
	unsigned found;

	while ((words = next(module, &at, &found, ret_length)))
		if (found == opcode && place < *ret_length &&
		    words[place] == id)
			return words;
	return NULL;
}

static cl_uint size_of_type(const struct module *module, uint32_t type)
{
	const uint32_t *words;
	size_t length;

	words = find(module, OP_TYPE_INT, 1, type, &length);
	if (!words)
		words = find(module, OP_TYPE_FLOAT, 1, type, &length);
	return words && length > 2 ? words[2] / 8 : 0;
}

static void add_arguments(const struct module *module,
			  struct stub_function *function, uint32_t id)
{
	size_t length = 0, ignored;
	const uint32_t *words = find(module, OP_FUNCTION, 2, id, &length);

	words = words && length > 4
			? find(module, OP_TYPE_FUNCTION, 1, words[4], &length)
			: NULL;
	for (size_t i = 3; words && i < length; i++) {
		struct stub_argument *argument =
			stub_function_add_argument(function);

		argument->address = CL_KERNEL_ARG_ADDRESS_PRIVATE;
		argument->access = CL_KERNEL_ARG_ACCESS_NONE;
		argument->type = stub_copy("", 0);
		argument->name = stub_copy("", 0);
		argument->passing = STUB_BUFFER;
		if (!find(module, OP_TYPE_POINTER, 1, words[i], &ignored)) {
			argument->passing = STUB_VALUE;
			argument->size = size_of_type(module, words[i]);
		}
	}
}

bool stub_il_valid(const void *words, size_t size)
{
	uint32_t magic = 0;

	if (size < SPIRV_HEADER_WORDS * 4 || size % 4)
		return false;
	memcpy(&magic, words, sizeof(magic));
	return magic == SPIRV_MAGIC;
}

/* The words, aligned; release with free(). */
static struct module open_module(const void *bytes, size_t size)
{
	void *copy = stub_copy(bytes, size);

	return (struct module){copy, size / 4};
}

void stub_il_parse(struct stub_code *code, const void *bytes, size_t size)
{
	struct module module = open_module(bytes, size);
	size_t at = SPIRV_HEADER_WORDS, length;
	const uint32_t *words;
	unsigned opcode;

	while ((words = next(&module, &at, &opcode, &length))) {
		char *name;

		if (opcode != OP_ENTRY_POINT || length < 4 ||
		    words[1] != MODEL_KERNEL)
			continue;
		name = stub_copy(words + 3, (length - 3) * 4);
		stub_names_add(&code->defined, name);
		add_arguments(&module, stub_code_add_function(code, name),
			      words[2]);
		free(name);
	}
	free((void *)module.words);
}

static cl_uint constant_size(const struct module *module, uint32_t target)
{
	size_t length;
	const uint32_t *words;

	words = find(module, OP_SPEC_CONSTANT, 2, target, &length);
	if (words)
		return size_of_type(module, words[1]);
	if (find(module, OP_SPEC_CONSTANT_TRUE, 2, target, &length) ||
	    find(module, OP_SPEC_CONSTANT_FALSE, 2, target, &length))
		return 1;
	return 0;
}

cl_uint stub_il_constant_size(const void *bytes, size_t size, cl_uint id)
{
	struct module module = open_module(bytes, size);
	size_t at = SPIRV_HEADER_WORDS, length;
	const uint32_t *words;
	cl_uint found = 0;
	unsigned opcode;

	while ((words = next(&module, &at, &opcode, &length)) && !found)
		if (opcode == OP_DECORATE && length > 3 &&
		    words[2] == DECORATION_SPEC_ID && words[3] == id)
			found = constant_size(&module, words[1]);
	free((void *)module.words);
	return found;
}
