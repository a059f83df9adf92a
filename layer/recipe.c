/* SPDX-License-Identifier: MIT */
#include "layer/recipe.h"

#include <stdlib.h>
#include <string.h>

#include "hash/option.h"
#include "hash/source.h"
#include "layer/environment.h"
#include "layer/log.h"

/* Goes up when the meaning of a key field changes (OCC_KEY_VERSION). */
#define KEY_VERSION 1

static const char *judge_text(const struct occ_input *input,
			      const char *options)
{
	if (input->is_il)
		return NULL;
	switch (occ_source_scan(input->text, input->size, options)) {
	case OCC_SOURCE_PLAIN:
		return NULL;
	case OCC_SOURCE_INCLUDES:
		return "source includes files";
	case OCC_SOURCE_CLOCK:
		return "source uses __DATE__, __TIME__ or __TIMESTAMP__";
	case OCC_SOURCE_UNCERTAIN:
		break;
	}
	return "source can't be scanned with certainty";
}

static const char *judge_options(const char *options)
{
	size_t length;
	const char *word = occ_option_unsafe(options, &length);

	if (!word)
		return NULL;
	occ_log_debug("not cached because of the option %.*s", (int)length,
		      word);
	return "an option may read or write files";
}

static const char *take_environment(struct occ_recipe *recipe)
{
	const struct occ_buffer *variables;

	if (!occ_environment_stable(&variables))
		return "environment changed since the start";
	if (occ_environment_names_files())
		return "an environment variable may name files";
	occ_buffer_append(&recipe->environment, variables->data,
			  variables->size);
	return recipe->environment.failed ? "out of memory" : NULL;
}

static const char *take_devices(struct occ_recipe *recipe, cl_uint count,
				const cl_device_id *devices)
{
	const char *reason = NULL;

	recipe->devices = calloc(count, sizeof(*recipe->devices));
	recipe->identities = calloc(count, sizeof(*recipe->identities));
	recipe->keys = calloc(count, sizeof(*recipe->keys));
	if (!recipe->devices || !recipe->identities || !recipe->keys)
		return "out of memory";
	for (cl_uint i = 0; i < count; i++) {
		recipe->devices[i] = devices[i];
		recipe->identities[i] = occ_identity_of(devices[i], &reason);
		if (!recipe->identities[i])
			return reason;
		if (recipe->identities[i]->driver !=
		    recipe->identities[0]->driver)
			return "devices of several drivers";
	}
	return NULL;
}

static const char *make_key(struct occ_recipe *recipe, cl_uint i)
{
	struct occ_key *key = &recipe->keys[i];
	struct occ_buffer constants = OCC_BUFFER_INIT;
	unsigned char version[4];
	int failed;

	occ_put_u32(version, KEY_VERSION);
	occ_spec_constants_append(&recipe->constants, &constants);
	/* A key borrows long fields: these would have to live on. */
	if (constants.size > OCC_KEY_INLINE_MAX) {
		occ_buffer_release(&constants);
		return "too many specialization constants";
	}
	occ_key_init(key);
	occ_key_add(key, OCC_KEY_VERSION, version, sizeof(version));
	occ_key_add_string(key, OCC_KEY_OPERATION, "build");
	occ_input_add(recipe->input, key);
	occ_key_add_string(key, OCC_KEY_OPTIONS, recipe->options);
	occ_key_add(key, OCC_KEY_SPEC_CONSTANTS, constants.data,
		    constants.size);
	occ_identity_add(recipe->identities[i], key);
	occ_key_add(key, OCC_KEY_ENVIRONMENT, recipe->environment.data,
		    recipe->environment.size);
	failed = occ_key_finish(key) < 0 || constants.failed;
	occ_buffer_release(&constants);
	return failed ? "out of memory" : NULL;
}

static const char *fill(struct occ_recipe *recipe,
			const struct occ_spec_constants *constants,
			cl_uint device_count, const cl_device_id *devices)
{
	const char *reason;

	reason = take_devices(recipe, device_count, devices);
	if (!reason)
		reason = judge_options(recipe->options);
	if (!reason)
		reason = judge_text(recipe->input, recipe->options);
	if (!reason)
		reason = take_environment(recipe);
	if (!reason && !occ_spec_constants_copy(constants, &recipe->constants))
		reason = "out of memory";
	if (reason)
		return reason;
	for (cl_uint i = 0; i < device_count && !reason; i++) {
		recipe->device_count = i + 1;
		reason = make_key(recipe, i);
	}
	return reason;
}

struct occ_recipe *occ_recipe_make(cl_context context, struct occ_input *input,
				   const char *options,
				   const struct occ_spec_constants *constants,
				   cl_uint device_count,
				   const cl_device_id *devices,
				   const char **ret_reason)
{
	struct occ_recipe *recipe = calloc(1, sizeof(*recipe));

	*ret_reason = "out of memory";
	if (!recipe)
		return NULL;
	recipe->references = 1;
	recipe->context = context;
	recipe->input = occ_input_retain(input);
	recipe->options = strdup(options ? options : "");
	if (recipe->options)
		*ret_reason = fill(recipe, constants, device_count, devices);
	if (*ret_reason) {
		occ_recipe_release(recipe);
		return NULL;
	}
	return recipe;
}

struct occ_recipe *occ_recipe_retain(struct occ_recipe *recipe)
{
	__atomic_add_fetch(&recipe->references, 1, __ATOMIC_RELAXED);
	return recipe;
}

void occ_recipe_release(struct occ_recipe *recipe)
{
	if (!recipe ||
	    __atomic_sub_fetch(&recipe->references, 1, __ATOMIC_ACQ_REL))
		return;
	for (cl_uint i = 0; i < recipe->device_count; i++)
		occ_key_release(&recipe->keys[i]);
	free(recipe->keys);
	free(recipe->identities);
	free(recipe->devices);
	occ_buffer_release(&recipe->environment);
	occ_spec_constants_release(&recipe->constants);
	free(recipe->options);
	occ_input_release(recipe->input);
	free(recipe);
}

const struct occ_driver *occ_recipe_driver(const struct occ_recipe *recipe)
{
	return recipe->identities[0]->driver;
}
