/* SPDX-License-Identifier: MIT */
#include "layer/driver/identity_make.h"

#include <stdlib.h>
#include <string.h>

#include "cache/driver/driver.h"
#include "cache/traits.h"
#include "hash/buffer.h"
#include "hash/digest.h"
#include "layer/base/log.h"
#include "layer/base/settings.h"
#include "layer/base/stores.h"
#include "layer/driver/background_read.h"
#include "layer/driver/device_fields.h"
#include "layer/driver/driver_components.h"
#include "layer/driver/driver_files.h"
#include "layer/driver/driver_traits.h"
#include "layer/driver/fingerprint.h"
#include "layer/driver/library.h"
#include "layer/driver/library_search.h"
#include "layer/driver/prefetch.h"

/* Adds the driver's parts to the fields; false: they can't be told. */
static bool add_inventory(struct occ_identity *identity,
			  struct occ_driver_components *components)
{
	const struct occ_buffer *parts =
		occ_driver_components_finish(components);
	struct occ_buffer *files = &components->files;

	if (parts)
		occ_field_append(&identity->fields, OCC_KEY_DRIVER_IDENTITY,
				 parts->data, parts->size);
	if (identity->files.data) {
		occ_buffer_append(&identity->files, files->data, files->size);
	} else {
		identity->files = *files;
		*files = (struct occ_buffer)OCC_BUFFER_INIT;
	}
	identity->fields.failed |= identity->files.failed;
	return parts;
}

static void release_parts(struct occ_identity_parts *parts)
{
	occ_driver_components_release(&parts->components);
	occ_driver_files_release(parts->installation);
	parts->installation = NULL;
}

/*
 * No entry can be found while there is none, whatever the driver's files are:
 * then they are read later. But where nothing is compiled there is nothing to
 * read them behind. What isn't in the table is known by its files alone, so
 * that nothing is stored before they are; and nothing is found as long as no
 * such driver was learnt.
 */
static bool may_be_late(const struct occ_known_identity *known, bool wait)
{
	if (wait || !occ_stores() || occ_settings.mode == OCC_MODE_REQUIRE)
		return false;
	if (known->identity.driver)
		return !occ_stores_has_entries();
	return occ_settings.store_policy == OCC_STORE_AUTO &&
	       !occ_stores_read_only(0) && !occ_traits_any(occ_stores());
}

/* What can be told without the driver's having compiled anything. */
static bool add_installed(struct occ_known_identity *known, bool wait)
{
	struct occ_identity_parts *parts = &known->parts;
	struct occ_driver_components *components = &parts->components;

	occ_driver_files_add_here(parts->installation, components);
	if (!parts->recalled && may_be_late(known, wait)) {
		occ_driver_components_add_unread(components,
						 occ_driver_files_premises(
							 parts->installation));
		known->to_read = parts->installation;
		parts->installation = NULL;
		known->identity.unread = true;
	} else if (!parts->recalled) {
		occ_driver_files_read(parts->installation, components);
	}
	return add_inventory(&known->identity, components);
}

/*
 * What is learnt of a driver holds as long as the dynamic linker finds by name
 * what it found then: not in a process with another LD_LIBRARY_PATH, or after
 * ldconfig(8). False: out of memory.
 */
static bool digest_surroundings(const struct occ_identity *identity,
				struct occ_digest *ret_digest)
{
	struct occ_buffer bytes = OCC_BUFFER_INIT;
	bool failed;

	occ_buffer_append(&bytes, identity->fields.data, identity->fields.size);
	occ_library_search_add_state(&bytes);
	failed = bytes.failed;
	occ_digest(bytes.data, bytes.size, OCC_SEED_DRIVER, ret_digest);
	occ_buffer_release(&bytes);
	return !failed;
}

/*
 * A driver that isn't listed is told from others by the same fields; and by the
 * objects that it was seen to load for compiling. Returns why not, if so.
 */
static enum occ_reason add_traits(struct occ_identity *identity,
				  const struct occ_driver *record,
				  const struct occ_driver_files *installation,
				  bool met)
{
	struct occ_driver_components components = OCC_DRIVER_COMPONENTS_INIT;
	struct occ_buffer paths = OCC_BUFFER_INIT;
	struct occ_digest digest;
	bool told = true;

	if (!digest_surroundings(identity, &digest))
		return OCC_REASON_OUT_OF_MEMORY;
	identity->traits = occ_driver_traits_of(&digest, record, met);
	if (!identity->traits)
		return OCC_REASON_OUT_OF_MEMORY;
	identity->driver = occ_driver_traits_driver(identity->traits);
	identity->whole = occ_driver_traits_libraries(identity->traits, &paths);
	if (identity->whole) {
		occ_driver_files_add_paths((const char *)paths.data, paths.size,
					   occ_driver_files_libraries(
						   installation),
					   &components);
		components.failed |= paths.failed;
		told = add_inventory(identity, &components);
	}
	occ_driver_components_release(&components);
	occ_buffer_release(&paths);
	return told ? OCC_REASON_NONE : OCC_REASON_IDENTITY_UNKNOWN;
}

/* What was seen ahead, if anything. */
static bool take_seen(struct occ_known_identity *known)
{
	struct occ_identity_parts *parts = &known->parts;

	parts->changes = occ_libraries_changes();
	parts->recalled =
		occ_prefetch_take(occ_prefetch_address(known->identity.device),
				  known->platform_name, &parts->installation,
				  &parts->components);
	return parts->recalled;
}

