/* SPDX-License-Identifier: MIT */
#include "layer/serve/device_code.h"

#include <stdlib.h>

#include <CL/cl_ext.h>

#include "cache/entry.h"
#include "cache/state.h"
#include "cache/store.h"
#include "cache/upgrade_skip.h"
#include "hash/buffer.h"
#include "hash/key.h"
#include "layer/base/dispatch.h"
#include "layer/base/stores.h"
#include "layer/key/program_binaries.h"

/* As cache/entry.h has it; 0 where the device doesn't say. */
static uint32_t capability_of(cl_device_id device)
{
	cl_uint major = 0, minor = 0;

	if (occ_target.clGetDeviceInfo(device,
				       CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV,
				       sizeof(major), &major, NULL) ||
	    occ_target.clGetDeviceInfo(device,
				       CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV,
				       sizeof(minor), &minor, NULL))
		return 0;
	return major << 16 | minor;
}

bool occ_device_code_is_supported(const struct occ_build_key *build_key)
{
	return occ_build_key_driver(build_key)->takes_code &&
	       build_key->operation == OCC_BUILD;
}

bool occ_device_code_is_used(const struct occ_build_key *build_key,
			     struct occ_kept *const *entries)
{
	struct occ_code code;

	if (!occ_device_code_is_supported(build_key))
		return false;
	for (cl_uint i = 0; i < build_key->device_count; i++)
		if (!occ_code_parse(entries[i]->entry.code, &code) ||
		    code.maker != OCC_CODE_MAKER ||
		    code.capability != capability_of(build_key->devices[i]))
			return false;
	return true;
}

struct occ_span occ_device_code_of(const struct occ_kept *entry)
{
	struct occ_code code = {.bytes = {NULL, 0}};

	occ_code_parse(entry->entry.code, &code);
	return code.bytes;
}

static struct occ_kept *read_whole_entry(const struct occ_key *key)
{
	struct occ_loaded loaded;
	struct occ_kept *kept;

	if (occ_stores_lookup_whole(key, &loaded))
		return NULL;
	kept = occ_kept_take(&loaded);
	if (!kept)
		occ_loaded_release(&loaded);
	return kept;
}

bool occ_device_code_read_binaries(const struct occ_build_key *build_key,
				   struct occ_kept **entries)
{
	for (cl_uint i = 0; i < build_key->device_count; i++) {
		struct occ_kept *whole;

		if (entries[i]->entry.binary.data)
			continue;
		whole = read_whole_entry(&build_key->keys[i]);
		if (!whole)
			return false;
		occ_kept_release(entries[i]);
		entries[i] = whole;
		occ_memory_put(whole);
	}
	return true;
}

struct occ_binaries *occ_device_code_binaries(
	const struct occ_build_key *build_key)
{
	cl_uint count = build_key->device_count;
	struct occ_kept **entries = calloc(count, sizeof(*entries));
	struct occ_span *spans = calloc(count, sizeof(*spans));
	struct occ_binaries *binaries = NULL;
	bool whole = entries && spans;

	for (cl_uint i = 0; whole && i < count; i++) {
		entries[i] = read_whole_entry(&build_key->keys[i]);
		whole = entries[i] != NULL;
		if (whole)
			spans[i] = entries[i]->entry.binary;
	}
	if (whole)
		binaries = occ_binaries_copy(count, build_key->devices, spans);
	for (cl_uint i = 0; entries && i < count; i++)
		occ_kept_release(entries[i]);
	free(entries);
	free(spans);
	return binaries;
}

void occ_device_code_drop(const struct occ_build_key *build_key,
			  struct occ_kept *const *entries)
{
	static const struct occ_span none = {NULL, 0};

	for (cl_uint i = 0; i < build_key->device_count; i++) {
		const struct occ_key *key = &build_key->keys[i];

		occ_memory_discard(key);
		if (!occ_stores_is_written())
			continue;
		occ_store_set_code(occ_stores(), key, none, none);
		/* Or else the same would be made again, and refused again. */
		occ_upgrade_skip_note(occ_stores(), &entries[i]->entry,
				      "the driver refused its device code",
				      true);
	}
}

bool occ_device_code_is_ruled_out(const struct occ_build_key *build_key,
				  struct occ_kept *const *entries)
{
	struct occ_upgrade_skip leftover;
	struct occ_buffer state;
	bool is = true;

	if (!occ_stores())
		return false;
	occ_state_read(occ_stores(), &state);
	for (cl_uint i = 0; is && i < build_key->device_count; i++)
		is = occ_upgrade_skip_find(&state, &entries[i]->entry,
					   &leftover) &&
		     leftover.is_final;
	occ_buffer_release(&state);
	return is;
}
