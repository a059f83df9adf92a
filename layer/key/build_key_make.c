/* SPDX-License-Identifier: MIT */
#include "layer/key/build_key_make.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache/driver/driver.h"
#include "cache/include_files.h"
#include "hash/buffer.h"
#include "hash/closure.h"
#include "hash/key.h"
#include "hash/scan.h"
#include "layer/driver/driver_traits.h"
#include "layer/driver/identity.h"
#include "layer/driver/load_cost.h"
#include "layer/key/bypass.h"
#include "layer/key/environment.h"
#include "layer/key/include_dirs.h"
#include "layer/key/include_search.h"
#include "layer/key/input.h"
#include "layer/key/key_memo.h"
#include "layer/key/options.h"
#include "layer/key/program_binaries.h"

/* Goes up when the meaning of a key field changes (OCC_KEY_VERSION). */
#define KEY_VERSION 5

/*
 * Drivers that aren't listed may put the ends of lines between the strings of a
 * source (those that are listed don't), and then see directives that aren't
 * there otherwise. Returns why such a source isn't cached, if so.
 */
static enum occ_reason judge_in_lines(const struct occ_input *input)
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
	plain = scan && !occ_scan_includes(scan) &&
		!(scan->traits & (OCC_SCAN_CLOCK | OCC_SCAN_READS |
				  OCC_SCAN_UNCERTAIN | OCC_SCAN_BLANK_SPLICE |
				  OCC_SCAN_FILE | OCC_SCAN_MACRO_FILE));
	occ_scan_release(scan);
	occ_buffer_release(&lines);
	return plain ? OCC_REASON_NONE : OCC_REASON_UNLISTED_STRINGS;
}

/* Up to a NUL, where drivers stop looking. */
static bool has_text(const struct occ_input *input, const char *text)
{
	return memmem(input->text, strnlen(input->text, input->size), text,
		      strlen(text));
}

/* Files are included: does the driver's own cache look at them? */
static enum occ_reason bypass_cache(struct occ_build_key *build_key)
{
	const struct occ_driver_cache *cache =
		occ_build_key_driver(build_key)->cache;

	if (cache && cache->marks_includes &&
	    !has_text(build_key->input, cache->marks_includes))
		return OCC_REASON_OWN_CACHE_INCLUDES;
	if (!occ_include_dirs_are_overlooked(build_key->identities[0],
					     build_key->options))
		return OCC_REASON_NONE;
	build_key->bypass = occ_bypass_add(build_key->given);
	return build_key->bypass ? OCC_REASON_NONE : OCC_REASON_OUT_OF_MEMORY;
}

static enum occ_reason take_closure(struct occ_build_key *build_key)
{
	struct occ_include_search search;
	enum occ_reason reason = OCC_REASON_NONE;

	if (!build_key->input)
		return OCC_REASON_NONE;
	/* Nothing is looked for. */
	build_key->repeatable = build_key->input->is_il;
	if (build_key->input->is_il)
		return OCC_REASON_NONE;
	if (!occ_include_search_recall(build_key, &search))
		reason = occ_include_search_make(build_key, false, &search);
	if (!reason && search.searched)
		reason = bypass_cache(build_key);
	build_key->closure = search.closure;
	build_key->closure_stamp = search.stamp;
	build_key->looks = search.looks;
	build_key->directories = search.directories;
	build_key->searched = search.searched;
	build_key->recalled = search.recalled;
	build_key->remembered = search.recalled;
	/* What __FILE__ is depends on more. */
	build_key->repeatable =
		search.repeatable && !search.closure.names_source;
	if (!reason && occ_build_key_driver(build_key)->learnt &&
	    build_key->input->lengths_size > 8)
		reason = judge_in_lines(build_key->input);
	return reason;
}

/* The driver's variables, and the options that are in them. */
static enum occ_reason take_environment(struct occ_build_key *build_key)
{
	struct occ_environment environment;
	enum occ_reason reason =
		occ_environment_take(occ_build_key_driver(build_key),
				     &environment);
	size_t size = strlen(build_key->given);

