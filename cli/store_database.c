/* SPDX-License-Identifier: MIT */
#include "cli/store_database.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cache/description.h"
#include "cache/driver/driver.h"
#include "cache/file.h"
#include "cli/fields.h"
#include "cli/message.h"
#include "cli/store_path.h"

/* Entries whose frames are written at once, and in between others may. */
#define BATCH	 64

/* ms */
#define PATIENCE 10000

#define DAY	 86400

static bool fail(int error)
{
	switch (error) {
	case OCC_E_TOO_LARGE:
		occ_message_error("the database has reached its maximum size; "
				  "choose another file");
		break;
	case OCC_E_BUSY:
		occ_message_error("another process is writing to the database; "
				  "try again later");
		break;
	case OCC_E_IO:
		occ_message_error("can't write the database: %s",
				  strerror(errno));
		break;
	default:
		occ_message_error("can't write the database: %s",
				  occ_error_string(error));
		break;
	}
	return false;
}

bool occ_store_database_begin(struct occ_store *store,
			      struct occ_database *database,
			      const struct occ_catalogue *catalogue,
			      struct occ_store_database *ret_adding)
{
	*ret_adding = (struct occ_store_database){
		.source = {.store = store,
			   .or_roots = occ_store_is_read_only(store),
			   .database = database},
	};
	occ_entry_users_read(store, &catalogue->listing, &ret_adding->users);
	return occ_store_path_enter(store, &ret_adding->source.directory);
}

/* Some of a key's fields as they are. */
static void append_traits(const struct occ_entry_file *whole,
			  struct occ_buffer *record)
{
	struct occ_entry_file_cursor cursor = {0};
	struct occ_span bytes;
	uint16_t id;

	while (occ_entry_file_next(whole, &cursor, &id, &bytes) == 1)
		if (id >= OCC_KEY_PLATFORM_NAME &&
		    id <= OCC_KEY_DEVICE_EXTENSIONS)
			occ_field_append(record, id, bytes.data, bytes.size);
}

/* Of the driver that made an entry, or NULL. */
static const struct occ_driver *driver_of(const struct occ_entry_file *whole)
{
	struct occ_span platform, version, numbers;
	char *platform_name, *version_text;
	const struct occ_driver *driver;

	if (!occ_entry_file_find(whole, OCC_KEY_PLATFORM_NAME, &platform) ||
	    !occ_entry_file_find(whole, OCC_KEY_DRIVER_VERSION, &version) ||
	    !occ_entry_file_find(whole, OCC_KEY_DEVICE_NUMBERS, &numbers) ||
	    numbers.size < 8)
		return NULL;
	platform_name = occ_message_must(
		strndup((const char *)platform.data, platform.size));
	version_text = occ_message_must(
		strndup((const char *)version.data, version.size));
	driver = occ_driver_of_device(platform_name, version_text,
				      occ_get_u64(numbers.data));
	free(platform_name);
	free(version_text);
	return driver;
}

static int add_device(struct occ_store_database *adding,
		      struct occ_digest *ret_name)
{
	const struct occ_driver *driver = driver_of(&adding->whole);
	struct occ_buffer record = OCC_BUFFER_INIT;
	int error;

	append_traits(&adding->whole, &record);
	if (driver)
		occ_field_append(&record, OCC_DEVICE_DRIVER, driver->name,
				 strlen(driver->name));
	if (record.failed)
		occ_message_no_memory();
	error = occ_database_add(adding->source.database, OCC_FRAME_DEVICE,
				 occ_buffer_span(&record), ret_name);
	occ_buffer_release(&record);
	return error;
}

/* Of its kernels those that some application has created. */
static void append_described(const struct occ_entry *entry,
			     struct occ_buffer *record)
{
	struct occ_span kernels = occ_entry_bytes(entry, OCC_META_KERNELS);
	struct occ_span names = occ_entry_bytes(entry, OCC_META_KERNEL_NAMES);
	struct occ_span ignored;

	names = occ_fields_text(names);
	while (names.size) {
		struct occ_span name = occ_fields_next_kernel(&names);

		if (name.size &&
		    occ_description_find_kernel(kernels, name.data, name.size,
						&ignored))
			occ_field_append(record, OCC_USE_KERNEL, name.data,
					 name.size);
	}
}

/* An entry, as the database has it. */
struct use {
	struct occ_digest build, device;
	int64_t used; /* s since 1970 */
};