/* False when the driver isn't to be found, or out of memory. */
static bool look(struct occ_known_identity *known, const char *search_path)
{
	struct occ_identity_parts *parts = &known->parts;
	struct occ_libraries *libraries = occ_libraries_take(
		occ_prefetch_address(known->identity.device));

	if (libraries)
		parts->installation =
			occ_driver_files_ask(known->platform_name, libraries,
					     search_path);
	if (!parts->installation)
		return false;
	occ_libraries_add(libraries, &parts->components);
	parts->recalled = occ_driver_files_recall(parts->installation,
						  &parts->components);
	return true;
}

static bool collect(struct occ_known_identity *known)
{
	return known->parts.installation || take_seen(known) ||
	       look(known, getenv("PATH"));
}

/* What the platform's name decides, or why it can't be told. */
static enum occ_reason identify(struct occ_known_identity *known, bool wait)
{
	struct occ_identity *identity = &known->identity;
	const struct occ_driver *record =
		occ_driver_of_platform(known->platform_name);
	enum occ_reason reason = OCC_REASON_NONE;

	identity->driver =
		occ_driver_of_device(known->platform_name,
				     known->driver_version, known->type);
	identity->whole = identity->driver;
	if (!collect(known) || !add_installed(known, wait))
		return OCC_REASON_IDENTITY_UNKNOWN;
	if (identity->fields.failed)
		return OCC_REASON_OUT_OF_MEMORY;
	/* Another process has read the driver's files, if not this one. */
	if (!identity->driver && !identity->unread)
		reason = add_traits(identity, record, known->parts.installation,
				    known->parts.recalled && !wait);
	if (reason)
		return reason;
	if (record && record->knows_program &&
	    !occ_device_fields_add_program(&identity->fields))
		return OCC_REASON_PROGRAM_NAME_UNKNOWN;
	return OCC_REASON_NONE;
}

/* What the device and its platform say, or why not. */
static enum occ_reason ask(struct occ_known_identity *known)
{
	struct occ_identity *identity = &known->identity;

	if (!occ_device_fields_add(&identity->fields, identity->device,
				   &known->type))
		return OCC_REASON_DEVICE_UNQUERYABLE;
	identity->name = occ_device_fields_name(identity->device);
	known->platform_name = occ_device_fields_platform(identity->device);
	known->driver_version =
		occ_device_fields_driver_version(identity->device);
	return identity->name && known->platform_name &&
			       known->driver_version && !identity->fields.failed
		       ? OCC_REASON_NONE
		       : OCC_REASON_OUT_OF_MEMORY;
}

enum occ_reason occ_identity_make_fill(struct occ_known_identity *known,
				       bool wait)
{
	struct occ_identity *identity = &known->identity;
	struct occ_buffer *state = &known->parts.components.memory.state;
	enum occ_reason reason =
		known->platform_name ? OCC_REASON_NONE : ask(known);
	uint64_t start = occ_log_now();

	if (reason)
		return reason;
	reason = identify(known, wait);
	occ_log_debug("identity of %s, %s: %llu us%s", known->platform_name,
		      identity->name,
		      (unsigned long long)(occ_log_now() - start) / 1000,
		      identity->unread ? ", not read yet" : "");
	if (reason)
		return reason;
	if (known->type & CL_DEVICE_TYPE_CPU)
		occ_device_fields_add_cpu(&identity->fields);
	if (identity->fields.failed)
		return OCC_REASON_OUT_OF_MEMORY;
	occ_digest(identity->fields.data, identity->fields.size,
		   OCC_SEED_DRIVER, &identity->digest);
	/* The state was read for the driver's parts: once is enough. */
	identity->has_hits = state->size;
	if (state->size)
		occ_cost_find_hits(state, &identity->digest, &identity->hits);
	occ_buffer_release(state);
	known->made = true;
	return OCC_REASON_NONE;
}

void occ_identity_make_release(struct occ_known_identity *known)
{
	if (known->reading)
		occ_background_read_wait(known->reading);
	occ_background_read_release(known->reading);
	occ_driver_files_release(known->to_read);
	release_parts(&known->parts);
	free(known->platform_name);
	free(known->driver_version);
	free(known->identity.name);
	occ_buffer_release(&known->identity.fields);
	occ_buffer_release(&known->identity.files);
	free(known);
}

bool occ_identity_make_see(struct occ_known_identity *known)
{
	return !ask(known) && take_seen(known) &&
	       !occ_driver_files_is_here(known->parts.installation);
}

struct occ_known_identity *occ_identity_make_foreseen(cl_device_id device)
{
	struct occ_known_identity *known = occ_identity_make_new(device);

	if (!known)
		return NULL;
	if (!ask(known) &&
	    look(known,
		 occ_prefetch_search_path(occ_prefetch_address(device))) &&
	    !occ_identity_make_fill(known, false) && !known->identity.unread) {
		occ_identity_make_settle(known);
		return known;
	}
	occ_identity_make_release(known);
	return NULL;
}

void occ_identity_make_settle(struct occ_known_identity *known)
{
	release_parts(&known->parts);
}

struct occ_known_identity *occ_identity_make_new(cl_device_id device)
{
	struct occ_known_identity *known = calloc(1, sizeof(*known));

	if (!known)
		return NULL;
	known->identity.device = device;
	known->parts.components =
		(struct occ_driver_components)OCC_DRIVER_COMPONENTS_INIT;
	return known;
}

bool occ_identity_make_holds(const struct occ_known_identity *known)
{
	const struct occ_identity_parts *parts = &known->parts;

	return occ_prefetch_holds(
		       occ_prefetch_address(known->identity.device)) &&
	       !occ_driver_files_is_here(parts->installation) &&
	       (occ_libraries_changes() == parts->changes ||
		occ_driver_files_is_current(parts->installation,
					    &parts->components));
}
