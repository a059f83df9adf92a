/* SPDX-License-Identifier: MIT */
#include "layer/recipe.h"

#include <stdlib.h>
#include <string.h>

#include "cache/content.h"
#include "hash/option.h"
#include "layer/bypass.h"
#include "layer/environment.h"
#include "layer/folders.h"
#include "layer/habit.h"
#include "layer/log.h"
#include "layer/repeat.h"
#include "layer/search.h"

/* Goes up when the meaning of a key field changes (OCC_KEY_VERSION). */
#define KEY_VERSION 4

static const char out_of_memory[] = "out of memory";

/*
 * Drivers that aren't listed may put the ends of lines between the strings of a
 * source (those that are listed don't), and then see directives that aren't
 * there otherwise. NULL, or why such a source isn't cached.
 */
static const char *judge_in_lines(const struct occ_input *input)
{
	size_t count = input->lengths_size / 8, from = 0;
	struct occ_buffer lines = OCC_BUFFER_INIT;
	struct occ_scan *scan = NULL;
	bool plain;

	for (size_t i = 0; i < count; i++) {
		size_t length = occ_get_u64(input->lengths + i * 8);

		occ_buffer_append(&lines, input->text + from, length);
		occ_buffer_append(&lines, "\n", 1);
		from += length;
	}
	if (!lines.failed)
		scan = occ_scan_make((const char *)lines.data, lines.size);
	plain = scan && !occ_scan_includes(scan) && !scan->clock &&
		!scan->reads && !scan->uncertain && !scan->names_file;
	occ_scan_release(scan);
	occ_buffer_release(&lines);
	return plain ? NULL : "how the driver joins strings isn't known";
}

/* Files are included: does the driver's own cache look at them? */
static const char *bypass_cache(struct occ_recipe *recipe)
{
	if (!occ_folders_are_overlooked(recipe->identities[0], recipe->options))
		return NULL;
	recipe->bypass = occ_bypass_add(recipe->options);
	return recipe->bypass ? NULL : out_of_memory;
}

static const char *find_closure(const struct occ_recipe *recipe,
				struct occ_search *ret_search)
{
	if (occ_search_recall(recipe, ret_search))
		return NULL;
	return occ_search_make(recipe, ret_search);
}

static const char *take_closure(struct occ_recipe *recipe)
{
	struct occ_search search;
	const char *reason;

	if (!recipe->input)
		return NULL;
	/* Nothing is looked for. */
	recipe->repeatable = recipe->input->is_il;
	if (recipe->input->is_il)
		return NULL;
	reason = find_closure(recipe, &search);
	if (!reason && search.searched)
		reason = bypass_cache(recipe);
	recipe->closure = search.closure;
	recipe->closure_stamp = search.stamp;
	recipe->looks = search.looks;
	recipe->folders = search.folders;
	recipe->searched = search.searched;
	recipe->recalled = search.recalled;
	recipe->remembered = search.recalled;
	/* What __FILE__ is depends on more. */
	recipe->repeatable = search.repeatable && !search.closure.names_source;
	if (!reason && occ_recipe_driver(recipe)->learnt &&
	    recipe->input->lengths_size > 8)
		reason = judge_in_lines(recipe->input);
	return reason;
}

static const char *judge_options(const char *options,
				 enum occ_option_driver driver)
{
	size_t length;
	const char *word = occ_option_unsafe(options, driver, &length);

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
	if (recipe->closure.names_source) {
		const char *reason =
			occ_folders_name_source(recipe->identities[0],
						&recipe->environment);

		if (reason)
			return reason;
	}
	return recipe->environment.failed ? out_of_memory : NULL;
}

