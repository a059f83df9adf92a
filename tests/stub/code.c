/* SPDX-License-Identifier: MIT */
#include "tests/stub/code.h"

#include <string.h>

#include "tests/stub/object.h"

/* One element more; the array may move. */
static void *grown(void *array, size_t count, size_t size)
{
	void *place = realloc(array, (count + 1) * size);

	if (!place)
		stub_die("out of memory");
	memset((char *)place + count * size, 0, size);
	return place;
}

void stub_names_add(struct stub_names *names, const char *name)
{
	if (stub_names_have(names, name))
		return;
	names->names = grown(names->names, names->count, sizeof(*names->names));
	names->names[names->count++] = stub_copy(name, strlen(name));
}

bool stub_names_have(const struct stub_names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (!strcmp(names->names[i], name))
			return true;
	return false;
}

void stub_names_release(struct stub_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->names[i]);
	free(names->names);
	memset(names, 0, sizeof(*names));
}

struct stub_code *stub_code_new(cl_program_binary_type type)
{
	struct stub_code *code = stub_allocate(1, sizeof(*code));

	code->references = 1;
	code->type = type;
	return code;
}

struct stub_code *stub_code_retain(struct stub_code *code)
{
	__atomic_add_fetch(&code->references, 1, __ATOMIC_RELAXED);
	return code;
}

static void release_function(struct stub_function *function)
{
	for (size_t i = 0; i < function->argument_count; i++) {
		free(function->arguments[i].type);
		free(function->arguments[i].name);
	}
	free(function->arguments);
	free(function->attributes);
	free(function->name);
}

void stub_code_release(struct stub_code *code)
{
	if (!code || __atomic_sub_fetch(&code->references, 1, __ATOMIC_ACQ_REL))
		return;
	for (size_t i = 0; i < code->function_count; i++)
		release_function(&code->functions[i]);
	free(code->functions);
	stub_names_release(&code->defined);
	stub_names_release(&code->wanted);
	stub_names_release(&code->variables);
	free(code->source);
	free(code->log);
	free(code);
}

struct stub_function *stub_code_add_function(struct stub_code *code,
					     const char *name)
{
	struct stub_function *function;

	code->functions = grown(code->functions, code->function_count,
				sizeof(*code->functions));
	function = &code->functions[code->function_count++];
	function->name = stub_copy(name, strlen(name));
	function->attributes = stub_copy("", 0);
	return function;
}

struct stub_argument *stub_function_add_argument(struct stub_function *function)
{
	function->arguments =
		grown(function->arguments, function->argument_count,
		      sizeof(*function->arguments));
	return &function->arguments[function->argument_count++];
}

const struct stub_function *stub_code_find(const struct stub_code *code,
					   const char *name)
{
	for (size_t i = 0; i < code->function_count; i++)
		if (!strcmp(code->functions[i].name, name))
			return &code->functions[i];
	return NULL;
}

static void copy_function(struct stub_code *code,
			  const struct stub_function *from)
{
	struct stub_function *to = stub_code_add_function(code, from->name);

	free(to->attributes);
	to->attributes = stub_copy(from->attributes, strlen(from->attributes));
	memcpy(to->group, from->group, sizeof(to->group));
	to->has_info = from->has_info;
	for (size_t i = 0; i < from->argument_count; i++) {
		struct stub_argument *argument = stub_function_add_argument(to);

		*argument = from->arguments[i];
		argument->type =
			stub_copy(argument->type, strlen(argument->type));
		argument->name =
			stub_copy(argument->name, strlen(argument->name));
	}
}

/* False when a name is defined for the second time. */
static bool take_in(struct stub_code *code, const struct stub_code *input,
		    struct stub_text *log)
{
	for (size_t i = 0; i < input->defined.count; i++) {
		if (stub_names_have(&code->defined, input->defined.names[i])) {
			stub_text_print(log, "error: %s is defined twice\n",
					input->defined.names[i]);
			return false;
		}
		stub_names_add(&code->defined, input->defined.names[i]);
	}
	for (size_t i = 0; i < input->wanted.count; i++)
		stub_names_add(&code->wanted, input->wanted.names[i]);
	for (size_t i = 0; i < input->variables.count; i++)
		stub_names_add(&code->variables, input->variables.names[i]);
	code->variable_size += input->variable_size;
	for (size_t i = 0; i < input->function_count; i++)
		copy_function(code, &input->functions[i]);
	return true;
}

static bool resolve(const struct stub_code *code, struct stub_text *log)
{
	bool good = true;

	for (size_t i = 0; i < code->wanted.count; i++)
		if (!stub_names_have(&code->defined, code->wanted.names[i])) {
			stub_text_print(log, "error: %s is not defined\n",
					code->wanted.names[i]);
			good = false;
		}
	return good || code->type == CL_PROGRAM_BINARY_TYPE_LIBRARY;
}

struct stub_code *stub_code_link(struct stub_code *const *inputs, size_t count,
				 cl_program_binary_type type,
				 const char *options, struct stub_text *log)
{
	struct stub_digest digest = STUB_DIGEST_INIT;
	struct stub_code *code = stub_code_new(type);
	bool good = true;

	stub_digest_add(&digest, options, strlen(options));
	for (size_t i = 0; i < count && good; i++) {
		stub_digest_add(&digest, inputs[i]->digest,
				strlen(inputs[i]->digest));
		good = take_in(code, inputs[i], log);
	}
	if (!good || !resolve(code, log)) {
		stub_code_release(code);
		return NULL;
	}
	stub_digest_hex(&digest, code->digest);
	return code;
}

struct stub_instance *stub_instance_new(struct stub_code *code)
{
	struct stub_instance *instance = stub_allocate(1, sizeof(*instance));

	instance->references = 1;
	instance->code = stub_code_retain(code);
	instance->state = 1;
	instance->variables = stub_allocate(1, code->variable_size);
	return instance;
}

struct stub_instance *stub_instance_retain(struct stub_instance *instance)
{
	__atomic_add_fetch(&instance->references, 1, __ATOMIC_RELAXED);
	return instance;
}

void stub_instance_release(struct stub_instance *instance)
{
	if (!instance ||
	    __atomic_sub_fetch(&instance->references, 1, __ATOMIC_ACQ_REL))
		return;
	stub_code_release(instance->code);
	free(instance->variables);
	free(instance);
}