	if (reason)
		return reason;
	/* What drivers read differently could go together with these. */
	if (*environment.options &&
	    strpbrk(build_key->given, "\"'\\\t\n\v\f\r"))
		return OCC_REASON_VARIABLE_OPTIONS;
	occ_buffer_append(&build_key->environment, environment.variables->data,
			  environment.variables->size);
	build_key->options = malloc(size + strlen(environment.options) + 1);
	if (!build_key->options || build_key->environment.failed)
		return OCC_REASON_OUT_OF_MEMORY;
	memcpy(build_key->options, build_key->given, size);
	memcpy(build_key->options + size, environment.options,
	       strlen(environment.options) + 1);
	return OCC_REASON_NONE;
}

static enum occ_reason take_devices(struct occ_build_key *build_key,
				    cl_uint count, const cl_device_id *devices)
{
	enum occ_reason reason = OCC_REASON_NONE;

	build_key->devices = calloc(count, sizeof(*build_key->devices));
	build_key->identities = calloc(count, sizeof(*build_key->identities));
	build_key->keys = calloc(count, sizeof(*build_key->keys));
	if (!build_key->devices || !build_key->identities || !build_key->keys)
		return OCC_REASON_OUT_OF_MEMORY;
	for (cl_uint i = 0; i < count; i++) {
		build_key->devices[i] = devices[i];
		build_key->identities[i] = occ_identity_of(devices[i], &reason);
		if (!build_key->identities[i])
			return reason;
		if (build_key->identities[i]->driver !=
		    build_key->identities[0]->driver)
			return OCC_REASON_SEVERAL_DRIVERS;
	}
	return OCC_REASON_NONE;
}

static enum occ_reason take_headers(struct occ_build_key *build_key,
				    cl_uint count,
				    const struct occ_header *headers)
{
	build_key->headers = calloc(count + (size_t)1, sizeof(*headers));
	if (!build_key->headers)
		return OCC_REASON_OUT_OF_MEMORY;
	for (cl_uint i = 0; i < count; i++) {
		build_key->headers[i].name = strdup(headers[i].name);
		if (!build_key->headers[i].name)
			return OCC_REASON_OUT_OF_MEMORY;
		build_key->headers[i].input =
			occ_input_retain(headers[i].input);
		build_key->header_count = i + 1;
	}
	return OCC_REASON_NONE;
}

static enum occ_reason take_link_inputs(struct occ_build_key *build_key,
					cl_uint count,
					const struct occ_link_input *inputs)
{
	build_key->link_inputs = calloc(count + (size_t)1, sizeof(*inputs));
	if (!build_key->link_inputs)
		return OCC_REASON_OUT_OF_MEMORY;
	for (cl_uint i = 0; i < count; i++) {
		const struct occ_build_key *made = inputs[i].build_key;

		if (made)
			occ_build_key_retain(inputs[i].build_key);
		else
			occ_binaries_retain(inputs[i].binaries);
		build_key->link_inputs[i] = inputs[i];
		build_key->link_input_count = i + 1;
		if (made && made->depth >= build_key->depth)
			build_key->depth = made->depth + 1;
	}
	if (build_key->depth > OCC_BUILD_KEY_DEPTH_MAX)
		return OCC_REASON_LINKS_DEEP;
	return OCC_REASON_NONE;
}