static const char *take_devices(struct occ_recipe *recipe, cl_uint count,
				const cl_device_id *devices)
{
	const char *reason = NULL;

	recipe->devices = calloc(count, sizeof(*recipe->devices));
	recipe->identities = calloc(count, sizeof(*recipe->identities));
	recipe->keys = calloc(count, sizeof(*recipe->keys));
	if (!recipe->devices || !recipe->identities || !recipe->keys)
		return out_of_memory;
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

static const char *take_headers(struct occ_recipe *recipe, cl_uint count,
				const struct occ_header *headers)
{
	recipe->headers = calloc(count + (size_t)1, sizeof(*headers));
	if (!recipe->headers)
		return out_of_memory;
	for (cl_uint i = 0; i < count; i++) {
		recipe->headers[i].name = strdup(headers[i].name);
		if (!recipe->headers[i].name)
			return out_of_memory;
		recipe->headers[i].input = occ_input_retain(headers[i].input);
		recipe->header_count = i + 1;
	}
	return NULL;
}

static const char *take_link_inputs(struct occ_recipe *recipe, cl_uint count,
				    const struct occ_link_input *inputs)
{
	recipe->link_inputs = calloc(count + (size_t)1, sizeof(*inputs));
	if (!recipe->link_inputs)
		return out_of_memory;
	for (cl_uint i = 0; i < count; i++) {
		const struct occ_recipe *made = inputs[i].recipe;

		if (made)
			occ_recipe_retain(inputs[i].recipe);
		else
			occ_image_retain(inputs[i].image);
		recipe->link_inputs[i] = inputs[i];
		recipe->link_input_count = i + 1;
		if (made && made->depth >= recipe->depth)
			recipe->depth = made->depth + 1;
	}
	if (recipe->depth > OCC_RECIPE_DEPTH_MAX)
		return "links of links of links ...";
	return NULL;
}

static void add_headers(const struct occ_recipe *recipe, struct occ_key *key)
{
	for (cl_uint i = 0; i < recipe->header_count; i++) {
		const struct occ_header *header = &recipe->headers[i];

		occ_key_add_string(key, OCC_KEY_HEADER_NAME, header->name);
		occ_key_add(key, OCC_KEY_HEADER_SOURCE, header->input->text,
			    header->input->size);
		occ_key_add(key, OCC_KEY_HEADER_LENGTHS, header->input->lengths,
			    header->input->lengths_size);
	}
}

/* The place of a device in a list, or the list's length. */
static cl_uint place_of(cl_device_id device, const cl_device_id *devices,
			cl_uint count)
{
	cl_uint i = 0;

	while (i < count && devices[i] != device)
		i++;
	return i;
}

static bool add_link_inputs(const struct occ_recipe *recipe,
			    cl_device_id device, struct occ_key *key)
{
	for (cl_uint i = 0; i < recipe->link_input_count; i++) {
		const struct occ_recipe *made = recipe->link_inputs[i].recipe;
		const struct occ_image *image = recipe->link_inputs[i].image;
		cl_uint count = made ? made->device_count : image->device_count;
		cl_uint at =
			place_of(device, made ? made->devices : image->devices,
				 count);

		if (at == count)
			return false;
		if (made)
			occ_key_add_input(key, &made->keys[at]);
		else
			occ_key_add_binary(key, image->data[at],
					   image->sizes[at]);
	}
	return true;
}

static const char *make_key(struct occ_recipe *recipe, cl_uint i)
{
	static const char *const names[] = {
		[OCC_BUILD] = "build",
		[OCC_COMPILE] = "compile",
		[OCC_LINK] = "link",
	};
	struct occ_key *key = &recipe->keys[i];
	struct occ_buffer constants = OCC_BUFFER_INIT;
	unsigned char version[4];
	bool covered;
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
	occ_key_add_string(key, OCC_KEY_OPERATION, names[recipe->operation]);
	if (recipe->input)
		occ_input_add(recipe->input, key);
	add_headers(recipe, key);
	occ_closure_add(&recipe->closure, key);
	covered = add_link_inputs(recipe, recipe->devices[i], key);
	occ_key_add_string(key, OCC_KEY_OPTIONS, recipe->options);
	occ_key_add(key, OCC_KEY_SPEC_CONSTANTS, constants.data,
		    constants.size);
	occ_identity_add(recipe->identities[i], key);
	occ_key_add(key, OCC_KEY_ENVIRONMENT, recipe->environment.data,
		    recipe->environment.size);
	failed = occ_key_finish(key) < 0 || constants.failed;
	occ_buffer_release(&constants);
	if (!covered)
		return "a link input isn't for the device";
	return failed ? out_of_memory : NULL;
}

/* Would programs from one binary be in each other's way? */
static bool lacks_own_cache(const struct occ_driver *driver)
{
	const char *value =
		driver->own_cache ? getenv(driver->own_cache) : NULL;

	return value && *value != '1';
}

static const char *judge_driver(const struct occ_recipe *recipe,
				const struct occ_request *request)
{
	bool specialized = request->constants && request->constants->count;
	const char *refusal = occ_habit_refusal(recipe->identities[0], request);

	if (!refusal && specialized &&
	    !occ_recipe_driver(recipe)->binary_specialized)
		refusal = "binaries lack specialization constants";
	if (!refusal && lacks_own_cache(occ_recipe_driver(recipe)))
		refusal = "without its own cache the driver doesn't stand "
			  "several programs from one binary";
	return refusal;
}

static const char *fill(struct occ_recipe *recipe,
			const struct occ_request *request)
{
	const char *reason;

	reason = take_devices(recipe, request->device_count, request->devices);
	if (!reason)
		reason = judge_driver(recipe, request);
	if (!reason)
		reason = judge_options(recipe->options,
				       occ_recipe_driver(recipe)->options);
	if (!reason)
		reason = take_headers(recipe, request->header_count,
				      request->headers);
	if (!reason)
		reason = take_link_inputs(recipe, request->link_input_count,
					  request->link_inputs);
	if (!reason)
		reason = take_closure(recipe);
	if (!reason)
		reason = take_environment(recipe);
	if (!reason && request->constants &&
	    !occ_spec_constants_copy(request->constants, &recipe->constants))
		reason = out_of_memory;
	for (cl_uint i = 0; i < request->device_count && !reason; i++) {
		recipe->device_count = i + 1;
		reason = make_key(recipe, i);
	}
	return reason;
}

/* Are the driver's folders those that were searched? */
static bool same_folders(const struct occ_recipe *recipe)
{
	const struct occ_identity *identity = recipe->identities[0];
	struct occ_buffer list = OCC_BUFFER_INIT;
	char **folders = NULL;
	bool same;

	if (!recipe->searched)
		return true;
	if (occ_folders_are_overlooked(identity, recipe->options) !=
	    (recipe->bypass != NULL))
		return false;
	same = !occ_folders_take(identity, &folders);
	occ_search_list_folders(folders, &list);
	same &= !list.failed && list.size == recipe->folders.size &&
		!(list.size &&
		  memcmp(list.data, recipe->folders.data, list.size));
	occ_folders_free(folders);
	occ_buffer_release(&list);
	return same;
}

static bool same_identities(const struct occ_recipe *recipe)
{
	const char *reason;

	for (cl_uint i = 0; i < recipe->device_count; i++)
		if (occ_identity_of(recipe->devices[i], &reason) !=
		    recipe->identities[i])
			return false;
	return true;
}

/*
 * Would the equal request make this recipe once more? Whatever depends on what
 * it has in common with the one before is as it was; this is the rest.
 */
static bool would_be_made(const struct occ_recipe *recipe,
			  const struct occ_request *request)
{
	const struct occ_buffer *variables;

	return same_identities(recipe) && !judge_driver(recipe, request) &&
	       occ_environment_stable(&variables) &&
	       !occ_environment_names_files() && same_folders(recipe) &&
	       occ_content_unchanged(&recipe->looks);
}

static struct occ_recipe *find_equal(const struct occ_request *request)
{
	struct occ_recipe *recipe = occ_repeat_find(request);

	if (recipe && would_be_made(recipe, request))
		return recipe;
	occ_recipe_release(recipe);
	return NULL;
}

struct occ_recipe *occ_recipe_make(const struct occ_request *request,
				   const char **ret_reason)
{
	struct occ_recipe *recipe = find_equal(request);

	*ret_reason = NULL;
	if (recipe)
		return recipe;
	*ret_reason = out_of_memory;
	recipe = calloc(1, sizeof(*recipe));
	if (!recipe)
		return NULL;
	recipe->references = 1;
	recipe->operation = request->operation;
	recipe->context = request->context;
	if (request->input)
		recipe->input = occ_input_retain(request->input);
	recipe->options = strdup(request->options ? request->options : "");
	if (recipe->options)
		*ret_reason = fill(recipe, request);
	if (*ret_reason) {
		occ_recipe_release(recipe);
		return NULL;
	}
	recipe->repeatable &= !occ_recipe_is_unread(recipe);
	if (recipe->repeatable)
		occ_repeat_put(recipe);
	return recipe;
}

bool occ_recipe_is_unread(const struct occ_recipe *recipe)
{
	for (cl_uint i = 0; i < recipe->device_count; i++)
		if (recipe->identities[i]->unread)
			return true;
	return false;
}

void occ_recipe_start_reading(const struct occ_recipe *recipe)
{
	for (cl_uint i = 0; i < recipe->device_count; i++)
		occ_identity_start_reading(recipe->identities[i]);
}

bool occ_recipe_finish(struct occ_recipe *recipe)
{
	for (cl_uint i = 0; i < recipe->device_count; i++) {
		const struct occ_identity *identity = recipe->identities[i];

		if (!identity->unread)
			continue;
		identity = occ_identity_read(identity);
		if (!identity)
			return false;
		recipe->identities[i] = identity;
		occ_key_release(&recipe->keys[i]);
		if (make_key(recipe, i))
			return false;
	}
	return true;
}

/* *ret_stamp: when what is included was so. */
static bool is_current(const struct occ_recipe *recipe,
		       struct occ_digest *ret_stamp)
{
	const struct occ_buffer *variables;
	struct occ_search now;
	bool same;

	if (!occ_environment_stable(&variables))
		return false;
	*ret_stamp = recipe->closure_stamp;
	/* Nothing was looked for: nothing can be found. */
	if (!recipe->closure.fields.size && !recipe->closure.absent.size)
		return true;
	same = !occ_search_make(recipe, &now) &&
	       occ_closure_equal(&now.closure, &recipe->closure);
	*ret_stamp = now.stamp;
	occ_search_release(&now);
	if (!same && recipe->recalled)
		occ_search_forget(recipe);
	return same;
}

bool occ_recipe_current(const struct occ_recipe *recipe)
{
	struct occ_digest stamp;

	return is_current(recipe, &stamp);
}

bool occ_recipe_undisturbed(const struct occ_recipe *recipe)
{
	static const struct occ_digest unknown;
	struct occ_digest stamp;

	for (cl_uint i = 0; i < recipe->device_count; i++)
		if (!occ_identity_current(recipe->identities[i]))
			return false;
	if (!is_current(recipe, &stamp) ||
	    memcmp(&stamp, &recipe->closure_stamp, sizeof(stamp)) != 0)
		return false;
	/* Nothing was included, or out of memory. */
	return (!recipe->closure.fields.size && !recipe->closure.absent.size) ||
	       memcmp(&stamp, &unknown, sizeof(stamp)) != 0;
}

struct occ_recipe *occ_recipe_retain(struct occ_recipe *recipe)
{
	__atomic_add_fetch(&recipe->references, 1, __ATOMIC_RELAXED);
	return recipe;
}

/* NOLINTNEXTLINE(misc-no-recursion): OCC_RECIPE_DEPTH_MAX */
static void release_lists(struct occ_recipe *recipe)
{
	for (cl_uint i = 0; i < recipe->device_count; i++)
		occ_key_release(&recipe->keys[i]);
	for (cl_uint i = 0; i < recipe->header_count; i++) {
		free(recipe->headers[i].name);
		occ_input_release(recipe->headers[i].input);
	}
	for (cl_uint i = 0; i < recipe->link_input_count; i++) {
		occ_recipe_release(recipe->link_inputs[i].recipe);
		occ_image_release(recipe->link_inputs[i].image);
	}
	free(recipe->headers);
	free(recipe->link_inputs);
	free(recipe->keys);
	free(recipe->identities);
	free(recipe->devices);
}

/* NOLINTNEXTLINE(misc-no-recursion): OCC_RECIPE_DEPTH_MAX */
void occ_recipe_release(struct occ_recipe *recipe)
{
	if (!recipe ||
	    __atomic_sub_fetch(&recipe->references, 1, __ATOMIC_ACQ_REL))
		return;
	release_lists(recipe);
	occ_closure_release(&recipe->closure);
	occ_buffer_release(&recipe->looks);
	occ_buffer_release(&recipe->folders);
	occ_buffer_release(&recipe->environment);
	occ_spec_constants_release(&recipe->constants);
	free(recipe->options);
	free(recipe->bypass);
	occ_input_release(recipe->input);
	free(recipe);
}

const char *occ_recipe_driver_options(const struct occ_recipe *recipe)
{
	return recipe->bypass ? recipe->bypass : recipe->options;
}

const struct occ_driver *occ_recipe_driver(const struct occ_recipe *recipe)
{
	return recipe->identities[0]->driver;
}
