/* SPDX-License-Identifier: MIT */
#include "layer/serve/program_scope.h"

#include <string.h>

#include "cache/description.h"
#include "cache/driver/driver.h"
#include "hash/buffer.h"
#include "layer/key/build_key.h"
#include "layer/key/input.h"

/* SPIR-V's header, and what the first instructions after it are. */
#define SPIRV_MAGIC	    0x07230203
#define SPIRV_HEADER_SIZE   20
#define SPIRV_OP_CAPABILITY 17
#define SPIRV_PIPE_STORAGE  60

/* The driver's answer, when it is a number; false: it is none. */
static bool find_number(const struct occ_answers *answers, cl_uint name,
			uint64_t *ret_number)
{
	struct occ_answer found;

	if (!occ_answer_find(answers->others, name, &found) || found.code)
		return false;
	*ret_number = 0;
	for (size_t i = 0; i < found.bytes.size; i++)
		*ret_number |= found.bytes.data[i];
	return found.bytes.size > 0;
}

/* Pipes that live in a program aren't among its variables. */
static bool has_pipes(const struct occ_input *il)
{
	const unsigned char *text = (const unsigned char *)il->text;
	size_t at = SPIRV_HEADER_SIZE;

	if (il->size < at || occ_get_u32(text) != SPIRV_MAGIC)
		return true;
	while (at + 8 <= il->size) {
		uint32_t word = occ_get_u32(text + at);

		if ((word & 0xffff) != SPIRV_OP_CAPABILITY)
			return false;
		if (occ_get_u32(text + at + 4) == SPIRV_PIPE_STORAGE)
			return true;
		at += 8;
	}
	return true;
}

static bool driver_says_none(const struct occ_build_key *build_key,
			     const struct occ_answers *answers)
{
	uint64_t size, constructors;

	if (build_key->input->is_il && has_pipes(build_key->input))
		return false;
	for (cl_uint i = 0; i < build_key->device_count; i++)
		if (!find_number(&answers[i],
				 CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE,
				 &size) ||
		    size ||
		    !find_number(&answers[i],
				 CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT,
				 &constructors) ||
		    constructors)
			return false;
	return true;
}

/* One that surely says nothing of the language; its argument may follow. */
static bool is_harmless(const char *word, size_t length, bool *ret_argument)
{
	static const char *const begins[] = {"-D", "-I", "-U", "-cl-",
					     "-w", "-W", "-O", "-g"};

	*ret_argument = length == 2 && strchr("DIU", word[1]);
	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (!strncmp(word, begins[i], strlen(begins[i])))
			return true;
	return false;
}

/*
 * May the options choose another version of the language, or another language?
 * Where drivers may split words in ways of their own, they may.
 */
static bool may_choose_language(const char *options)
{
	bool argument = false;

	if (strstr(options, "std") || strpbrk(options, "\t\n\r\v\f\"'\\"))
		return true;
	options += strspn(options, " ");
	while (*options) {
		size_t length = strcspn(options, " ");

		if (argument && *options != '-')
			argument = false;
		else if (!is_harmless(options, length, &argument))
			return true;
		options += length;
		options += strspn(options, " ");
	}
	return false;
}

/*
 * OpenCL C 1.x, which is what a source is in unless an option says otherwise,
 * has constant variables at program scope only (6.5), and no static ones within
 * functions (6.8).
 */
static bool language_has_none(const struct occ_build_key *build_key)
{
	const struct occ_buffer *environment = &build_key->environment;

	/* Variables that add options have the word, too. */
	return !build_key->input->is_il &&
	       !may_choose_language(build_key->options) &&
	       !(environment->size &&
		 memmem(environment->data, environment->size, "std", 3));
}

bool occ_program_scope_is_absent(const struct occ_build_key *build_key,
				 const struct occ_answers *answers)
{
	const struct occ_driver *driver = occ_build_key_driver(build_key);

	if (!build_key->input || build_key->closure.assembly)
		return false;
	return (driver->reports_storage &&
		driver_says_none(build_key, answers)) ||
	       (driver->refuses_storage && language_has_none(build_key));
}