/* `kernels`: that the application has created; NULL: it isn't known. */
static int add_use(struct occ_store_database *adding, const struct use *use,
		   const char *application, const char *kernels)
{
	const struct occ_entry *entry = &adding->whole.entry;
	uint64_t took =
		occ_entry_number(entry, OCC_META_COMPILE_TIME, UINT64_MAX);
	struct occ_buffer record = OCC_BUFFER_INIT;
	struct occ_digest name;
	int error;

	occ_field_append(&record, OCC_USE_BUILD, use->build.bytes,
			 OCC_DIGEST_SIZE);
	occ_field_append(&record, OCC_USE_DEVICE, use->device.bytes,
			 OCC_DIGEST_SIZE);
	occ_field_append(&record, OCC_USE_APPLICATION, application,
			 strlen(application));
	occ_record_append_number(&record, OCC_USE_DAY,
				 use->used < 0 ? 0 : (uint64_t)use->used / DAY);
	if (!kernels || !*kernels)
		append_described(entry, &record);
	for (; kernels && *kernels; kernels += strlen(kernels) + 1)
		occ_field_append(&record, OCC_USE_KERNEL, kernels,
				 strlen(kernels));
	if (took != UINT64_MAX)
		occ_record_append_number(&record, OCC_USE_COMPILE_TIME, took);
	if (record.failed)
		occ_message_no_memory();
	error = occ_database_add(adding->source.database, OCC_FRAME_USE,
				 occ_buffer_span(&record), &name);
	occ_buffer_release(&record);
	return error;
}

/* Of each application that is known to have used it, or of somebody. */
static int add_uses(struct occ_store_database *adding, const struct use *use)
{
	const struct occ_digest *hash = &adding->whole.entry.hash;
	const char *application, *kernels;
	size_t set = 0;
	int error = OCC_OK;
	bool any = false;

	while (!error && occ_entry_users_next(&adding->users, hash, &set,
					      &application, &kernels)) {
		error = add_use(adding, use, application, kernels);
		any = true;
	}
	return any ? error : add_use(adding, use, "", NULL);
}

static int add_entry(struct occ_store_database *adding, int64_t used)
{
	struct use use = {.used = used};
	enum occ_entry_lack lack;
	int error = occ_entry_build_add(&adding->source, &adding->whole,
					&use.build, &lack);

	if (error)
		return error;
	if (lack != OCC_LACK_NOTHING) {
		adding->lacking[lack]++;
		return OCC_OK;
	}
	error = add_device(adding, &use.device);
	if (!error)
		error = add_uses(adding, &use);
	adding->builds += !error;
	return error;
}

static int commit(struct occ_store_database *adding)
{
	size_t pending = adding->pending;

	adding->pending = 0;
	return pending ? occ_database_commit(adding->source.database) : OCC_OK;
}

bool occ_store_database_add(struct occ_store_database *adding,
			    const struct occ_listing_file *file)
{
	const struct occ_entry_source *source = &adding->source;
	int error;

	if (source->directory < 0)
		return true;
	error = occ_entry_file_read(source->directory, file->name,
				    source->or_roots, OCC_ENTRY_FILE_WHOLE,
				    &adding->whole);
	if (error) {
		adding->lacking[OCC_LACK_UNREADABLE] +=
			error != OCC_E_NOT_FOUND;
		return true;
	}
	error = adding->pending
			? OCC_OK
			: occ_database_begin(source->database, PATIENCE);
	if (error)
		return fail(error);
	adding->pending++;
	error = add_entry(adding, file->used.tv_sec);
	if (error) {
		occ_database_abandon(source->database);
		adding->pending = 0;
	} else if (adding->pending == BATCH) {
		error = commit(adding);
	}
	return !error || fail(error);
}

bool occ_store_database_end(struct occ_store_database *adding)
{
	int error = commit(adding);

	occ_entry_users_release(&adding->users);
	occ_entry_file_release(&adding->whole);
	occ_file_close(adding->source.directory);
	return !error || fail(error);
}

void occ_store_database_tell(const struct occ_store_database *adding)
{
	for (int lack = OCC_LACK_NOTHING + 1; lack < OCC_LACKS; lack++)
		if (adding->lacking[lack])
			occ_message_note("left out: %zu %s: %s",
					 adding->lacking[lack],
					 adding->lacking[lack] == 1 ? "entry"
								    : "entries",
					 occ_entry_lack_text(lack));
}
