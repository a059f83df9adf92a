/* SPDX-License-Identifier: MIT */
#include "cli/verify_files.h"

#include <sys/stat.h>

#include "cache/counters.h"
#include "cache/file.h"
#include "cache/history.h"
#include "cache/included_contents.h"
#include "cache/includes.h"
#include "cache/state.h"
#include "cache/working_set.h"

static bool counters_are_good(struct occ_span bytes)
{
	struct occ_counters counters;

	return occ_counters_decode(bytes, &counters);
}

/* Files that have checksums of their own, and aren't entries. */
static const struct {
	const char *name;
	bool (*is_good)(struct occ_span file);
	const char *fault; /* where it isn't */
} kept_files[] = {
	{OCC_NAME_STATE, occ_state_is_good, "its checksum is wrong"},
	{OCC_NAME_COUNTERS, counters_are_good, "its checksum is wrong"},
	{OCC_NAME_HISTORY, occ_history_is_good,
	 "a row's checksum is wrong; only 'oclcache stats' and 'oclcache "
	 "report' read it, and --delete removes it"},
};

#define KEPT_FILES (sizeof(kept_files) / sizeof(*kept_files))

static bool includes_are_good(struct occ_span file, const char *name)
{
	(void)name;
	return occ_includes_is_good(file) || occ_includes_is_forgotten(file);
}

static bool working_set_is_good(struct occ_span file, const char *name)
{
	(void)name;
	return occ_working_set_is_good(file);
}

static const struct {
	enum occ_name_kind kind;
	bool (*is_good)(struct occ_span file, const char *name);
} beside_files[] = {
	{OCC_NAME_INCLUDES, includes_are_good},
	{OCC_NAME_WORKING_SET, working_set_is_good},
	{OCC_NAME_INCLUDED, occ_included_contents_is_good},
};

#define BESIDE_KINDS (sizeof(beside_files) / sizeof(*beside_files))

size_t occ_verify_kept_count(void)
{
	return KEPT_FILES;
}

const char *occ_verify_kept_name(size_t index)
{
	return kept_files[index].name;
}

/* The bytes, or *ret_fault; neither of one that isn't there. */
static bool read_file(struct occ_store *store, const char *name,
		      struct occ_buffer *ret_bytes, const char **ret_fault)
{
	int error = occ_store_read(store, name, ret_bytes);

	*ret_fault = NULL;
	if (error == OCC_E_FORBIDDEN)
		*ret_fault = "it belongs to another user, or other users can "
			     "write to it";
	else if (error && error != OCC_E_NOT_FOUND)
		*ret_fault = occ_error_string(error);
	return !error;
}

const char *occ_verify_kept(struct occ_store *store, int directory,
			    size_t index)
{
	const char *name = kept_files[index].name, *fault;
	struct occ_buffer bytes = OCC_BUFFER_INIT;
	struct stat status;

	if (!occ_file_status_at(directory, name, &status) &&
	    !S_ISREG(status.st_mode))
		return S_ISDIR(status.st_mode) ? "it is a directory"
					       : "it isn't a regular file";
	if (read_file(store, name, &bytes, &fault) &&
	    !kept_files[index].is_good(occ_buffer_span(&bytes)))
		fault = kept_files[index].fault;
	occ_buffer_release(&bytes);
	return fault;
}

const char *occ_verify_beside(struct occ_store *store, enum occ_name_kind kind,
			      const char *name)
{
	struct occ_buffer bytes = OCC_BUFFER_INIT;
	const char *fault = NULL;

	for (size_t i = 0; i < BESIDE_KINDS; i++)
		if (kind == beside_files[i].kind &&
		    read_file(store, name, &bytes, &fault) &&
		    !beside_files[i].is_good(occ_buffer_span(&bytes), name))
			fault = "it is damaged";
	occ_buffer_release(&bytes);
	return fault;
}