static void add_headers(const struct occ_build_key *build_key,
			struct occ_key *key)
{
	for (cl_uint i = 0; i < build_key->header_count; i++) {
		const struct occ_header *header = &build_key->headers[i];

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

static bool add_link_inputs(const struct occ_build_key *build_key,
			    cl_device_id device, struct occ_key *key)
{
	for (cl_uint i = 0; i < build_key->link_input_count; i++) {
		const struct occ_build_key *made =
			build_key->link_inputs[i].build_key;
		const struct occ_binaries *binaries =
			build_key->link_inputs[i].binaries;
		cl_uint count =
			made ? made->device_count : binaries->device_count;
		cl_uint at = place_of(device,
				      made ? made->devices : binaries->devices,
				      count);

		if (at == count)
			return false;
		if (made)
			occ_key_add_input(key, &made->keys[at]);
		else
			occ_key_add_binary(key, binaries->data[at],
					   binaries->sizes[at]);
	}
	return true;
}

static enum occ_reason make_key(struct occ_build_key *build_key, cl_uint i)
{
	static const char *const names[] = {
		[OCC_BUILD] = "build",
		[OCC_COMPILE] = "compile",
		[OCC_LINK] = "link",
	};
	struct occ_key *key = &build_key->keys[i];
	const char *options = occ_build_key_given_options(build_key);
	struct occ_buffer constants = OCC_BUFFER_INIT;
	unsigned char version[4];
	bool covered;
	int failed;

	occ_put_u32(version, KEY_VERSION);
	occ_spec_constants_append(&build_key->constants, &constants);
	/* A key borrows long fields: these would have to live on. */
	if (constants.size > OCC_KEY_INLINE_MAX) {
		occ_buffer_release(&constants);
		return OCC_REASON_CONSTANTS_MANY;
	}
	occ_key_init(key);
	occ_key_add(key, OCC_KEY_VERSION, version, sizeof(version));
	occ_key_add_string(key, OCC_KEY_OPERATION, names[build_key->operation]);
	if (build_key->input)
		occ_input_add(build_key->input, key);
	add_headers(build_key, key);
	occ_closure_add(&build_key->closure, key);
	covered = add_link_inputs(build_key, build_key->devices[i], key);
	if (options)
		occ_key_add_string(key, OCC_KEY_OPTIONS, options);
	occ_key_add(key, OCC_KEY_SPEC_CONSTANTS, constants.data,
		    constants.size);
	occ_identity_add(build_key->identities[i], key);
	occ_key_add(key, OCC_KEY_ENVIRONMENT, build_key->environment.data,
		    build_key->environment.size);
	failed = occ_key_finish(key) < 0 || constants.failed;
	occ_buffer_release(&constants);
	if (!covered)
		return OCC_REASON_LINK_INPUT_DEVICE;
	return failed ? OCC_REASON_OUT_OF_MEMORY : OCC_REASON_NONE;
}

/* What isn't known of drivers that aren't in the table. */
static enum occ_reason judge_unlisted(const struct occ_driver_traits *traits,
				      const struct occ_request *request,
				      bool specialized)
{
	if (request->operation != OCC_BUILD)
		return OCC_REASON_UNLISTED_OPERATION;
	if (request->device_count != 1)
		return OCC_REASON_UNLISTED_DEVICES;
	if (specialized)
		return OCC_REASON_UNLISTED_CONSTANTS;
	return occ_driver_traits_refusal(traits);
}

/* Would the driver's own cache answer for another program than this? */
static bool is_overlooked(const struct occ_driver_cache *cache,
			  bool specialized)
{
	const char *place;

	if (!cache || !cache->on_variable)
		return false;
	place = getenv(cache->on_variable);
	return ((place && *place) || !access(cache->on_directory, F_OK)) &&
	       (specialized || occ_environment_has(cache->overlooks_variables));
}

static enum occ_reason judge_driver(const struct occ_build_key *build_key,
				    const struct occ_request *request)
{
	const struct occ_identity *identity = build_key->identities[0];
	const struct occ_driver_cache *cache = identity->driver->cache;
	const char *uses_cache =
		cache && cache->is_needed ? getenv(cache->variable) : NULL;
	bool specialized = request->constants && request->constants->count;
	enum occ_reason refusal = occ_load_cost_refusal(identity);

	if (!refusal && identity->traits)
		refusal =
			judge_unlisted(identity->traits, request, specialized);
	if (!refusal && specialized && !identity->driver->binary_specialized)
		refusal = OCC_REASON_CONSTANTS_LACKING;
	if (!refusal && is_overlooked(cache, specialized))
		refusal = OCC_REASON_OWN_CACHE_OVERLOOKS;
	/* Programs from one binary would be in each other's way. */
	if (!refusal && uses_cache && *uses_cache != '1')
		refusal = OCC_REASON_OWN_CACHE_OFF;
	return refusal;
}

enum occ_reason occ_build_key_refusal(const struct occ_build_key *build_key)
{
	static const struct occ_request plain = {.operation = OCC_BUILD,
						 .device_count = 1};

	return judge_driver(build_key, &plain);
}

static enum occ_reason fill(struct occ_build_key *build_key,
			    const struct occ_request *request)
{
	enum occ_reason reason;

	reason = take_devices(build_key, request->device_count,
			      request->devices);
	if (!reason)
		reason = judge_driver(build_key, request);
	if (!reason)
		reason = take_environment(build_key);
	if (!reason)
		reason = occ_options_judge(occ_build_key_driver(build_key),
					   build_key->options);
	if (!reason)
		reason = take_headers(build_key, request->header_count,
				      request->headers);
	if (!reason)
		reason = take_link_inputs(build_key, request->link_input_count,
					  request->link_inputs);
	if (!reason)
		reason = take_closure(build_key);
	if (!reason && build_key->closure.names_source)
		reason = occ_include_dirs_name_source(build_key->identities[0],
						      &build_key->environment);
	if (!reason && request->constants &&
	    !occ_spec_constants_copy(request->constants, &build_key->constants))
		reason = OCC_REASON_OUT_OF_MEMORY;
	for (cl_uint i = 0; i < request->device_count && !reason; i++) {
		build_key->device_count = i + 1;
		reason = make_key(build_key, i);
	}
	return reason;
}

/* Are the driver's directories those that were searched? */
static bool same_directories(const struct occ_build_key *build_key)
{
	const struct occ_identity *identity = build_key->identities[0];
	struct occ_buffer list = OCC_BUFFER_INIT;
	bool same;

	if (!build_key->searched)
		return true;
	if (occ_include_dirs_are_overlooked(identity, build_key->options) !=
	    (build_key->bypass != NULL))
		return false;
	same = !occ_include_search_list_directories(build_key, &list);
	same &= !list.failed &&
		occ_span_equal(occ_buffer_span(&list),
			       occ_buffer_span(&build_key->directories));
	occ_buffer_release(&list);
	return same;
}

static bool same_identities(const struct occ_build_key *build_key)
{
	enum occ_reason reason;

	for (cl_uint i = 0; i < build_key->device_count; i++)
		if (occ_identity_of(build_key->devices[i], &reason) !=
		    build_key->identities[i])
			return false;
	return true;
}

/*
 * That of an equal request, if this one would make it once more. Whatever
 * depends on what they have in common is as it was; the rest is looked at.
 */
static struct occ_build_key *find_equal(const struct occ_request *request)
{
	struct occ_build_key *build_key = occ_key_memo_find(request);

	if (build_key && same_identities(build_key) &&
	    !judge_driver(build_key, request) &&
	    occ_environment_stable(occ_build_key_driver(build_key)) &&
	    same_directories(build_key) &&
	    occ_include_files_unchanged(&build_key->looks))
		return build_key;
	occ_build_key_release(build_key);
	return NULL;
}

struct occ_build_key *occ_build_key_make(const struct occ_request *request,
					 enum occ_reason *ret_reason)
{
	struct occ_build_key *build_key = find_equal(request);

	*ret_reason = OCC_REASON_NONE;
	if (build_key)
		return build_key;
	*ret_reason = OCC_REASON_OUT_OF_MEMORY;
	build_key = calloc(1, sizeof(*build_key));
	if (!build_key)
		return NULL;
	build_key->references = 1;
	build_key->operation = request->operation;
	build_key->context = request->context;
	if (request->input)
		build_key->input = occ_input_retain(request->input);
	build_key->given = strdup(request->options ? request->options : "");
	build_key->none_given = !request->options;
	if (build_key->given)
		*ret_reason = fill(build_key, request);
	if (*ret_reason) {
		occ_build_key_release(build_key);
		return NULL;
	}
	build_key->repeatable &= !occ_build_key_is_unread(build_key);
	if (build_key->repeatable)
		occ_key_memo_put(build_key);
	return build_key;
}

void occ_build_key_start_reading(const struct occ_build_key *build_key)
{
	for (cl_uint i = 0; i < build_key->device_count; i++)
		occ_identity_start_reading(build_key->identities[i]);
}

bool occ_build_key_finish(struct occ_build_key *build_key)
{
	for (cl_uint i = 0; i < build_key->device_count; i++) {
		const struct occ_identity *identity = build_key->identities[i];

		if (!identity->unread)
			continue;
		identity = occ_identity_read(identity);
		if (!identity)
			return false;
		build_key->identities[i] = identity;
		occ_key_release(&build_key->keys[i]);
		if (make_key(build_key, i))
			return false;
	}
	return true;
}
