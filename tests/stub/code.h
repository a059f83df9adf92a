/* SPDX-License-Identifier: MIT */
/*
 * What a compile makes: the kernels with their arguments, the names it
 * defines and wants, and a digest of all that went in. Code is counted and
 * constant once made.
 *
 * An instance is code loaded for one device: it has the program-scope
 * variables, which all of the stub's kernels change when code has any.
 */
#ifndef TESTS_STUB_CODE_H
#define TESTS_STUB_CODE_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/stub/text.h"

enum stub_passing {
	STUB_BUFFER, /* global and constant pointers */
	STUB_LOCAL,
	STUB_VALUE,
	STUB_OPAQUE, /* images, samplers: taken as they come */
};

struct stub_argument {
	enum stub_passing passing;
	cl_uint size; /* of values; 0: any */
	cl_kernel_arg_address_qualifier address;
	cl_kernel_arg_access_qualifier access;
	cl_kernel_arg_type_qualifier qualifiers;
	char *type;
	char *name;
};

struct stub_function {
	char *name;
	char *attributes;
	cl_uint group[3]; /* reqd_work_group_size, or zeros */
	bool has_info;	  /* the arguments' names and types can be asked for */
	size_t argument_count;
	struct stub_argument *arguments;
};

struct stub_names {
	char **names;
	size_t count;
};

struct stub_code {
	unsigned references; /* atomic */
	cl_program_binary_type type;
	char digest[STUB_DIGEST_HEX];
	struct stub_function *functions; /* kernels */
	size_t function_count;
	bool reversed;	     /* the kernels, against what the binary has */
	bool is_device_code; /* of its binary the form is that */
	struct stub_names defined;
	struct stub_names wanted;    /* declared, called, not defined */
	struct stub_names variables; /* of program scope */
	size_t variable_size;
	/* What this was made from, for binaries that keep it. */
	char *source;
	char *log;
};

struct stub_instance {
	unsigned references; /* atomic */
	struct stub_code *code;
	/* Both under the stub's lock. */
	uint32_t state;
	unsigned char *variables; /* variable_size bytes */
};

struct stub_code *stub_code_new(cl_program_binary_type type);
struct stub_code *stub_code_retain(struct stub_code *code);
void stub_code_release(struct stub_code *code); /* NULL: nothing */
struct stub_function *stub_code_add_function(struct stub_code *code,
					     const char *name);
struct stub_argument *stub_function_add_argument(
	struct stub_function *function);
const struct stub_function *stub_code_find(const struct stub_code *code,
					   const char *name);

/*
 * Links `inputs` to `type`. NULL, and why in the log, when a name is wanted
 * and nowhere defined, or defined twice.
 */
struct stub_code *stub_code_link(struct stub_code *const *inputs, size_t count,
				 cl_program_binary_type type,
				 const char *options, struct stub_text *log);

struct stub_instance *stub_instance_new(struct stub_code *code);
struct stub_instance *stub_instance_retain(struct stub_instance *instance);
void stub_instance_release(struct stub_instance *instance);

void stub_names_add(struct stub_names *names, const char *name);
bool stub_names_have(const struct stub_names *names, const char *name);
void stub_names_release(struct stub_names *names);

#endif
