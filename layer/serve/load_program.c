/* SPDX-License-Identifier: MIT */
#include "layer/serve/load_program.h"

#include <stdlib.h>
#include <string.h>

#include "cache/driver/driver.h"
#include "cache/entry.h"
#include "cache/memory.h"
#include "layer/base/dispatch.h"
#include "layer/base/log.h"
#include "layer/base/stores.h"
#include "layer/driver/device.h"
#include "layer/key/build_key.h"
#include "layer/key/program_binaries.h"
#include "layer/object/contexts.h"
#include "layer/serve/device_code.h"
#include "layer/serve/program_scope.h"
#include "layer/serve/rebuild.h"

/* What a loaded program costs besides its binary: a guess. */
#define OVERHEAD 4096

static struct occ_span bytes_of(const struct occ_kept *entry, bool code)
{
	return code ? occ_device_code_of(entry) : entry->entry.binary;
}

static cl_program create_program(const struct occ_build_key *build_key,
				 struct occ_kept *const *entries, bool code,
				 cl_int *ret_error)
{
	cl_uint count = build_key->device_count;
	const unsigned char **binaries = calloc(count, sizeof(*binaries));
	size_t *sizes = calloc(count, sizeof(*sizes));
	cl_program program = NULL;

	*ret_error = CL_OUT_OF_HOST_MEMORY;
	for (cl_uint i = 0; binaries && sizes && i < count; i++) {
		binaries[i] = bytes_of(entries[i], code).data;
		sizes[i] = bytes_of(entries[i], code).size;
	}
	if (binaries && sizes)
		program = occ_rebuild_from_binaries(build_key->context, count,
						    build_key->devices, sizes,
						    binaries, ret_error);
	free(binaries);
	free(sizes);
	return program;
}

/* Return codes alone don't say (Intel's). */
static cl_int build_program(cl_program program,
			    const struct occ_build_key *build_key)
{
	/* A binary's options are those of its making; a link's aren't a
	 * build's. */
	const char *options = build_key->operation == OCC_BUILD
				      ? occ_build_key_given_options(build_key)
				      : "";
	cl_int error;

	error = occ_target.clBuildProgram(program, build_key->device_count,
					  build_key->devices, options, NULL,
					  NULL);

	if (!error && !occ_rebuild_succeeded(program, build_key))
		error = CL_BUILD_PROGRAM_FAILURE;
	return error;
}

/* Are its kernels these, in that order? */
static bool has_names(cl_program program, struct occ_span expected)
{
	size_t size = 0;
	char *names = occ_kernel_names(program, &size);
	bool same = names && expected.data && size == expected.size &&
		    !memcmp(names, expected.data, size);

	free(names);
	return same;
}

/*
 * Some drivers load binaries that lack kernels (pocl issue 449); and device
 * code may have more of them, where it has functions that weren't inlined.
 */
static bool has_kernels(const struct occ_pooled *pooled)
{
	size_t count = 0;

	if (occ_target.clGetProgramInfo(pooled->program, CL_PROGRAM_NUM_KERNELS,
					sizeof(count), &count, NULL) ||
	    count != pooled->kernel_count)
		return false;
	return !pooled->is_code || !count ||
	       has_names(pooled->program, pooled->kernel_names);
}

static struct occ_span copy_span(unsigned char **at, struct occ_span from)
{
	struct occ_span copy = {NULL, from.size};

	if (!from.data)
		return copy;
	copy.data = memcpy(*at, from.data, from.size);
	*at += from.size;
	return copy;
}

/* Copies the entries' answers, so that their memory need not stay. */
static bool copy_all_answers(struct occ_pooled *pooled,
			     struct occ_kept *const *entries)
{
	const struct occ_entry *first = &entries[0]->entry;
	cl_uint count = pooled->build_key->device_count;
	size_t size = 0;
	unsigned char *at;

	for (cl_uint i = 0; i < count; i++)
		size += entries[i]->entry.metadata.size;
	pooled->answers = calloc(count + (size_t)1, sizeof(*pooled->answers));
	at = pooled->memory = malloc(size ? size : 1);
	if (!pooled->answers || !at)
		return false;
	for (cl_uint i = 0; i < count; i++) {
		const struct occ_entry *entry = &entries[i]->entry;

		pooled->answers[i] = (struct occ_answers){
			copy_span(&at,
				  occ_entry_bytes(entry, OCC_META_BUILD_LOG)),
			copy_span(&at, occ_entry_bytes(entry,
						       OCC_META_BUILD_OPTIONS)),
			copy_span(&at,
				  occ_entry_bytes(entry, OCC_META_ANSWERS)),
		};
	}
	pooled->kernel_names =
		copy_span(&at, occ_entry_bytes(first, OCC_META_KERNEL_NAMES));
	pooled->kernel_descriptions =
		copy_span(&at, occ_entry_bytes(first, OCC_META_KERNELS));
	pooled->kernel_count =
		occ_entry_number(first, OCC_META_KERNEL_COUNT, UINT64_MAX);
	pooled->type = (cl_program_binary_type)occ_entry_number(
		first, OCC_META_BINARY_TYPE, CL_PROGRAM_BINARY_TYPE_NONE);
	return true;
}

static struct occ_binaries *copy_binaries(const struct occ_build_key *build_key,
					  struct occ_kept *const *entries)
{
	cl_uint count = build_key->device_count;
	struct occ_span *spans = calloc(count, sizeof(*spans));
	struct occ_binaries *binaries;

