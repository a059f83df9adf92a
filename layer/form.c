/* SPDX-License-Identifier: MIT */
#include "layer/form.h"

#include <stdlib.h>

#include <CL/cl_ext.h>

#include "cache/code.h"
#include "cache/leftover.h"
#include "cache/state.h"
#include "layer/disk.h"
#include "layer/dispatch.h"
#include "layer/log.h"

/* As cache/code.h has it; 0 where the device doesn't say. */
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

static bool is_for(const struct occ_kept *entry, cl_device_id device)
{
	struct occ_code code;

	return occ_code_parse(entry->entry.code, &code) &&
	       code.maker == OCC_CODE_MAKER &&
	       code.capability == capability_of(device);
}

bool occ_form_takes_code(const struct occ_recipe *recipe)
{
	return occ_recipe_driver(recipe)->takes_code &&
	       recipe->operation == OCC_BUILD;
}

bool occ_form_is_code(const struct occ_recipe *recipe,
		      struct occ_kept *const *entries)
{
	if (!occ_form_takes_code(recipe))
		return false;
	for (cl_uint i = 0; i < recipe->device_count; i++)
		if (!is_for(entries[i], recipe->devices[i]))
			return false;
	return true;
}

struct occ_span occ_form_code(const struct occ_kept *entry)
{
	struct occ_code code = {.bytes = {NULL, 0}};

	occ_code_parse(entry->entry.code, &code);
	return code.bytes;
}

static struct occ_kept *read_whole(const struct occ_key *key)
{
	struct occ_loaded loaded;
	struct occ_kept *kept;

	if (occ_disk_lookup_whole(key, &loaded))
		return NULL;
	kept = occ_kept_take(&loaded);
	if (!kept)
		occ_loaded_release(&loaded);
	return kept;
}

bool occ_form_read_binaries(const struct occ_recipe *recipe,
			    struct occ_kept **entries)
{
	for (cl_uint i = 0; i < recipe->device_count; i++) {
		struct occ_kept *whole;

		if (entries[i]->entry.binary.data)
			continue;
		whole = read_whole(&recipe->keys[i]);
		if (!whole)
			return false;
		occ_kept_release(entries[i]);
		entries[i] = whole;
		occ_memory_put(whole);
	}
	return true;
}

struct occ_image *occ_form_image(const struct occ_recipe *recipe)
{
	cl_uint count = recipe->device_count;
	struct occ_kept **entries = calloc(count, sizeof(*entries));
	struct occ_span *binaries = calloc(count, sizeof(*binaries));
	struct occ_image *image = NULL;
	bool whole = entries && binaries;

	for (cl_uint i = 0; whole && i < count; i++) {
		entries[i] = read_whole(&recipe->keys[i]);
		whole = entries[i] != NULL;
		if (whole)
			binaries[i] = entries[i]->entry.binary;
	}
	if (whole)
		image = occ_image_copy(count, recipe->devices, binaries);
	for (cl_uint i = 0; entries && i < count; i++)
		occ_kept_release(entries[i]);
	free(entries);
	free(binaries);
	return image;
}

void occ_form_drop_code(const struct occ_recipe *recipe,
			struct occ_kept *const *entries)
{
	static const struct occ_span none = {NULL, 0};

	for (cl_uint i = 0; i < recipe->device_count; i++) {
		const struct occ_key *key = &recipe->keys[i];

		occ_memory_discard(key);
		if (!occ_disk_is_written())
			continue;
		occ_store_set_code(occ_disk(), key, none, none);
		/* Or else the same would be made again, and refused again. */
		occ_leftover_note(occ_disk(), &entries[i]->entry,
				  "the driver refused its device code", true);
	}
}

bool occ_form_is_left(const struct occ_recipe *recipe,
		      struct occ_kept *const *entries)
{
	struct occ_leftover leftover;
	struct occ_buffer state;
	bool is = true;

	if (!occ_disk())
		return false;
	occ_state_read(occ_disk(), &state);
	for (cl_uint i = 0; is && i < recipe->device_count; i++)
		is = occ_leftover_find(&state, &entries[i]->entry, &leftover) &&
		     leftover.is_final;
	occ_buffer_release(&state);
	return is;
}