	for (cl_uint i = 0; spans && i < count; i++)
		spans[i] = entries[i]->entry.binary;
	binaries = spans ? occ_binaries_copy(count, build_key->devices, spans)
			 : NULL;
	free(spans);
	return binaries;
}

static void note_fault(cl_int error, struct occ_load_fault *ret_fault)
{
	ret_fault->is_refusal =
		error == CL_INVALID_BINARY || error == CL_BUILD_PROGRAM_FAILURE;
	ret_fault->is_shortage = error == CL_OUT_OF_HOST_MEMORY ||
				 error == CL_OUT_OF_RESOURCES ||
				 error == CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

/* The program, made and built; or why not. */
static enum occ_reason load_binaries(struct occ_pooled *pooled,
				     struct occ_kept *const *entries,
				     struct occ_load_fault *ret_fault)
{
	struct occ_build_key *build_key = pooled->build_key;
	cl_int error;

	if (!copy_all_answers(pooled, entries))
		return OCC_REASON_OUT_OF_MEMORY;
	occ_context_begin_hidden(build_key->context);
	pooled->program =
		create_program(build_key, entries, pooled->is_code, &error);
	occ_context_end_hidden(build_key->context, pooled->program ? 1 : 0);
	note_fault(error, ret_fault);
	if (!pooled->program)
		return OCC_REASON_BINARY_REFUSED;
	/* Objects and libraries are for links, and not built. */
	if (pooled->type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE) {
		pooled->binaries = copy_binaries(build_key, entries);
		ret_fault->is_shortage = !pooled->binaries;
		return pooled->binaries ? OCC_REASON_NONE
					: OCC_REASON_OUT_OF_MEMORY;
	}
	error = build_program(pooled->program, build_key);
	note_fault(error, ret_fault);
	if (error)
		return OCC_REASON_BINARY_REFUSED;
	ret_fault->is_refusal = !has_kernels(pooled);
	return ret_fault->is_refusal ? OCC_REASON_OTHER_KERNELS
				     : OCC_REASON_NONE;
}

struct occ_pooled *occ_load_program(struct occ_build_key *build_key,
				    struct occ_kept *const *entries, bool code,
				    struct occ_load_fault *ret_fault)
{
	struct occ_pooled *pooled = calloc(1, sizeof(*pooled));

	*ret_fault =
		(struct occ_load_fault){OCC_REASON_OUT_OF_MEMORY, false, true};
	if (!pooled)
		return NULL;
	pooled->references = 1;
	pooled->used = true;
	pooled->build_key = occ_build_key_retain(build_key);
	pooled->is_code = code;
	pooled->size = OVERHEAD;
	for (cl_uint i = 0; i < build_key->device_count; i++)
		pooled->size += bytes_of(entries[i], code).size;
	pooled->compile_time =
		occ_entry_number(&entries[0]->entry, OCC_META_COMPILE_TIME, 0);
	ret_fault->reason = load_binaries(pooled, entries, ret_fault);
	if (ret_fault->reason) {
		occ_pool_release(pooled);
		return NULL;
	}
	return pooled;
}

void occ_load_hand_over(struct occ_pooled *pooled)
{
	if (pooled->build_key->operation != OCC_LINK)
		return;
	pooled->is_handle = true;
	occ_context_change_hidden(pooled->build_key->context, -1);
}

/* Commands that are under way may still have kernels of it. */
static bool is_still_used(const struct occ_pooled *pooled)
{
	const struct occ_driver *driver =
		occ_build_key_driver(pooled->build_key);
	cl_uint count = 0;

	if (driver->counts_kernels &&
	    (occ_target.clGetProgramInfo(pooled->program,
					 CL_PROGRAM_REFERENCE_COUNT,
					 sizeof(count), &count, NULL) ||
	     count != 1))
		return true;
	/* There have been clones of kernels. */
	return driver->refuses_by_count &&
	       occ_rebuild_repeat(pooled->program, pooled->build_key) ==
		       CL_INVALID_OPERATION;
}

const struct occ_binaries *occ_load_binaries(struct occ_pooled *pooled)
{
	struct occ_binaries *expected = NULL;
	struct occ_binaries *binaries =
		__atomic_load_n(&pooled->fetched, __ATOMIC_ACQUIRE);

	if (binaries)
		return binaries;
	binaries = occ_device_code_binaries(pooled->build_key);
	if (!binaries ||
	    __atomic_compare_exchange_n(&pooled->fetched, &expected, binaries,
					false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return binaries;
	occ_binaries_release(binaries);
	return expected;
}

struct occ_pooled *occ_load_from_pool(const struct occ_build_key *build_key)
{
	struct occ_pooled *pooled = occ_pool_find(build_key);

	if (!pooled)
		return NULL;
	if (is_still_used(pooled)) {
		occ_pool_release(pooled);
		return NULL;
	}
	occ_pool_note_reuse(pooled);
	return pooled;
}

void occ_load_put_in_pool(struct occ_pooled *pooled)
{
	if (pooled->build_key->operation == OCC_BUILD && !pooled->binaries &&
	    occ_program_scope_is_absent(pooled->build_key, pooled->answers))
		occ_pool_put(pooled);
}

void occ_load_discard(const struct occ_build_key *build_key,
		      enum occ_reason reason)
{
	occ_log_debug("entry removed: %s", occ_reason_text(reason));
	occ_pool_forget(build_key);
	for (cl_uint i = 0; i < build_key->device_count; i++) {
		occ_memory_discard(&build_key->keys[i]);
		if (occ_stores())
			occ_store_discard(occ_stores(), &build_key->keys[i]);
	}
}
